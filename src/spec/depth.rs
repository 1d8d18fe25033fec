//! How many results are asked for, by the cutoffs that a spec names.

use super::raw::RawSpec;
use crate::mapping::{Count, Field, OneOrMany, Reader, Spanned};
use crate::metric::Metric;
use crate::yaml::{Problem, Span};

/// The least that is asked for by default.
const FEWEST: usize = 10;
/// The least by default where a metric looks at the whole ranking.
pub(super) const WHOLE: usize = 1000;

/// The cutoffs that a spec names, with their places.
pub(super) struct Cutoffs {
    named: Vec<(usize, Span)>,
    /// The first metric that looks at the whole ranking.
    whole: Option<Metric>,
}

impl Cutoffs {
    pub(super) fn new(raw: &RawSpec) -> Self {
        let mut cutoffs = Self { named: Vec::new(), whole: None };
        cutoffs.add(&raw.metrics);
        for threshold in raw.thresholds.value().iter().flat_map(|list| &list.items) {
            cutoffs.add(&threshold.value.metrics);
        }
        for comparison in raw.comparisons.value().iter().flat_map(|list| &list.items) {
            cutoffs.add(&comparison.value.metrics);
            let cutoff = comparison.value.cutoff.field_value();
            cutoffs.named.extend(cutoff.map(|given| (given.value.0, given.at)));
        }
        cutoffs
    }

    fn add(&mut self, metrics: &Field<OneOrMany<Metric>>) {
        for Spanned { at, value } in metrics.value().iter().flat_map(|metrics| &metrics.0) {
            match value.cutoff() {
                Some(cutoff) => self.named.push((cutoff, *at)),
                // Whether anything is returned shows at any depth.
                None if value.is_best_low() => {}
                None => {
                    self.whole.get_or_insert_with(|| value.clone());
                }
            }
        }
    }

    /// The metric for which so many results are asked for, where neither `depth` nor a cutoff asks for them.
    pub(super) fn because<const MOST: u64>(&self, depth: &Field<Count<MOST>>) -> Option<Metric> {
        let deepest = self.named.iter().map(|(cutoff, _)| *cutoff).max().unwrap_or(0);
        self.whole.clone().filter(|_| depth.is_absent() && deepest < WHOLE)
    }

    /// The depth that is given, which no cutoff may exceed; else as deep as any cutoff.
    pub(super) fn depth<const MOST: u64>(
        &self,
        depth: &Field<Count<MOST>>,
        reader: &mut Reader<'_>,
    ) -> usize {
        let Some(given) = depth.field_value() else {
            let deepest = self.named.iter().map(|(cutoff, _)| *cutoff).max().unwrap_or(0);
            return deepest.max(if self.whole.is_some() { WHOLE } else { FEWEST });
        };
        let depth = given.value.0;
        // The deepest, and of several the first.
        let deeper = self.named.iter().filter(|(cutoff, _)| *cutoff > depth);
        if let Some((cutoff, at)) = deeper.min_by_key(|(cutoff, at)| (std::cmp::Reverse(*cutoff), *at)) {
            let message = format!("a depth of {depth} is less than a cutoff of {cutoff}");
            let problem = Problem::new(given.at, message).related(*at, "asks for more results");
            reader.report(problem.help(format!("ask for {cutoff} results or more, or leave `depth` out")));
        }
        depth
    }
}
