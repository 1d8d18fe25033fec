//! How much of what a gate rests on has to be there: with less it is errored, whatever the rest shows.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use rankgate::benchmark::model::{EvidenceKind, EvidenceShortage, Finding, GateReport, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::gate::Evidence;
use rankgate::run::RunReader;
use rankgate::standalone::Standalone;
use rankgate::{Collection, Evaluation, Hit, Judging, Query, report, retriever_fn};

/// Twenty queries in a folder of BEIR, each with one relevant document among four of its own.
struct Folder(tempfile::TempDir);

const QUERIES: usize = 20;

fn id(query: usize) -> String {
    format!("q{query:02}")
}

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let (mut queries, mut documents) = (String::new(), String::new());
        for query in 0..QUERIES {
            let topic = if query < 8 { "billing" } else { "delivery" };
            let metadata = format!("{{\"topic\": \"{topic}\"}}");
            writeln!(queries, "{{\"_id\": \"{}\", \"text\": \"x\", \"metadata\": {metadata}}}", id(query))
                .unwrap();
            for document in 0..4 {
                writeln!(documents, "{{\"_id\": \"{}-{document}\", \"text\": \"x\"}}", id(query)).unwrap();
            }
        }
        folder.write("data/queries.jsonl", &queries);
        folder.write("data/corpus.jsonl", &documents);
        folder.judge("test", 0..QUERIES, |_| true);
        // `old` finds everything first; `new` is worse on every query, or on every second one.
        folder.write("old.run", &run(0..QUERIES, |_| 1));
        folder.write("worse.run", &run(0..QUERIES, |query| 2 + query % 3));
        folder
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The judgments of a split: the first document of a query is relevant, or else none is.
    fn judge(&self, split: &str, queries: impl Iterator<Item = usize>, relevant: impl Fn(usize) -> bool) {
        let mut text = "query-id\tcorpus-id\tscore\n".to_owned();
        for query in queries {
            for document in 0..4 {
                let grade = usize::from(document == 0 && relevant(query));
                writeln!(text, "{0}\t{0}-{document}\t{grade}", id(query)).unwrap();
            }
        }
        self.write(&format!("data/qrels/{split}.tsv"), &text);
    }

    fn spec(&self, rest: &str) -> PathBuf {
        let text = format!(
            "version: 1\nbenchmark: toy\ngolden: golden\ndepth: 10\ncollection: {{beir: data}}\n\
             configurations:\n  old: {{run: old.run}}\n  new: {{run: new.run}}\n{rest}"
        );
        self.write("toy.yaml", &text);
        self.path("toy.yaml")
    }

    fn decide(&self, rest: &str) -> Report {
        Benchmark::open(self.spec(rest), &Registry::new()).unwrap_or_else(|error| panic!("{error}")).run()
    }

    /// Blesses what stands there; `false` on a CI machine, where nothing is blessed.
    fn bless(&self, rest: &str) -> bool {
        let Ok(standalone) = Standalone::new().bless() else { return false };
        let benchmark = standalone.open(self.spec(rest)).unwrap();
        let refused = benchmark.run().blessings.iter().any(|one| one.refused);
        benchmark.bless_measured().unwrap();
        !refused
    }
}

/// A run of some queries, with the relevant document at a rank of 1 to 4.
fn run(queries: impl Iterator<Item = usize>, rank: impl Fn(usize) -> usize) -> String {
    let mut text = String::new();
    for query in queries {
        let mut documents = vec![1, 2, 3];
        documents.insert(rank(query) - 1, 0);
        for (place, document) in documents.into_iter().enumerate() {
            writeln!(text, "{0} Q0 {0}-{document} {1} {2} t", id(query), place + 1, 9 - place).unwrap();
        }
    }
    text
}

fn reason(gate: &GateReport) -> &str {
    match &gate.finding {
        Finding::Undecided(undecided) => &undecided.reason,
        other => panic!("{}: {other:?}", gate.name),
    }
}

fn verdicts(report: &Report) -> Vec<Verdict> {
    report.gates.iter().map(|gate| gate.verdict).collect()
}

/// What of a gate's evidence is not complete: what, how much of it, of how much.
fn counts(gate: &GateReport) -> Vec<(EvidenceKind, usize, usize)> {
    let counts = gate.evidence.iter().flat_map(|evidence| &evidence.counts);
    counts.map(|count| (count.kind, count.there, count.of)).collect()
}

const EITHER: &str = "comparisons:
  - {candidate: new, baseline: old, metric: RR@10}
  - {candidate: new, baseline: old, metric: RR@10, expect: improvement, name: better}
";

#[test]
fn a_baseline_of_half_the_queries_shows_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |query| 2 + query % 3));
    let whole = folder.decide(EITHER);
    assert_eq!(verdicts(&whole), [Verdict::Failed, Verdict::Failed]);
    assert!(whole.gates.iter().all(|gate| gate.evidence.is_none()));
    folder.write("old.run", &run(0..QUERIES / 2, |_| 1));
    let report = folder.decide(EITHER);
    assert_eq!(verdicts(&report), [Verdict::Errored, Verdict::Errored]);
    assert_eq!(
        reason(&report.gates[0]),
        "old answers 10 of the 20 queries: 50%, and 90% is needed\n  missing: `q10`, `q11`, `q12`, `q13`, `q14`, 5 more\n  \
         have old answer them\nwhere so little is meant to be there: write `evidence: {at-least: 0.5}` beside the gate, or in \
         the spec for all of its gates"
    );
    assert_eq!(counts(&report.gates[0]), [(EvidenceKind::Answered, 10, 20)]);
    // Whoever means it says so, and the bound stands beside the verdict.
    for spec in [
        format!("evidence: {{at-least: 0.5}}\n{EITHER}"),
        EITHER.replace("metric: RR@10", "metric: RR@10, evidence: {at-least: 0.5}"),
    ] {
        let report = folder.decide(&spec);
        assert_eq!(verdicts(&report), [Verdict::Passed, Verdict::Inconclusive]);
        let bounds = report.gates[0].evidence.as_ref().unwrap().bounds.unwrap();
        let Finding::Comparison(finding) = &report.gates[0].finding else { panic!() };
        // The ten that are missing may have scored 1 each, as they did.
        assert!((bounds.worst - (finding.difference - 0.5)).abs() < 1e-12, "{bounds:?}");
        assert!((bounds.best - finding.difference).abs() < 1e-12, "{bounds:?}");
        let text = report::text(&report);
        assert!(text.contains("evidence 50%, at worst -0."), "{text}");
    }
}

#[test]
fn a_candidate_of_half_the_queries_is_not_told_to_be_worse() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES / 2, |_| 1));
    let gates = format!("thresholds:\n  - {{metric: RR@10, min: 0.9, for: [new]}}\n{EITHER}");
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Errored; 3]);
    assert!(reason(&report.gates[0]).starts_with("new answers 10 of the 20 queries: 50%"));
}

/// A run with the first so many results of each query.
fn cut(text: &str, depth: impl Fn(usize) -> usize) -> String {
    let is_kept = |line: &&str| {
        let columns: Vec<&str> = line.split(' ').collect();
        columns[3].parse::<usize>().unwrap() <= depth(columns[0][1..].parse().unwrap())
    };
    text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect()
}

/// The relevant document at rank 1, or for every second query at rank 2; `worse` has it at rank 4 there.
fn good() -> String {
    run(0..QUERIES, |query| 1 + query % 2)
}

fn worse() -> String {
    run(0..QUERIES, |query| 1 + 3 * (query % 2))
}

/// What was found by an attacker: half of the queries lose their document with the baseline's second rank, and the worse
/// candidate gains.
#[test]
fn a_run_that_was_cut_by_rank_decides_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &worse());
    folder.write("old.run", &good());
    assert_eq!(verdicts(&folder.decide(EITHER)), [Verdict::Failed; 2]);
    folder.write("old.run", &cut(&good(), |_| 1));
    let report = folder.decide(EITHER);
    assert_eq!(verdicts(&report), [Verdict::Errored; 2]);
    assert_eq!(
        reason(&report.gates[1]),
        "old has whole lists for 10 of the 20 queries; the others end at rank 1 at the latest, and 10 results count: 50%, and \
         90% is needed\n  missing: `q01`, `q03`, `q05`, `q07`, `q09`, 5 more\n  make the run of old with 10 results, or, \
         where lists are meant to end there, write `evidence: {depth: 1}`\nwhere so little is meant to be there: write \
         `evidence: {at-least: 0.5}` beside the gate, or in the spec for all of its gates"
    );
    // Whoever means it says so, and the bound stands beside the verdict: at rank 2 they would score 0.5 each.
    let decided = folder.decide(&format!("evidence: {{at-least: 0.5}}\n{EITHER}"));
    assert_eq!(verdicts(&decided), [Verdict::Passed, Verdict::Inconclusive]);
    let bounds = decided.gates[1].evidence.as_ref().unwrap().bounds.unwrap();
    // New scores 1 and 0.25, old 1 and 0, or 0.5.
    assert!((bounds.worst + 0.125).abs() < 1e-12 && (bounds.best - 0.125).abs() < 1e-12, "{bounds:?}");
    let meant = folder.decide(&format!("evidence: {{depth: 1}}\n{EITHER}"));
    assert_eq!(verdicts(&meant), [Verdict::Passed, Verdict::Inconclusive]);
    assert_eq!(meant.gates[1].evidence.as_ref().unwrap().bounds, Some(bounds));
    let message = report::message(&meant, &meant.gates[1]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        message.contains("caution: the lists of old end at rank 1, those of new at 4, and RR@10"),
        "{message}"
    );
    assert_eq!(verdicts(&folder.decide(&format!("evidence: {{depth: 2}}\n{EITHER}"))), [Verdict::Errored; 2]);
}

#[test]
fn lists_are_whole_on_both_sides_in_every_gate_that_compares() {
    let folder = Folder::new();
    let gate = |gate: &str| format!("comparisons:\n  - {{candidate: new, baseline: old, {gate}}}\n");
    let overlap = gate("expect: overlap, cutoff: 4, min: 0.9");
    let one_or_two = |query: usize| 1 + query / 2 % 2;
    let errored = [
        // Lengths that vary a little; the candidate's; a metric without a cutoff; all kinds of claims.
        (cut(&good(), one_or_two), worse(), gate("metric: RR@10")),
        (good(), cut(&worse(), |_| 1), gate("metric: RR@10")),
        (cut(&good(), |_| 1), worse(), gate("metric: AP")),
        (cut(&good(), |_| 1), worse(), gate("metric: nDCG@10, expect: non-inferiority, margin: 0.02")),
        (cut(&good(), |_| 1), worse(), gate("metric: R@2, expect: equivalence, margin: 0.9")),
        // As many lists as are no longer a few.
        (cut(&good(), |query| if query < 12 { 1 } else { 4 }), worse(), gate("metric: RR@10")),
        (cut(&good(), |_| 1), cut(&worse(), |_| 1), overlap.clone()),
        (cut(&good(), |_| 1), cut(&good(), |_| 1), overlap.clone()),
    ];
    for (old, new, gates) in errored {
        folder.write("old.run", &old);
        folder.write("new.run", &new);
        let report = folder.decide(&gates);
        assert_eq!(verdicts(&report), [Verdict::Errored], "{gates}");
        assert_eq!(counts(&report.gates[0])[0].0, EvidenceKind::WholeLists);
        assert!(reason(&report.gates[0]).contains(" has whole lists for "), "{gates}");
    }
    let decided = [
        // Both end there; they have found what there is; a cutoff that they reach; all documents of the corpus.
        (cut(&good(), |_| 2), cut(&worse(), |_| 2), gate("metric: RR@10")),
        (cut(&run(0..QUERIES, |_| 1), |_| 1), worse(), gate("metric: nDCG@10")),
        (cut(&good(), |_| 1), worse(), gate("metric: P@1")),
        (cut(&good(), |_| 1), cut(&good(), |_| 1), gate("expect: overlap, cutoff: 1, min: 0.9")),
        (cut(&good(), |_| 1), cut(&good(), |_| 1), gate("expect: identical")),
        (cut(&good(), |query| if query < 4 { 1 } else { 4 }), worse(), gate("metric: RR@10")),
    ];
    for (old, new, gates) in decided {
        folder.write("old.run", &old);
        folder.write("new.run", &new);
        let report = folder.decide(&gates);
        assert_ne!(verdicts(&report), [Verdict::Errored], "{gates}\n{}", report::text(&report));
    }
    // What both lack is said.
    folder.write("old.run", &cut(&good(), |_| 2));
    folder.write("new.run", &cut(&worse(), |_| 2));
    let report = folder.decide(&gate("metric: RR@10"));
    let message = report::message(&report, &report.gates[0]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        message.contains("the lists of new and of old end at rank 2, and RR@10 looks further down"),
        "{message}"
    );
    // A limit above a value is kept the better by what is missing.
    folder.write("new.run", &cut(&worse(), |_| 1));
    let report = folder.decide("thresholds: [{metric: RR@10, max: 0.55, for: [new]}]\n");
    assert_eq!(verdicts(&report), [Verdict::Passed]);
    let bounds = report.gates[0].evidence.as_ref().unwrap().bounds.unwrap();
    assert!((bounds.worst - 0.75).abs() < 1e-12, "{bounds:?}");
}

#[test]
fn a_retriever_that_returns_less_than_it_was_asked_for_has_answered() {
    let folder = Folder::new();
    folder.write("new.run", &worse());
    let mut registry = Registry::new();
    let first = |query: &Query, _| {
        let number: usize = query.id[1..].parse()?;
        Ok(vec![Hit::new(format!("{}-{}", query.id, number % 2), 1.0)])
    };
    registry.retrievers.register("first", move |_| Ok(retriever_fn(first))).unwrap();
    let gates =
        "  first: {retriever: first}\ncomparisons:\n  - {candidate: new, baseline: first, metric: RR@10}\n";
    let report = Benchmark::open(folder.spec(gates), &registry).unwrap().run();
    assert_eq!(verdicts(&report), [Verdict::Passed]);
    let message = report::message(&report, &report.gates[0]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("the lists of first end at rank 1, those of new at 4"), "{message}");
}

#[test]
fn a_golden_run_that_ends_early_is_to_be_blessed_again() {
    let folder = Folder::new();
    folder.write("new.run", &cut(&good(), |_| 1));
    let gates = "comparisons:\n  - {candidate: new, baseline: golden, metric: RR@10}\n";
    if !folder.bless(gates) {
        return; // on a CI machine nothing is blessed
    }
    folder.write("new.run", &worse());
    let report = folder.decide(gates);
    assert_eq!(verdicts(&report), [Verdict::Errored]);
    let said = reason(&report.gates[0]);
    assert!(said.starts_with("golden has whole lists for 10 of the 20 queries"), "{said}");
    assert!(
        report.gates[0].advice.iter().any(|advice| advice.action.contains("RANKGATE_BLESS")),
        "{report:?}"
    );
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
fn what_was_answered_with_nothing_is_a_score_and_a_caution() {
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
    let said = "caution: there is no result for 10 of the 20 queries: they score 0, and `max` holds the easier by that";
    assert!(high.contains(said), "{high}");
    let report = live("old", "half");
    assert_eq!(verdicts(&report), [Verdict::Failed, Verdict::Passed, Verdict::Passed]);
    assert_eq!(counts(&report.gates[2]), []);
    let said = "caution: half has no result for 10 of the 20 queries (`q10`, `q11`, `q12`, `q13`, `q14`, ...): they score 0, \
                and any candidate looks better by that";
    let better = report::message(&report, &report.gates[2]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(better.contains(said), "{better}");
    let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("10 queries left unanswered by half"), "{text}");
    // What was blessed remembers which it was: empty answers of a retriever, or queries that a run lacked.
    let gates = |source: &str| {
        format!(
            "  half: {{{source}}}\ncomparisons:\n  - {{candidate: half, baseline: golden, metric: RR@10}}\n"
        )
    };
    let bless = |source: &str| {
        let Ok(standalone) = Standalone::new().registry(half()).bless() else { return None };
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
        (vec![Verdict::Errored], vec![(EvidenceKind::Answered, 10, 20)])
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
    assert_eq!(verdicts(&folder.decide(EITHER)), [Verdict::Errored; 2]);
    folder.write("old.run", &json(true));
    assert_eq!(verdicts(&folder.decide(EITHER)), [Verdict::Passed; 2]);
}

/// What an assertion says.
fn said(assertion: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(assertion).unwrap_err();
    let text = panic.downcast::<String>().unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
    let short = "answers 10 of the 20 queries: 50%, and 90% is needed missing: `q10`, `q11`, `q12`, `q13`, `q14`, 5 more";
    let remedy =
        "where so little is meant to be there: `evaluation.with_evidence(Evidence::default().at_least(0.5))`";
    for text in [
        said(|| half.assert_at_least("RR@10", 0.4)),
        said(|| half.assert_surely_at_least("RR@10", 0.1)),
        said(|| half.assert_at_most("RR@10", 0.9)),
        said(|| worse.assert_no_regression(&half, "RR@10", 0.0)),
        said(|| whole.assert_improves(&half, "RR@10")),
        said(|| half.assert_not_worse_by(&worse, "RR@10", 0.2)),
    ] {
        assert!(text.contains("ERRORED") && text.contains(short) && text.contains(remedy), "{text}");
    }
    let error = whole.compare(&half, "RR@10").unwrap_err();
    let shortage = error.downcast_ref::<EvidenceShortage>().unwrap();
    assert_eq!((shortage.report().share(), shortage.report().at_least), (0.5, 0.9));
    assert!(error.to_string().ends_with("have the baseline answer them"), "{error}");
    // Whoever means it says so; the side that is asserted of does.
    let lowered = |one: &Evaluation| one.clone().with_evidence(Evidence::default().at_least(0.5));
    lowered(&half).assert_at_least("RR@10", 0.4);
    lowered(&whole).assert_improves(&half, "RR@10");
    assert_eq!(lowered(&whole).compare(&half, "RR@10").unwrap().difference, 0.5);
    assert!(said(|| whole.assert_improves(&lowered(&half), "RR@10")).contains(short));
    let judging = Judging { skip_unjudgeable: true, ..Judging::default() };
    lowered(&half).judged_by(judging).unwrap().assert_at_least("RR@10", 0.4);
    // A run that ends early decides nothing beside one that goes on.
    let (short, longer) = (of_run(&cut(&good(), |_| 1)), of_run(&self::worse()));
    let text = said(|| longer.assert_improves(&short, "RR@10"));
    assert!(text.contains("the baseline has whole lists for 10 of the 20 queries"), "{text}");
    assert!(text.contains("`with_evidence(Evidence::default().depth(1))`"), "{text}");
    longer.clone().with_evidence(Evidence::default().depth(1)).assert_no_regression(&short, "RR@10", 0.0);
    // Shares that are none decide nothing.
    for share in [f64::NAN, -0.1, 90.0] {
        let text = said(|| {
            whole.clone().with_evidence(Evidence::default().at_least(share)).assert_at_least("RR@10", 0.1)
        });
        assert!(text.contains("a share from 0 to 1, not"), "{text}");
    }
    // Judgments that were cut, others than are expected, and results of no document.
    let few = whole.clone().with_evidence(Evidence::default().queries(40));
    assert!(
        said(|| few.assert_at_least("RR@10", 0.1))
            .contains("20 queries are judged, where 40 are expected: 50%")
    );
    let foreign = of_run(&run(0..QUERIES, |_| 1).replace("Q0 q0", "Q0 old/q0"));
    assert!(
        said(|| foreign.assert_at_least("RR@10", 0.1))
            .contains("40 of the 80 results of the retriever are in the corpus")
    );
    assert!(
        said(|| worse.assert_improves(&foreign, "RR@10"))
            .contains("40 of the 80 results of the baseline are in the corpus")
    );
    folder.judge("test", 0..2, |_| true);
    let cut = of_run(&run(0..QUERIES, |_| 1));
    let text = said(|| cut.assert_at_least("RR@10", 0.1));
    assert!(
        text.contains("2 of the collection's 20 queries are judged: 10%") && text.contains("queries(2)"),
        "{text}"
    );
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
    let text = said(|| live.assert_at_most("RR@10", 0.4));
    assert!(text.contains("there is no result for 10 of the 20 queries"), "{text}");
}

#[test]
fn a_few_missing_queries_are_a_caution_with_a_bound() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |_| 1));
    folder.write("old.run", &run(0..QUERIES - 2, |_| 1));
    let report = folder.decide(EITHER);
    assert_eq!(verdicts(&report)[0], Verdict::Passed);
    let bounds = report.gates[0].evidence.as_ref().unwrap().bounds.unwrap();
    assert_eq!((bounds.worst, bounds.best), (0.0, 0.1));
    let message = report::message(&report, &report.gates[0]).replace('\n', " ");
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        message.contains(
            "caution: old answers 18 of the 20 queries (not `q18`, `q19`); what is missing could make it 0.0000 at worst \
             and 0.1000 at best"
        ),
        "{message}"
    );
    let json = report::json(&report);
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("p = 0.5; evidence 90%, at worst 0.0000"), "{text}");
    folder.write("old.run", &run(0..QUERIES - 3, |_| 1));
    assert_eq!(verdicts(&folder.decide(EITHER)), [Verdict::Errored, Verdict::Errored]);
}

#[test]
fn a_baseline_of_another_corpus_shows_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |query| 2 + query % 3));
    // A third of what it finds is of no document, the relevant ones among them.
    let foreign: String = run(0..QUERIES, |_| 1)
        .lines()
        .map(|line| {
            let of_third =
                ["q00", "q03", "q06", "q09", "q12", "q15", "q18"].iter().any(|id| line.starts_with(id));
            if of_third { format!("{}\n", line.replacen(" q", " old/q", 1)) } else { format!("{line}\n") }
        })
        .collect();
    folder.write("old.run", &foreign);
    let report = folder.decide(EITHER);
    assert_eq!(verdicts(&report), [Verdict::Errored, Verdict::Errored]);
    let said = reason(&report.gates[1]);
    assert!(
        said.starts_with("52 of the 80 results of old are in the corpus: 65%, and 90% is needed"),
        "{said}"
    );
    assert!(said.contains("missing: `old/q00-0`, `old/q00-1`"), "{said}");
    // A candidate's count as well.
    let turned = "thresholds:\n  - {metric: RR@10, min: 0.1, for: [old]}\n";
    assert_eq!(verdicts(&folder.decide(turned)), [Verdict::Errored]);
    // Without a corpus nobody knows.
    std::fs::remove_file(folder.path("data/corpus.jsonl")).unwrap();
    assert_eq!(verdicts(&folder.decide(turned)), [Verdict::Passed]);
}

#[test]
fn judgments_that_were_cut_off_decide_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |query| if query < 2 { 1 } else { 4 }));
    let gates = format!("thresholds:\n  - {{metric: RR@10, min: 0.9, for: [new]}}\n{EITHER}");
    assert_eq!(verdicts(&folder.decide(&gates)), [Verdict::Failed; 3]);
    folder.judge("test", 0..2, |_| true);
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Errored; 3]);
    let said = reason(&report.gates[0]);
    assert!(
        said.starts_with("2 of the collection's 20 queries are judged: 10%, and 90% is needed"),
        "{said}"
    );
    assert!(said.contains("missing: `q02`, `q03`") && said.contains("`evidence: {queries: 2}`"), "{said}");
    let split = "restore the judgments, or, where the others are of a split without a file of judgments here, bless on as many";
    assert!(said.contains(split), "{said}");
    // Queries that another split judges are no part of this one.
    folder.judge("train", 2..QUERIES, |_| true);
    assert_eq!(verdicts(&folder.decide(&gates))[..2], [Verdict::Passed, Verdict::Passed]);
    // Nor are those that the spec does not expect; those that it does are.
    std::fs::remove_file(folder.path("data/qrels/train.tsv")).unwrap();
    let expected =
        |queries: usize| verdicts(&folder.decide(&format!("evidence: {{queries: {queries}}}\n{gates}")));
    assert_eq!(expected(2)[..2], [Verdict::Passed, Verdict::Passed]);
    folder.judge("train", 2..QUERIES, |_| true);
    assert_eq!(expected(20), [Verdict::Errored; 3]);
}

#[test]
fn a_golden_run_remembers_how_much_was_judged() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |query| if query < 2 { 1 } else { 3 }));
    let gates = "thresholds:\n  - {metric: RR@10, min: 0.3, for: [new]}\ncomparisons:\n  - {candidate: new, baseline: \
                 golden, metric: RR@10}\n";
    if !folder.bless(gates) {
        return; // on a CI machine nothing is blessed
    }
    let head = std::fs::read_to_string(folder.path("golden/toy/new.run")).unwrap();
    assert!(head.contains("# judgeable: 20\n"), "{head}");
    assert_eq!(verdicts(&folder.decide(gates)), [Verdict::Passed, Verdict::Passed]);
    // Queries, judgments and the run are cut alike, so that nothing else shows it.
    folder.judge("test", 0..2, |_| true);
    folder.judge("train", 2..QUERIES, |_| true);
    let report = folder.decide(gates);
    assert_eq!(verdicts(&report), [Verdict::Errored, Verdict::Errored]);
    let said = reason(&report.gates[0]);
    assert!(said.starts_with("2 queries are judged, where 20 were when new was blessed: 10%"), "{said}");
    assert!(
        report.gates[0].advice.iter().any(|advice| advice.action.contains("RANKGATE_BLESS")),
        "{report:?}"
    );
    // Judged they are, but nothing is relevant any more.
    folder.judge("test", 0..QUERIES, |query| query < 2);
    std::fs::remove_file(folder.path("data/qrels/train.tsv")).unwrap();
    let skipping = format!("skip-unjudgeable: true\n{gates}");
    let report = folder.decide(&skipping);
    assert_eq!(verdicts(&report), [Verdict::Errored, Verdict::Errored]);
    let said = reason(&report.gates[0]);
    assert!(
        said.starts_with("2 queries have a relevant document, where 20 had one when new was blessed"),
        "{said}"
    );
    // Blessing is what mends it.
    assert!(folder.bless(&skipping));
    assert_eq!(verdicts(&folder.decide(&skipping)), [Verdict::Passed, Verdict::Passed]);
}

#[test]
fn a_golden_run_that_shares_few_queries_decides_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |_| 1));
    let gates = "comparisons:\n  - {candidate: new, baseline: golden, metric: RR@10}\n";
    // All queries but the first were called otherwise on that day.
    let (queries, then) =
        (std::fs::read_to_string(folder.path("data/queries.jsonl")).unwrap(), |text: &str| {
            text.replace("q0", "p0").replace("q1", "p1").replace("p00", "q00")
        });
    folder.write("data/queries.jsonl", &then(&queries));
    let judged = std::fs::read_to_string(folder.path("data/qrels/test.tsv")).unwrap();
    folder.write("data/qrels/test.tsv", &then(&judged));
    for name in ["old.run", "new.run"] {
        folder.write(name, &then(&run(0..QUERIES, |_| 1)));
    }
    let corpus = std::fs::read_to_string(folder.path("data/corpus.jsonl")).unwrap();
    std::fs::remove_file(folder.path("data/corpus.jsonl")).unwrap();
    if !folder.bless(gates) {
        return; // on a CI machine nothing is blessed
    }
    folder.write("data/queries.jsonl", &queries);
    folder.write("data/qrels/test.tsv", &judged);
    folder.write("data/corpus.jsonl", &corpus);
    folder.write("old.run", &run(0..QUERIES, |_| 1));
    folder.write("new.run", &run(0..QUERIES, |_| 4));
    let report = folder.decide(gates);
    assert_eq!(verdicts(&report), [Verdict::Errored]);
    let said = reason(&report.gates[0]);
    assert!(said.starts_with("1 of 39 queries is in golden as well: 2.5%, and 90% is needed"), "{said}");
    assert!(said.contains("bless on today's queries"), "{said}");
}

#[test]
fn queries_without_a_relevant_document_decide_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |_| 4));
    folder.judge("test", 0..QUERIES, |query| query == 0);
    let gates = format!("thresholds:\n  - {{metric: RR@10, max: 0.9, for: [new]}}\n{EITHER}");
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Errored; 3]);
    let said = reason(&report.gates[2]);
    assert!(said.starts_with("1 of the 20 queries has a relevant document: 5%, and 90% is needed"), "{said}");
    assert!(said.contains("`skip-unjudgeable`"), "{said}");
    // It is meant where the spec leaves them out, and says nothing of metrics that ask for no relevance.
    let skipping = format!("skip-unjudgeable: true\n{gates}");
    assert!(!verdicts(&folder.decide(&skipping)).contains(&Verdict::Errored));
    let of_rankings =
        "comparisons:\n  - {candidate: new, baseline: old, expect: overlap, cutoff: 4, min: 0.9}\n";
    assert_eq!(verdicts(&folder.decide(of_rankings)), [Verdict::Passed]);
}

/// Both sides lose what nobody can find, so that a comparison sees no difference.
#[test]
fn relevant_documents_that_the_corpus_lacks_decide_nothing() {
    let folder = Folder::new();
    let corpus = std::fs::read_to_string(folder.path("data/corpus.jsonl")).unwrap();
    let keep = |queries: std::ops::Range<usize>| {
        let lost = |line: &&str| queries.clone().any(|query| line.contains(&format!("{}-0", id(query))));
        let kept: Vec<&str> = corpus.lines().filter(|line| !lost(line)).collect();
        folder.write("data/corpus.jsonl", &kept.join("\n"));
    };
    let nothing =
        run(0..QUERIES, |_| 4).lines().filter(|line| !line.contains("-0 ")).collect::<Vec<_>>().join("\n");
    for side in ["old.run", "new.run"] {
        folder.write(side, &nothing);
    }
    let gates = format!("thresholds:\n  - {{metric: RR@10, max: 0.9, for: [new]}}\n{EITHER}");
    keep(0..17);
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Errored; 3]);
    assert_eq!(
        reason(&report.gates[1]),
        "3 of the 20 queries with a relevant document have one in the corpus: 15%, and 90% is needed\n  missing: `q00`, \
         `q01`, `q02`, `q03`, `q04`, 12 more\n  restore the documents and their texts, or take the judgments of this corpus\nwhere so \
         little is meant to be there: write `evidence: {at-least: 0.15}` beside the gate, or in the spec for all of its \
         gates"
    );
    // An emptied document is as good as none, where others have a text.
    let emptied: Vec<String> = corpus
        .lines()
        .map(|line| match (0..17).any(|query| line.contains(&format!("{}-0", id(query)))) {
            true => line.replace("\"text\": \"x\"", "\"text\": \" \""),
            false => line.to_owned(),
        })
        .collect();
    folder.write("data/corpus.jsonl", &emptied.join("\n"));
    let report = folder.decide(&gates);
    assert_eq!(counts(&report.gates[1]), [(EvidenceKind::Findable, 3, 20)]);
    folder.write("data/corpus.jsonl", &corpus.replace("\"text\": \"x\"", "\"text\": \"\""));
    assert!(folder.decide(&gates).gates[1..].iter().all(|gate| gate.evidence.is_none()));
    keep(0..17);
    // It says nothing of what needs no relevance.
    let of_rankings =
        "comparisons:\n  - {candidate: new, baseline: old, expect: overlap, cutoff: 3, min: 0.9}\n";
    assert_eq!(verdicts(&folder.decide(of_rankings)), [Verdict::Passed]);
    let segment =
        "comparisons:\n  - {candidate: new, baseline: old, metric: RR@10, segment: {topic: billing}}\n";
    keep(8..QUERIES);
    assert_eq!(verdicts(&folder.decide(segment)), [Verdict::Passed]);
    assert_eq!(verdicts(&folder.decide(&gates)), [Verdict::Errored; 3]);
    // Above the share it is a caution, with the bound.
    keep(0..2);
    let report = folder.decide(&gates);
    assert_eq!(counts(&report.gates[1]), [(EvidenceKind::Findable, 18, 20)]);
    assert_eq!(report.gates[1].verdict, Verdict::Passed);
    let message = report::message(&report, &report.gates[1]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        message.contains("18 of the 20 queries with a relevant document have one in the corpus"),
        "{message}"
    );
    // An assertion rests on as much as a gate.
    keep(0..17);
    let collection = Collection::beir(folder.path("data"), "test").unwrap();
    let run = RunReader::new().parse("a.run", nothing.as_bytes()).unwrap();
    let evaluation = Evaluation::of_run(&collection, run).unwrap();
    let text = said(|| evaluation.assert_at_most("RR@10", 0.9));
    assert!(
        text.contains("3 of the 20 queries with a relevant document have one in the corpus: 15%"),
        "{text}"
    );
}

/// What the judged queries are scored by is then nothing but the ids of documents.
#[test]
fn infinite_scores_that_tie_are_told_by_gates() {
    let folder = Folder::new();
    let tied = run(0..QUERIES, |_| 1).replace(" 9 t", " inf t").replace(" 8 t", " 1e400 t");
    folder.write("new.run", &tied);
    let gates = format!("thresholds:\n  - {{metric: RR@10, min: 0.1, for: [new]}}\n{EITHER}");
    let report = folder.decide(&gates);
    let said = "documents have one infinite score in 20 queries: they tie, and stand in the order of their ids, descending";
    for gate in &report.gates {
        let message = report::message(&report, gate).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains(said), "{message}");
    }
    assert_eq!(verdicts(&report)[1], Verdict::Failed);
    // Where ranks say the order nothing ties.
    let spec = folder.spec(&gates);
    let by_rank =
        std::fs::read_to_string(&spec).unwrap().replace("run: new.run", "run: new.run, order: rank");
    std::fs::write(&spec, by_rank).unwrap();
    let report = Benchmark::open(&spec, &Registry::new()).unwrap().run();
    assert!(!report::json(&report).contains("infinite score"));
}

#[test]
fn a_run_of_one_segment_is_whole_in_that_segment() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..8, |_| 1));
    let gate = |more: &str| format!("thresholds:\n  - {{metric: RR@10, min: 0.9, for: [new]{more}}}\n");
    assert_eq!(verdicts(&folder.decide(&gate(", segment: {topic: billing}"))), [Verdict::Passed]);
    assert_eq!(verdicts(&folder.decide(&gate(""))), [Verdict::Errored]);
    // How many queries the collection has says nothing of a segment; a gate says it of its own.
    let own = |queries: usize| format!(", segment: {{topic: billing}}, evidence: {{queries: {queries}}}");
    let of_spec = format!("evidence: {{queries: 20}}\n{}", gate(", segment: {topic: billing}"));
    assert_eq!(verdicts(&folder.decide(&of_spec)), [Verdict::Passed]);
    assert_eq!(verdicts(&folder.decide(&gate(&own(8)))), [Verdict::Passed]);
    let report = folder.decide(&gate(&own(16)));
    assert_eq!(verdicts(&report), [Verdict::Errored]);
    assert!(reason(&report.gates[0]).starts_with("8 queries are judged, where 16 are expected: 50%"));
}

#[test]
fn topics_of_trec_of_which_few_were_judged_are_whole() {
    let folder = Folder::new();
    let topics: String = (0..QUERIES).map(|query| format!("{}\tx\n", id(query))).collect();
    folder.write("topics.tsv", &topics);
    folder.write("qrels.txt", &(0..4).map(|query| format!("{0} 0 {0}-0 1\n", id(query))).collect::<String>());
    folder.write("new.run", &run(0..QUERIES, |_| 1));
    let spec = |more: &str| {
        let text = format!(
            "version: 1\nbenchmark: toy\ncollection:\n  trec: {{queries: topics.tsv, qrels: qrels.txt}}\nconfigurations:\n  \
             new: {{run: new.run}}\nthresholds:\n  - {{metric: RR@10, min: 0.9}}\n{more}"
        );
        folder.write("trec.yaml", &text);
        verdicts(&Benchmark::open(folder.path("trec.yaml"), &Registry::new()).unwrap().run())
    };
    assert_eq!(spec(""), [Verdict::Passed]);
    assert_eq!(spec("evidence: {queries: 4}\n"), [Verdict::Passed]);
    assert_eq!(spec("evidence: {queries: 5}\n"), [Verdict::Errored]);
}

#[test]
fn one_collection_with_too_little_makes_a_suite_errored() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |_| 1));
    let member = |name: &str, baseline: &str, more: &str| {
        let text = format!(
            "version: 1\nbenchmark: {name}\ndepth: 10\ncollection: {{beir: data}}\nconfigurations:\n  old: {{run: \
             {baseline}}}\n  new: {{run: new.run}}\nmetrics: [RR@10]\n{more}"
        );
        folder.write(&format!("{name}.yaml"), &text);
    };
    folder.write("half.run", &run(0..QUERIES / 2, |_| 1));
    let suite = |more: &str| {
        let gates = "thresholds:\n  - {metric: RR@10, min: 0.1, for: [old]}\ncomparisons:\n  - {candidate: new, baseline: \
                     old, metric: RR@10}\n";
        folder.write(
            "all.yaml",
            &format!("version: 1\nsuite: all\nbenchmarks: [a.yaml, b.yaml]\n{more}{gates}"),
        );
        Standalone::new().open_suite(folder.path("all.yaml")).unwrap().run()
    };
    member("a", "old.run", "");
    folder.write("cut.run", &cut(&good(), |_| 1));
    member("b", "cut.run", "");
    let report = suite("");
    assert_eq!(verdicts(&report), [Verdict::Passed, Verdict::Errored]);
    let said = reason(&report.gates[1]);
    assert!(
        said.starts_with("b: old has whole lists for 10 of the 20 queries; the others end at rank 1"),
        "{said}"
    );
    member("b", "cut.run", "evidence: {depth: 1}\n");
    assert_eq!(verdicts(&suite("")), [Verdict::Passed, Verdict::Passed]);
    member("b", "half.run", "");
    let report = suite("");
    assert_eq!(verdicts(&report), [Verdict::Errored, Verdict::Errored]);
    let said = reason(&report.gates[1]);
    assert!(said.starts_with("b: old answers 10 of the 20 queries: 50%, and 90% is needed"), "{said}");
    assert_eq!(verdicts(&suite("evidence: {at-least: 0.5}\n")), [Verdict::Passed, Verdict::Passed]);
    member("b", "half.run", "evidence: {at-least: 0.5}\n");
    let report = suite("");
    assert_eq!(verdicts(&report), [Verdict::Passed, Verdict::Passed]);
    let message = report::message(&report, &report.gates[1]);
    assert!(message.contains("b: old answers 10 of the 20 queries"), "{message}");
}

#[test]
fn a_limit_that_no_mean_of_a_suite_breaks_is_said_to_be_no_gate() {
    let folder = Folder::new();
    for name in ["a", "b"] {
        let text = format!(
            "version: 1\nbenchmark: {name}\ndepth: 10\ncollection: {{beir: data}}\nconfigurations:\n  old: {{run: \
             old.run}}\nmetrics: [RR@10]\n"
        );
        folder.write(&format!("{name}.yaml"), &text);
    }
    for (limit, is_gate) in [("min: 0", false), ("min: 1e-400", false), ("max: 1", false), ("min: 0.1", true)]
    {
        let gates = format!("thresholds:\n  - {{metric: RR@10, {limit}}}\n");
        folder.write("all.yaml", &format!("version: 1\nsuite: all\nbenchmarks: [a.yaml, b.yaml]\n{gates}"));
        let report = Standalone::new().open_suite(folder.path("all.yaml")).unwrap().run();
        assert_eq!(verdicts(&report), [Verdict::Passed]);
        let said = "line 5 is no gate: RR@10 is from 0 to 1, so that it can never fail";
        assert_eq!(report.warnings.iter().any(|warning| warning == said), !is_gate, "{limit}");
    }
}

/// What is put up with may be all that there is to lose.
#[test]
fn a_tolerance_that_no_run_exceeds_is_said_to_be_no_gate() {
    let folder = Folder::new();
    folder.write("old.run", &good());
    folder.write("new.run", &worse());
    for (expect, is_gate) in [
        ("tolerance: 0.9", false),
        ("tolerance: 0.75", false),
        ("tolerance: 0.74", true),
        ("expect: non-inferiority, margin: 0.8", false),
        ("expect: equivalence, margin: 0.8", false),
        ("expect: equivalence, margin: 0.5", true),
    ] {
        let gate = format!("comparisons: [{{candidate: new, baseline: old, metric: RR@10, {expect}}}]\n");
        let report = folder.decide(&gate);
        let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
        let said = "this is no gate: no run can be more than 0.7500 worse than old, and 0.";
        assert_eq!(text.contains(said), !is_gate, "{expect}\n{text}");
    }
}

#[test]
fn what_is_no_share_is_said_at_its_place() {
    let folder = Folder::new();
    for (evidence, place, said) in [
        ("{at-least: 90}", "10:22", "did you mean `0.9`?"),
        ("{at-least: -1}", "10:22", "a share is from 0 to 1, not -1"),
        ("{}", "10:11", "needs `at-least`, `queries` or `depth`"),
        ("{queries: 0}", "10:21", "1"),
        ("{depth: 0}", "10:19", "1"),
        ("{atleast: 0.5}", "10:12", "did you mean `at-least`?"),
    ] {
        let text = std::fs::read_to_string(folder.spec(EITHER)).unwrap() + &format!("evidence: {evidence}\n");
        let line = text.lines().count();
        let place = place.replacen("10", &line.to_string(), 1);
        let path = Path::new("toy.yaml");
        let error = rankgate::spec::Spec::parse(path, &text, &rankgate::spec::Registry::new())
            .unwrap_err()
            .to_string();
        assert!(error.contains(&format!("toy.yaml:{place}")) && error.contains(said), "{evidence}\n{error}");
    }
}
