//! Queries that a side does not answer.

use rankgate::benchmark::model::{Covered, LowCoverage, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::run::RunReader;
use rankgate::standalone::Standalone;
use rankgate::{Collection, Evaluation, Hit, Judging, Query, report, retriever_fn};

use super::{EITHER, Folder, QUERIES, counts, cut, good, id, panic_message, reason, run, verdicts};

#[test]
fn a_baseline_of_half_the_queries_shows_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |query| 2 + query % 3));
    let whole = folder.decide(EITHER);
    assert_eq!(verdicts(&whole), [Verdict::Failed, Verdict::Failed]);
    assert!(whole.gates.iter().all(|gate| gate.coverage.is_none()));
    folder.write("old.run", &run(0..QUERIES / 2, |_| 1));
    let report = folder.decide(EITHER);
    assert_eq!(verdicts(&report), [Verdict::Error, Verdict::Error]);
    assert_eq!(
        reason(&report.gates[0]),
        "old has results for 10 of 20 judged queries (50%). 90% is needed. Add the missing queries (`q10`, `q11`, `q12`, `q13`, \
         `q14`, 5 more).\nIf this is intended, write `coverage: 0.5` beside the gate, or in the spec for all of its gates."
    );
    assert_eq!(counts(&report.gates[0]), [(Covered::Answered, 10, 20)]);
    // Whoever means it says so.
    for spec in
        [format!("coverage: 0.5\n{EITHER}"), EITHER.replace("metric: RR@10", "metric: RR@10, coverage: 0.5")]
    {
        let report = folder.decide(&spec);
        assert_eq!(verdicts(&report), [Verdict::Passed, Verdict::Inconclusive]);
        let text = report::text(&report);
        assert!(text.contains("coverage 50%"), "{text}");
    }
}

#[test]
fn a_candidate_of_half_the_queries_is_not_told_to_be_worse() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES / 2, |_| 1));
    let gates = format!("thresholds:\n  - {{metric: RR@10, min: 0.9, for: [new]}}\n{EITHER}");
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Error; 3]);
    assert!(reason(&report.gates[0]).starts_with("new has results for 10 of 20 judged queries (50%)"));
}

/// A retriever that finds the relevant documents of the first ten queries, and nothing for the others.
fn half() -> Registry {
    let mut registry = Registry::new();
    registry
        .retrievers
        .register("half", |_| {
            Ok(retriever_fn(|query: &Query, _| {
                let found = query.id.as_str() < "q10";
                Ok(found.then(|| Hit::new(format!("{}-0", query.id), 1.0)).into_iter().collect())
            }))
        })
        .unwrap();
    registry
}

#[test]
fn what_was_answered_with_nothing_is_a_score_and_a_warning() {
    let folder = Folder::new();
    let open = |candidate: &str, baseline: &str| {
        let gates = format!(
            "  half: {{retriever: half}}\nthresholds:\n  - {{metric: RR@10, min: 0.9, for: [half]}}\n  - {{metric: RR@10, \
             max: 0.9, for: [half], name: high}}\ncomparisons:\n  - {{candidate: {candidate}, baseline: {baseline}, \
             metric: RR@10}}\n"
        );
        folder.spec(&gates)
    };
    let live =
        |candidate: &str, baseline: &str| Benchmark::open(open(candidate, baseline), &half()).unwrap().run();
    folder.write("new.run", &run(0..QUERIES, |_| 1));
    let report = live("half", "old");
    assert_eq!(verdicts(&report), [Verdict::Failed, Verdict::Passed, Verdict::Failed]);
    let high = report::message(&report, &report.gates[1]).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "warning: there is no result for 10 of the 20 queries: they score 0, and `max` holds the easier by that";
    assert!(high.contains(said), "{high}");
    let lost = report::message(&report, &report.gates[2]).split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "10 of the 20 queries have no result now, and had one of old (`q10`, `q11`, `q12`, `q13`, `q14`, ...)";
    assert!(lost.contains(said), "{lost}");
    let report = live("old", "half");
    assert_eq!(verdicts(&report), [Verdict::Failed, Verdict::Passed, Verdict::Passed]);
    assert_eq!(counts(&report.gates[2]), []);
    let said = "warning: half has no result for 10 of the 20 queries (`q10`, `q11`, `q12`, `q13`, `q14`, ...): they score 0, \
                and any candidate looks better by that";
    let better = report::message(&report, &report.gates[2]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(better.contains(said), "{better}");
    let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("half has no result for 10 of the 20 queries"), "{text}");
    // What was blessed remembers which it was: empty answers of a retriever, or queries that a run lacked.
    let gates = |source: &str| {
        format!(
            "  half: {{{source}}}\ncomparisons:\n  - {{candidate: half, baseline: golden, metric: RR@10}}\n"
        )
    };
    let bless = |source: &str| {
        let Ok(standalone) = Standalone::new().registry(half()).bless() else { return None };
        let standalone = standalone.blessing_all(true, false);
        let benchmark = standalone.open(folder.spec(&gates(source))).unwrap();
        let _ = benchmark.run();
        benchmark.bless_measured().unwrap();
        let report = Benchmark::open(folder.spec(&gates("retriever: half")), &half()).unwrap().run();
        std::fs::remove_dir_all(folder.path("golden")).unwrap();
        Some(report)
    };
    folder.write("half.run", &run(0..QUERIES / 2, |_| 1));
    // On a CI machine nothing is blessed.
    let (Some(live), Some(frozen)) = (bless("retriever: half"), bless("run: half.run")) else { return };
    assert_eq!(verdicts(&live), [Verdict::Passed]);
    assert_eq!(
        (verdicts(&frozen), counts(&frozen.gates[0])),
        (vec![Verdict::Error], vec![(Covered::Answered, 10, 20)])
    );
}

#[test]
fn an_empty_object_in_a_json_run_is_an_answer() {
    let folder = Folder::new();
    let json = |empty: bool| {
        let entries = (0..QUERIES).filter(|query| *query < QUERIES / 2 || empty).map(|query| {
            let found = if query < QUERIES / 2 { format!("\"{}-0\": 1.0", id(query)) } else { String::new() };
            format!("\"{}\": {{{found}}}", id(query))
        });
        format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
    };
    folder.write("new.run", &run(0..QUERIES, |_| 1));
    folder.write("old.run", &json(false));
    assert_eq!(verdicts(&folder.decide(EITHER)), [Verdict::Error; 2]);
    folder.write("old.run", &json(true));
    assert_eq!(verdicts(&folder.decide(EITHER)), [Verdict::Passed; 2]);
}

#[test]
fn assertions_of_rust_rest_on_as_much_as_gates() {
    let folder = Folder::new();
    let collection = || Collection::beir(folder.path("data"), "test").unwrap();
    let of_run = |text: &str| {
        Evaluation::of_run(&collection(), RunReader::new().parse("a.run", text.as_bytes()).unwrap()).unwrap()
    };
    let (whole, half) = (of_run(&run(0..QUERIES, |_| 1)), of_run(&run(0..QUERIES / 2, |_| 1)));
    let worse = of_run(&run(0..QUERIES, |_| 4));
    let short = "has results for 10 of 20 judged queries (50%). 90% is needed. Add the missing queries (`q10`, `q11`, `q12`, \
                 `q13`, `q14`, 5 more).";
    let remedy = "If this is intended, write `evaluation.with_min_coverage(0.5)`.";
    for text in [
        panic_message(|| half.assert_at_least("RR@10", 0.4)),
        panic_message(|| half.assert_lower_bound_at_least("RR@10", 0.1)),
        panic_message(|| half.assert_at_most("RR@10", 0.9)),
        panic_message(|| worse.assert_no_regression(&half, "RR@10", 0.0)),
        panic_message(|| whole.assert_improves(&half, "RR@10")),
        panic_message(|| half.assert_non_inferior(&worse, "RR@10", 0.2)),
    ] {
        assert!(text.contains("ERROR") && text.contains(short) && text.contains(remedy), "{text}");
    }
    let error = whole.compare(&half, "RR@10").unwrap_err();
    let shortage = error.downcast_ref::<LowCoverage>().unwrap();
    assert_eq!((shortage.report().share(), shortage.report().at_least), (0.5, 0.9));
    assert!(error.to_string().starts_with("the baseline has results for 10 of 20"), "{error}");
    // Whoever means it says so; the side that is asserted of does.
    let lowered = |one: &Evaluation| one.clone().with_min_coverage(0.5);
    lowered(&half).assert_at_least("RR@10", 0.4);
    lowered(&whole).assert_improves(&half, "RR@10");
    assert_eq!(lowered(&whole).compare(&half, "RR@10").unwrap().difference, 0.5);
    assert!(panic_message(|| whole.assert_improves(&lowered(&half), "RR@10")).contains(short));
    let judging = Judging { skip_queries_without_relevant: true, ..Judging::default() };
    lowered(&half).judged_by(judging).unwrap().assert_at_least("RR@10", 0.4);
    // A run that ends early decides nothing beside one that goes on.
    let (short, longer) = (of_run(&cut(&good(), |_| 1)), of_run(&super::worse()));
    let text = panic_message(|| longer.assert_improves(&short, "RR@10"));
    assert!(text.contains("the baseline has complete lists for 10 of 20 queries"), "{text}");
    longer.clone().with_min_coverage(0.5).assert_no_regression(&short, "RR@10", 0.0);
    // Shares that are none decide nothing.
    for share in [f64::NAN, -0.1, 90.0] {
        let text = panic_message(|| whole.clone().with_min_coverage(share).assert_at_least("RR@10", 0.1));
        assert!(text.contains("a share from 0 to 1, not"), "{text}");
    }
    // Judgments that were cut, and results of no document.
    let foreign = of_run(&run(0..QUERIES, |_| 1).replace("Q0 q0", "Q0 old/q0"));
    assert!(
        panic_message(|| foreign.assert_at_least("RR@10", 0.1))
            .contains("40 of 80 results of the retriever are in the corpus")
    );
    assert!(
        panic_message(|| worse.assert_improves(&foreign, "RR@10"))
            .contains("40 of 80 results of the baseline are in the corpus")
    );
    folder.judge("test", 0..2, |_| true);
    let cut = of_run(&run(0..QUERIES, |_| 1));
    let text = panic_message(|| cut.assert_at_least("RR@10", 0.1));
    assert!(text.contains("2 of 20 queries are judged (10%)"), "{text}");
    // A retriever that finds nothing has answered.
    folder.judge("test", 0..QUERIES, |_| true);
    let live = rankgate::evaluate(&collection(), 10, |query, _| {
        Ok((query.id.as_str() < "q10")
            .then(|| Hit::new(format!("{}-0", query.id), 1.0))
            .into_iter()
            .collect())
    });
    let live = live.unwrap();
    live.assert_at_least("RR@10", 0.4);
    whole.assert_improves(&live, "RR@10");
    let text = panic_message(|| live.assert_at_most("RR@10", 0.4));
    assert!(text.contains("there is no result for 10 of the 20 queries"), "{text}");
}

#[test]
fn a_few_missing_queries_are_a_warning() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |_| 1));
    folder.write("old.run", &run(0..QUERIES - 2, |_| 1));
    let report = folder.decide(EITHER);
    assert_eq!(verdicts(&report)[0], Verdict::Passed);
    let message = report::message(&report, &report.gates[0]).replace('\n', " ");
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        message.contains("warning: old has results for 18 of 20 judged queries (`q18`, `q19`)"),
        "{message}"
    );
    let json = report::json(&report);
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("p = 0.5; coverage 90%"), "{text}");
    folder.write("old.run", &run(0..QUERIES - 3, |_| 1));
    assert_eq!(verdicts(&folder.decide(EITHER)), [Verdict::Error, Verdict::Error]);
}
