//! Runs compared in memory and from files: families, gates, who is compared with whom.

use proptest::prelude::*;

use super::*;
use crate::offline::Conclusion;
use crate::offline::collection::Qrels;
use crate::offline::gate::Expect;
use crate::offline::model::{Finding, Verdict, Warning};
use crate::offline::run::{Hit, Order, Run};
use crate::offline::stats;

/// Twelve queries; `right` says for which the relevant document stands first instead of second to fourth.
fn run(right: impl Fn(usize) -> bool) -> Evaluation {
    let mut qrels = Qrels::new();
    let mut rankings = Vec::new();
    for query in 0..12 {
        qrels.insert(&format!("q{query:02}"), "r", 1).unwrap();
        let mut ids = vec!["n", "o", "p"];
        ids.insert(if right(query) { 0 } else { 1 + query % 3 }, "r");
        rankings.push((format!("q{query:02}"), ids.into_iter().map(|id| Hit::new(id, 1.0)).collect()));
    }
    let run = Run::from_rankings(rankings).unwrap();
    Evaluation::of_run(&Collection::from_qrels(qrels).unwrap(), run).unwrap()
}

fn comparing() -> Comparing {
    Comparing::new(["RR@10", "nDCG@10", "mrr@10"].map(|name| name.parse().unwrap()))
}

fn expecting(comparing: Comparing, expect: impl Into<Expectation>) -> Comparing {
    Comparing { expect: Some(expect.into()), ..comparing }
}

fn sources(
    comparing: &Comparing,
    collection: &Collection,
    paths: &[&std::path::PathBuf],
) -> Result<Comparisons> {
    let named = paths.iter().map(|path| (path.display().to_string(), path.as_path().into()));
    comparing.sources(collection, &named.collect::<Vec<_>>())
}

/// Of documents below every cutoff only a hash is held.
#[test]
fn rankings_that_part_below_the_cutoff_are_not_identical() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, last: &str| {
        let path = folder.path().join(name);
        let above = (1..12).map(|rank| format!("q1 Q0 d{rank} {rank} {} t\n", 20 - rank));
        std::fs::write(&path, above.collect::<String>() + &format!("q1 Q0 {last} 12 1 t\n")).unwrap();
        path
    };
    let [old, same, new] =
        [("old.run", "x"), ("same.run", "x"), ("new.run", "y")].map(|(name, last)| file(name, last));
    let collection = Collection::from_qrels(Qrels::parse("q", b"q1 0 d2 1\n").unwrap()).unwrap();
    let comparing = Comparing::new(["RR@10".parse().unwrap()]);
    let compared = sources(&comparing, &collection, &[&old, &same, &new]).unwrap();
    let conclusions: Vec<_> = compared.comparisons.iter().map(|one| one.conclusion).collect();
    assert_eq!(conclusions, [Some(Conclusion::Identical), Some(Conclusion::NotSignificant)]);
}

#[test]
fn candidates_and_metrics_are_one_family() {
    let (old, new, same) = (run(|_| false), run(|query| query < 10), run(|_| false));
    let all = comparing().compare(("old", &old), &[("new", &new), ("same", &same)]).unwrap();
    let told: Vec<_> =
        all.comparisons.iter().map(|one| (&*one.candidate, &*one.metric, one.conclusion)).collect();
    assert_eq!(
        told,
        [
            ("new", "RR@10", Some(Conclusion::Better)),
            ("new", "nDCG@10", Some(Conclusion::Better)),
            ("same", "RR@10", Some(Conclusion::Identical)),
            ("same", "nDCG@10", Some(Conclusion::Identical)),
        ]
    );
    assert_eq!(all.family, 4);
    // 2^-9 two-sided, the smallest of four.
    assert_eq!(all.comparisons[0].claims[0].p, 2.0 / 1024.0);
    let p_adjusted = all.comparisons[0].p_adjusted;
    assert!((8.0 / 1024.0..0.05).contains(&p_adjusted), "{p_adjusted}");
    assert_eq!((all.holds(), all.report.gates.len()), (None, 4));
    let alone = comparing().compare(("old", &old), &[("new", &new)]).unwrap();
    assert_eq!(alone.comparisons[0].p_deciding, all.comparisons[0].p_deciding);
}

#[test]
fn the_best_of_several_is_told_to_be_chosen() {
    let (old, new, other) = (run(|_| false), run(|query| query < 10), run(|query| query < 9));
    let chosen = |candidates: &[(&str, &Evaluation)], expect: Option<stats::Expectation>| {
        let mut comparing = Comparing::new(["RR@10".parse().unwrap()]);
        comparing.expect = expect.map(Into::into);
        let all = comparing.compare(("old", &old), candidates).unwrap();
        let findings = all.report.gates.iter().map(|gate| match &gate.finding {
            Finding::Comparison(finding) => finding.warnings.clone(),
            other => panic!("{other:?}"),
        });
        findings
            .map(|warnings| {
                warnings.iter().any(|one: &Warning| one.text.starts_with("the best of 2 candidates"))
            })
            .collect::<Vec<_>>()
    };
    let both = [("new", &new), ("other", &other)];
    let improvement = Some(stats::Expectation::Improvement { margin: 0.0 });
    assert_eq!(chosen(&both, None), [true, false]);
    assert_eq!(chosen(&both, improvement), [true, false]);
    assert_eq!(chosen(&both, Some(stats::Expectation::default())), [false, false]);
    assert_eq!(chosen(&both[..1], None), [false]);
    // where none is shown to be better, none is looked at
    assert_eq!(
        chosen(&[("a", &run(|query| query == 3)), ("b", &run(|query| query == 4))], None),
        [false, false]
    );
}

/// Four judged queries, the last without a relevant document.
fn judged() -> Collection {
    let mut qrels = Qrels::new();
    for (query, document) in (0..4).flat_map(|query| (0..8).map(move |document| (query, document))) {
        let grade = if query == 3 { 0 } else { (query + document) % 5 - 1 };
        qrels.insert(&format!("q{query}"), &format!("d{document}"), grade).unwrap();
    }
    Collection::from_qrels(qrels).unwrap()
}

/// Per query, documents and their scores; no document comes twice.
fn rankings() -> impl Strategy<Value = Vec<Vec<(u8, u8)>>> {
    let ranking = prop::collection::vec((0..16_u8, 0..4_u8), 0..24);
    prop::collection::vec(ranking, 5).prop_map(|mut rankings| {
        for ranking in &mut rankings {
            let mut seen = std::collections::HashSet::new();
            ranking.retain(|(document, _)| seen.insert(*document));
        }
        rankings
    })
}

proptest! {
    // Each case compares, and plans, twice.
    #[test]
    fn files_are_compared_as_the_runs_that_they_hold(
        runs in prop::collection::vec(rankings(), 2..4),
        same: bool,
        metrics in prop::sample::select(vec![["nDCG@3", "AP", "R@12"], ["nDCG@3", "P@1", "R@5"]]),
        order in prop::sample::select(vec![Order::Score, Order::Rank]),
        judging in (1..3, any::<bool>()).prop_map(|(relevant_from, skip_queries_without_relevant)| Judging { relevant_from, skip_queries_without_relevant, ..Judging::default() }),
        expect in prop::sample::select(vec![
            None,
            Some(Expectation::Identical),
            Some(Expectation::Overlap { cutoff: 3, min: 0.5 }),
            Some(stats::Expectation::NoRegression { margin: 0.0 }.into()),
        ]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for (index, run) in runs.iter().enumerate() {
            let run = if same { &runs[0] } else { run };
            let lines = run.iter().enumerate().flat_map(|(query, ranking)| {
                let line = move |(rank, (document, score)): (usize, &(u8, u8))| format!("q{query} Q0 d{document} {rank} {score} t\n");
                (1..).zip(ranking).map(line)
            });
            let path = folder.path().join(format!("{index}.run"));
            std::fs::write(&path, lines.collect::<String>()).unwrap();
            paths.push(path);
        }
        let collection = judged();
        let mut comparing = Comparing::new(metrics.map(|name| name.parse().unwrap()));
        (comparing.reader, comparing.judging) = (RunReader::new().order(order), judging);
        comparing.statistics.resamples = 99;
        comparing.expect = expect;
        let said = |all: Result<Comparisons>| {
            let json = |all: Comparisons| (serde_json::to_string(&all).unwrap(), serde_json::to_string(&all.report).unwrap());
            all.map(json).map_err(|error| error.to_string())
        };
        let held = || {
            let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            let mut sides = Vec::new();
            for (path, name) in paths.iter().zip(&names) {
                let run = RunReader::new().order(order).read(path)?;
                let judged = Evaluation::of_run(&collection, run).and_then(|one| one.judged_by(judging));
                let named = |error: Error| Error::invalid(format!("{name}: {error}"));
                sides.push((name.as_str(), judged.map_err(named)?));
            }
            let sides: Vec<_> = sides.iter().map(|(name, evaluation)| (*name, evaluation)).collect();
            comparing.compare(sides[0], &sides[1..])
        };
        prop_assert_eq!(said(sources(&comparing, &collection, &paths.iter().collect::<Vec<_>>())), said(held()));
    }
}

#[test]
fn what_is_expected_is_a_gate() {
    let (old, new) = (run(|_| false), run(|query| query < 10));
    let verdict = |expect, candidate: &Evaluation, baseline: &Evaluation| {
        let comparing = expecting(comparing(), expect);
        comparing.compare(("a", baseline), &[("b", candidate)]).unwrap().gate.unwrap().verdict
    };
    assert_eq!(verdict(stats::Expectation::NoRegression { margin: 0.0 }.into(), &new, &old), Verdict::Passed);
    assert_eq!(verdict(stats::Expectation::NoRegression { margin: 0.0 }.into(), &old, &new), Verdict::Failed);
    assert_eq!(verdict(stats::Expectation::Improvement { margin: 0.0 }.into(), &new, &old), Verdict::Passed);
    assert_eq!(verdict(Expectation::Identical, &new, &old), Verdict::Failed);
    assert_eq!(verdict(Expectation::Identical, &new, &new), Verdict::Passed);
    assert_eq!(verdict(stats::Expectation::Equivalence { margin: 0.05 }.into(), &new, &old), Verdict::Failed);
}

#[test]
fn what_is_expected_is_told_with_each_comparison() {
    let margin = stats::Expectation::NonInferiority { margin: 0.05 };
    let comparing = expecting(comparing(), margin);
    let all = comparing.compare(("a", &run(|_| false)), &[("b", &run(|query| query < 10))]).unwrap();
    let one = &all.comparisons[0];
    let Finding::Comparison(gate) = &all.report.gates[0].finding else { panic!("no comparison") };
    assert_eq!((one.expect, one.limit), (Some(Expect::NonInferiority), Some(0.05)));
    assert_eq!((one.p(), &one.claims), (gate.p(), &gate.claims));
    assert_eq!((one.claims[0].null, gate.p()), (-0.05, one.claims[0].p_adjusted));
    assert_eq!(one.conclusion, Some(Conclusion::Better));
    // The interval beside a verdict is that of its question: against margins both limits are the unseen query's.
    let sides = [run(|_| false), run(|query| query < 10)];
    let interval = |comparing: Comparing| {
        let all = comparing.compare(("a", &sides[0]), &[("b", &sides[1])]).unwrap();
        let Finding::Comparison(gate) = &all.report.gates[0].finding else { panic!("no comparison") };
        assert_eq!(all.gate.unwrap().intervals[0], gate.interval);
        (gate.interval, all.comparisons[0].interval)
    };
    let (decides, told) =
        interval(expecting(self::comparing(), stats::Expectation::Equivalence { margin: 0.05 }));
    assert_ne!(decides, told);
    let (decides, told) =
        interval(expecting(self::comparing(), stats::Expectation::Improvement { margin: 0.0 }));
    assert_eq!(decides, told);
}

#[test]
fn a_run_is_compared_once_and_not_with_itself() {
    let one = run(|_| true);
    let error = |candidates: &[(&str, &Evaluation)]| {
        comparing().compare(("a", &one), candidates).unwrap_err().to_string()
    };
    assert_eq!(error(&[("a", &one)]), "a is compared with itself");
    assert_eq!(error(&[("b", &one), ("b", &one)]), "b is given twice");
    assert_eq!(error(&[]), "a comparison needs a metric and a candidate");
}

#[test]
fn as_many_queries_are_named_as_were_asked_for() {
    let comparing = Comparing { movers: 7, ..comparing() };
    let all = comparing.compare(("a", &run(|_| true)), &[("b", &run(|query| query > 9))]).unwrap();
    let movers = &all.comparisons[0].movers;
    assert_eq!((movers.losses.len(), movers.worse, movers.gains.len()), (7, 10, 0));
}
