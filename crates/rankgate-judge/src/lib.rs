//! Grades by models and people: what they are asked, and the files that keep what they said.

mod label;

pub use label::{GRADES, LabelPair, label_lines, label_order, label_page};

use rankgate::stats;
use rankgate_core::internal::{json, shown};
use rankgate_report::report::internal::{clean, html, markup};
