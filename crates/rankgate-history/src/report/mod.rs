//! What happened over commits: as text, as a page, as JSON.
//!
//! | file | says |
//! |---|---|
//! | `alarm_state.rs`, `alarm_list.rs` | what became of an alarm; the alarms that a server answers |
//! | `sections.rs` | alarms, notices, references, epochs and commits, as the tree that painters paint |
//! | `page.rs` | the page: the trend of each metric, and the same tree |
//! | `site.rs`, `site.css` | pages of a server around them, with tables that link and forms |

mod alarm_list;
mod alarm_state;
mod page;
mod sections;
pub mod site;
mod trend;

use rankgate_report::report::Style;
use rankgate_report::report::internal::{
    clean, html, json, label, markup, message, number, page as tree, painter, phrases, plot,
};

use crate::Histories;

pub use alarm_list::AlarmList;

/// Default columns of a terminal.
const WIDTH: usize = 80;

/// Histories for the terminal, in a style and with tables of at most so many columns.
#[must_use]
pub fn text(all: &Histories, style: Style, width: usize) -> String {
    let widths = painter::Widths { text: WIDTH, tables: width.max(WIDTH) };
    let mut sections = Vec::new();
    for one in &all.histories {
        sections.extend(sections::sections(one));
    }
    sections.extend(sections::refused(&all.refused, "what could not be placed"));
    painter::page(&sections, widths, style)
}

/// Histories as one HTML page that loads nothing: the trend of each metric with its alarms, and all that the text says.
#[must_use]
pub fn html(all: &Histories) -> String {
    page::page(all)
}

/// Histories for programs, as `schemas/history.json` describes them.
#[must_use]
#[expect(clippy::expect_used, reason = "the models' maps have strings as keys, and a String takes any text")]
pub fn json(all: &Histories) -> String {
    json::document(all).expect("the model is JSON")
}
