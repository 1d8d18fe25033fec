//! What happened over commits: as text, as a page, as JSON.
//!
//! | file | says |
//! |---|---|
//! | `alarm_state.rs`, `alarm_list.rs` | what became of an alarm; the alarms that a server answers |
//! | `sections.rs` | alarms, notices, references, epochs and commits, as the tree that painters paint |
//! | `frame.rs` | the ground of plots over commits |
//! | `configurations.rs` | the configurations of a benchmark in one plot |
//! | `page.rs` | the page: the trend of each metric, and the same tree |
//! | `site.rs`, `site.css`, `site.js`, `notes.js` | pages of a server around them, with tables that link and forms |

mod alarm_list;
mod alarm_state;
mod configurations;
mod frame;
mod page;
mod sections;
pub mod site;
mod trend;

use rankgate_report::report::Style;
use rankgate_report::report::internal::{
    self, clean, html, json, label, markup, message, number, page as tree, painter, phrases, plot,
};

use crate::{ConfigurationTimeline, Histories, State};

pub use alarm_list::AlarmList;
pub use page::{Links, View};

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
pub fn html(all: &Histories, view: &View) -> String {
    page::page(all, view)
}

/// The trend of a metric as an SVG file that stands alone, to embed; `None` of a metric that has no value. Its ground and
/// colours follow whether the reader prefers light or dark.
#[must_use]
pub fn svg(told: &ConfigurationTimeline, metric: &str, view: &View) -> Option<String> {
    let has = |state: &State| state.values.iter().any(|value| value.metric == metric);
    told.timeline.states.iter().any(has).then(|| {
        let from = view.begin(&told.timeline);
        plot::alone(trend::trend(&told.timeline, metric, (false, from), &|_| None))
    })
}

/// The trends of all metrics that gates stand on as SVG files, each with its file name.
#[must_use]
pub fn plots(all: &Histories, view: &View) -> Vec<(String, String)> {
    let mut plots = Vec::new();
    for one in &all.histories {
        for metric in &one.timeline.gated {
            let drawn = trend::trend(&one.timeline, metric, (false, view.begin(&one.timeline)), &|_| None);
            plots.push((format!("{}-{}-{metric}", one.benchmark, one.configuration), drawn));
        }
    }
    plot::files(plots)
}

/// Whether alarms stand, as a badge in SVG.
#[must_use]
pub fn badge(name: &str, all: &[ConfigurationTimeline]) -> String {
    let (verdict, words) = sections::standing(all);
    internal::badge(name, &words, Some(verdict).filter(|_| !all.is_empty()))
}

/// Histories for programs, as `schemas/history.json` describes them.
#[must_use]
#[expect(clippy::expect_used, reason = "the models' maps have strings as keys, and a String takes any text")]
pub fn json(all: &Histories) -> String {
    json::document(all).expect("the model is JSON")
}
