//! Time for a query, and where it comes from.

use std::fmt;
use std::time::Duration;

/// Characters of a query's text that are shown where it was not answered in time.
pub(super) const TEXT: usize = 60;

/// Time for a query, shown so that it can be found and changed.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// At least some, for all its queries together.
    pub time: Duration,
    /// How many queries are asked at once.
    pub queries: u32,
    /// The line of the spec that says so; `None` where none does.
    pub line: Option<usize>,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.time.as_secs_f64())?;
        match (self.line, self.queries) {
            (Some(line), 2..) => {
                write!(
                    f,
                    ", {} times the `timeout` in line {line} of the spec, once for each query of the batch",
                    self.queries
                )
            }
            (Some(line), _) => write!(f, ", the `timeout` in line {line} of the spec"),
            (None, _) => f.write_str(", as the spec has no `timeout` here"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_batch_says_what_it_is_made_of() {
        let limit = |queries: u32, line| Limit { time: Duration::from_millis(200) * queries, queries, line };
        assert_eq!(limit(1, Some(5)).to_string(), "0.2 s, the `timeout` in line 5 of the spec");
        assert_eq!(
            limit(16, Some(5)).to_string(),
            "3.2 s, 16 times the `timeout` in line 5 of the spec, once for each query of the batch"
        );
        assert_eq!(limit(16, None).to_string(), "3.2 s, as the spec has no `timeout` here");
    }
}
