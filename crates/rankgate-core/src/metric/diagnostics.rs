//! What a generator makes of its contexts: `ContextUtilization`, `NoiseSensitivityInRelevant`, `NoiseSensitivityInIrrelevant`.
//!
//! Each is a share of claims, and which claims count depends on other verdicts of the same judge. So an item here is a claim of
//! which these verdicts have been put together: its grade is 2 where it is a hit and 0 where it is none.
//!
//! - `ContextUtilization` = claims of the reference that the contexts support and the answer makes / **claims of the reference that
//!   the contexts support**. More is better. It is not defined where they support none.
//! - `NoiseSensitivityInRelevant` = claims of the answer that the reference does not support and a relevant context does / claims
//!   of the answer. A context is relevant where it supports, by itself, a claim of the reference. Less is better.
//! - `NoiseSensitivityInIrrelevant` = claims of the answer that the reference does not support, an irrelevant context does and no
//!   relevant one / claims of the answer. Less is better.
//!
//! Source: Ru et al., RAGChecker, 2024 (arXiv 2408.08067), section 3.3, and `ragchecker` 0.1.9, `computation.py`.

use super::answers::{no_ranking, supported};
use super::definition::Definition;

pub(super) static UTILIZATION: Definition = Definition::new(
    "ContextUtilization",
    "claims of the reference in contexts and answer / those in the contexts",
    no_ranking,
)
.written(&["ContextUtilization"])
.also(&["context_utilization"])
.of_answers(supported)
.diagnostic();

pub(super) static NOISE_IN_RELEVANT: Definition = Definition::new(
    "NoiseSensitivityInRelevant",
    "wrong claims of the answer that a relevant context makes / claims",
    no_ranking,
)
.written(&["NoiseSensitivityInRelevant"])
.also(&["noise_sensitivity_in_relevant"])
.of_answers(supported)
.best_low()
.diagnostic();

pub(super) static NOISE_IN_IRRELEVANT: Definition = Definition::new(
    "NoiseSensitivityInIrrelevant",
    "wrong claims of the answer that only irrelevant contexts make / claims",
    no_ranking,
)
.written(&["NoiseSensitivityInIrrelevant"])
.also(&["noise_sensitivity_in_irrelevant"])
.of_answers(supported)
.best_low()
.diagnostic();

#[cfg(test)]
mod tests {
    use crate::metric::{Metric, RankedQuery};

    fn metric(name: &str) -> Metric {
        name.parse().unwrap()
    }

    #[test]
    fn worked_values() {
        // By hand: two hits of three claims.
        let items = [("noise/1/a1", 2), ("noise/1/a2", 0), ("noise/1/a3", 2)];
        let asked = RankedQuery::new("q", "", items.iter().map(|item| item.0), items);
        for name in ["ContextUtilization", "NoiseSensitivityInRelevant", "NoiseSensitivityInIrrelevant"] {
            assert_eq!(metric(name).compute_of_query(&asked).unwrap(), 2.0 / 3.0, "{name}");
        }
    }

    #[test]
    fn noise_is_best_low_and_the_names_of_ragchecker_are_known() {
        for (name, known_as, is_low) in [
            ("context_utilization", "ContextUtilization", false),
            ("noise_sensitivity_in_relevant", "NoiseSensitivityInRelevant", true),
            ("noise_sensitivity_in_irrelevant", "NoiseSensitivityInIrrelevant", true),
        ] {
            let metric = metric(name);
            assert_eq!(metric.to_string(), known_as);
            assert_eq!((metric.is_best_low(), metric.is_best_high()), (is_low, !is_low), "{name}");
            assert!(metric.is_diagnostic() && metric.is_of_answers() && !metric.is_additive(), "{name}");
        }
        let share = Metric::reaching(metric("NoiseSensitivityInRelevant"), 0.5).unwrap();
        assert!(share.is_best_low() && share.is_diagnostic());
    }
}
