//! Time for a query, and where it comes from.

use std::fmt;
use std::time::Duration;

/// Characters of a query's text that are shown where it was not answered in time.
pub(super) const TEXT: usize = 60;

/// Time for a query, shown so that it can be found and changed.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// At least some.
    pub time: Duration,
    /// The line of the spec that says so; `None` where none does.
    pub line: Option<usize>,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.time.as_secs_f64())?;
        match self.line {
            Some(line) => write!(f, ", the `timeout` in line {line} of the spec"),
            None => f.write_str(", as the spec has no `timeout` here"),
        }
    }
}
