//! The best of many scores, as they come.

/// The largest scores so far, with their rows; of equal ones those that came first.
#[derive(Clone, Debug)]
pub(crate) struct Top {
    size: usize,
    /// A heap with the least on top, once it is full.
    kept: Vec<(f32, u32)>,
}

impl Top {
    pub(crate) fn new(size: usize) -> Self {
        Self { size, kept: Vec::new() }
    }

    /// What a score has to exceed to be kept.
    pub(crate) fn threshold(&self) -> f32 {
        if self.kept.len() < self.size {
            f32::NEG_INFINITY
        } else {
            self.kept.first().map_or(f32::INFINITY, |least| least.0)
        }
    }

    pub(crate) fn push(&mut self, score: f32, row: u32) {
        if self.kept.len() < self.size {
            self.kept.push((score, row));
            if self.kept.len() == self.size {
                for at in (0..self.size / 2).rev() {
                    self.sink(at);
                }
            }
        } else if score > self.threshold() {
            self.kept[0] = (score, row);
            self.sink(0);
        }
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let [left, right] = [2 * at + 1, 2 * at + 2];
            let mut least = at;
            for child in [left, right] {
                if child < self.kept.len() && self.kept[child].0 < self.kept[least].0 {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.kept.swap(at, least);
            at = least;
        }
    }

    /// All that was kept, in no order.
    pub(crate) fn into_kept(self) -> Vec<(f32, u32)> {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_keeps_the_largest(scores in proptest::collection::vec(-50_i16..50, 0..200), size in 1_usize..20) {
            let mut top = Top::new(size);
            for (row, score) in (0..).zip(&scores) {
                top.push(f32::from(*score), row);
            }
            let mut kept: Vec<f32> = top.into_kept().into_iter().map(|(score, _)| score).collect();
            kept.sort_by(f32::total_cmp);
            let mut expected: Vec<f32> = scores.into_iter().map(f32::from).collect();
            expected.sort_by(f32::total_cmp);
            expected.drain(..expected.len().saturating_sub(size));
            prop_assert_eq!(kept, expected);
        }
    }
}
