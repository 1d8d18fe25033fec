//! Comparisons of specs, end to end: frozen runs in, verdicts and numbers out.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Mutex;

use rankgate::benchmark::model::{ComparisonFinding, Finding, GateReport, OverlapFinding, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::stats::{Evidence, Reason};
use rankgate::{Evaluation, Hit, Query, Run, retriever_fn};

/// One run: per query its documents, best first. `r` is the only relevant one.
type Lists<'a> = &'a [&'a str];

/// A spec with an inline collection of as many queries as are asked for, and runs beside it.
struct Bench {
    folder: tempfile::TempDir,
    queries: String,
    runs: Vec<String>,
}

impl Bench {
    /// `groups` gives each query's metadata `team`; `-` is none.
    fn new(groups: &[&str]) -> Self {
        Self::with(groups, true)
    }

    fn unjudged(queries: usize) -> Self {
        Self::with(&vec!["-"; queries], false)
    }

    fn with(groups: &[&str], judged: bool) -> Self {
        let mut queries = String::new();
        for (index, group) in groups.iter().enumerate() {
            let team = if *group == "-" { String::new() } else { format!(", team: {group}") };
            let relevant = if judged { ", relevant: {r: 1, n: 0, m: 0, l: 0, k: 0}" } else { "" };
            writeln!(queries, "    - {{id: q{:02}, text: question {index}{relevant}{team}}}", index + 1)
                .unwrap();
        }
        Self { folder: tempfile::tempdir().unwrap(), queries, runs: Vec::new() }
    }

    fn run(mut self, name: &str, lists: Lists<'_>) -> Self {
        let path = self.folder.path().join(format!("{name}.run"));
        std::fs::write(path, trec(lists)).unwrap();
        self.runs.push(name.to_owned());
        self
    }

    fn decide(&self, rest: &str) -> Report {
        self.decide_with(rest, "", &Registry::new())
    }

    fn decide_with(&self, rest: &str, configurations: &str, registry: &Registry) -> Report {
        let mut spec = format!(
            "version: 1\nbenchmark: bench\ngolden: golden\ndepth: 10\ncollection:\n  inline:\n    queries:\n{}",
            self.queries
        );
        spec += "configurations:\n";
        for run in &self.runs {
            writeln!(spec, "  {run}: {{run: {run}.run, order: rank}}").unwrap();
        }
        spec += configurations;
        spec += rest;
        let path = self.folder.path().join("bench.yaml");
        std::fs::write(&path, spec).unwrap();
        let benchmark = Benchmark::open(&path, registry).unwrap_or_else(|error| panic!("{error}"));
        benchmark.run()
    }
}

fn trec(lists: Lists<'_>) -> String {
    let mut text = String::new();
    for (index, list) in lists.iter().enumerate() {
        for (rank, document) in list.split_whitespace().enumerate() {
            writeln!(text, "q{:02} Q0 {document} {} {} run", index + 1, rank + 1, 100 - rank).unwrap();
        }
    }
    text
}

/// Rankings with the relevant document at these ranks, above it documents judged not relevant.
fn at_ranks(ranks: &[usize]) -> Vec<&'static str> {
    ranks
        .iter()
        .map(|rank| ["r n m l k", "n r m l k", "n m r l k", "n m l r k", "n m l k r"][rank - 1])
        .collect()
}

/// What is to be known before a verdict is believed, in words.
fn warnings(finding: &ComparisonFinding) -> Vec<String> {
    finding.warnings.iter().map(ToString::to_string).collect()
}

fn row<'a>(finding: &'a ComparisonFinding, label: &str) -> &'a str {
    let row = finding.rows.iter().find(|row| row.label == label);
    row.map_or_else(|| panic!("no {label} in {:?}", finding.rows), |row| &row.value)
}

fn scores(gate: &GateReport) -> &ComparisonFinding {
    match &gate.finding {
        Finding::Comparison(finding) => finding,
        other => panic!("{}: {other:?}", gate.name),
    }
}

fn rankings(gate: &GateReport) -> &OverlapFinding {
    match &gate.finding {
        Finding::Overlap(finding) => finding,
        other => panic!("{}: {other:?}", gate.name),
    }
}

fn reason(gate: &GateReport) -> &str {
    match &gate.finding {
        Finding::Undecided(undecided) => &undecided.reason,
        other => panic!("{}: {other:?}", gate.name),
    }
}

const BETTER: [usize; 10] = [1; 10];
const WORSE: [usize; 10] = [2, 2, 2, 2, 2, 3, 3, 3, 3, 3];
const MIXED: [usize; 10] = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2];
const MIXED_BACK: [usize; 10] = [2, 1, 2, 1, 2, 1, 2, 1, 2, 1];
const LOW: [usize; 10] = [4, 5, 4, 5, 4, 5, 4, 5, 4, 5];
const LOW_BACK: [usize; 10] = [5, 4, 5, 4, 5, 4, 5, 4, 5, 4];

#[test]
fn every_expectation_comes_to_each_of_its_verdicts() {
    use Verdict::{Advisory, Failed, Inconclusive, Passed};
    // RR@10 on ten queries. Where all differences have one sign, 1 of 2^10 sign vectors is as extreme;
    // where five of ten equal ones do, P(X >= 5) = 638/1024 for X ~ Binomial(10, 1/2), on both sides.
    let (one, all, half) = ("0.000977", "1", "0.623");
    for (expect, baseline, candidate, verdict, p_greater, p_less) in [
        ("no-regression", BETTER, WORSE, Failed, all, one),
        ("no-regression, margin: 0.6", BETTER, WORSE, Passed, all, one),
        ("no-regression, margin: 0.5", BETTER, WORSE, Failed, all, one),
        ("no-regression", MIXED, MIXED_BACK, Passed, half, half),
        ("no-regression", WORSE, BETTER, Passed, one, all),
        ("non-inferiority, margin: 0.02", WORSE, BETTER, Passed, one, all),
        ("non-inferiority, margin: 0.02", BETTER, WORSE, Failed, all, one),
        ("non-inferiority, margin: 0.02", MIXED, MIXED_BACK, Inconclusive, half, half),
        ("non-inferiority, margin: 0.02, inconclusive: warn", MIXED, MIXED_BACK, Advisory, half, half),
        ("improvement", WORSE, BETTER, Passed, one, all),
        ("improvement, margin: 0.6", WORSE, BETTER, Inconclusive, one, all),
        ("improvement", BETTER, WORSE, Failed, all, one),
        ("improvement", MIXED, MIXED_BACK, Inconclusive, half, half),
        ("improvement, level: advisory", MIXED, MIXED_BACK, Advisory, half, half),
        ("equivalence, margin: 0.2", LOW, LOW_BACK, Passed, half, half),
        ("equivalence, margin: 0.1", BETTER, WORSE, Failed, all, one),
        ("equivalence, margin: 0.1", WORSE, BETTER, Failed, one, all),
        ("equivalence, margin: 0.1", MIXED, MIXED_BACK, Inconclusive, half, half),
    ] {
        let bench = Bench::new(&["-"; 10]).run("old", &at_ranks(&baseline)).run("new", &at_ranks(&candidate));
        let comparison = format!("{{candidate: new, baseline: old, metrics: [RR@10], expect: {expect}}}");
        let report = bench.decide(&format!("comparisons: [{comparison}]\n"));
        let gate = &report.gates[0];
        assert_eq!(gate.verdict, verdict, "{expect}: {gate:?}");
        let finding = scores(gate);
        let permutation = row(finding, "permutation");
        let told = format!("one-sided better {p_greater}, worse {p_less};");
        assert!(permutation.contains(&told), "{expect}: {permutation}");
        assert_eq!(gate.name, "bench::new-vs-old::RR@10");
        assert_eq!((finding.units(), finding.queries), (10, 10));
        let warned = warnings(finding).iter().any(|warning| warning.contains("`inconclusive: warn`"));
        assert_eq!(warned, expect.contains("warn"), "{:?}", warnings(finding));
        // An open gate says what its queries could have shown, once.
        if let Inconclusive | Advisory = verdict {
            let twice = warnings(finding).iter().any(|warning| warning.starts_with("underpowered"));
            let message = rankgate::report::message(&report, gate);
            let said = message.contains("minimum detectable") || message.contains("can confirm");
            assert!(!twice && said, "{expect}: {message}");
        }
    }
}

#[test]
fn numbers_are_those_of_the_pair() {
    let bench = Bench::new(&["-"; 10]).run("old", &at_ranks(&BETTER)).run("new", &at_ranks(&WORSE));
    let report = bench.decide("comparisons: [{candidate: new, baseline: old, metrics: [RR@10]}]\n");
    let finding = scores(&report.gates[0]);
    // five queries at 1/2, five at 1/3: mean 5/12, difference -7/12
    assert!((finding.candidate_mean - 5.0 / 12.0).abs() < 1e-12);
    assert!((finding.difference + 7.0 / 12.0).abs() < 1e-12);
    assert_eq!((finding.wins, finding.ties, finding.losses), (0, 0, 10));
    assert_eq!((finding.movers.worse, finding.movers.losses.len()), (10, 5));
    assert_eq!(finding.movers.against.as_deref(), Some("old"));
    assert_eq!(finding.test, "by the permutation test, exact");
    assert_eq!(row(finding, "Judged@10"), "old 1.0000, new 1.0000");
    let alike =
        "on average 100% of the first 10 documents in common; 0 of 10 queries ranked alike to the end";
    assert_eq!(row(finding, "rankings"), alike);
    assert_eq!(finding.claims[0].evidence, Evidence::Significant);
    assert_eq!(finding.reason, Reason::Refuted);
    assert!(warnings(finding).contains(&"only 10 queries".to_owned()), "{:?}", warnings(finding));
}

/// Six queries, all better: p = 1/64 is below 0.025, and twice that is not.
fn six() -> Bench {
    let (old, new) = (at_ranks(&[2, 3, 4, 5, 5, 4]), at_ranks(&[1; 6]));
    Bench::new(&["a", "a", "a", "b", "b", "b"]).run("old", &old).run("new", &new)
}

#[test]
fn a_family_is_adjusted_together() {
    let improvement = |metrics: &str, more: &str| {
        format!("  - {{candidate: new, baseline: old, metrics: [{metrics}], expect: improvement{more}}}\n")
    };
    let alone = improvement("RR@10", "");
    let both = improvement("RR@10, RR@5", "");
    let entries = improvement("RR@10", "") + &improvement("RR@5", "");
    for (comparisons, statistics, verdict, p_adjusted, adjusted) in [
        (&alone, "{}", Verdict::Passed, 2.0 / 64.0, false),
        (&both, "{}", Verdict::Inconclusive, 4.0 / 64.0, true),
        (&both, "{correction: none}", Verdict::Passed, 2.0 / 64.0, false),
        (&entries, "{}", Verdict::Passed, 2.0 / 64.0, false),
    ] {
        let report = six().decide(&format!("comparisons:\n{comparisons}statistics: {statistics}\n"));
        for gate in &report.gates {
            let finding = scores(gate);
            let seen = (gate.verdict, finding.is_adjusted());
            assert_eq!(seen, (verdict, adjusted), "{statistics} {}", gate.name);
            assert!((finding.p_adjusted - p_adjusted).abs() < 1e-12, "{statistics}: {}", finding.p_adjusted);
        }
    }
}

#[test]
fn what_cannot_be_compared_still_counts_in_its_family() {
    let bench = six();
    let comparisons =
        "comparisons: [{candidate: [new, gone], baseline: old, metrics: [RR@10], expect: improvement}]\n";
    std::fs::write(bench.folder.path().join("gone.run"), "q01 Q0 r 1 high run\n").unwrap();
    let gone = "  gone: {run: gone.run}\n";
    let decide = |gone: &str| bench.decide_with(comparisons, gone, &Registry::new());
    let report = decide(gone);
    let finding = scores(&report.gates[0]);
    assert_eq!(
        (report.gates[0].verdict, row(finding, "adjusted")),
        (Verdict::Inconclusive, "Holm over 2 gates")
    );
    assert_eq!(finding.p_adjusted, 4.0 / 64.0);
    assert!(warnings(finding).iter().any(|warning| warning.starts_with("1 of the 2 comparisons")));
    assert_eq!(report.gates[1].verdict, Verdict::Error);
    assert!(reason(&report.gates[1]).contains("gone.run"));
}

#[test]
fn segments_are_compared_by_themselves_and_with_the_whole() {
    let comparisons = "comparisons:\n  \
        - {candidate: new, baseline: old, metrics: [RR@10], segment: {team: b}}\n  \
        - {candidate: new, baseline: old, metrics: [RR@10]}\n";
    let report = six().decide(comparisons);
    let finding = scores(&report.gates[0]);
    assert_eq!(finding.queries, 3);
    assert!(row(finding, "permutation").contains("one-sided better 0.125, "));
    assert_eq!(finding.segment, Some(["team".into(), "b".into()]));
    assert_eq!(scores(&report.gates[1]).queries, 6);
    let nowhere = "comparisons: [{candidate: new, baseline: old, metrics: [RR@10], segment: {team: z}}]\n";
    let report = six().decide(nowhere);
    assert!(reason(&report.gates[0]).starts_with("no query has team=z: the values are a, b ("));
}

#[test]
fn without_a_blessed_run_the_gate_is_an_error_and_says_how_to_make_one() {
    let bench = Bench::new(&["-"; 3]).run("new", &at_ranks(&[1, 1, 1]));
    let report = bench.decide("comparisons: [{candidate: new, baseline: golden, metrics: [RR@10]}]\n");
    assert_eq!(report.gates[0].verdict, Verdict::Error);
    assert_eq!(reason(&report.gates[0]), "there is no golden run of new yet");
    assert_eq!(report.gates[0].advice[0].value, "RANKGATE_BLESS=1 cargo test");
}

#[test]
fn a_few_unjudged_documents_at_the_top_are_told() {
    // In 12 of 40 queries the first of two relevant documents is replaced by a copy that nobody judged; all ten are
    // judged elsewhere, so that Judged@10 hardly moves.
    let mut queries = String::new();
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for query in 0..40 {
        writeln!(
            queries,
            "    - {{id: q{:02}, text: a, relevant: {{r: 1, s: 1, a: 0, b: 0, c: 0, d: 0, e: 0, f: 0, g: 0, h: 0}}}}",
            query + 1
        )
        .unwrap();
        old.push("r s a b c d e f g h");
        new.push(if query < 12 { "copy s a b c d e f g h" } else { "r s a b c d e f g h" });
    }
    let bench = Bench { folder: tempfile::tempdir().unwrap(), queries, runs: Vec::new() };
    let bench = bench.run("old", &old).run("new", &new);
    let comparison = "{candidate: new, baseline: old, metrics: [nDCG@10]";
    let report = bench.decide(&format!("comparisons: [{comparison}}}]\n"));
    let finding = scores(&report.gates[0]);
    assert_eq!(report.gates[0].verdict, Verdict::Failed);
    // Discounts 1 and .63093 of two relevant documents, and .5 of a third. 1.63093 becomes .63093; on judged documents
    // alone 1; of three relevant ones both find two.
    let near = |one: f64, other: f64| (one - other).abs() < 1e-5;
    assert!(near(finding.difference, -0.3 / 1.63093), "{}", finding.difference);
    let judged = "old 1.0000, new 0.9700; on judged documents alone the difference is -0.1161";
    assert_eq!(row(finding, "Judged@10"), judged);
    // Where all is judged there is nothing to tell.
    let report = bench
        .run("older", &old)
        .decide("comparisons: [{candidate: older, baseline: old, metrics: [nDCG@10]}]\n");
    let finding = scores(&report.gates[0]);
    assert_eq!(row(finding, "Judged@10"), "old 1.0000, older 1.0000");
}

#[test]
fn a_gate_may_take_unjudged_documents_at_worst() {
    // The old first answer, which nobody judged, is gone: 1/3 becomes 1/2, or were it relevant 1 becomes 1/2.
    let bench = Bench::new(&["-"; 8]).run("old", &["u n r"; 8]).run("new", &["m r"; 8]);
    let decide = |unjudged: &str| {
        bench.decide(&format!(
            "comparisons: [{{candidate: new, baseline: old, metrics: [RR@10]{unjudged}}}]\n"
        ))
    };
    let report = decide("");
    assert_eq!(report.gates[0].verdict, Verdict::Passed);
    let report = decide(", unjudged: worst");
    let finding = scores(&report.gates[0]);
    assert_eq!((report.gates[0].verdict, finding.difference), (Verdict::Failed, -0.5));
    assert_eq!(finding.p_deciding, 2.0 / 256.0);
    assert!(row(finding, "unjudged").starts_with("at worst (`unjudged: worst`)"));
    // A document that both return has one grade: alike where both rank it alike.
    let bench = Bench::new(&["-"; 8]).run("old", &["u r"; 8]).run("new", &["u r n"; 8]);
    let same = ", metrics: [nDCG@10], unjudged: worst}]\n";
    let report = bench.decide(&format!("comparisons: [{{candidate: new, baseline: old{same}"));
    let finding = scores(&report.gates[0]);
    assert_eq!((report.gates[0].verdict, finding.difference), (Verdict::Passed, 0.0));
}

#[test]
fn the_worst_of_unjudged_documents_is_no_better_than_none_relevant() {
    // r is lost in 12 of 20 queries: recall falls by 1 there, and were u relevant as well by 1/2 only.
    let lists = |changed: &'static str| -> Vec<&'static str> {
        (0..20).map(|query| if query < 12 { changed } else { "r u n m l" }).collect()
    };
    let bench = Bench::new(&["-"; 20]).run("old", &["r u n m l"; 20]).run("new", &lists("n k u m l"));
    let gate = "{candidate: new, baseline: old, metrics: [R@5], expect: no-regression, margin: 0.4";
    let report =
        bench.decide(&format!("comparisons:\n- {gate}}}\n- {gate}, unjudged: worst, name: worst}}\n"));
    for gate in &report.gates {
        let finding = scores(gate);
        assert_eq!(gate.verdict, Verdict::Failed);
        assert!((finding.difference + 0.6).abs() < 1e-12, "{}", finding.difference);
    }
}

#[test]
fn an_equivalence_is_not_decided_at_the_lowest_difference_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.yaml");
    let spec = "version: 1\nbenchmark: bench\ncollection: {inline: {queries: [{id: q1, text: a, relevant: [d1]}]}}\n\
                configurations: {old: {run: old.run}, new: {run: new.run}}\n\
                comparisons: [{candidate: new, baseline: old, metrics: [R@5], expect: equivalence, margin: 0.1, unjudged: worst}]\n";
    std::fs::write(&path, spec).unwrap();
    let error = Benchmark::open(&path, &Registry::new()).map(drop).unwrap_err().to_string();
    assert!(error.contains("`unjudged: worst` does not go with `expect: equivalence`"), "{error}");
}

#[test]
fn a_loss_to_unjudged_documents_is_called_that() {
    let old = ["r n m"; 8];
    let new =
        ["u r n m", "u v r n m", "u r n m", "u v r n m", "u r n m", "u v r n m", "u r n m", "u v r n m"];
    let bench = Bench::new(&["-"; 8]).run("old", &old).run("new", &new);
    let report = bench.decide("comparisons: [{candidate: new, baseline: old, metrics: [RR@10]}]\n");
    let finding = scores(&report.gates[0]);
    assert_eq!(report.gates[0].verdict, Verdict::Failed);
    // 3 of 4 and 3 of 5 judged
    assert!(
        warnings(finding).iter().any(|warning| warning.starts_with("Judged@10 is 0.6750 for new and 1.0000")
            && warning.ends_with("without them it is +0.0000, and the verdict would be `passed`")),
        "{:?}",
        warnings(finding)
    );
}

#[test]
fn groups_are_flipped_as_wholes() {
    let groups = ["x", "x", "y", "y", "z", "z", "w", "w"];
    let (old, new) = (at_ranks(&[1; 8]), at_ranks(&[2, 3, 2, 3, 2, 3, 2, 2]));
    let bench = Bench::new(&groups).run("old", &old).run("new", &new);
    let comparison = "comparisons: [{candidate: new, baseline: old, metrics: [RR@10]}]\n";
    let plain = bench.decide(comparison);
    let grouped = bench.decide(&format!("{comparison}statistics: {{group-by: team}}\n"));
    // One of 2^8 sign vectors, and one of 2^4.
    for (report, units, p_less, verdict) in
        [(&plain, 8, 1.0 / 256.0, Verdict::Failed), (&grouped, 4, 1.0 / 16.0, Verdict::Passed)]
    {
        let finding = scores(&report.gates[0]);
        assert_eq!((finding.units(), finding.queries, finding.p_deciding), (units, 8, 2.0 * p_less));
        assert_eq!(report.gates[0].verdict, verdict);
    }
    // A later reader of the report groups them again.
    let cluster = |report: &Report| report.history.as_ref().unwrap().cluster.clone();
    assert_eq!((cluster(&plain), cluster(&grouped)), (None, Some("team".to_owned())));
    let missing = Bench::new(&["x", "-"]).run("old", &at_ranks(&[1, 1])).run("new", &at_ranks(&[1, 2]));
    let report = missing.decide(&format!("{comparison}statistics: {{group-by: team}}\n"));
    assert_eq!(report.gates[0].verdict, Verdict::Error);
    assert_eq!(
        reason(&report.gates[0]),
        "query `q02` has no `team`, by which queries are grouped (`group-by`)"
    );
}

#[test]
fn a_difference_within_what_repeats_differ_by_is_called_that() {
    let bench = Bench::new(&["-"; 4]).run("old", &at_ranks(&[1; 4]));
    let mut registry = Registry::new();
    let moody = |_: &rankgate::Setup<'_>| {
        let asked = Mutex::new(HashMap::<String, usize>::new());
        Ok(retriever_fn(move |query: &Query, _| {
            let mut asked = asked.lock().map_err(|_| "poisoned")?;
            let times = asked.entry(query.id.clone()).or_default();
            *times += 1;
            let best_first = *times == 1 || query.id != "q01";
            let ids = if best_first { ["r", "n"] } else { ["n", "r"] };
            Ok(vec![Hit::new(ids[0], 2.0), Hit::new(ids[1], 1.0)])
        }))
    };
    registry.retrievers.register("moody", moody).unwrap();
    let report = bench.decide_with(
        "comparisons:\n  - {candidate: moody, baseline: old, metrics: [RR@10]}\n  \
         - {candidate: moody, baseline: old, expect: overlap, cutoff: 1, min: 1}\n",
        "  moody: {retriever: moody, repeats: 2}\n",
        &registry,
    );
    let finding = scores(&report.gates[0]);
    // The second pass has 1/2 on one of four queries: 0.875 against 1, and half of that on average.
    assert_eq!(
        (row(finding, "repeats"), finding.difference),
        ("of one side differ by up to 0.1250", -0.0625)
    );
    let expected = "the difference of -0.0625 is within the 0.1250 by which repeats of one side differ";
    assert!(warnings(finding).contains(&expected.to_owned()), "{:?}", warnings(finding));
    // The same document first on three queries, and on the fourth in one of two passes.
    assert_eq!(report.gates[1].verdict, Verdict::Failed);
    assert_eq!(rankings(&report.gates[1]).overlap, 0.875);
}

#[test]
fn rankings_are_compared_without_any_judgment() {
    let bench = Bench::unjudged(3).run("exact", &["a b c d", "a b c d", "a b c d"]);
    let bench = bench.run("close", &["b a c d", "a b c d", "a b x d"]).run("same", &["a b c d"; 3]);
    let gate = |candidate: &str, expect: &str| {
        format!("  - {{candidate: {candidate}, baseline: exact, expect: {expect}}}\n")
    };
    let report = bench.decide(&format!(
        "comparisons:\n{}{}{}{}{}",
        gate("close", "overlap, cutoff: 2, min: 1"),
        gate("close", "overlap, cutoff: 3, min: 0.85"),
        gate("close", "overlap, cutoff: 4, min: 0.95"),
        gate("close", "identical"),
        gate("same", "identical"),
    ));
    // tops shared: 2/2 each; 3/3, 3/3, 2/3; 4/4, 4/4, 3/4
    let verdicts: Vec<Verdict> = report.gates.iter().map(|gate| gate.verdict).collect();
    let (passed, failed) = (Verdict::Passed, Verdict::Failed);
    assert_eq!(verdicts, [passed, passed, failed, failed, passed]);
    let overlaps: Vec<f64> = report.gates.iter().map(|gate| rankings(gate).overlap).collect();
    for (found, expected) in overlaps.iter().zip([1.0, 8.0 / 9.0, 11.0 / 12.0, 11.0 / 12.0, 1.0]) {
        assert!((found - expected).abs() < 1e-12, "{overlaps:?}");
    }
    let overlap = rankings(&report.gates[2]);
    assert_eq!(overlap.differing.len(), 1, "the order of the same documents is no difference");
    assert_eq!(overlap.differing[0].documents, [Some("c".to_owned()), Some("x".to_owned())]);
    let identical = rankings(&report.gates[3]);
    let seen: Vec<_> = identical.differing.iter().map(|one| (one.query.as_str(), one.rank)).collect();
    assert_eq!(seen, [("q03", 3), ("q01", 1)]);
    assert_eq!((identical.identical, identical.queries), (1, 3));
}

#[test]
fn identical_runs_pass_all_but_improvement() {
    let lists = at_ranks(&[1, 2, 3]);
    let bench = Bench::new(&["-"; 3]).run("old", &lists).run("new", &lists);
    for (expect, verdict) in [
        ("no-regression", Verdict::Passed),
        ("non-inferiority, margin: 0.01", Verdict::Passed),
        ("equivalence, margin: 0.01", Verdict::Passed),
        ("improvement", Verdict::Inconclusive),
    ] {
        let report = bench.decide(&format!(
            "comparisons: [{{candidate: new, baseline: old, metrics: [AP], expect: {expect}}}]\n"
        ));
        let finding = scores(&report.gates[0]);
        assert_eq!(report.gates[0].verdict, verdict, "{expect}");
        assert_eq!(finding.reason, Reason::Identical);
        assert_eq!(warnings(finding), [] as [&str; 0]);
        assert!(row(finding, "rankings").ends_with("3 of 3 queries ranked alike to the end"));
    }
}

#[test]
fn gains_of_one_size_are_shown_and_a_drop_counts_no_unseen_query() {
    let bench = Bench::new(&["-"; 8]).run("old", &at_ranks(&[1; 8])).run("new", &at_ranks(&[2; 8]));
    let report = bench.decide(
        "comparisons:\n  - {candidate: new, baseline: old, metrics: [RR@10]}\n  - {candidate: old, baseline: new, \
         metrics: [RR@10], expect: improvement}\n",
    );
    let [drop, gain] = [&report.gates[0], &report.gates[1]];
    assert_eq!((drop.verdict, scores(drop).p_deciding), (Verdict::Failed, 2.0 / 256.0));
    assert_eq!(scores(drop).claims[0].p_second, None);
    let claim = &scores(gain).claims[0];
    // an unseen query loses (8 / 4 + 1) / (8 / 2 + 1), and gains of .5 outweigh it but for (.6 / 1.1)^8
    assert_eq!((gain.verdict, claim.p), (Verdict::Passed, 2.0 / 256.0));
    assert!((claim.p_second.unwrap() - 2.0 * (0.6_f64 / 1.1).powi(8)).abs() < 1e-12);
    // one that loses everything is not outweighed: (1 / 1.5)^8
    let said = "it counts one unseen query that loses 0.60; with one that loses 1, p is 0.078 (`robustness: strict`)";
    assert!(warnings(scores(gain)).contains(&said.to_owned()), "{:?}", warnings(scores(gain)));
}

#[test]
fn warnings_about_groups_call_them_groups() {
    let groups = ["x", "x", "y", "y", "z", "z"];
    let (old, new) = (at_ranks(&[1; 6]), at_ranks(&[2, 3, 2, 3, 2, 2]));
    let bench = Bench::new(&groups).run("old", &old).run("new", &new);
    let comparison = "comparisons: [{candidate: new, baseline: old, metrics: [RR@10]}]\n";
    let report = bench.decide(&format!("{comparison}statistics: {{group-by: team}}\n"));
    let warnings = &warnings(scores(&report.gates[0]));
    assert!(warnings.contains(&"only 3 groups".to_owned()), "{warnings:?}");
    let message = rankgate::report::message(&report, &report.gates[0]);
    assert!(message.contains("these 3 groups"), "{message}");
}

#[test]
fn one_query_shows_nothing() {
    let bench = Bench::new(&["-"]).run("old", &at_ranks(&[1])).run("new", &at_ranks(&[2]));
    for (expect, verdict) in [
        ("no-regression", Verdict::Passed),
        ("non-inferiority, margin: 0.01", Verdict::Inconclusive),
        ("improvement", Verdict::Inconclusive),
    ] {
        let report = bench.decide(&format!(
            "comparisons: [{{candidate: new, baseline: old, metrics: [RR@10], expect: {expect}}}]\n"
        ));
        let finding = scores(&report.gates[0]);
        assert_eq!((report.gates[0].verdict, finding.difference), (verdict, -0.5), "{expect}");
        assert_eq!(finding.interval, None);
    }
}

fn evaluation(ranks: &[usize]) -> Evaluation {
    let mut builder = rankgate::CollectionBuilder::new();
    let lists = at_ranks(ranks);
    let ids: Vec<String> = (1..=ranks.len()).map(|index| format!("q{index:02}")).collect();
    for id in &ids {
        builder.add_query(Query::new(id, "text"), [("r", 1), ("n", 0), ("m", 0), ("l", 0), ("k", 0)]);
    }
    let hits = |list: &str| list.split(' ').map(|id| Hit::new(id, 1.0)).collect();
    let run = Run::from_rankings(ids.iter().zip(&lists).map(|(id, list)| (id.as_str(), hits(list)))).unwrap();
    Evaluation::of_run(&builder.build().unwrap(), run).unwrap()
}

#[test]
fn evaluations_are_compared_without_a_spec() {
    let (better, worse) = (evaluation(&BETTER), evaluation(&WORSE));
    let comparison = worse.compare(&better, "RR@10").unwrap();
    assert_eq!(comparison.permutation().p_less, 1.0 / 1024.0); // one of 2^10 sign vectors
    assert!((comparison.difference + 7.0 / 12.0).abs() < 1e-12);
    better.assert_no_regression(&worse, "RR@10", 0.0);
    better.assert_non_inferior(&worse, "RR@10", 0.02);
    better.assert_improves(&worse, "RR@10");
    worse.assert_no_regression(&better, "RR@10", 0.6);
    let error = worse.compare(&evaluation(&[1, 1]), "RR@10").unwrap_err().to_string();
    assert_eq!(error, "the baseline was not asked query `q03`: both sides need the same queries");
}

/// What an assertion panics with.
fn refused(assertion: impl FnOnce() + std::panic::UnwindSafe) -> String {
    *std::panic::catch_unwind(assertion).unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn assertions_refuse_a_baseline_that_is_judged_differently() {
    let (better, worse) = (evaluation(&BETTER), evaluation(&WORSE));
    // The same rankings, of which the first result counts for nothing.
    let mut builder = rankgate::CollectionBuilder::new();
    for query in better.queries() {
        builder.add_query(query.clone(), [("r", 0), ("n", 1), ("m", 0), ("l", 0), ("k", 0)]);
    }
    let run = better.run(0).unwrap().clone();
    let other = Evaluation::of_run(&builder.build().unwrap(), run).unwrap();
    let said = "the two sides are judged differently: query `q01` has other judgments than in the baseline: document `n` has grade ";
    for text in [
        refused(|| worse.assert_improves(&other, "RR@10")),
        refused(|| other.assert_no_regression(&better, "RR@10", 0.0)),
        refused(|| better.assert_non_inferior(&other, "RR@10", 0.02)),
        worse.compare(&other, "RR@10").unwrap_err().to_string(),
    ] {
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn assertions_refuse_a_limit_that_the_metric_can_never_have() {
    let evaluation = evaluation(&BETTER);
    for (text, limit) in [
        (refused(|| evaluation.assert_at_least("RR@10", -1.0)), "-1: RR@10 is from 0 to 1"),
        (refused(|| evaluation.assert_lower_bound_at_least("RR@10", -0.1)), "-0.1: RR@10 is from 0 to 1"),
        (refused(|| evaluation.assert_at_most("RR@10", 60.0)), "60: RR@10 is from 0 to 1; did you mean 0.6?"),
        (refused(|| evaluation.assert_at_least("RR@10", f64::NAN)), "NaN: RR@10 is from 0 to 1"),
    ] {
        assert_eq!(text, format!("RR@10 can never be {limit}"));
    }
}

#[test]
fn the_side_that_was_asked_for_too_few_documents_is_named() {
    let mut builder = rankgate::CollectionBuilder::new();
    builder.add_query(Query::new("q1", "text"), [("d1", 1)]);
    let collection = builder.build().unwrap();
    let ask = |depth| rankgate::evaluate(&collection, depth, |_, _| Ok(vec![Hit::new("d1", 1.0)])).unwrap();
    let text = refused(|| ask(10).assert_no_regression(&ask(5), "nDCG@10", 0.0));
    assert_eq!(text, "the baseline: nDCG@10 looks at 10 documents and only 5 were asked for");
    let text = refused(|| ask(5).assert_no_regression(&ask(10), "nDCG@10", 0.0));
    assert_eq!(text, "the retriever: nDCG@10 looks at 10 documents and only 5 were asked for");
}

#[test]
fn advice_on_coverage_is_rust() {
    let ids: Vec<String> = (0..20).map(|query| format!("q{query:02}")).collect();
    let mut builder = rankgate::CollectionBuilder::new();
    for id in &ids {
        builder.add_query(Query::new(id, "text"), [("d0", 0), ("d9", 1)]);
    }
    let collection = builder.build().unwrap();
    let of_length = |length: usize| {
        let hits = || (0..length).map(|at| Hit::new(format!("d{at}"), -(at as f64))).collect();
        let run = Run::from_rankings(ids.iter().map(|id| (id.as_str(), hits()))).unwrap();
        Evaluation::of_run(&collection, run).unwrap()
    };
    // No list of the baseline is as long as the metric looks.
    let text = refused(|| of_length(12).assert_no_regression(&of_length(3), "nDCG@10", 0.0));
    assert!(text.contains("with_min_coverage(0.0)"), "{text}");
}

#[test]
fn a_failed_assertion_says_what_a_gate_would() {
    let (better, worse, mixed) = (evaluation(&BETTER), evaluation(&WORSE), evaluation(&MIXED));
    type Assertion = fn(&Evaluation, &Evaluation);
    let cases: [(&Evaluation, &Evaluation, Assertion); 3] = [
        (&worse, &better, |ours, theirs| ours.assert_no_regression(theirs, "RR@10", 0.0)),
        (&worse, &better, |ours, theirs| ours.assert_non_inferior(theirs, "RR@10", 0.02)),
        (&mixed, &mixed, |ours, theirs| ours.assert_improves(theirs, "RR@10")),
    ];
    for (ours, theirs, assertion) in cases {
        let panic = std::panic::catch_unwind(|| assertion(ours, theirs)).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.contains("tests/library/comparisons.rs"), "{message}");
    }
}

#[test]
fn identical_rankings_are_told_to_pass_without_a_p_value() {
    let bench = Bench::new(&["-"; 4]).run("old", &at_ranks(&[1; 4])).run("new", &at_ranks(&[1; 4]));
    for expect in ["equivalence, margin: 0.1", "non-inferiority, margin: 0.1", "no-regression"] {
        let gate = format!("{{candidate: new, baseline: old, metrics: [RR@10], expect: {expect}}}");
        let report = bench.decide(&format!("comparisons: [{gate}]\n"));
        assert_eq!(report.gates[0].verdict, Verdict::Passed);
        let message = rankgate::report::message(&report, &report.gates[0]);
        assert!(message.contains("PASSED: the rankings are identical on every query"), "{message}");
        assert!(
            !message.contains("not significant,") && !message.contains("by the permutation test"),
            "{message}"
        );
    }
}

#[test]
fn the_seed_of_a_deciding_bootstrap_decides_nothing() {
    // About p = .04, two-sided.
    let ranks: Vec<usize> = (0..40).map(|query| [1, 2, 1, 3, 2, 1, 2, 2][query % 8]).collect();
    let better: Vec<usize> = (0..40).map(|query| [1, 1, 2, 2, 2, 1, 2, 1][query % 8]).collect();
    let bench = Bench::new(&["-"; 40]).run("old", &at_ranks(&better)).run("new", &at_ranks(&ranks));
    let mut seen = std::collections::BTreeSet::new();
    for seed in 1..=20 {
        let report = bench.decide(&format!(
            "comparisons: [{{candidate: new, baseline: old, metrics: [RR@10]}}]\n\
             statistics: {{test: bootstrap, seed: {seed}}}\n"
        ));
        let finding = scores(&report.gates[0]);
        assert!(finding.test.starts_with("by the studentised bootstrap, "), "{}", finding.test);
        assert!(row(finding, "interval").ends_with("(percentile)"));
        if finding.reason != Reason::MonteCarloUndecided {
            seen.insert(report.gates[0].verdict);
        }
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
}
