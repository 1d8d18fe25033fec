//! A p-value is the same wherever it is told.

use proptest::collection::vec;
use proptest::prelude::*;
use rankgate::benchmark::model::{Finding, Verdict};
use rankgate::run::RunReader;
use rankgate::stats::{Correction, DecidingTest, Evidence, Expectation};
use rankgate::{Collection, Evaluation, Qrels, gate, report};

use crate::offline::{self, Comparing, Conclusion};

/// Runs of the relevant document at these ranks, of which there are eight; none of them is 0.
fn of_ranks(qrels: &Collection, ranks: &[usize]) -> Evaluation {
    let mut text = String::new();
    for (query, &rank) in ranks.iter().enumerate() {
        for at in 1..=8 {
            let document = if at == rank { "r".to_owned() } else { format!("n{at}") };
            text += &format!("q{query:03} Q0 {document} {at} {} t\n", 100 - at);
        }
    }
    let run = RunReader::new().parse("a.run", text.as_bytes()).unwrap();
    Evaluation::of_run(qrels, run).unwrap()
}

/// What stands in a table's column of a row that begins with a metric: cells are two blanks apart.
fn cell<'a>(text: &'a str, column: &str, metric: &str) -> &'a str {
    let cells =
        |line: &'a str| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>();
    let mut lines = text.lines().map(cells);
    let header = lines.by_ref().find(|cells| cells.contains(&"diff")).unwrap();
    let at = header.iter().position(|title| *title == column).unwrap();
    lines.find(|cells| cells.first() == Some(&metric)).unwrap()[at]
}

/// A p-value as it is told: three digits, never 0.
fn is_told(told: &str, p: f64) -> bool {
    match told.strip_prefix("< ") {
        Some(bound) => p < bound.parse::<f64>().unwrap(),
        None => (told.parse::<f64>().unwrap() - p).abs() <= 0.005 * p + 5e-5,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_decision_has_one_p_value_wherever_it_is_told(
        ranks in vec((1_usize..=8, 1_usize..=8), 4..70),
        worse in 0_usize..3,
        by_bootstrap: bool,
        correction in prop_oneof![
            Just(Correction::Holm), Just(Correction::None),
        ],
        expected in prop_oneof![
            Just(None),
            Just(Some(gate::Expectation::from(Expectation::NoRegression { margin: 0.0 }))),
            Just(Some(gate::Expectation::from(Expectation::Improvement { margin: 0.0 }))),
            Just(Some(gate::Expectation::from(Expectation::NonInferiority { margin: 0.1 }))),
            Just(Some(gate::Expectation::from(Expectation::Equivalence { margin: 0.1 }))),
        ],
    ) {
        let test = if by_bootstrap { DecidingTest::Bootstrap } else { DecidingTest::Permutation };
        let mut qrels = Qrels::new();
        for query in 0..ranks.len() {
            qrels.insert(&format!("q{query:03}"), "r", 1).unwrap();
        }
        let qrels = Collection::from_qrels(qrels).unwrap();
        let (old, new): (Vec<usize>, Vec<usize>) =
            ranks.iter().map(|&(old, new)| (old, (new + worse).min(8))).unzip();
        let mut statistics = gate::Statistics::default();
        (statistics.test, statistics.correction, statistics.resamples) = (test, correction, 999);
        let unset = Comparing::new(["RR", "P@3"].map(|name| name.parse().unwrap()));
        let comparing = Comparing { statistics, expect: expected, ..unset };
        let all = comparing.compare(("old", &of_ranks(&qrels, &old)), &[("new", &of_ranks(&qrels, &new))]).unwrap();
        let text = offline::report::comparisons_within(&all, rankgate_report::report::internal::painter::Style::Plain, 80, true);
        let json: serde_json::Value = serde_json::from_str(&offline::report::to_json(&all)).unwrap();
        let csv = offline::report::comparisons_csv(&all);
        let mut lines = csv.lines();
        let at = |name: &str| csv.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
        let prose = text.replace('\n', " ");
        lines.next();
        for (position, (one, line)) in all.comparisons.iter().zip(lines).enumerate() {
            let cells: Vec<&str> = line.split(',').collect();
            let told = &json["comparisons"][position];
            for (name, p) in [("p_adjusted", one.p_adjusted), ("p_deciding", one.p_deciding)] {
                prop_assert_eq!(cells[at(name)].parse::<f64>().unwrap(), p);
                prop_assert_eq!(told[name].as_f64(), Some(p));
            }
            prop_assert!(one.p_adjusted >= one.p_deciding * (1.0 - 1e-9), "{} {}", one.p_adjusted, one.p_deciding);
            let shown = matches!(one.conclusion, Some(Conclusion::Better | Conclusion::Worse));
            prop_assert!(!shown || one.p_adjusted <= 0.05);
            prop_assert!(one.conclusion != Some(Conclusion::Identical) || one.p_adjusted == 1.0);
            // A gain needs a second test, which can only make its p-value larger.
            let own = one.claims.iter().map(|claim| claim.p).fold(1.0, f64::min);
            let is_gain = one.difference > 0.0 || own > 0.5;
            prop_assert!(expected.is_some() || one.p_deciding == own || one.p_deciding > own && is_gain, "{own} {}", one.p_deciding);
            if one.conclusion == Some(Conclusion::Identical) {
                continue;
            }
            prop_assert!(is_told(cell(&text, "p", &one.metric), one.p_deciding), "{}", text);
            prop_assert!(is_told(cell(&text, "p adj.", &one.metric), one.p_adjusted), "{}", text);
            let on = format!(" on {}", one.metric);
            let mut parts = prose.split(&on).skip(1);
            // What is expected is told before, of the same metric.
            let sentence = parts.find(|part| part.starts_with(':') || part.starts_with(" (")).unwrap();
            let p = sentence.split(", p ").nth(1).unwrap().trim_start_matches("= ");
            let p = p.split(['(', ';']).next().unwrap().trim().trim_end_matches(['.', ',']);
            prop_assert!(is_told(p, one.p_adjusted), "{} in {}", p, sentence);
        }
        // The report: what claims are told with is what decided.
        prop_assert_eq!(all.report.gates.iter().any(|gate| gate.verdict == Verdict::Reported), expected.is_none());
        for gate in &all.report.gates {
            let Finding::Comparison(finding) = &gate.finding else { continue };
            for claim in &finding.claims {
                prop_assert_eq!(claim.reached, claim.p_adjusted <= 0.05);
                prop_assert!(claim.evidence != Evidence::Significant || claim.reached);
                // At a margin the unseen query decides alone, and its p-value may be the smaller one.
                let own = if claim.by_unseen_query { claim.p_second.unwrap() } else { claim.p };
                prop_assert!(claim.p_adjusted >= own * (1.0 - 1e-9), "{own} {}", claim.p_adjusted);
            }
            let decided = finding.claims.iter().filter(|claim| claim.evidence == Evidence::Significant).count();
            // A claim against no difference that is shown has the p-value of the comparison.
            if finding.p() == finding.p_adjusted && decided == 1 {
                let claim = finding.claims.iter().find(|claim| claim.evidence == Evidence::Significant).unwrap();
                prop_assert_eq!(claim.p_adjusted, finding.p_adjusted);
            }
            let seen = report::message(&all.report, gate);
            // The level, where a p-value may be what it likes.
            prop_assert!(!seen.contains("<= 0.025 ") && !seen.contains("> 0.025 "), "{}", seen);
        }
    }
}
