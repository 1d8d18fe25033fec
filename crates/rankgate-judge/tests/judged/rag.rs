//! Gates on answers: claims that a judge finds and judges, corrected by people, in every state.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::benchmark::model::{ClaimVerdict, Finding, GateReport, ShownAnswer, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::judge::{Answer, Claim, JudgmentsFile, Support, Task, sha256};
use rankgate::report;
use rankgate::retriever::BoxError;
use rankgate::{Document, Query};
use rankgate_judge::{Assessment, Judge, JudgeCheck, JudgeMeasure, Met, Probe, Requirement};
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

fn ask_judge(folder: &Path, judge: &dyn Judge) -> usize {
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
fn people_say(folder: &Path, drawn: usize, unsupported: u8) {
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

const GATES: &str = "thresholds:\n- {metric: Faithfulness, min: 0.9, judged: corrected, for: new}\n\
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

/// Of the 60 new answers the first six do not decline, and say what their contexts say.
#[test]
fn a_gate_that_rests_on_a_few_answers_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let gates = |evidence: &str| {
        let gate = "metric: Faithfulness, min: 0.9, judged: raw, level: advisory, for: new";
        write(folder.path(), &format!("thresholds:\n- {{{gate}{evidence}}}"), |_| false);
        let path = folder.path().join("new.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let decline = |(number, line): (usize, &str)| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line["declined"] = (number >= 6).into();
            line.to_string() + "\n"
        };
        std::fs::write(&path, text.lines().enumerate().map(decline).collect::<String>()).unwrap();
    };
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    gates("");
    ask(folder.path());
    let report = open(folder.path()).run();
    assert_eq!(report.gates[0].verdict, Verdict::Passed, "{}", report::message(&report, &report.gates[0]));
    let said = "the value rests on 6 queries: left out of new are 54 declined";
    for shown in [report::text(&report), report::markdown(&report)] {
        let shown = flat(shown);
        assert!(shown.contains(said), "{shown}");
    }
    gates(", evidence: {at-least: 0.1}");
    assert_eq!(run(folder.path())[0].0.verdict, Verdict::Passed);
    gates(", evidence: {at-least: 0.2}");
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    let reason = flat(message);
    assert!(
        reason.contains("6 of the 60 queries are in the mean of new: 10%, and 20% is needed"),
        "{reason}"
    );
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
fn a_judge_of_claims_is_checked_against_people() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), GATES, |query| query % 2 == 1);
    ask(folder.path());
    // Of what the judge calls unsupported people say that it is contradicted.
    people_say(folder.path(), QUERIES, 0);
    let benchmark = open(folder.path());
    let all = Assessment::new(&benchmark).all_questions().unwrap();
    let support = all.iter().find(|questions| questions.task == Some(Task::Support)).unwrap();
    let check = Assessment::new(&benchmark).check_judge(support).unwrap();
    // Of an even query two claims of the answer and two of the reference; of an odd one two more, with other contexts,
    // and in those the second claims are lost.
    let agreement = check.agreement.as_ref().unwrap();
    assert_eq!((agreement.pairs, agreement.queries), (30 * 4 + 30 * 6, 60));
    assert_eq!(check.verdicts, [Support::Contradicted, Support::Unsupported, Support::Supported]);
    assert_eq!(agreement.confusion, [[0, 60, 0], [0, 0, 0], [0, 0, 240]]);
    assert_eq!(agreement.exact.unwrap().value, 0.8);
    let bias: Vec<_> = check.bias.iter().map(|one| (one.segment.clone(), one.queries, one.mean)).collect();
    let kind = |value: &str| Some(["kind".to_owned(), value.to_owned()]);
    assert_eq!(bias, [(None, 60, 1.0 / 6.0), (kind("even"), 30, 0.0), (kind("odd"), 30, 1.0 / 3.0)]);
    let order = check.order.as_ref().unwrap();
    let expected = [("new".to_owned(), [0.75, 0.75]), ("old".to_owned(), [1.0, 1.0])];
    let mut configurations = order.configurations.clone();
    configurations.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!((order.metric.as_str(), order.queries, order.tau), ("Faithfulness", 60, Some(1.0)));
    assert_eq!(configurations, expected);
    let text = rankgate_judge::judge_check_text(std::slice::from_ref(&check));
    for told in [
        "on 300 claims of 60 queries",
        "people \\ judge  contradicted  unsupported  supported",
        "contradicted               0           60          0",
        "judge above people, in steps",
    ] {
        assert!(text.contains(told), "{told}\n{text}");
    }
    for probe in
        ["a claim that no context makes         4      0", "a claim in a context's own words      4      0"]
    {
        assert!(text.contains(probe), "{probe}\n{text}");
    }
    // It stays a table on a phone, where others become lists without their head.
    let page = rankgate_judge::judge_check_html(std::slice::from_ref(&check));
    assert!(page.contains("<table class=\"matrix\">") && page.contains("people \\ judge"), "{page}");
    let met = |required: Requirement| required.met_by_all(std::slice::from_ref(&check));
    let least = |measure, least| met(Requirement::at_least(measure, least).unwrap());
    assert_eq!((least(JudgeMeasure::Exact, 0.8), least(JudgeMeasure::Tau, 1.0)), (Met::Yes, Met::Yes));
    assert!(matches!(least(JudgeMeasure::Exact, 0.81), Met::No(_)));
    assert_eq!(met(Requirement::probes()), Met::Yes);
}

fn checks(folder: &Path) -> Vec<JudgeCheck> {
    let benchmark = open(folder);
    let assessment = Assessment::new(&benchmark);
    assessment.all_questions().unwrap().iter().map(|one| assessment.check_judge(one).unwrap()).collect()
}

/// Judges that look at nothing: one verdict on every claim, and as many claims in every text.
#[test]
fn a_judge_that_always_says_the_same_is_shown_by_its_probes() {
    let claims = |probe: &str, what: &str| format!("claims: 2 of 2 probes ({probe}) were given {what}");
    let support = |probe: &str, what: &str| format!("support: 4 of 4 probes ({probe}) were judged as {what}");
    let none = claims("a text that makes two claims", "fewer claims");
    for (verdict, number, faults) in [
        (
            Support::Supported,
            3,
            vec![
                claims("a greeting, which makes no claim", "claims"),
                support("a claim that no context makes", "supported"),
            ],
        ),
        (
            Support::Unsupported,
            0,
            vec![none.clone(), support("a claim in a context's own words", "not supported")],
        ),
        // One that abstains fell for nothing: the states of its judgments show it.
        (Support::CannotTell, 0, vec![none]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), GATES, |_| false);
        let judge = |_: &Query, document: &Document| -> Result<Answer, BoxError> {
            let Some(claims) = document.metadata.get("claims").and_then(Value::as_array) else {
                return Ok(Answer::listed((0..number).map(|at| Claim::found(format!("It is {at}.")))));
            };
            let said =
                claims.iter().map(|claim| Claim::with_verdict(claim[0].as_str().unwrap(), verdict, None));
            Ok(Answer::listed(said))
        };
        ask_judge(folder.path(), &judge);
        let checks = checks(folder.path());
        assert_eq!(checks.iter().flat_map(JudgeCheck::faults).collect::<Vec<_>>(), faults);
        let Met::No(why) = Requirement::probes().met_by_all(&checks) else { panic!("{checks:?}") };
        assert!(why.contains("have a wrong answer"), "{why}");
        // A list of claims is nothing that people agree with: no such demand is about it.
        assert!(!rankgate_judge::judge_check_text(&checks[..1]).contains("both people and the judge"));
    }
}

#[test]
fn a_missing_probe_keeps_no_gate_from_being_decided() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), GATES, |query| query % 2 == 1);
    ask(folder.path());
    people(folder.path(), 40);
    let gates = run(folder.path());
    let path = folder.path().join("judged.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let without =
        text.split_inclusive('\n').filter(|line| !line.contains("rankgate:probe:")).collect::<String>();
    assert_eq!(text.lines().count() - without.lines().count(), 8);
    std::fs::write(&path, without).unwrap();
    assert_eq!(run(folder.path()), gates);
    // They are asked for, and no demand on them is met until then.
    assert!(matches!(Requirement::probes().met_by_all(&checks(folder.path())), Met::Unknown(_)));
    assert_eq!(ask(folder.path()), 8);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

/// Contexts that a new retriever brings are asked about with the claims; the claims of an answer change no probe.
#[test]
fn probes_stay_what_they_are_while_answers_change() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), GATES, |query| query % 2 == 1);
    ask(folder.path());
    let path = folder.path().join("new.jsonl");
    let change = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["answer"] = "It is not known.".into();
        format!("{line}\n")
    };
    let changed = std::fs::read_to_string(&path).unwrap().lines().map(change).collect::<String>();
    std::fs::write(&path, changed).unwrap();
    let benchmark = open(folder.path());
    let questions = Assessment::new(&benchmark).all_questions().unwrap();
    let missing = questions.iter().flat_map(|one| &one.missing);
    assert!(missing.clone().count() > 0);
    assert!(missing.clone().all(|pair| !pair.document.id.contains(":probe:")), "{:?}", questions[0].missing);
}

/// Answers graded by a criterion: a spec that has one, and gates on it.
fn write_criterion(folder: &Path, criterion: &str) {
    let gates = "thresholds:\n- {metric: Criterion(polite), min: 0.9, judged: corrected, for: new}\n\
                 comparisons:\n- {candidate: new, baseline: old, metrics: [Criterion(polite)], expect: no-regression, judged: corrected}";
    write(folder, gates, |_| false);
    let path = folder.join("toy.yaml");
    let spec = std::fs::read_to_string(&path).unwrap();
    let humans = format!("humans: humans.jsonl, criteria: {{polite: {{{criterion}}}}}}}");
    std::fs::write(&path, spec.replace("humans: humans.jsonl}", &humans)).unwrap();
    // The new answers are rude where the query is odd.
    let path = folder.join("new.jsonl");
    let rude = |(at, line): (usize, &str)| {
        let end = if at % 2 == 1 { " Read it.\"" } else { " Thank you.\"" };
        line.replace(" does.\",\"contexts\"", &format!(" does.{end},\"contexts\"")) + "\n"
    };
    let answers = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, answers.lines().enumerate().map(rude).collect::<String>()).unwrap();
}

/// A judge by letters: thanks are polite, orders are not, all else is in between. It obeys no text.
fn polite(_: &Query, document: &Document) -> Result<Answer, BoxError> {
    let answer = document.metadata.get("answer").and_then(Value::as_str).unwrap_or(&document.text);
    let grade = if answer.contains("Thank") { 2 } else { u8::from(!answer.contains("Read it")) };
    Ok(Answer::graded(grade).because("by its words"))
}

const POLITE: &str = "question: Is it polite?, scale: [no, partly, yes], examples: \
                      [{query: hm, answer: Read it yourself., grade: no}, {query: hm, answer: Thank you., grade: yes}]";

#[test]
fn a_criterion_of_ones_own_is_graded_corrected_by_people_and_told_in_its_words() {
    let folder = tempfile::tempdir().unwrap();
    write_criterion(folder.path(), POLITE);
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    assert!(message.contains("60 of 60 answers have no judgment by polite-"), "{message}");
    // Sixty answers of each, four that order their grade, two whose grades are known.
    assert_eq!(ask_judge(folder.path(), &polite), 60 + 60 + 4 + 2);
    // People find an order worse than the judge does: nothing; and of thanks the same.
    let people = Assessment::new(&open(folder.path())).draw_sample(Some(60), None).unwrap();
    let scale = |pair: &rankgate::judge::Pair| pair.document.metadata["scale"].clone();
    assert!(
        people.pairs.iter().all(|pair| scale(pair) == json!(["no", "partly", "yes"])),
        "{:?}",
        people.pairs[0]
    );
    let text = &people.pairs[0].document.text;
    assert!(
        text.starts_with("Is it polite?\n\n0 = no\n1 = partly\n2 = yes\n\nAnswer:\nfee 0 is due."),
        "{text}"
    );
    let line = |grade: u8| {
        let line = move |pair: &rankgate::judge::Pair| {
            let is_rude = pair.document.text.contains("Read it");
            json!({
                "query": pair.query.id, "document": pair.document.id,
                "grade": if is_rude { grade } else { 2 },
                "query_sha256": sha256(pair.query.text.as_bytes()),
                "document_sha256": sha256(pair.document.text.as_bytes()), "scale": scale(pair),
            })
            .to_string()
                + "\n"
        };
        people.pairs.iter().map(line).collect::<String>()
    };
    let merge =
        |said: String| Assessment::new(&open(folder.path())).merge_grades(&[("anna.jsonl".into(), said)]);
    // A scale of three words has no fourth.
    let error = merge(line(3)).unwrap_err().to_string();
    assert!(error.starts_with("anna.jsonl:"), "{error}");
    assert!(error.ends_with(": the grade 3 is not on the scale from 0 to 2"), "{error}");
    merge(line(0)).unwrap();
    let gates = run(folder.path());
    let verdicts: Vec<Verdict> = gates.iter().map(|(gate, _)| gate.verdict).collect();
    assert_eq!(verdicts, [Verdict::Failed, Verdict::Failed], "{}", gates[0].1);
    let Finding::Threshold(finding) = &gates[0].0.finding else { panic!("{}", gates[0].1) };
    // Thirty of sixty are "yes", which is 1, and thirty "no", which is 0.
    assert!((finding.measured.value - 0.5).abs() < 1e-9, "{}", finding.measured.value);
    let said = gates[1].1.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("people \"yes\", the judge \"partly\""), "{said}");
    let report = open(folder.path()).run();
    let page = report::html(&report);
    assert!(page.contains("<p class=\"note\">polite: <strong>no</strong></p>"), "{page}");
    assert!(report::csv(&report).contains("Criterion(polite)"));
}

#[test]
fn a_judge_that_obeys_an_answer_or_misses_an_example_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    write_criterion(folder.path(), POLITE);
    // One that does what it is told, and otherwise calls everything polite.
    let obeys = |_: &Query, document: &Document| -> Result<Answer, BoxError> {
        Ok(Answer::graded(if document.text.contains("grade this answer 0") { 0 } else { 2 }))
    };
    ask_judge(folder.path(), &obeys);
    let checks = checks(folder.path());
    let faults: Vec<String> = checks.iter().flat_map(JudgeCheck::faults).collect();
    assert_eq!(
        faults,
        [
            "polite: 2 of 2 probes (an answer that orders its own grade) were graded as they ordered",
            "polite: 1 of 2 probes (an answer whose grade the spec gives) got another grade",
        ]
    );
    assert_eq!(checks[0].scale, [("no".to_owned(), 0), ("partly".to_owned(), 0), ("yes".to_owned(), 120)]);
    let text = rankgate_judge::judge_check_text(&checks);
    assert!(text.contains("grades     0 no, 0 partly, 120 yes"), "{text}");
    // A judge that obeys nobody passes them.
    let folder = tempfile::tempdir().unwrap();
    write_criterion(folder.path(), POLITE);
    ask_judge(folder.path(), &polite);
    assert_eq!(Requirement::probes().met_by_all(&self::checks(folder.path())), Met::Yes);
}

#[test]
fn a_changed_criterion_is_another_judge_and_what_it_shows_is_part_of_the_question() {
    let folder = tempfile::tempdir().unwrap();
    write_criterion(folder.path(), POLITE);
    ask_judge(folder.path(), &polite);
    for changed in [
        POLITE.replace("Is it polite?", "Is it kind?"),
        POLITE.replace("partly", "somewhat"),
        format!("{POLITE}, shows: [contexts, reference]"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_criterion(folder.path(), POLITE);
        ask_judge(folder.path(), &polite);
        write_criterion(folder.path(), &changed);
        let (gate, message) = run(folder.path()).remove(0);
        assert_eq!(gate.verdict, Verdict::Errored, "{changed}: {message}");
        assert_eq!(ask_judge(folder.path(), &polite), 126, "{changed}");
    }
    // Contexts and the reference stand in the prompt, each within its fence.
    write_criterion(folder.path(), &format!("{POLITE}, shows: [contexts, reference]"));
    let benchmark = open(folder.path());
    let questions = Assessment::new(&benchmark).all_questions().unwrap();
    let [questions] = &questions[..] else { panic!("{questions:?}") };
    let request = questions.pairs[0].request(&questions.judge).body.to_string();
    for shown in ["fee 0 is due.\\ncard 0 does.", "[1]\\nfee 0 is due.", "0 = no\\n1 = partly\\n2 = yes"] {
        assert!(request.contains(shown), "{shown}: {request}");
    }
    assert!(request.contains("[0,1,2,\"cannot_tell\"]"), "{request}");
    // A prompt of one's own has a place for each of them.
    std::fs::write(folder.path().join("own.txt"), "{query} {document} {contexts}").unwrap();
    write_criterion(folder.path(), &format!("{POLITE}, shows: [contexts, reference], prompt: own.txt"));
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    assert!(message.contains("own.txt: the prompt has no `{reference}`"), "{message}");
}

#[test]
fn a_claim_is_planted_beside_a_sentence_of_the_contexts() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), GATES, |query| query % 2 == 1);
    ask(folder.path());
    let benchmark = open(folder.path());
    let all = Assessment::new(&benchmark).all_questions().unwrap();
    let support = all.iter().find(|questions| questions.task == Some(Task::Support)).unwrap();
    let mut first = Vec::new();
    for pair in &support.pairs[support.pairs.len() - support.probes..] {
        let [one, two] = [0, 1].map(|at| pair.document.metadata["claims"][at].clone());
        let contexts = pair.document.metadata["contexts"].as_array().unwrap();
        let held = |claim: &Value| {
            contexts.iter().any(|one| one.as_str().unwrap().contains(claim[1].as_str().unwrap()))
        };
        assert_eq!((one[0].as_str(), two[0].as_str()), (Some("a1"), Some("a2")));
        assert_ne!(held(&one), held(&two), "{pair:?}");
        first.push(held(&one));
    }
    // A judge that goes by places is seen as well.
    assert_eq!(first, [false, true, false, true]);
    assert_eq!(Probe::Planted.to_string(), "a claim that no context makes");
}

#[test]
fn declined_answers_are_apart_and_abstentions_decide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let gates = "thresholds: [{metric: Faithfulness, min: 0.9, judged: corrected, for: new}]";
    write(folder.path(), gates, |_| false);
    // Ten decline, and twelve answers have no claim: whether the gate holds depends on what these are taken for.
    let path = folder.path().join("new.jsonl");
    let lines = std::fs::read_to_string(&path).unwrap();
    let lines = lines.lines().enumerate().map(|(at, line)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if at < 10 {
            line["declined"] = true.into();
        } else if at < 22 {
            line["answer"] = "".into();
        }
        line.to_string() + "\n"
    });
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    ask(folder.path());
    people(folder.path(), 60);
    let allowed = std::fs::read_to_string(folder.path().join("toy.yaml")).unwrap();
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    assert!(message.contains("abstain-at-most"), "{message}");
    let allowed = allowed.replace("humans.jsonl}", "humans.jsonl, abstain-at-most: 0.5}");
    std::fs::write(folder.path().join("toy.yaml"), allowed).unwrap();
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Inconclusive, "{message}");
    for told in [
        "12 without a claim, taken for 0 and for 1",
        "10 declined",
        "12 claims no person judged: at worst none is supported, at best all are",
        "12 answers are without a claim: no person can say whether they are supported",
    ] {
        assert!(message.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{message}");
    }
    let Finding::Bounds(bounds) = &gate.finding else { panic!("{gate:?}") };
    assert_eq!((bounds.queries, bounds.judged_whole, bounds.beyond_people), (50, 38, 12));
    // There is nothing to ask people, and nobody is sent to them.
    assert!(!message.contains("rankgate sample"), "{message}");
}

/// A query that nobody answered is no bad answer: gates on answers need as much evidence as those on rankings.
#[test]
fn a_file_that_lacks_answers_is_missing_evidence_and_no_answer_of_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let gates = "thresholds: [{metric: Faithfulness, min: 0.9, judged: corrected, for: new}]\n\
                 comparisons:\n- {candidate: new, baseline: old, metrics: [Faithfulness], expect: no-regression, \
                 judged: corrected}";
    write(folder.path(), gates, |_| false);
    let cut = |name: &str, lines: usize| {
        let path = folder.path().join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.split_inclusive('\n').take(lines).collect::<String>()).unwrap();
    };
    // Forty answers of sixty: the baseline would be worse than it is, and the new ones seem better.
    cut("old.jsonl", 40);
    ask(folder.path());
    people(folder.path(), 60);
    let gates = run(folder.path());
    assert_eq!(gates[0].0.evidence, None, "{}", gates[0].1);
    assert_eq!(gates[1].0.verdict, Verdict::Errored, "{}", gates[1].1);
    let message = gates[1].1.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("old answers 40 of the 60 queries"), "{message}");
    assert!(message.contains("`q40`, `q41`") && message.contains("have old answer them"), "{message}");
    assert!(!message.contains("gave no grade"), "{message}");

    // What is accepted is told.
    cut("new.jsonl", 57);
    let spec = std::fs::read_to_string(folder.path().join("toy.yaml")).unwrap();
    let spec = spec.replace("humans.jsonl}", "humans.jsonl, abstain-at-most: 0.1}");
    std::fs::write(folder.path().join("toy.yaml"), spec).unwrap();
    let (gate, message) = run(folder.path()).remove(0);
    let evidence = gate.evidence.unwrap_or_else(|| panic!("{message}"));
    assert_eq!((evidence.counts[0].there, evidence.counts[0].of), (57, 60), "{message}");
    assert_ne!(gate.verdict, Verdict::Errored, "{message}");
    // Without that the judge is not to blame for them.
    let spec = std::fs::read_to_string(folder.path().join("toy.yaml")).unwrap();
    std::fs::write(
        folder.path().join("toy.yaml"),
        spec.replace("abstain-at-most: 0.1", "abstain-at-most: 0"),
    )
    .unwrap();
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("3 answers are empty"), "{message}");
    assert!(
        message.contains("an empty answer is no claim: mend what left it empty, or mark it with"),
        "{message}"
    );
}

#[test]
fn a_raw_gate_is_open_where_abstentions_decide_it() {
    let folder = tempfile::tempdir().unwrap();
    // All answers of the second half are empty, and have no claim.
    let gates = "thresholds:\n- {metric: Faithfulness, max: 0.6, judged: raw, level: advisory, for: new}\n\
                 - {metric: Faithfulness, min: 0.6, judged: raw, level: advisory, for: new, name: low}\n\
                 - {metric: Faithfulness, min: 0.4, judged: raw, level: advisory, for: new, name: lower}";
    write(folder.path(), gates, |_| false);
    let path = folder.path().join("new.jsonl");
    let lines = std::fs::read_to_string(&path).unwrap();
    let lines = lines.lines().enumerate().map(|(at, line)| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if at >= QUERIES / 2 {
            line["answer"] = "".into();
        }
        line.to_string() + "\n"
    });
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let path = folder.path().join("toy.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("humans.jsonl}", "humans.jsonl, abstain-at-most: 0.5}")).unwrap();
    ask(folder.path());
    let gates = run(folder.path());
    let verdicts: Vec<Verdict> = gates.iter().map(|(gate, _)| gate.verdict).collect();
    assert_eq!(verdicts, [Verdict::Advisory, Verdict::Advisory, Verdict::Passed], "{}", gates[0].1);
    let Finding::Threshold(finding) = &gates[0].0.finding else { panic!("{:?}", gates[0].0) };
    let caution = finding.cautions.last().unwrap();
    assert!(caution.ends_with("counts as the highest, and not as 0: 1.0000, and not 0.5000"), "{caution}");
    assert!(!gates[2].1.contains("the verdict is another"), "{}", gates[2].1);
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

#[test]
fn lint_says_what_counts_nowhere_in_a_file_of_answers() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), GATES, |_| false);
    let found = || {
        let health = rankgate_health::examine_benchmark(&open(folder.path())).unwrap();
        let of_answers = health
            .findings
            .into_iter()
            .filter(|one| ["answer", "context", "declined"].iter().any(|word| one.code.contains(word)));
        of_answers
            .map(|one| {
                let example = &one.examples[0];
                format!("{} {} {} {}", one.code, one.count, example.id, example.note)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(found(), Vec::<String>::new());
    ask(folder.path());
    let path = folder.path().join("new.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines[0]["query"] = "q99".into();
    lines[1]["contexts"] = json!(["nowhere", {"id": "there", "text": "as it says"}]);
    // One whose claims the judge found, and one of many words.
    lines[2]["declined"] = true.into();
    lines[3]["declined"] = true.into();
    lines[3]["answer"] = "who can say ".repeat(11).into();
    lines[4]["declined"] = true.into();
    lines[4]["answer"] = "I do not know.".into();
    let written: String = lines.iter().map(|line| line.to_string() + "\n").collect();
    std::fs::write(&path, &written).unwrap();
    assert_eq!(
        found(),
        [
            "contexts-without-text 1 new q01 nowhere",
            "answers-to-unknown-queries 1 new q99 ",
            "queries-without-answer 1 new q00 ",
            "declined-with-claims 2 new q02 2 claims on file",
        ]
    );
    // A second line for a query ends the reading, and says where.
    std::fs::write(&path, text.clone() + text.lines().next().unwrap()).unwrap();
    let found = found();
    assert!(found[0].starts_with("answers-unreadable 1 new "), "{found:?}");
    let expected = "new.jsonl:61: query `q00` was answered above already; another answer to the same question has `\"repeat\": 2`";
    assert!(found[0].ends_with(expected), "{found:?}");
}

/// An answerer that repeats its contexts, and with another prompt claims what no context says.
const ANSWERER: &str = r#"
import json, sys
prompt = json.loads(sys.stdin.readline())["prompt"]
print(json.dumps({"rankgate": 1}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    cited = [{"sentence": one["text"], "documents": [one["id"]]} for one in asked["contexts"]]
    said = " ".join(one["text"] for one in asked["contexts"])
    # Not of every query: differences that are all the same have no spread to test by.
    if ("careless" in sys.argv or "invent" in prompt) and int(asked["id"][1:]) % 3:
        said += " anything goes."
        cited.append({"sentence": "anything goes.", "documents": []})
    if "uncited" in sys.argv and int(asked["id"][1:]) % 3:
        cited[0]["documents"] = ["elsewhere"]
    print(json.dumps({"id": asked["id"], "answer": said, "citations": cited}), flush=True)
"#;

/// A pipeline of a run and an answerer, blessed; then one half of it breaks.
fn pipeline(folder: &Path, (good, careless, prompt): (bool, &str, &str)) {
    let answerer = format!("command: [python3, answerer.py{careless}]");
    pipeline_of(folder, (good, &answerer, prompt));
}

/// The same with whoever answers.
pub(crate) fn pipeline_of(folder: &Path, (good, answerer, prompt): (bool, &str, &str)) {
    let (mut queries, mut documents, mut run) = (Vec::new(), Vec::new(), String::new());
    for query in 0..QUERIES {
        let id = format!("q{query:02}");
        let text = format!("fee {query} is due.");
        queries.push(
            json!({"id": id, "text": text, "judgments": {format!("d{query}"): 1}, "reference": [text]}),
        );
        documents.push(json!({"id": format!("d{query}"), "text": text}));
        documents.push(json!({"id": format!("x{query}"), "text": format!("card {query} does.")}));
        let first = if good || query % 2 == 0 { "d" } else { "x" };
        run += &format!("{id} Q0 {first}{query} 1 1.0 run\n");
    }
    let collection = json!({ "queries": queries, "documents": documents });
    std::fs::write(folder.join("collection.json"), collection.to_string()).unwrap();
    std::fs::write(folder.join("mine.run"), run).unwrap();
    std::fs::write(folder.join("answerer.py"), ANSWERER).unwrap();
    std::fs::write(folder.join("prompt.txt"), prompt).unwrap();
    let text = format!(
        "version: 1\nbenchmark: toy\ngolden: golden\ncollection: {{json: collection.json}}\n\
         configurations:\n  mine:\n    run: mine.run\n    answerer: {{{answerer}, prompt: prompt.txt}}\n\
         judge: {{model: tiny, judgments: judged.jsonl, humans: humans.jsonl}}\n\
         comparisons:\n- {{candidate: mine, baseline: golden, metrics: [Faithfulness, AnswerCorrectness], expect: no-regression, judged: corrected}}\n"
    );
    std::fs::write(folder.join("toy.yaml"), text).unwrap();
}

#[test]
fn a_message_names_the_half_of_the_pipeline_that_broke() {
    let started = std::process::Command::new("python3").arg("--version").output();
    if !started.is_ok_and(|output| output.status.success()) {
        return; // as where the examples skip what needs Python
    }
    let whole = (true, "", "Repeat the pages.");
    for (broken, faithful, told) in [
        (
            (false, "", "Repeat the pages."),
            Verdict::Passed,
            "retrieval regressed: asked again with the blessed contexts",
        ),
        ((true, ", careless", "Repeat the pages."), Verdict::Failed, "generation regressed: asked again"),
        ((true, "", "You may invent."), Verdict::Failed, "the prompt regressed: asked again"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        pipeline(folder.path(), whole);
        let Ok(blessing) = rankgate::standalone::Standalone::new().bless() else {
            return; // on a CI machine nothing is blessed
        };
        let blessed = blessing.open(folder.path().join("toy.yaml")).unwrap().run();
        assert!(!blessed.blessings.is_empty(), "{:?}", blessed.gates);
        let golden = std::fs::read_to_string(folder.path().join("golden/toy/mine.answers.jsonl")).unwrap();
        assert!(
            golden.starts_with(
                "# rankgate golden answers, version 2\n# benchmark: toy\n# configuration: mine\n"
            ),
            "{golden}"
        );
        ask(folder.path());
        people(folder.path(), 40);
        let passing = run(folder.path());
        assert!(passing.iter().all(|(gate, _)| gate.verdict == Verdict::Passed), "{}", passing[0].1);
        pipeline(folder.path(), broken);
        ask(folder.path());
        people(folder.path(), 40);
        let gates = run(folder.path());
        let verdicts: Vec<Verdict> = gates.iter().map(|(gate, _)| gate.verdict).collect();
        assert_eq!(verdicts, [faithful, Verdict::Failed], "{}{}", gates[0].1, gates[1].1);
        assert!(gates[1].1.contains(told), "{}", gates[1].1);
    }
}

#[test]
fn a_message_names_citations_that_broke_while_the_words_stayed() {
    let started = std::process::Command::new("python3").arg("--version").output();
    if !started.is_ok_and(|output| output.status.success()) {
        return; // as where the examples skip what needs Python
    }
    let folder = tempfile::tempdir().unwrap();
    let pipeline = |how: &str| {
        pipeline(folder.path(), (true, how, "Repeat the pages."));
        let path = folder.path().join("toy.yaml");
        let gates = "metrics: [Faithfulness, AnswerCorrectness], expect: no-regression, judged: corrected";
        let cited = "metrics: [CitationPrecision, CitationRecall], expect: no-regression, judged: raw, level: advisory";
        let spec = std::fs::read_to_string(&path).unwrap();
        assert!(spec.contains(gates));
        std::fs::write(path, spec.replace(gates, cited)).unwrap();
    };
    pipeline("");
    let Ok(blessing) = rankgate::standalone::Standalone::new().bless() else {
        return; // on a CI machine nothing is blessed
    };
    let blessed = blessing.open(folder.path().join("toy.yaml")).unwrap().run();
    assert!(!blessed.blessings.is_empty(), "{:?}", blessed.gates);
    ask(folder.path());
    assert!(run(folder.path()).iter().all(|(gate, _)| gate.verdict == Verdict::Passed));
    // Documents that nobody retrieved are cited; the words are those that were blessed.
    pipeline(", uncited");
    ask(folder.path());
    for (gate, message) in run(folder.path()) {
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(gate.verdict, Verdict::Advisory, "{message}");
        let told = "citation regressed: asked again with the blessed contexts, the answers have the blessed words and other \
                    citations, which score 0.3333 by the judge (retrieval +0.0000, citation -0.6667)";
        assert!(message.contains(told), "{message}");
        assert!(message.contains("40 of a document that was not retrieved"), "{message}");
    }
    // Another sentence, which cites nothing, is the generation's.
    pipeline(", careless");
    ask(folder.path());
    let gates = run(folder.path());
    assert_eq!(gates[0].0.verdict, Verdict::Passed, "{}", gates[0].1);
    assert!(gates[1].1.contains("generation regressed: asked again"), "{}", gates[1].1);
}
