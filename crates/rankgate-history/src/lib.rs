//! Trends and alarms of retrieval quality over commits.
//!
//! A gate judges one change. A [`Timeline`] shows many: it takes the [`Measurement`]s of one configuration in the order of
//! their commits, and compares each new ranking with four references, see [`ReferenceKind`]. The k-th ranking raises an
//! [`Alarm`] if a loss is significant at the level α/k ([`Rules`]). An alarm ends when the ranking goes back.
//!
//! | file | content |
//! |---|---|
//! | `measured.rs` | commits, measurements, scores |
//! | `loss.rs` | the test of one loss |
//! | `timeline.rs` | types of a timeline and its alarms |
//! | `tell.rs` | from measurements to a timeline |
//! | `stored.rs` | measurements in a `report.json` |
//! | `text.rs`, `page.rs`, `plot.rs` | a timeline as text, as HTML, as SVG |

mod loss;
mod measured;
mod page;
mod plot;
mod stored;
mod tell;
mod text;
mod timeline;

pub use crate::loss::Rules;
pub use crate::measured::{Commit, Inputs, Measurement, Scores, Standing};
pub use crate::page::{escaped, page, section, style};
pub use crate::stored::{ReportFile, read_report};
pub use crate::tell::{History, tell};
pub use crate::text::{day, text};
pub use crate::timeline::{
    Against, Alarm, Ended, Entry, Histories, QueryLoss, ReferenceKind, Timeline, Unplaced,
};
