//! Answers that decline where they should, and only there: two rates that nobody has to judge.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use rankgate::benchmark::model::{Finding, GateReport, Report, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::rag::{Answer, Answerer};
use rankgate::{BoxError, Document, Hit, Query, Retriever, report};

/// Queries with an answer, a0 and so on, and as many without, n0 and so on.
const EACH: usize = 20;

fn collection() -> String {
    let answerable =
        (0..EACH).map(|at| format!("      - {{id: a{at}, text: 'fee {at}', relevant: [d{at}]}}\n"));
    let others =
        (0..EACH).map(|at| format!("      - {{id: n{at}, text: 'moon {at}', unanswerable: true}}\n"));
    let documents = (0..EACH).map(|at| format!("      d{at}: 'fee {at} is due'\n"));
    let queries: String = answerable.chain(others).collect();
    let documents: String = documents.collect();
    format!(
        "version: 1\nbenchmark: desk\ncollection:\n  inline:\n    queries:\n{queries}    documents:\n{documents}"
    )
}

/// Whether a query has an answer in the collection.
fn is_answerable(query: &str) -> bool {
    query.starts_with('a')
}

fn declined() -> Answer {
    Answer::new("I do not know.").declined()
}

/// What is answered to a query by its id.
type Answers = fn(&str) -> Answer;

/// Finds the document of every query, and answers with it all queries for which this is true.
struct Pipeline {
    answers: Answers,
    said: Mutex<BTreeMap<String, Answer>>,
}

impl Retriever for Pipeline {
    fn retrieve(&self, query: &Query, _: usize) -> Result<Vec<Hit>, BoxError> {
        self.said.lock().unwrap().insert(query.id.clone(), (self.answers)(&query.id));
        Ok(vec![Hit::new(format!("d{}", &query.id[1..]), 1.0)])
    }

    fn take_answers(&self) -> BTreeMap<String, Answer> {
        std::mem::take(&mut self.said.lock().unwrap())
    }
}

/// Declines what has no answer, and notes all that it is asked.
#[derive(Clone, Default)]
struct Honest(Arc<Mutex<Vec<String>>>);

impl Answerer for Honest {
    fn answer(&self, query: &Query, contexts: &[Document]) -> Result<Answer, BoxError> {
        self.0.lock().unwrap().push(query.id.clone());
        Ok(if is_answerable(&query.id) { Answer::new(&contexts[0].text) } else { declined() })
    }
}

fn registry(honest: &Honest) -> Registry {
    let mut registry = Registry::new();
    let pipelines: [(&str, Answers); 4] = [
        ("always", |_| Answer::new("It is due.")),
        ("never", |_| declined()),
        ("right", |query| if is_answerable(query) { Answer::new("It is due.") } else { declined() }),
        ("empty", |query| if is_answerable(query) { Answer::new("It is due.") } else { Answer::new(" ") }),
    ];
    for (name, answers) in pipelines {
        let build = move |_: &rankgate::Setup| Ok(Pipeline { answers, said: Mutex::default() });
        registry.retrievers.register(name, build).unwrap();
    }
    let honest = honest.clone();
    registry.answerers.register("honest", move |_| Ok(honest.clone())).unwrap();
    registry
}

fn decide_in(folder: &Path, rest: &str) -> Result<Report, String> {
    let path = folder.join("desk.yaml");
    std::fs::write(&path, collection() + rest).unwrap();
    let opened = Benchmark::open(&path, &registry(&Honest::default()));
    opened.map(|benchmark| benchmark.run()).map_err(|error| error.to_string())
}

fn decide(rest: &str) -> Report {
    decide_in(tempfile::tempdir().unwrap().path(), rest).unwrap_or_else(|error| panic!("{error}"))
}

/// The message of a gate in one line.
fn message(report: &Report, gate: &GateReport) -> String {
    report::message(report, gate).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn value(gate: &GateReport) -> f64 {
    let Finding::Threshold(finding) = &gate.finding else { panic!("{gate:?}") };
    finding.measured.value
}

const BOTH: &str = "thresholds:
  - {metric: MissedRefusal, max: 0.2, bound: upper}
  - {metric: FalseRefusal, max: 0.2, bound: upper}
";

#[test]
fn who_answers_everything_and_who_declines_everything_both_fail() {
    let report = decide(&format!(
        "configurations: {{always: {{retriever: always}}, never: {{retriever: never}}, right: {{retriever: right}}, \
         empty: {{retriever: empty}}}}\n{BOTH}"
    ));
    use Verdict::{Failed, Passed};
    let found: Vec<_> =
        report.gates.iter().map(|gate| (&*gate.configuration, gate.verdict, value(gate))).collect();
    assert_eq!(
        found,
        [
            ("always", Failed, 1.0),
            ("never", Passed, 0.0),
            ("right", Passed, 0.0),
            ("empty", Passed, 0.0),
            ("always", Passed, 0.0),
            ("never", Failed, 1.0),
            ("right", Passed, 0.0),
            ("empty", Passed, 0.0),
        ]
    );
    let missed = message(&report, &report.gates[0]);
    assert!(missed.contains("moon 0") && missed.contains("answered \"It is due.\""), "{missed}");
    // The document was found: it is the generator that declines.
    let declined = message(&report, &report.gates[5]);
    assert!(declined.contains("answered \"I do not know.\" d0 (grade 1) rank 1"), "{declined}");
    let text = report::text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!text.contains("passes this gate"), "{text}");
    assert!(
        text.contains("20 unanswerable queries are measured by FalseAnswer and MissedRefusal alone"),
        "{text}"
    );
}

#[test]
fn a_gate_on_one_rate_alone_says_what_passes_it() {
    for (metric, other, system) in [
        ("MissedRefusal", "FalseRefusal", "declines every answer"),
        ("FalseRefusal", "MissedRefusal", "never declines"),
    ] {
        let report = decide(&format!(
            "configurations: {{right: {{retriever: right}}}}\n\
             thresholds: [{{metric: {metric}, max: 0.2}}, {{metric: FalseSilence, max: 0.2}}]"
        ));
        let expected = format!("no gate limits {other} of `right`: a system that {system} passes this gate");
        let message = message(&report, &report.gates[0]);
        assert!(message.contains(&expected), "{message}");
    }
}

#[test]
fn an_answerer_is_asked_what_has_no_answer_where_that_is_counted_alone() {
    for (gates, expected) in [(BOTH, 2 * EACH), ("thresholds: [{metric: FalseRefusal, max: 0.2}]", EACH)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desk.yaml");
        let rest =
            format!("configurations: {{rag: {{retriever: never, answerer: {{name: honest}}}}}}\n{gates}");
        std::fs::write(&path, collection() + &rest).unwrap();
        let honest = Honest::default();
        let mut registry = registry(&honest);
        let found = |query: &Query, _: usize| Ok(vec![Hit::new(format!("d{}", &query.id[1..]), 1.0)]);
        registry.retrievers.register("found", move |_| Ok(rankgate::retriever_fn(found))).unwrap();
        let text = std::fs::read_to_string(&path).unwrap().replace("retriever: never", "retriever: found");
        std::fs::write(&path, text).unwrap();
        let report = Benchmark::open(&path, &registry).unwrap().run();
        assert!(report.gates.iter().all(|gate| gate.verdict == Verdict::Passed), "{}", report::text(&report));
        let mut asked = honest.0.lock().unwrap().clone();
        asked.sort_unstable();
        asked.dedup();
        assert_eq!(asked.len(), expected, "{asked:?}");
    }
}

#[test]
fn an_answer_that_is_missing_is_no_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let (mut run, mut answers) = (String::new(), String::new());
    for at in 0..EACH {
        for letter in ["a", "n"] {
            run += &format!("{letter}{at} Q0 d{at} 1 1.0 t\n");
            if at > 2 {
                answers +=
                    &format!("{{\"query\": \"{letter}{at}\", \"answer\": \"No.\", \"declined\": true}}\n");
            }
        }
    }
    std::fs::write(folder.path().join("mine.run"), run).unwrap();
    std::fs::write(folder.path().join("answers.jsonl"), answers).unwrap();
    let rest = format!("configurations: {{mine: {{run: mine.run, answers: answers.jsonl}}}}\n{BOTH}");
    let report = decide_in(folder.path(), &rest).unwrap();
    for (gate, expected) in report.gates.iter().zip([
        "MissedRefusal needs an answer to every query, and 3 of 20 have none, `n0` among them",
        "FalseRefusal needs an answer to every query, and 3 of 20 have none, `a0` among them",
    ]) {
        assert_eq!(gate.verdict, Verdict::Errored);
        let message = message(&report, gate);
        assert!(message.contains(expected), "{message}");
    }
    // A file that cannot be read is named.
    std::fs::write(folder.path().join("answers.jsonl"), "{\"query\": \"a0\", \"text\": 1}\n").unwrap();
    let report = decide_in(folder.path(), &rest).unwrap();
    assert_eq!(report.gates[0].verdict, Verdict::Errored);
    let message = message(&report, &report.gates[0]);
    assert!(message.contains("answers.jsonl:1: no answer") && !message.contains("query `n0`"), "{message}");
}

#[test]
fn a_spec_is_refused_where_nobody_answers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.run"), "a0 Q0 d0 1 1.0 t\n").unwrap();
    let error = decide_in(folder.path(), &format!("configurations: {{mine: {{run: mine.run}}}}\n{BOTH}"))
        .unwrap_err();
    assert!(error.contains("MissedRefusal is of answers, and `mine` gives none"), "{error}");
}
