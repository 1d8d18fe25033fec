//! A judge of answers checked: against people, and by probes whose right answers are known.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::judge::{Answer, Claim, Support, Task};
use rankgate::retriever::BoxError;
use rankgate::{Document, Query};
use rankgate_judge::{Assessment, JudgeCheck, JudgeMeasure, Met, Probe, Requirement};
use serde_json::Value;

use crate::rag::{GATES, QUERIES, ask, ask_judge, open, people, people_say, run, write};

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

pub(crate) fn checks(folder: &Path) -> Vec<JudgeCheck> {
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
