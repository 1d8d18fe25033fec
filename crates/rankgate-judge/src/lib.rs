//! Grades by models and people: documents get judgments, answers get score columns.
//!
//! | module | holds |
//! |---|---|
//! | [`Settings`] | `judge.yaml`: who is asked, and what it may cost |
//! | `task`, `question`, `request`, `reply` | what a judge is asked, and how its reply is read |
//! | [`Verdicts`] | the file of verdicts, each under the content that was judged |
//! | `backend`, `ask` | a server or a program, asked within a budget |
//! | [`AnswerFile`], [`Metric`], [`Scoring`] | answers, what is counted in them, and the score columns |
//! | [`People`], [`DocumentSample`] | the drawn queries, and the grades that people give, of answers and of documents |
//! | [`Agreement`] | how far a judge and people agree |
//! | `label` | the page on which a person grades |

mod agreement;
mod answers;
mod ask;
mod backend;
mod check;
mod column;
mod document_sample;
mod grade;
mod label;
mod metric;
mod people;
mod question;
mod reply;
mod request;
mod score;
mod settings;
mod sound;
mod task;
mod verdicts;

pub use agreement::Agreement;
pub use answers::{AnswerFile, Case};
pub use ask::{Failed, Tally};
pub use check::{Checked, check, check_judgments};
pub use column::{Column, Left};
pub use document_sample::DocumentSample;
pub use grade::{GradedPair, Pair, grade, judgment_lines};
pub use label::{GRADES, LabelPair, label_lines, label_order, label_page};
pub use metric::Metric;
pub use people::{Draw, People};
pub use question::Question;
pub use reply::State;
pub use score::{Scored, Scoring};
pub use settings::{Budget, Criterion, Prices, Settings};
pub use task::Task;
pub use verdicts::{Verdict, Verdicts};

use rankgate::{scores, stats};
use rankgate_core::internal::{content_hash, error, output, shown, words, yaml};
use rankgate_core::{Error, ErrorKind, Result};
