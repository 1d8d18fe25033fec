//! Files of judgments and grades: read, edited, out of date, never overwritten, pruned.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::net::TcpListener;

use rankgate::benchmark::model::Verdict;
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::judge::{Answer, HumansFile, Item, JudgmentsFile, sha256};
use rankgate::{Document, Query};
use rankgate_judge::{Assessment, Unusable};

use crate::judged::{DOCUMENTS, Toy, document_text, edit, grade, reason, run};

/// Lines as they were before grades had seals.
fn unsealed(text: String) -> String {
    let bare = |line: &str| match line.split_once(",\"seal\":\"") {
        Some((before, behind)) => before.to_owned() + behind.split_once('"').unwrap().1 + "\n",
        None => line.to_owned() + "\n",
    };
    text.lines().map(bare).collect()
}

#[test]
fn files_without_seals_are_read_and_an_edited_grade_is_told() {
    let folder = tempfile::tempdir().unwrap();
    Toy::default().write(folder.path());
    let before = run(folder.path()).remove(0).0;
    for file in ["judged.jsonl", "humans.jsonl"] {
        edit(folder.path(), file, unsealed);
    }
    assert_eq!(run(folder.path()).remove(0).0, before);
    Toy::default().write(folder.path());
    for (file, what) in
        [("judged.jsonl", "the judgment of document `"), ("humans.jsonl", "the grade of document `")]
    {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        edit(folder.path(), file, |text| text.replacen("\"grade\":0", "\"grade\":3", 1));
        let line = 1 + text.lines().position(|line| line.contains("\"grade\":0")).unwrap();
        let (gate, message) = run(folder.path()).remove(0);
        assert_eq!(gate.verdict, Verdict::Errored, "{message}");
        assert!(reason(&gate).contains(&format!("{file}:{line}: {what}")), "{}", reason(&gate));
        assert!(reason(&gate).contains("its seal is that of another one"), "{}", reason(&gate));
        std::fs::write(folder.path().join(file), text).unwrap();
    }
}

#[test]
fn a_changed_prompt_model_document_or_parameter_misses_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    Toy::default().write(folder.path());
    let spec = std::fs::read_to_string(folder.path().join("toy.yaml")).unwrap();
    for (from, to, why) in [
        ("model: tiny", "model: other", "(the model changed)"),
        ("model: tiny", "model: tiny, parameters: {temperature: 1}", "(the parameters changed)"),
        ("model: tiny", "model: tiny, prompt: {file: p.txt}", "(the prompt changed)"),
    ] {
        std::fs::write(folder.path().join("p.txt"), "Is {document} about {query}?").unwrap();
        std::fs::write(folder.path().join("toy.yaml"), spec.replace(from, to)).unwrap();
        let (gate, message) = run(folder.path()).remove(0);
        assert_eq!(gate.verdict, Verdict::Errored, "{message}");
        let reason = reason(&gate);
        assert!(reason.starts_with("480 of 480 pairs have no judgment by "), "{reason}");
        assert!(reason.contains("; 480 have one by relevance-") && reason.contains(why), "{reason}");
        assert!(reason.contains("toy.yaml` asks for 480"), "{reason}");
    }
    std::fs::write(folder.path().join("toy.yaml"), spec).unwrap();
    edit(folder.path(), "collection.json", |text| text.replace("answer 1 to 17\"", "answer 1 to 17!\""));
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{message}");
    let told = reason(&gate);
    assert!(told.starts_with("1 of 480 pairs has no judgment by relevance-"), "{told}");
    assert!(told.contains("of another text") && told.contains("(about 650 tokens)"), "{told}");
    // What people saw counts no longer either.
    let drawn = std::fs::read_to_string(folder.path().join("humans.jsonl")).unwrap();
    let drawn: HumansFile = HumansFile::parse("h", &drawn).unwrap();
    let query: usize = drawn.sample.drawn[0][1..].parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    Toy::default().write(folder.path());
    let hash = |text: &str| sha256(text.as_bytes());
    let [before, after] = [document_text(query, 1), "another".to_owned()];
    edit(folder.path(), "humans.jsonl", |text| text.replace(&hash(&before), &hash(&after)));
    // By hand it is an edit, which its seal tells.
    let (gate, _) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored);
    let line =
        format!("humans.jsonl:{}: the grade of document `d{query}-1` for query `q{query:03}` was edited", 2);
    assert!(reason(&gate).contains(&line), "{}", reason(&gate));
    edit(folder.path(), "humans.jsonl", unsealed);
    let (gate, _) = run(folder.path()).remove(0);
    assert!(
        reason(&gate).starts_with("1 grade that people gave is of another text than today's"),
        "{}",
        reason(&gate)
    );
}

#[test]
fn a_test_run_never_opens_a_socket() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let keys = Box::leak(format!("endpoint: \"http://127.0.0.1:{port}/v1\"").into_boxed_str());
    // What is missing is not asked for either.
    let missing = Toy { keys, judge: |grade, _| Some(grade), ..Toy::default() };
    let folder = tempfile::tempdir().unwrap();
    missing.write(folder.path());
    assert_eq!(run(folder.path())[0].0.verdict, Verdict::Passed);
    std::fs::remove_file(folder.path().join("judged.jsonl")).unwrap();
    let (gate, _) = run(folder.path()).remove(0);
    assert!(reason(&gate).starts_with("480 of 480 pairs have no judgment by"), "{}", reason(&gate));
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn human_judgments_are_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let toy = Toy::default();
    toy.write(folder.path());
    let before = run(folder.path()).remove(0).0;
    // The model says something of what people judged, and so does the sample.
    let (query, document) = ("q001", "d1-0");
    let mut file = JudgmentsFile::read(&folder.path().join("judged.jsonl"), false).unwrap();
    let mut item = file.items().find(|item| item.query == query).unwrap().clone();
    item.document = document.into();
    item.document_sha256 = sha256(document_text(1, 0).as_bytes());
    item.grade = Some(3 - grade(1, 0));
    file.insert(item);
    std::fs::write(folder.path().join("judged.jsonl"), file.text()).unwrap();
    let files = || {
        ["collection.json", "judged.jsonl", "humans.jsonl"]
            .map(|file| std::fs::read(folder.path().join(file)).unwrap())
    };
    let bytes = files();
    assert_eq!(run(folder.path()).remove(0).0, before);
    assert_eq!(files(), bytes);
}

#[test]
fn no_gate_moves_when_judgments_are_pruned() {
    let gates = "thresholds: [{metrics: [nDCG@2, R@2, AP@2, P@2], min: 0.3, judged: corrected, for: new}, \
                 {metrics: [nDCG@2, R@2, AP@2, P@2], min: 0.3, judged: raw, level: advisory, name: raw, for: new}]";
    let toy = Toy {
        gates,
        judge: |grade, query| Some(if query % 3 == 0 { 3 - grade } else { grade }),
        ..Toy::default()
    };
    let folder = tempfile::tempdir().unwrap();
    toy.write(folder.path());
    // What `old` found is judged, and nobody returns it any more: of the ideal ranking it is a part nevertheless.
    edit(folder.path(), "toy.yaml", |text| text.replace("old: {run: old.run}, ", ""));
    edit(folder.path(), "new.run", |text| {
        let first = |line: &&str| matches!(line.split(' ').nth(3), Some("1" | "2"));
        text.lines().filter(first).map(|line| format!("{line}\n")).collect()
    });
    // And what can never count again: of another text, of a query and a document that are gone, of another judge.
    let path = folder.path().join("judged.jsonl");
    let mut file = JudgmentsFile::read(&path, false).unwrap();
    let known = file.items().next().unwrap().clone();
    let mut others = Vec::new();
    let changed: [fn(&mut Item); 4] = [
        |item| item.document_sha256 = sha256(b"as it was"),
        |item| item.query = "q999".into(),
        |item| item.document = "gone".into(),
        |item| item.judge = "other".into(),
    ];
    for (at, change) in (0..).zip(changed) {
        let mut item = Item { document: format!("d{at}-0"), query: format!("q00{at}"), ..known.clone() };
        change(&mut item);
        others.push(item);
    }
    let spec = Benchmark::open(folder.path().join("toy.yaml"), &Registry::new()).unwrap().spec().clone();
    let mut other = spec.judge.unwrap().description().unwrap();
    other.model = "another".into();
    others[3].judge = file.describe(other);
    let judge = known.judge.clone();
    others.iter().for_each(|item| file.insert(item.clone()));
    std::fs::write(&path, file.text()).unwrap();

    let before = run(folder.path());
    assert_eq!(before.len(), 8);
    let benchmark = Benchmark::open(folder.path().join("toy.yaml"), &Registry::new()).unwrap();
    let assessment = Assessment::new(&benchmark);
    let questions = assessment.all_questions().unwrap();
    let pruning = assessment.unusable_judgments(&questions).unwrap();
    let expected = [
        ((judge.clone(), Unusable::NoQuery), 1),
        ((judge.clone(), Unusable::NoDocument), 1),
        ((judge, Unusable::OtherText), 1),
        ((others[3].judge.clone(), Unusable::OtherJudge), 1),
    ];
    assert_eq!(pruning.unusable, expected.into());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), file.text());
    assert_eq!(assessment.prune_judgments(&questions).unwrap(), pruning);
    let left = JudgmentsFile::read(&path, false).unwrap();
    assert_eq!((left.items().count(), left.judges().len()), (120 * (DOCUMENTS - 1), 1));
    assert_eq!(run(folder.path()), before);
}

#[test]
fn probes_are_in_no_order_of_configurations() {
    let folder = tempfile::tempdir().unwrap();
    Toy { judge: |grade, query| Some(if query % 2 == 0 { 3 - grade } else { grade }), ..Toy::default() }
        .write(folder.path());
    let benchmark = Benchmark::open(folder.path().join("toy.yaml"), &Registry::new()).unwrap();
    let assessment = Assessment::new(&benchmark);
    let order = || {
        let questions = assessment.questions().unwrap();
        (assessment.check_judge(&questions).unwrap().order.unwrap(), questions)
    };
    let (before, questions) = order();
    assert_eq!((questions.missing.len(), questions.probes, before.configurations.len()), (40, 40, 2));
    let falls_for_all = |_: &Query, _: &Document| Ok(Answer::graded(3));
    assessment.ask_own_judge(&questions, &falls_for_all, &|_| {}).unwrap();
    let (after, questions) = order();
    assert!(questions.missing.is_empty());
    assert_eq!(after, before);
}
