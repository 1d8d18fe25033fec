//! Gates that rest on a model's judgments: what is read, what is corrected, what is left open.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::fmt::Write as _;
use std::path::Path;

use rankgate::benchmark::model::{
    ComparisonFinding, CorrectedReport, Finding, GateReport, Outcome, ThresholdFinding, Verdict,
};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::gate::Judged;
use rankgate::judge::{HumanGrade, HumansFile, Item, JudgmentsFile, Sample, State, sha256};
use rankgate::report;
use rankgate::spec::Spec;

/// A collection in which people judged one document of each query, with a judge and a sample.
pub(crate) struct Toy {
    pub(crate) queries: usize,
    /// How many queries are drawn; no sample at all for 0.
    pub(crate) drawn: usize,
    /// What the judge makes of the true grade of a document.
    pub(crate) judge: fn(u8, usize) -> Option<u8>,
    /// Keys of the judge besides its files.
    pub(crate) keys: &'static str,
    pub(crate) gates: &'static str,
    pub(crate) statistics: &'static str,
}

impl Default for Toy {
    fn default() -> Self {
        Self {
            queries: 120,
            drawn: 40,
            judge: |grade, _| Some(grade),
            keys: "",
            gates: "thresholds: [{metric: nDCG@5, min: 0.5, judged: corrected, for: new}]",
            statistics: "{}",
        }
    }
}

pub(crate) const DOCUMENTS: usize = 5;

/// The true grade of a document of a query, 0 to 3.
pub(crate) fn grade(query: usize, document: usize) -> u8 {
    ((query * 7 + document * document * 5 + query / 3) % 11 / 3).min(3) as u8
}

fn query_text(query: usize) -> String {
    format!("question {query}")
}

pub(crate) fn document_text(query: usize, document: usize) -> String {
    format!("answer {document} to {query}")
}

impl Toy {
    pub(crate) fn write(&self, folder: &Path) -> Spec {
        let (mut queries, mut documents) = (Vec::new(), Vec::new());
        let (mut old, mut new) = (String::new(), String::new());
        for query in 0..self.queries {
            queries.push(serde_json::json!({
                "id": format!("q{query:03}"), "text": query_text(query), "kind": if query % 4 == 0 { "hard" } else { "easy" },
                "user": format!("u{:02}", query / 2),
                "judgments": {format!("d{query}-0"): grade(query, 0)},
            }));
            for document in 0..DOCUMENTS {
                let id = format!("d{query}-{document}");
                documents.push(serde_json::json!({"id": id, "text": document_text(query, document)}));
                let place = |shift: usize| (document + query * shift) % DOCUMENTS;
                writeln!(old, "q{query:03} Q0 d{query}-{} {} {}.0 old", place(1), document + 1, 9 - document)
                    .unwrap();
                writeln!(new, "q{query:03} Q0 d{query}-{} {} {}.0 new", place(3), document + 1, 9 - document)
                    .unwrap();
            }
        }
        let collection = serde_json::json!({"queries": queries, "documents": documents});
        std::fs::write(folder.join("collection.json"), collection.to_string()).unwrap();
        std::fs::write(folder.join("old.run"), old).unwrap();
        std::fs::write(folder.join("new.run"), new).unwrap();
        let text = format!(
            "version: 1\nbenchmark: toy\ncollection: {{json: collection.json}}\nsegments: [kind]\n\
             configurations: {{old: {{run: old.run}}, new: {{run: new.run}}}}\n\
             judge: {{model: tiny, judgments: judged.jsonl, humans: humans.jsonl, grade: {{depth: 5}}, {}}}\n{}\nstatistics: {}\n",
            self.keys, self.gates, self.statistics
        );
        std::fs::write(folder.join("toy.yaml"), text).unwrap();
        let spec = Benchmark::open(folder.join("toy.yaml"), &Registry::new()).unwrap().spec().clone();
        let mut file = JudgmentsFile::default();
        let judge = file.describe(spec.judge.as_ref().unwrap().description().unwrap());
        let mut humans = None;
        if self.drawn > 0 {
            let ids: Vec<String> = (0..self.queries).map(|query| format!("q{query:03}")).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            let mut sample = Sample::draw(&ids, self.drawn, 7).unwrap();
            sample.judge = Some(judge.clone());
            humans = Some(HumansFile::new(sample));
        }
        for query in 0..self.queries {
            for document in 1..DOCUMENTS {
                let given = (self.judge)(grade(query, document), query);
                let (query_id, document_id) = (format!("q{query:03}"), format!("d{query}-{document}"));
                let query_sha256 = sha256(query_text(query).as_bytes());
                let document_sha256 = sha256(document_text(query, document).as_bytes());
                if let Some(humans) = humans.as_mut().filter(|file| file.sample.drawn.contains(&query_id)) {
                    humans.insert(HumanGrade {
                        batch: 1,
                        document: document_id.clone(),
                        document_sha256: document_sha256.clone(),
                        grade: Some(grade(query, document)),
                        query: query_id.clone(),
                        query_sha256: query_sha256.clone(),
                        who: None,
                    });
                }
                file.insert(Item {
                    analysis: "so".into(),
                    claims: None,
                    confidence: None,
                    document: document_id,
                    document_sha256,
                    grade: given,
                    grades: Vec::new(),
                    judge: judge.clone(),
                    query: query_id,
                    query_sha256,
                    served: None,
                    state: if given.is_some() { State::Graded } else { State::Abstained },
                    tokens: Some([600, 50]),
                });
            }
        }
        std::fs::write(folder.join("judged.jsonl"), file.text()).unwrap();
        if let Some(humans) = humans {
            std::fs::write(folder.join("humans.jsonl"), humans.text()).unwrap();
        }
        spec
    }

    /// The gates, decided, with their messages.
    fn run(&self) -> Vec<(GateReport, String)> {
        let folder = tempfile::tempdir().unwrap();
        self.write(folder.path());
        run(folder.path())
    }

    /// The one gate.
    pub(crate) fn threshold(&self) -> (Verdict, ThresholdFinding) {
        let (gate, message) = self.run().remove(0);
        match gate.finding {
            Finding::Threshold(finding) => (gate.verdict, *finding),
            other => panic!("{other:?}\n{message}"),
        }
    }

    /// The mean of the true scores of the configuration `new`.
    pub(crate) fn truth(&self) -> f64 {
        let by_people = Self { judge: |grade, _| Some(grade), ..*self };
        by_people.threshold().1.corrected.unwrap().uncorrected
    }
}

pub(crate) fn run(folder: &Path) -> Vec<(GateReport, String)> {
    let report = Benchmark::open(folder.join("toy.yaml"), &Registry::new()).unwrap().run();
    // On one line: where it breaks is another matter.
    let message = |gate| report::message(&report, gate).split_whitespace().collect::<Vec<_>>().join(" ");
    report.gates.iter().map(|gate| (gate.clone(), message(gate))).collect()
}

pub(crate) fn reason(gate: &GateReport) -> &str {
    match &gate.finding {
        Finding::Undecided(undecided) => &undecided.reason,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn edit(folder: &Path, file: &str, change: impl Fn(String) -> String) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let changed = change(text.clone());
    assert_ne!(changed, text);
    std::fs::write(path, changed).unwrap();
}

#[test]
fn a_lenient_judge_is_corrected_by_people() {
    let lenient = Toy { judge: |grade, _| Some((grade + 1).min(3)), ..Toy::default() };
    let (verdict, finding) = lenient.threshold();
    let corrected = finding.corrected.clone().unwrap();
    let truth = lenient.truth();
    assert_eq!(verdict, Verdict::Passed);
    assert_eq!((corrected.drawn, corrected.units, corrected.pairs), (40, 120, 480));
    let [low, high] = finding.measured.interval.unwrap();
    assert!(low < truth && truth < high, "{truth} is not in [{low}, {high}]");
    // People's mean, moved by the weight of the model's between the drawn queries and all.
    assert!((finding.measured.value - weighed(&corrected)).abs() < 1e-12);
    assert!(corrected.leniency > 0.0 && corrected.leniency_interval.unwrap()[0] > 0.0, "{corrected:?}");
    // A limit within the interval is open, one beyond it fails.
    let at = |min: &str| {
        let gates = Box::leak(Toy::default().gates.replace("0.5", min).into_boxed_str());
        Toy { gates, ..lenient }.run().remove(0)
    };
    let (open, message) = at(&format!("{:.3}", f64::midpoint(low, high)));
    assert_eq!(open.verdict, Verdict::Inconclusive, "{message}");
    assert!(message.contains("higher: +0."), "{message}");
    let (failed, message) = at(&format!("{:.3}", high + 0.01));
    assert_eq!(failed.verdict, Verdict::Failed, "{message}");
}

#[test]
fn about_how_many_human_queries_settle_it_is_said() {
    let lenient = Toy { judge: |grade, at| Some((grade + u8::from(at % 3 == 0)).min(3)), ..Toy::default() };
    let (_, finding) = lenient.threshold();
    let [low, _] = finding.measured.interval.unwrap();
    let min = low + 0.05 * (finding.measured.value - low);
    let gates = Box::leak(Toy::default().gates.replace("0.5", &format!("{min:.4}")).into_boxed_str());
    let (gate, message) = Toy { gates, ..lenient }.run().remove(0);
    let Finding::Threshold(finding) = &gate.finding else { panic!("{message}") };
    let needed = finding.corrected.as_ref().unwrap().needed.unwrap();
    assert!((41..=120).contains(&needed), "{needed}");
    assert!(message.contains(&format!("about {needed} human queries would settle it")), "{message}");
    assert!(message.contains(&format!("--queries {needed}")), "{message}");
    // At the value itself no number of people's judgments does: what is left is how queries differ.
    let gates = Toy::default().gates.replace("0.5", &format!("{:.4}", finding.measured.value));
    let (gate, message) = Toy { gates: Box::leak(gates.into_boxed_str()), ..lenient }.run().remove(0);
    let Finding::Threshold(finding) = &gate.finding else { panic!("{message}") };
    let corrected = finding.corrected.as_ref().unwrap();
    assert_eq!((corrected.needed, corrected.by_nobody), (None, true));
    assert!(message.contains("people's judgments of all 120 queries would not settle it"), "{message}");
    // Nor does any of so few queries that nothing is decided on them.
    let gates = "thresholds: [{metric: nDCG@5, min: 0.01, judged: corrected, for: new}]";
    let (gate, message) = Toy { gates, queries: 29, drawn: 20, ..lenient }.run().remove(0);
    assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
    assert!(message.contains("people's judgments of all 29 queries would not settle it"), "{message}");
    // Where only too few were drawn, as many as decide something do.
    let (_, message) = Toy { gates, queries: 60, drawn: 20, ..lenient }.run().remove(0);
    assert!(message.contains("about 30 human queries would settle it"), "{message}");
}

/// What the model makes of all queries, beside what people say of the drawn ones.
fn weighed(corrected: &CorrectedReport) -> f64 {
    let CorrectedReport { people, uncorrected, leniency, .. } = corrected;
    people + corrected.weight.unwrap() * (uncorrected - leniency - people)
}

#[test]
fn a_judge_that_always_says_3_costs_width_not_validity() {
    let width = |judge: fn(u8, usize) -> Option<u8>| {
        let toy = Toy { judge, ..Toy::default() };
        let finding = toy.threshold().1;
        let [low, high] = finding.measured.interval.unwrap();
        let truth = toy.truth();
        assert!(low < truth && truth < high, "{truth} is not in [{low}, {high}]");
        let [least, most] = finding.corrected.unwrap().people_interval.unwrap();
        (high - low) / (most - least)
    };
    let good = width(|grade, at| Some(if at % 5 == 0 { grade.saturating_sub(1) } else { grade }));
    let constant = width(|_, _| Some(3));
    // No wider than people alone by more than a few in a hundred, and a good one is narrower.
    assert!(constant < 1.05 && good < 0.9 * constant, "{good} {constant}");
}

#[test]
fn nothing_that_failed_leaves_the_mean() {
    // A third of the answers has no grade.
    let toy = Toy {
        judge: |grade, at| (at % 3 != 0).then_some(grade),
        keys: "abstain-at-most: 1",
        ..Toy::default()
    };
    let (_, finding) = toy.threshold();
    let corrected = finding.corrected.unwrap();
    assert_eq!((finding.queries, corrected.units), (120, 120));
    assert_eq!((corrected.abstained, corrected.pairs), (160, 480));
    let refused = Toy { keys: "", ..toy }.run().remove(0).0;
    assert_eq!(refused.verdict, Verdict::Errored);
    assert!(
        reason(&refused).ends_with(
            "gave no grade to 160 of 480 pairs, more than 0.02 of them (`abstain-at-most`): 160 abstained"
        ),
        "{}",
        reason(&refused)
    );
}

#[test]
fn a_table_says_what_each_of_two_values_of_a_metric_rests_on() {
    let gates = "thresholds:\n\
                 - {metric: nDCG@5, min: 0.5, judged: corrected, for: new}\n\
                 - {metric: nDCG@5, min: 0.5, judged: raw, level: advisory, for: new, name: judge}\n\
                 - {metric: nDCG@5, min: 0.1, judged: corrected, for: new, segment: {kind: hard}}\n\
                 comparisons:\n\
                 - {candidate: new, baseline: old, metrics: [nDCG@5], expect: no-regression, judged: corrected}";
    let folder = tempfile::tempdir().unwrap();
    Toy { gates, judge: |grade, _| Some((grade + 1).min(3)), ..Toy::default() }.write(folder.path());
    let report = Benchmark::open(folder.path().join("toy.yaml"), &Registry::new()).unwrap().run();
    let of_gate = |at: usize| match &report.gates[at].finding {
        Finding::Threshold(finding) => finding.measured.value,
        other => panic!("{other:?}"),
    };
    let measured = |name: &str| {
        let one = report.configurations.iter().find(|one| one.name == name).unwrap();
        match &one.outcome {
            Outcome::Measured(measured) => measured,
            other => panic!("{other:?}"),
        }
    };
    let row = &measured("new").metrics[0];
    let judged: Vec<_> = row.judged.iter().map(|one| (one.how, one.value.unwrap())).collect();
    assert_eq!(judged, [(Judged::Corrected, of_gate(0)), (Judged::Raw, of_gate(1))]);
    assert!((row.value - of_gate(0)).abs() > 0.1, "people alone score {}", row.value);
    let hard = measured("new").segments.iter().find(|one| one.value == "hard").unwrap();
    assert_eq!(hard.metrics[0].judged[0].value, Some(of_gate(2)));
    assert_eq!(measured("old").metrics[0].judged.len(), 1, "a comparison has its mean");
    // Every form shows both, and says what each rests on.
    let [people, corrected, raw] = [row.value, of_gate(0), of_gate(1)].map(|value| format!("{value:.4}"));
    let text = report::text(&report);
    let rows: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("metrics, "))
        .skip(2)
        .take(3)
        .map(str::trim)
        .collect();
    for (row, (label, value)) in
        rows.iter().zip([("nDCG@5", &people), ("corrected", &corrected), ("raw", &raw)])
    {
        assert!(row.starts_with(label) && row.contains(value.as_str()), "{text}");
    }
    let said = "Values are by people's judgments alone. Those marked corrected and raw rest on the grades of relevance-";
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(&text).contains(said), "{text}");
    let markdown = report::markdown(&report);
    assert!(
        markdown.contains(&format!(", corrected {corrected} \\["))
            || markdown.contains(&format!(", corrected {corrected} [")),
        "{markdown}"
    );
    assert!(flat(&markdown).contains("Values are by people's judgments alone."), "{markdown}");
    let html = report::html(&report);
    assert!(
        html.contains(&format!("corrected {corrected} [")) && html.contains(&format!("raw {raw}")),
        "{html}"
    );
    let json = report::json(&report);
    assert!(json.contains("\"how\": \"corrected\""), "{json}");
    // Without such gates nothing is said of it.
    let gates = "thresholds: [{metric: nDCG@5, min: 0.1, for: new}]";
    let folder = tempfile::tempdir().unwrap();
    Toy { gates, ..Toy::default() }.write(folder.path());
    let report = Benchmark::open(folder.path().join("toy.yaml"), &Registry::new()).unwrap().run();
    assert!(!report::text(&report).contains("people's judgments alone"));
}

#[test]
fn an_empty_retrieval_is_zero() {
    let folder = tempfile::tempdir().unwrap();
    let toy = Toy::default();
    toy.write(folder.path());
    let whole = toy.threshold().1.corrected.unwrap();
    // Half of the queries get no answer.
    edit(folder.path(), "new.run", |text| {
        let kept = |line: &&str| line[1..4].parse::<usize>().unwrap() % 2 == 0;
        text.lines().filter(kept).fold(String::new(), |all, line| all + line + "\n")
    });
    let (gate, _) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored);
    assert!(reason(&gate).starts_with("new answers 60 of the 120 queries"), "{}", reason(&gate));
    edit(folder.path(), "toy.yaml", |text| format!("{text}evidence: {{at-least: 0.5}}\n"));
    let (gate, message) = run(folder.path()).remove(0);
    let Finding::Threshold(finding) = gate.finding else { panic!("{message}") };
    let half = finding.corrected.unwrap();
    assert_eq!((finding.queries, half.units, finding.unanswered), (120, 120, 60));
    assert!(half.uncorrected < 0.6 * whole.uncorrected, "{} {}", half.uncorrected, whole.uncorrected);
}

#[test]
fn an_unvalidated_judge_never_passes_or_fails() {
    for min in ["0.0", "0.5", "0.99"] {
        let gates = Box::leak(Toy::default().gates.replace("0.5", min).into_boxed_str());
        for drawn in [0, 2, 29] {
            let (gate, message) = Toy { drawn, gates, ..Toy::default() }.run().remove(0);
            assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
            assert!(message.contains(&format!("people judged {drawn} of these queries")), "{message}");
        }
        // A judge that was changed since the draw may have been fitted to it.
        let folder = tempfile::tempdir().unwrap();
        Toy { gates, ..Toy::default() }.write(folder.path());
        edit(folder.path(), "humans.jsonl", |text| {
            text.replacen("\"judge\":\"relevance-", "\"judge\":\"before-", 1)
        });
        let (gate, message) = run(folder.path()).remove(0);
        assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
        assert!(message.contains("the sample was drawn for another judge"), "{message}");
    }
    // The segment has a quarter of the queries.
    let gates =
        "thresholds: [{metric: nDCG@5, min: 0.0, judged: corrected, for: new, segment: {kind: hard}}]";
    let (gate, message) = Toy { gates, ..Toy::default() }.run().remove(0);
    assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
    assert!(message.contains("fewer than 30 decide nothing"), "{message}");
    let (gate, message) = Toy { gates, drawn: 120, ..Toy::default() }.run().remove(0);
    assert_eq!(gate.verdict, Verdict::Passed, "{message}");
}

#[test]
fn abstentions_that_decide_are_inconclusive() {
    // Of the queries that nobody drew a fifth has no grade, none of the drawn.
    let toy = Toy {
        judge: |grade, at| (at % 5 != 0).then_some(grade),
        keys: "abstain-at-most: 0.5",
        ..Toy::default()
    };
    let (_, finding) = toy.threshold();
    let value = finding.measured.value;
    let [low, _] = finding.measured.interval.unwrap();
    let decided = |min: f64| {
        let gates = Box::leak(Toy::default().gates.replace("0.5", &format!("{min:.5}")).into_boxed_str());
        Toy { gates, ..toy }.run().remove(0)
    };
    // Far below it holds whatever they are; where it depends on them nothing is decided.
    assert_eq!(decided(0.1).0.verdict, Verdict::Passed);
    let steps = (0..40).map(|step| low - 0.05 + f64::from(step) * (value - low + 0.1) / 40.0);
    let open = steps
        .map(decided)
        .find(|(_, message)| message.contains("what it gave no grade makes another verdict"));
    let (gate, message) = open.unwrap();
    assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
}

#[test]
fn documents_that_no_person_judged_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let gates = "thresholds: [{metric: nDCG@5, min: 0.74, judged: corrected, for: new}]";
    Toy { gates, ..Toy::default() }.write(folder.path());
    // People left out what stands first.
    edit(folder.path(), "humans.jsonl", |text| {
        let kept = |line: &&str| !line.contains("-1\",\"document_sha256\"");
        text.lines().filter(kept).fold(String::new(), |all, line| all + line + "\n")
    });
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
    for told in [
        "there is no corrected value: people judged all documents of 0 of 40 drawn queries (of 120 in all)",
        "40 documents no person judged: each may be not relevant or highly relevant",
        "-1 of query q",
    ] {
        assert!(message.contains(told), "{message}");
    }
    let Finding::Bounds(bounds) = gate.finding else { panic!("{message}") };
    assert_eq!((bounds.unjudged, bounds.to_judge.len(), bounds.judged_whole), (40, 10, 0));
    let [lowest, highest] = [bounds.lowest, bounds.highest].map(Option::unwrap);
    assert!(lowest.value < 0.74 && highest.value > 0.74 && lowest.verdict != highest.verdict, "{message}");
    // A limit that both bounds keep is kept, and still there is no value.
    edit(folder.path(), "toy.yaml", |text| text.replace("0.74", "0.6"));
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Passed, "{message}");
    assert!(matches!(gate.finding, Finding::Bounds(_)), "{message}");
    assert!(message.starts_with("toy: new keeps its threshold on nDCG@5"), "{message}");
}

#[test]
fn differences_that_rest_on_what_no_person_judged_are_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let gates = "comparisons:\n\
                 - {candidate: new, baseline: old, metrics: [nDCG@5], expect: no-regression, judged: corrected}\n\
                 - {candidate: new, baseline: old, metrics: [nDCG@5], expect: non-inferiority, margin: 0.6, name: wide, judged: corrected}";
    Toy { gates, ..Toy::default() }.write(folder.path());
    edit(folder.path(), "humans.jsonl", |text| {
        text.lines().take(1).map(|line| line.to_owned() + "\n").collect()
    });
    let gates = run(folder.path());
    let [open, decided] = [0, 1].map(|at| {
        let (gate, message) = &gates[at];
        let Finding::Bounds(bounds) = &gate.finding else { panic!("{message}") };
        let [lowest, highest] = [bounds.lowest, bounds.highest].map(Option::unwrap);
        assert!(lowest.value < 0.0 && highest.value > 0.0, "{message}");
        let limits = [lowest, highest].map(|bound| bound.interval.unwrap());
        assert!(limits.iter().flatten().all(|limit| (-1.0..=1.0).contains(limit)), "{message}");
        (gate.verdict, message.as_str())
    });
    assert_eq!(open.0, Verdict::Inconclusive, "{}", open.1);
    assert!(
        open.1.contains("new cannot be compared with old on nDCG@5 until people have judged more"),
        "{}",
        open.1
    );
    assert!(open.1.contains("at worst each query has the lowest difference"), "{}", open.1);
    assert_eq!(decided.0, Verdict::Passed, "{}", decided.1);
    for (_, message) in &gates {
        for made_up in ["favours", "unfair", "permutation", "by people alone", "p ="] {
            assert!(!message.contains(made_up), "{made_up}: {message}");
        }
    }
}

#[test]
fn an_interval_of_a_share_never_leaves_0_and_1() {
    // A judge that is sure of most and wrong here and there, held against a value that is next to 1.
    let gates = "thresholds: [{metric: Success@5, min: 0.5, judged: corrected, for: new}]\n\
                 comparisons: [{candidate: new, baseline: old, metrics: [Success@1], expect: no-regression, judged: corrected}]";
    let judges: [fn(u8, usize) -> Option<u8>; 3] = [
        |grade, at| Some(if at % 9 == 0 { 0 } else { grade.max(2) }),
        |_, at| Some(u8::from(at % 2 == 0) * 3),
        |_, _| Some(0),
    ];
    for judge in judges {
        for (gate, message) in (Toy { judge, gates, drawn: 30, queries: 31, ..Toy::default() }).run() {
            let (limits, least) = match &gate.finding {
                Finding::Threshold(one) => (one.measured.interval, 0.0),
                Finding::Comparison(one) => (one.interval, -1.0),
                other => panic!("{other:?}"),
            };
            assert!(limits.is_none_or(|[low, high]| least <= low && low <= high && high <= 1.0), "{message}");
            if let Finding::Threshold(one) = &gate.finding {
                assert!((0.0..=1.0).contains(&one.measured.value), "{message}");
            }
        }
    }
}

#[test]
fn raw_judgments_only_advise() {
    let gates = "thresholds: [{metric: nDCG@5, min: 0.99, judged: raw, level: advisory, for: new}]\n\
                 comparisons: [{candidate: new, baseline: old, metrics: [nDCG@5], expect: improvement, judged: raw, level: advisory}]";
    for (gate, message) in (Toy { gates, drawn: 0, ..Toy::default() }).run() {
        assert_eq!(gate.verdict, Verdict::Advisory, "{message}");
        assert!(message.contains("without correction"), "{message}");
    }
}

fn comparison(gate: &GateReport) -> &ComparisonFinding {
    match &gate.finding {
        Finding::Comparison(finding) => finding,
        other => panic!("{other:?}"),
    }
}

#[test]
fn comparisons_rest_on_corrected_differences() {
    let gates = "comparisons:\n\
                 - {candidate: new, baseline: old, metrics: [nDCG@5, RR@5], expect: improvement, judged: corrected}\n\
                 - {candidate: new, baseline: old, metrics: [P@5], expect: non-inferiority, margin: 0.9, judged: corrected}\n\
                 - {candidate: new, baseline: old, metrics: [nDCG@5], expect: no-regression, judged: corrected, name: a}\n\
                 - {candidate: new, baseline: old, metrics: [nDCG@5], expect: equivalence, margin: 0.5, judged: corrected, name: b}\n\
                 - {candidate: new, baseline: old, metrics: [nDCG@5], expect: non-inferiority, margin: 0.5, segment: {kind: hard}, judged: corrected}";
    let lenient =
        Toy { judge: |grade, at| Some((grade + u8::from(at % 2 == 0)).min(3)), gates, ..Toy::default() };
    let perfect = Toy { judge: |grade, _| Some(grade), ..lenient };
    let (all, truth) = (lenient.run(), perfect.run());
    for ((gate, message), (true_gate, _)) in all.iter().zip(&truth) {
        let (finding, truth) = (comparison(gate), comparison(true_gate));
        let corrected = finding.corrected.as_ref().unwrap();
        // The perfect judge's own difference over all queries is the true one.
        let truth = truth.corrected.as_ref().unwrap().uncorrected;
        assert!((finding.candidate_mean - finding.baseline_mean - finding.difference).abs() < 1e-12);
        assert!((finding.difference - weighed(corrected)).abs() < 1e-12);
        if let Some([low, high]) = finding.interval {
            assert!(low <= truth && truth <= high, "{truth} is not in [{low}, {high}]\n{message}");
        }
        assert_eq!(finding.queries, if finding.segment.is_some() { 30 } else { 120 });
    }
    // Two metrics of one entry are one family.
    assert_eq!(comparison(&all[0].0).family, 2);
    let adjusted = comparison(&all[0].0);
    assert!(adjusted.p_adjusted >= adjusted.p_deciding);
    assert_eq!(all[3].0.verdict, Verdict::Passed, "{}", all[3].1);
    assert_eq!(all[4].0.verdict, Verdict::Passed, "{}", all[4].1);
    let (few, message) = &all[5];
    assert_eq!(few.verdict, Verdict::Inconclusive, "{message}");
    assert!(message.contains("people judged too few queries"), "{message}");
    assert!(message.contains("permutation test p"), "{message}");
}
