//! What happened over commits: as text, as a page, as JSON.
//!
//! | file | says |
//! |---|---|
//! | `told.rs` | alarms, notices, references, epochs and commits, as the tree that painters paint |
//! | `page.rs` | the page: the trend of each metric, and the same tree |
//! | `site.rs`, `site.css` | pages of a server around them, with tables that link and forms |

mod page;
pub mod site;
mod told;
mod trend;

use crate::history::Histories;

use super::painter::{self, Style};
use super::runs::to_json;

/// Columns of a terminal that nobody made wider.
const WIDTH: usize = 80;

/// Histories for the terminal, in a style and with tables of at most so many columns.
#[must_use]
pub fn history_text(all: &Histories, style: Style, width: usize) -> String {
    let widths = painter::Widths { text: WIDTH, tables: width.max(WIDTH) };
    let mut sections = Vec::new();
    for one in &all.histories {
        sections.extend(told::sections(one));
    }
    sections.extend(told::refused(&all.refused, "what could not be placed"));
    painter::page(&sections, widths, style)
}

/// Histories as one HTML page that loads nothing: the trend of each metric with its alarms, and all that the text says.
#[must_use]
pub fn history_html(all: &Histories) -> String {
    page::page(all)
}

/// Histories for programs, as `schemas/history.json` describes them.
#[must_use]
pub fn history_json(all: &Histories) -> String {
    to_json(all)
}
