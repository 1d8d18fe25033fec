//! Properties that hold for every ranking.

use proptest::prelude::*;
use proptest::sample::Index;

use crate::metric::{JudgedRanking, Metric, catalogue};

/// Every family, with and without a cutoff and parameters.
const METRICS: [&str; 39] = [
    "P@3",
    "P(rel=2)@10",
    "R@5",
    "F1@5",
    "F(beta=0.5)@10",
    "SetP",
    "SetR",
    "SetF(beta=2)",
    "Success@1",
    "Success(rel=3)@10",
    "RR",
    "RR@3",
    "AP",
    "AP@5",
    "AP(rel=0)",
    "GMAP",
    "nDCG",
    "nDCG@5",
    "nDCG(gain=exp2)@10",
    "nDCG(rel=2)",
    "DCG@10",
    "DCG",
    "Rprec",
    "Bpref",
    "Bpref(rel=2)",
    "RBP(p=0.8)",
    "RBP(p=0.99)@20",
    "ERR@10",
    "nERR@10",
    "Compat(p=0.95)",
    "ERR(max=2)@5",
    "infAP",
    "infAP(rel=2)",
    "IPrec@0",
    "IPrec@0.37",
    "Judged@5",
    "R_cap@5",
    "NumRel",
    "NumRelRet",
];

fn metric(name: &str) -> Metric {
    name.parse().unwrap()
}

/// Unjudged, in the pool without a judgment, not relevant, or relevant on a scale to 4.
fn grade() -> impl Strategy<Value = Option<i32>> {
    prop_oneof![Just(None), (-2..=4).prop_map(Some)]
}

fn ranked() -> impl Strategy<Value = Vec<Option<i32>>> {
    prop::collection::vec(grade(), 0..30)
}

fn missed() -> impl Strategy<Value = Vec<i32>> {
    prop::collection::vec(-2..=4, 0..10)
}

fn judge(ranked: &[Option<i32>], missed: &[i32]) -> JudgedRanking {
    JudgedRanking::new(ranked.to_vec(), ranked.iter().flatten().chain(missed).copied().collect())
}

#[test]
fn the_metrics_above_leave_no_family_out_but_two() {
    let tried: Vec<_> =
        METRICS.map(metric).iter().filter_map(Metric::definition).map(|row| row.name()).collect();
    let of_rankings =
        catalogue().iter().filter(|row| !row.requirements().documents && !row.requirements().subtopics);
    let left_out = of_rankings.map(|row| row.name()).filter(|name| !tried.contains(name));
    assert_eq!(left_out.collect::<Vec<_>>(), ["NumRet", "FalseSilence"]);
}

proptest! {
    #[test]
    fn values_are_within_the_range(ranked in ranked(), missed in missed(), max in -1..=6, rel in -1..=3) {
        let ranking = judge(&ranked, &missed).with_max_grade(max).with_relevant_from(rel);
        for name in METRICS {
            let value = metric(name).try_compute(&ranking);
            prop_assert!(value.as_ref().is_ok_and(|value| value.is_sign_positive()), "{name}: {value:?}");
        }
    }

    #[test]
    fn grades_of_any_size_give_numbers(ranked in prop::collection::vec(any::<Option<i32>>(), 0..20), judged: Vec<i32>) {
        // Here the ranked grades are not among the judged ones.
        let ranking = JudgedRanking::new(ranked, judged);
        for name in METRICS {
            let value = metric(name).try_compute(&ranking);
            prop_assert!(value.is_ok(), "{name}: {value:?}");
            prop_assert!(metric(name).signals(&ranking).hits <= ranking.len());
        }
    }

    #[test]
    fn a_better_document_moving_up_never_lowers_a_metric(ranked in ranked(), missed in missed(), at: Index) {
        // Unjudged, negative and zero gain nothing and are not relevant; they differ for Bpref and infAP.
        let worth = |rank: usize| ranked[rank].unwrap_or(0).max(0);
        let better: Vec<usize> = (1..ranked.len()).filter(|&rank| worth(rank) > worth(rank - 1)).collect();
        prop_assume!(!better.is_empty());
        let below = better[at.index(better.len())];
        let mut better = ranked.clone();
        better.swap(below, below - 1);
        let (before, after) = (judge(&ranked, &missed), judge(&better, &missed));
        for name in ["nDCG", "nDCG@5", "nDCG(gain=exp2)", "DCG@10", "AP", "AP@5", "RR", "RR@3", "P@3", "R@5",
            "Success@1", "Rprec", "RBP(p=0.8)", "ERR@10", "IPrec@0.37", "R_cap@5"] {
            let (before, after) = (metric(name).compute(&before), metric(name).compute(&after));
            prop_assert!(after >= before * (1.0 - 1e-12), "{name} fell from {before} to {after}");
        }
    }

    #[test]
    fn an_unjudged_document_at_the_end_changes_nothing_above_it(ranked in ranked(), missed in missed()) {
        let mut longer = ranked.clone();
        longer.push(None);
        let (before, after) = (judge(&ranked, &missed), judge(&longer, &missed));
        let k = ranked.len().max(1);
        for name in ["P", "R", "F1", "Success", "RR", "AP", "nDCG", "DCG", "RBP", "ERR", "R_cap"] {
            let metric = metric(&format!("{name}@{k}"));
            prop_assert_eq!(metric.compute(&before), metric.compute(&after), "{}", metric);
        }
        // Nor does it matter to these, which pass over what is unjudged.
        for name in ["RR", "AP", "nDCG", "Rprec", "Bpref", "RBP", "infAP", "IPrec@0.37", "SetR"] {
            prop_assert_eq!(metric(name).compute(&before), metric(name).compute(&after), "{}", name);
        }
    }

    #[test]
    fn the_ideal_ranking_is_ideal(mut judged in prop::collection::vec(0..=4i32, 1..30)) {
        judged.sort_unstable_by(|a, b| b.cmp(a));
        prop_assume!(judged[0] > 0);
        let ranking = JudgedRanking::new(judged.iter().copied().map(Some).collect(), judged);
        for name in ["nDCG", "nDCG@5", "nDCG(gain=exp2)", "AP", "RR", "Rprec", "Bpref", "SetR", "R_cap@5", "IPrec@1"] {
            prop_assert_eq!(metric(name).compute(&ranking), 1.0, "{}", name);
        }
    }

    #[test]
    fn names_read_back(
        row in prop::sample::select(catalogue()),
        rel in prop::option::of(0..5i32),
        hundredths in 1..100u32,
        exponential: bool,
        max in prop::option::of(0..9i32),
        k in 1..=1000usize,
        cut: bool,
    ) {
        let fraction = f64::from(hundredths) / 100.0;
        let written: Vec<String> = row.parameter_names().filter_map(|name| match name {
            "rel" => rel.map(|rel| format!("rel={rel}")),
            "gain" => exponential.then(|| "gain=exp2".to_owned()),
            // A default is not shown.
            "alpha" | "beta" if fraction == 0.5 && row.requirements().subtopics => None,
            "alpha" | "beta" => Some(format!("{name}={fraction}")),
            "p" => Some(format!("p={fraction}")),
            "max" if row.name() == "RBP" && !exponential => None,
            "max" => max.map(|max| format!("max={max}")),
            other => panic!("a parameter that this test does not know: {other}"),
        }).collect();
        let parameters = if written.is_empty() { String::new() } else { format!("({})", written.join(",")) };
        let at = match row.name() {
            "IPrec" => format!("@{fraction}"),
            "RR" | "AP" | "nDCG" | "DCG" | "RBP" | "ERR" | "Judged" | "FalseAnswer" if !cut => String::new(),
            "AP-IA" | "GMAP" | "NRBP" | "nNRBP" | "Compat" | "SetP" | "SetR" | "SetF" | "Rprec" | "Bpref" | "infAP" | "NumRet" | "NumRel" | "NumRelRet" | "FalseSilence" => String::new(),
            _ => format!("@{k}"),
        };
        let name = format!("{}{parameters}{at}", row.name());
        let metric = name.parse::<Metric>().unwrap();
        prop_assert_eq!(metric.to_string(), &*name);
        prop_assert_eq!(metric.to_string().to_uppercase().parse::<Metric>().unwrap(), metric);
    }

    #[test]
    fn any_text_is_a_metric_or_an_error(text in "\\PC*|[nN]?[dD]?[CGP]+[_.@(]{0,2}[a-z]{0,4}=?[0-9.,]{0,3}[)]?@?[0-9]{0,2}") {
        if let Ok(metric) = text.parse::<Metric>() {
            prop_assert_eq!(metric.to_string().parse::<Metric>().unwrap(), metric);
        }
    }
}
