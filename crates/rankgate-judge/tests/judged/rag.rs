//! Gates on answers: claims that a judge finds and judges, corrected by people, in every state.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::benchmark::model::{ClaimVerdict, Finding, GateReport, ShownAnswer, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::judge::{Answer, Claim, JudgmentsFile, Support, sha256};
use rankgate::report;
use rankgate::retriever::BoxError;
use rankgate::{Document, Query};
use rankgate_judge::{Assessment, Judge};
use serde_json::{Value, json};

pub(crate) const QUERIES: usize = 60;

/// Answers of two claims, the first of which the contexts hold; `odd` says of which queries the second is not there.
pub(crate) fn write(folder: &Path, gates: &str, odd: fn(usize) -> bool) {
    let mut queries = Vec::new();
    let (mut old, mut new) = (String::new(), String::new());
    for query in 0..QUERIES {
        let id = format!("q{query:02}");
        queries.push(json!({
            "id": id, "text": format!("question {query}"), "kind": if query % 2 == 0 { "even" } else { "odd" },
            "judgments": {format!("d{query}"): 3},
            "reference": [format!("fee {query} is due."), format!("card {query} does.")],
        }));
        let answer = |second: &str, contexts: Value| {
            let text = format!("fee {query} is due. {second} {query} does.");
            json!({"query": id, "answer": text, "contexts": contexts}).to_string() + "\n"
        };
        let contexts = json!([
            {"id": format!("d{query}"), "text": format!("fee {query} is due.")},
            {"id": format!("c{query}"), "text": format!("card {query} does.")},
        ]);
        old += &answer("card", contexts.clone());
        // In the new ones the second context is lost where the query is odd, and the claim stays.
        let fewer = json!([contexts[0], {"id": "x", "text": "nothing"}]);
        new += &answer("card", if odd(query) { fewer } else { contexts });
    }
    std::fs::write(folder.join("collection.json"), json!({ "queries": queries }).to_string()).unwrap();
    std::fs::write(folder.join("old.jsonl"), old).unwrap();
    std::fs::write(folder.join("new.jsonl"), new).unwrap();
    let text = format!(
        "version: 1\nbenchmark: toy\ncollection: {{json: collection.json}}\nsegments: [kind]\n\
         configurations: {{old: {{answers: old.jsonl}}, new: {{answers: new.jsonl}}}}\n\
         judge: {{model: tiny, judgments: judged.jsonl, humans: humans.jsonl}}\n{gates}\n"
    );
    std::fs::write(folder.join("toy.yaml"), text).unwrap();
}

/// A judge that finds sentences, and says that a context supports what it holds.
fn rule(_: &Query, document: &Document) -> Result<Answer, BoxError> {
    let Some(claims) = document.metadata.get("claims").and_then(Value::as_array) else {
        let sentences = document.text.split_inclusive('.').filter(|claim| claim.ends_with('.'));
        return Ok(Answer::listed(sentences.map(|claim| Claim::found(claim.trim()))));
    };
    let contexts = document.metadata["contexts"].as_array().unwrap();
    let said = |claim: &Value| {
        let text = claim[1].as_str().unwrap();
        let at = contexts.iter().position(|context| context.as_str().unwrap().contains(text));
        let verdict = if at.is_some() { Support::Supported } else { Support::Unsupported };
        Claim::with_verdict(claim[0].as_str().unwrap(), verdict, at.map(|at| at + 1))
    };
    Ok(Answer::listed(claims.iter().map(said)))
}

pub(crate) fn open(folder: &Path) -> Benchmark {
    Benchmark::open(folder.join("toy.yaml"), &registry()).unwrap()
}

/// An answerer and a pipeline from Rust.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::new();
    super::rag_answerers::register(&mut registry);
    registry
}

/// Asks until nothing is missing; how many questions there were.
pub(crate) fn ask(folder: &Path) -> usize {
    ask_judge(folder, &rule)
}

pub(crate) fn ask_judge(folder: &Path, judge: &dyn Judge) -> usize {
    let mut asked = 0;
    loop {
        let benchmark = open(folder);
        let all = Assessment::new(&benchmark).all_questions().unwrap();
        let Some(questions) = all.iter().find(|one| !one.missing.is_empty()) else { return asked };
        asked += questions.missing.len();
        let tally = Assessment::new(&benchmark).ask_own_judge(questions, judge, &|_| {}).unwrap();
        assert!(tally.is_complete(), "{tally:?}");
    }
}

/// People say what the rule does, of as many queries as are drawn.
pub(crate) fn people(folder: &Path, drawn: usize) {
    people_say(folder, drawn, 1);
}

/// The same, and this grade of what no context holds.
pub(crate) fn people_say(folder: &Path, drawn: usize, unsupported: u8) {
    let people = Assessment::new(&open(folder)).draw_sample(Some(drawn), None).unwrap();
    let line = |pair: &rankgate::judge::Pair| {
        let (claim, contexts) = pair.document.text.split_once("\n\nContexts:\n").unwrap();
        let claim = claim.split_once("Claim:\n").unwrap().1;
        let grade = if contexts.contains(claim) { 2 } else { unsupported };
        json!({
            "query": pair.query.id, "document": pair.document.id, "grade": grade,
            "query_sha256": sha256(pair.query.text.as_bytes()), "document_sha256": sha256(pair.document.text.as_bytes()),
        })
        .to_string()
            + "\n"
    };
    let said: String = people.pairs.iter().map(line).collect();
    let merging = Assessment::new(&open(folder)).merge_grades(&[("anna.jsonl".into(), said)]).unwrap();
    assert_eq!(merging.added, people.pairs.len());
}

pub(crate) fn run(folder: &Path) -> Vec<(GateReport, String)> {
    let report = open(folder).run();
    let message = |gate: &GateReport| report::message(&report, gate);
    report.gates.iter().map(|gate| (gate.clone(), message(gate))).collect()
}

pub(crate) const GATES: &str = "thresholds:\n- {metric: Faithfulness, min: 0.9, judged: corrected, for: new}\n\
                     - {metric: ContextRecall@5, min: 0.5, judged: corrected, for: new}\n\
                     comparisons:\n- {candidate: new, baseline: old, metrics: [Faithfulness], expect: no-regression, judged: corrected}";

#[test]
fn gates_on_answers_are_errored_until_the_judge_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), GATES, |query| query % 2 == 1);
    for (gate, message) in run(folder.path()) {
        assert_eq!(gate.verdict, Verdict::Errored, "{message}");
        // The claims of a reference are listed already.
        let judge = if gate.name.contains("Faithfulness") { "claims" } else { "support" };
        assert!(message.contains(&format!("no judgment by {judge}-")), "{message}");
        assert!(message.contains("asks for them"), "{message}");
    }
    // 60 answers are one list of claims each, whosever they are; then 60 of the old ones, and of the new ones the 30 that
    // have other contexts. ContextRecall asks about the reference's claims in the contexts of `new`. Four probes of each question.
    assert_eq!(ask(folder.path()), 60 + 4 + 90 + 60 + 4);
    let text = std::fs::read_to_string(folder.path().join("judged.jsonl")).unwrap();
    let file = JudgmentsFile::parse("judged.jsonl", &text, false).unwrap();
    assert_eq!(
        file.judges().keys().map(|id| id.split('-').next().unwrap()).collect::<Vec<_>>(),
        ["claims", "support"]
    );
}

#[test]
fn a_claim_that_lost_its_context_fails_the_gate_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), GATES, |query| query % 2 == 1);
    ask(folder.path());
    let unknown = run(folder.path());
    assert_eq!(unknown[0].0.verdict, Verdict::Inconclusive, "{}", unknown[0].1);
    people(folder.path(), 40);
    let gates = run(folder.path());
    let verdicts: Vec<Verdict> = gates.iter().map(|(gate, _)| gate.verdict).collect();
    assert_eq!(verdicts, [Verdict::Failed, Verdict::Passed, Verdict::Failed], "{}", gates[0].1);
    let Finding::Threshold(finding) = &gates[0].0.finding else { panic!("{:?}", gates[0].0) };
    // 30 of 60 answers are supported by half. The judge was never seen to be wrong, which says less than people's own scores:
    // the value is theirs, of the drawn ones, and .75 is within its limits.
    let corrected = finding.corrected.as_ref().unwrap();
    assert_eq!((corrected.weight, corrected.differing), (Some(0.0), Some(0)));
    assert!((finding.measured.value - corrected.people).abs() < 1e-12, "{}", finding.measured.value);
    let [low, high] = finding.measured.interval.unwrap();
    assert!(low < 0.75 && 0.75 < high, "{low} {high}");
    let counted = finding.answers.as_ref().unwrap();
    assert_eq!((counted.claims, counted.supported, counted.unsupported), (120, 90, 30));
    assert!(gates[0].1.contains("new: 120 judged items: 90 supported, 30 unsupported"), "{}", gates[0].1);
    assert!(gates[0].1.contains("\"card 1 does.\" unsupported"), "{}", gates[0].1);
    let lost = "\"card 1 does.\" supported -> unsupported, lost its context: c1 rank 2 -> not retrieved";
    assert!(gates[2].1.contains(lost), "{}", gates[2].1);
}

#[test]
fn claims_that_no_person_has_seen_make_no_corrected_value() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), GATES, |query| query == 7);
    ask(folder.path());
    // Queries are drawn, and nobody has judged anything of them yet.
    Assessment::new(&open(folder.path())).draw_sample(Some(40), None).unwrap();
    let report = open(folder.path()).run();
    let is_within = |[low, high]: [f64; 2], most: f64| -most <= low && low <= high && high <= most;
    for gate in &report.gates[..2] {
        let message = report::message(&report, gate);
        assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
        let Finding::Bounds(bounds) = &gate.finding else { panic!("{message}") };
        assert_eq!((bounds.judged_whole, bounds.drawn, bounds.units), (0, 40, 60), "{message}");
        let [lowest, highest] = [bounds.lowest, bounds.highest].map(Option::unwrap);
        // By the judge all or nearly all is supported: what people may say of it decides.
        assert!(lowest.value < 0.02 && highest.value > 0.98, "{message}");
        assert_eq!([lowest.verdict, highest.verdict], [Verdict::Failed, Verdict::Passed], "{message}");
        for bound in [lowest, highest] {
            assert!(bound.interval.is_none_or(|limits| is_within(limits, 1.0)), "{bound:?}");
        }
        assert!(message.contains("people have judged more"), "{message}");
        assert!(message.contains("rankgate sample"), "{message}");
        let flat = message.split_whitespace().collect::<Vec<_>>().join(" ");
        for told in [
            "people judged all claims of 0 of 40 drawn queries (of 60 in all)",
            "alone, without correction by people",
        ] {
            assert!(flat.contains(told), "{flat}");
        }
        for made_up in ["lenient", "favours", "p <", "p =", "by people alone", "human queries"] {
            assert!(!flat.contains(made_up), "{made_up}: {flat}");
        }
    }
    // The drawn queries have the same claims in the same contexts on both sides: they differ by nothing, whatever people say.
    let compared = report::message(&report, &report.gates[2]);
    let flat = compared.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(matches!(&report.gates[2].finding, Finding::Comparison(_)), "{compared}");
    assert!(
        flat.contains("80 claims without a person's grade: for any grade the value is the same"),
        "{flat}"
    );
    // Nor does any other form have a number that people's silence made.
    let report = rankgate::benchmark::model::Report { gates: report.gates[..2].to_vec(), ..report };
    let json = report::json(&report);
    assert!(json.contains("\"kind\": \"bounds\"") && !json.contains("leniency"), "{json}");
    for form in [report::text(&report), report::markdown(&report), report::html(&report)] {
        assert!(!form.contains("lenient") && form.contains("0 of 40 drawn"), "{form}");
    }
    // Of what they judge all of, there is a value again; of what they judge in part, bounds that are nearer.
    let mut lines = Vec::new();
    people(folder.path(), 40);
    let path = folder.path().join("humans.jsonl");
    lines.extend(std::fs::read_to_string(&path).unwrap().lines().map(str::to_owned));
    let gates = run(folder.path());
    assert!(
        matches!(&gates[0].0.finding, Finding::Threshold(one) if one.corrected.is_some()),
        "{}",
        gates[0].1
    );
    lines.pop();
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let gates = run(folder.path());
    let bounds: Vec<_> = gates
        .iter()
        .filter_map(|(gate, _)| match &gate.finding {
            Finding::Bounds(bounds) => Some(bounds),
            _ => None,
        })
        .collect();
    let [bounds, ..] = bounds[..] else { panic!("{}", gates[0].1) };
    assert_eq!((bounds.judged_whole, bounds.unjudged), (39, 1));
    let [lowest, highest] = [bounds.lowest, bounds.highest].map(|bound| bound.unwrap().value);
    // What one of two claims of one of 40 queries makes, at most: the model counts as well.
    assert!(lowest < highest && highest - lowest < 0.5 / 40.0 + 1e-9, "{lowest} {highest}");
}

/// Answers of three sentences: each of the first two cites a document, and the last one none. Where the query is odd, what the
/// second one cites was not retrieved.
fn cite(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("new.jsonl")).unwrap();
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let query: usize = line["query"].as_str().unwrap()[1..].parse().unwrap();
        let sentences =
            [format!("fee {query} is due."), format!("card {query} does."), "Good luck.".to_owned()];
        line["answer"] = format!("{} [1] {} [2] {}", sentences[0], sentences[1], sentences[2]).into();
        let documents = [vec![format!("d{query}")], vec![format!("c{query}")], Vec::new()];
        let cited = sentences.iter().zip(documents);
        let cited = cited.map(|(sentence, documents)| json!({"sentence": sentence, "documents": documents}));
        line["citations"] = cited.collect::<Vec<_>>().into();
        line.to_string() + "\n"
    };
    std::fs::write(folder.join("new.jsonl"), text.lines().map(line).collect::<String>()).unwrap();
}

#[test]
fn citations_are_judged_by_the_documents_that_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let gates = "thresholds:\n- {metrics: [CitationPrecision, CitationRecall], min: 0.6, judged: raw, level: advisory, for: new}";
    write(folder.path(), gates, |query| query % 2 == 1);
    let (gate, message) = &run(folder.path())[0];
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    assert!(message.contains("the answer to query `q00` has no `citations`"), "{message}");
    cite(folder.path());
    // A list for each cited document: two of even queries, one of odd ones; and four probes.
    assert_eq!(ask(folder.path()), 60 + 30 + 4);
    let gates = run(folder.path());
    // Even queries: 2 of 2 citations, 2 of 3 sentences. Odd ones: 1 of 2, and 1 of 3.
    for ((gate, message), (verdict, value)) in
        gates.iter().zip([(Verdict::Passed, 0.75), (Verdict::Advisory, 0.5)])
    {
        assert_eq!(gate.verdict, verdict, "{message}");
        let Finding::Threshold(finding) = &gate.finding else { panic!("{message}") };
        assert!((finding.measured.value - value).abs() < 1e-12, "{message}");
        let counted = finding.answers.as_ref().unwrap();
        assert_eq!((counted.claims, counted.supported, counted.unsupported), (120, 90, 0));
        assert_eq!((counted.not_retrieved, counted.uncited), (30, 60));
    }
    let message = gates[1].1.split_whitespace().collect::<Vec<_>>().join(" ");
    let counted = "new: 120 judged items: 90 supported, 30 of a document that was not retrieved; 60 sentences cite nothing";
    assert!(message.contains(counted), "{message}");
    assert!(message.contains("\"card 1 does. [c1]\" unsupported"), "{message}");
}

#[test]
fn the_page_shows_answers_beside_each_other_with_their_claims_and_contexts() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), GATES, |query| query % 2 == 1);
    ask(folder.path());
    people(folder.path(), 40);
    let report = open(folder.path()).run();
    let Finding::Comparison(finding) = &report.gates[2].finding else { panic!("{:?}", report.gates[2]) };
    let [mover, ..] = &finding.movers.losses[..] else { panic!("{:?}", finding.movers) };
    let [old, new] = &mover.answers[..] else { panic!("{mover:?}") };
    assert_eq!((old.of.as_str(), new.of.as_str(), mover.query.as_str()), ("old", "new", "q01"));
    assert_eq!((old.text.as_str(), &old.text), ("fee 1 is due. card 1 does.", &new.text));
    let verdicts =
        |of: &ShownAnswer| of.claims.iter().map(|one| (one.verdict, one.context)).collect::<Vec<_>>();
    assert_eq!(verdicts(old), [(ClaimVerdict::Supported, Some(1)), (ClaimVerdict::Supported, Some(2))]);
    assert_eq!(verdicts(new), [(ClaimVerdict::Supported, Some(1)), (ClaimVerdict::Unsupported, None)]);
    let contexts = |of: &ShownAnswer| of.contexts.iter().map(|one| one.document.clone()).collect::<Vec<_>>();
    assert_eq!(
        (contexts(old), contexts(new)),
        (vec!["d1".into(), "c1".into()], vec!["d1".into(), "x".into()])
    );
    let page = report::html(&report);
    for shown in [
        "<mark class=\"claim supported\"><b>1 \u{2713} supported</b> fee 1 is due.</mark> \
         <mark class=\"claim unsupported\"><b>2 \u{2205} unsupported</b> card 1 does.</mark></p>",
        "<summary>[2] <span class=\"data\">c1</span> <span class=\"claim supported\">2 \u{2713} supported</span></summary>",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
}

#[test]
fn a_spec_says_who_judges_answers_and_whose_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for (gates, expected) in [
        ("thresholds: [{metric: Faithfulness, min: 0.9}]", "only a judge can determine what Faithfulness is"),
        (
            "metrics: [Faithfulness]\nthresholds: [{metric: RR, min: 0}]",
            "Faithfulness is of answers, not of rankings",
        ),
    ] {
        write(folder.path(), gates, |_| false);
        let error =
            Benchmark::open(folder.path().join("toy.yaml"), &Registry::new()).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
    write(folder.path(), "thresholds: [{metric: Faithfulness, min: 0.9, judged: corrected}]", |_| false);
    let path = folder.path().join("toy.yaml");
    let text = std::fs::read_to_string(&path).unwrap().replace("old: {answers:", "old: {run:");
    std::fs::write(&path, text).unwrap();
    let error = Benchmark::open(&path, &Registry::new()).err().unwrap().to_string();
    assert!(error.contains("Faithfulness is of answers, and `old` gives none"), "{error}");
}

#[test]
fn under_a_variant_no_answers_are_judged() {
    let folder = tempfile::tempdir().unwrap();
    let gates = "variants: {loud: {kind: case}}\n\
                 thresholds: [{metric: Faithfulness, min: 0.9, judged: corrected, for: ['new@loud']}]";
    write(folder.path(), gates, |_| false);
    let path = folder.path().join("toy.yaml");
    let error = Benchmark::open(path, &Registry::new()).err().unwrap().to_string();
    assert!(error.contains("under a variant rankings are measured alone"), "{error}");
}
