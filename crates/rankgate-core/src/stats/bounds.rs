//! Where the exact p-value lies that a simulated one stands for.

/// Where the exact p-value of a claim may lie: the same number twice unless it is simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Bounds {
    /// Of a simulated p-value, by the levels of which it is settled on which side they lie.
    pub(super) fn for_p_value(p: f64, is_settled: impl Fn(f64) -> bool) -> Self {
        // Settled levels lie outside an interval around p; each end is found by halving.
        let end = |mut settled: f64| {
            let mut open = p;
            for _ in 0..50 {
                let middle = f64::midpoint(settled, open);
                if is_settled(middle) {
                    settled = middle;
                } else {
                    open = middle;
                }
            }
            open
        };
        Self { low: end(0.0), high: end(1.0) }
    }
}
