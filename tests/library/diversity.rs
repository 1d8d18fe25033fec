//! Diversity over subtopics: values of other tools, and judgments by subtopic.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::Path;

use rankgate::metric::Metric;
use rankgate::run::Order;
use rankgate::{Collection, Evaluation, Qrels, Run};
use serde_json::Value;

const FOLDER: &str = "tests/reference/diversity";

fn evaluation() -> Evaluation {
    let qrels = Qrels::read(Path::new(FOLDER).join("qrels.txt").as_path()).unwrap();
    assert!(qrels.has_subtopics());
    let run = Run::read(Path::new(FOLDER).join("run.txt").as_path(), Order::Score).unwrap();
    Evaluation::of_run(&Collection::from_qrels(qrels).unwrap(), run).unwrap()
}

/// `tests/reference/make_diversity.py` writes what is expected here.
#[test]
fn alpha_ndcg_equals_pyndeval() {
    let evaluation = evaluation();
    let expected = std::fs::read_to_string(Path::new(FOLDER).join("expected.jsonl")).unwrap();
    let (mut values, mut above_zero, mut metrics) = (0, 0, 0);
    for line in expected.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let metric: Metric = entry["metric"].as_str().unwrap().parse().unwrap();
        let scores = evaluation.scores(&metric).unwrap();
        for (query, score) in evaluation.queries().iter().zip(scores) {
            let theirs = entry["values"][&query.id].as_f64().unwrap();
            let near = (score - theirs).abs() <= 1e-12 * theirs.abs();
            assert!(near, "{metric} of {}: {score}, and {theirs} by {}", query.id, entry["source"]);
            values += 1;
            above_zero += usize::from(theirs > 0.0);
        }
        metrics += 1;
    }
    // 39 measures under five settings, three of nERR and two of Compat, of 60 queries.
    assert_eq!((metrics, values), (39 * 5 + 5, (39 * 5 + 5) * 60));
    assert!(above_zero > values / 3, "{above_zero}");
}

#[test]
fn a_documents_own_grade_is_the_highest_of_its_subtopics() {
    let text = b"q1 1 d1 0\nq1 2 d1 2\nq1 1 d2 1\nq1 0 d3 0\nq2 1 d1 1\n";
    let qrels = Qrels::parse("a.qrels", text).unwrap();
    assert_eq!((qrels.grade("q1", "d1"), qrels.grade("q1", "d3"), qrels.len()), (Some(2), Some(0), 4));
    assert_eq!((qrels.max_grade(), qrels.subtopics("q1").unwrap().subtopics()), (2, 3));
    // A column that is the same in each line, or for each query, says nothing.
    for text in ["q1 0 d1 1\nq2 0 d1 1\n", "q1 7 d1 1\nq2 x d2 1\n"] {
        assert!(!Qrels::parse("a.qrels", text.as_bytes()).unwrap().has_subtopics(), "{text}");
    }
    let twice = Qrels::parse("a.qrels", b"q1 1 d1 1\nq1 2 d1 1\nq1 1 d1 0\n").unwrap_err().to_string();
    assert!(twice.starts_with("a.qrels:3: document `d1` is judged twice for query `q1`"), "{twice}");
}

#[test]
fn judgments_by_subtopic_are_written_merged_and_hashed() {
    let folder = tempfile::tempdir().unwrap();
    let qrels = Qrels::read(Path::new(FOLDER).join("qrels.txt").as_path()).unwrap();
    let path = folder.path().join("again.qrels");
    qrels.write_trec(&path).unwrap();
    let again = Qrels::read(path.as_path()).unwrap();
    assert_eq!(qrels, again);
    assert_eq!(qrels.sha256(), again.sha256());
    // Where the second column counts rounds of judging, further judgments need no round; but nothing is by subtopic then.
    let plain = Qrels::parse("b.qrels", b"q00 0 zz 1\n").unwrap();
    for (mut one, other) in [(again.clone(), plain.clone()), (plain, again.clone())] {
        one.merge(other).unwrap();
        assert_eq!(
            (one.grade("q00", "zz"), one.len(), one.has_subtopics()),
            (Some(1), again.len() + 1, false)
        );
    }
    let mut merged = again.clone();
    merged.merge(Qrels::parse("c.qrels", b"q00 q00.0 zz 1\nq00 q00.1 zz 3\n").unwrap()).unwrap();
    assert_eq!((merged.grade("q00", "zz"), merged.len()), (Some(3), again.len() + 1));
    assert_ne!(merged.sha256(), again.sha256());
    let error = again.clone().merge(Qrels::parse("d.qrels", b"q00 q00.1 d000 0\nq00 x d000 0\n").unwrap());
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("has grade 0 for subtopic `q00.1` of query `q00` here and 1 before")
    );
    // Other subtopics are other judgments, though the grades of documents are the same.
    let [one, other] = [&b"q1 1 d1 1\nq1 2 d2 1\n"[..], b"q1 1 d2 1\nq1 2 d1 1\n"]
        .map(|text| Qrels::parse("a", text).unwrap());
    assert!(one != other && one.sha256() != other.sha256());
}

#[test]
fn a_metric_of_subtopics_needs_them() {
    let collection = Collection::from_qrels(Qrels::parse("a.qrels", b"q1 0 d1 1\n").unwrap()).unwrap();
    let run = Run::from_rankings([("q1", vec![rankgate::Hit::new("d1", 1.0)])]).unwrap();
    let error = Evaluation::of_run(&collection, run).unwrap().value("alpha-nDCG@5").unwrap_err().to_string();
    assert!(error.contains("alpha-nDCG@5 needs judgments by subtopic"), "{error}");
}
