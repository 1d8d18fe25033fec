//! How long each gate took, for `--report-time`.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::order;

/// Times of gates, in the order in which they ended.
#[derive(Debug, Default)]
pub(super) struct Times(Mutex<Vec<(String, Duration)>>);

impl Times {
    /// Calls `f` and keeps its time.
    pub(super) fn measure<T>(&self, gate: &str, f: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = f();
        let took = start.elapsed();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((gate.to_owned(), took));
        result
    }

    /// A line for each gate, the slowest first.
    pub(super) fn lines(&self) -> String {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        order::sort_by(&mut times, |(one, took), (other, other_took)| {
            other_took.cmp(took).then(one.cmp(other))
        });
        let lines = times.iter().map(|(gate, took)| format!("{:>9.3} s  {gate}", took.as_secs_f64()));
        let head = "time of each gate, with that of waiting for its answers:".to_owned();
        [head].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_gate_comes_first() {
        let times = Times::default();
        assert_eq!(times.measure("a", || 7), 7);
        for (gate, milliseconds) in [("c", 12_345), ("b", 12_345), ("a", 7)] {
            times.0.lock().unwrap().push((gate.to_owned(), Duration::from_millis(milliseconds)));
        }
        let lines = times.lines();
        let expected = "time of each gate, with that of waiting for its answers:\n   12.345 s  b\n   12.345 s  c\n    0.007 s  a\n";
        assert!(lines.starts_with(expected) && lines.ends_with(" s  a"), "{lines}");
    }
}
