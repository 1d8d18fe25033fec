use super::*;
use crate::collection::CollectionBuilder;
use crate::metric::Metric;
use crate::stats::Confidence;

/// Three judged queries, one without a relevant document, and one that nobody judged.
fn collection() -> Collection {
    let mut builder = CollectionBuilder::new();
    builder.add_query(Query::new("q1", "one").with("kind", "a"), [("d1", 2), ("d2", 0), ("d3", -1)]);
    builder.add_query(Query::new("q2", "two").with("kind", "b"), [("d1", 1)]);
    builder.add_query(Query::new("q3", "three").with("kind", "b"), [("d1", 0)]);
    builder.add_query(Query::new("q4", "four"), [] as [(&str, i32); 0]);
    builder.build().unwrap()
}

fn run(rankings: &[(&str, &[&str])]) -> Run {
    let hits = |ids: &[&str]| ids.iter().map(|&id| Hit::new(id, 1.0)).collect();
    Run::from_rankings(rankings.iter().map(|&(query, ids)| (query, hits(ids)))).unwrap()
}

#[test]
fn a_judged_query_that_is_not_answered_scores_0_and_is_counted() {
    let evaluation = Evaluation::of_run(&collection(), run(&[("q1", &["d1"])])).unwrap();
    assert_eq!(evaluation.scores("RR").unwrap(), [1.0, 0.0, 0.0]);
    assert_eq!(evaluation.value("RR").unwrap(), 1.0 / 3.0);
    assert_eq!(evaluation.unanswered(), ["q2", "q3"]);
}

#[test]
fn metrics_of_ones_own_are_told_apart_by_what_they_compute() {
    let evaluation = Evaluation::of_run(&collection(), run(&[("q1", &["d1"])])).unwrap();
    for value in [0.25, 0.75] {
        let mine = Metric::custom("mine", 0.0..=1.0, move |_| value).unwrap();
        assert_eq!(evaluation.scores(mine).unwrap(), [value; 3]);
    }
}

#[test]
fn queries_of_a_run_without_judgments_are_ignored_and_counted() {
    let run = run(&[("q1", &["d1"]), ("q4", &["d1"]), ("q9", &["d1"])]);
    let evaluation = Evaluation::of_run(&collection(), run).unwrap();
    assert_eq!(evaluation.unjudged_queries(), 2);
    assert_eq!(evaluation.queries().len(), 3);
}

#[test]
fn a_run_of_another_collection_is_an_error_and_not_a_mean_of_0() {
    let error = Evaluation::of_run(&collection(), run(&[("17", &["d1"])])).unwrap_err().to_string();
    assert!(error.contains("answers none of the judged queries"), "{error}");
    assert!(error.contains("`17`") && error.contains("`q1`"), "{error}");
}

#[test]
fn a_query_without_relevant_documents_scores_0_or_is_left_out() {
    let evaluation = Evaluation::of_run(&collection(), run(&[("q1", &["d1"]), ("q2", &["d1"])])).unwrap();
    assert_eq!(evaluation.unjudgeable(), 1);
    assert_eq!(evaluation.value("RR").unwrap(), 2.0 / 3.0);
    let judging = Judging { skip_queries_without_relevant: true, ..Judging::default() };
    let without = evaluation.judged_by(judging).unwrap();
    assert_eq!((without.queries().len(), without.value("RR").unwrap()), (2, 1.0));
}

#[test]
fn the_lowest_relevant_grade_is_the_collections_to_say() {
    let evaluation = Evaluation::of_run(&collection(), run(&[("q1", &["d1"]), ("q2", &["d1"])])).unwrap();
    let strict = evaluation.judged_by(Judging { relevant_from: 2, ..Judging::default() }).unwrap();
    assert_eq!(strict.scores("RR").unwrap(), [1.0, 0.0, 0.0]);
    assert_eq!(strict.scores("RR(rel=1)").unwrap(), [1.0, 1.0, 0.0]);
    assert_eq!(strict.scores("nDCG").unwrap(), evaluation.scores("nDCG").unwrap());
}

#[test]
fn negative_grades_are_judged_and_documents_without_a_grade_are_not() {
    let evaluation = Evaluation::of_run(&collection(), run(&[("q1", &["d3", "d9", "d2", "d1"])])).unwrap();
    assert_eq!(evaluation.scores("Judged@4").unwrap()[0], 0.75);
}

#[test]
fn a_registered_metric_that_returns_nan_names_its_query() {
    let evaluation = Evaluation::of_passes(&collection(), Judging::default(), vec![run(&[])]).unwrap();
    let odd = |ranking: &JudgedRanking| if ranking.relevant(1) == 0 { f64::NAN } else { 1.0 };
    let metric = Metric::custom("Odd", 0.0..=1.0, odd).unwrap();
    let error = evaluation.value(metric).unwrap_err().to_string();
    assert!(error.contains("`q3`") && error.contains("Odd"), "{error}");
}

/// By hand: the span of `faq` is its characters 0 to 4. `faq#char=0,3` covers 3 of these 4 and is relevant; `faq#char=0,4` finds
/// no span that is not found yet; nobody judged a span of `news`.
#[test]
fn passages_have_the_grades_of_the_spans_that_they_cover() {
    let folder = tempfile::tempdir().unwrap();
    let documents = folder.path().join("documents.jsonl");
    let texts = "{\"_id\": \"faq\", \"text\": \"abcd ef\"}\n{\"_id\": \"news\", \"text\": \"abcd\"}\n";
    std::fs::write(&documents, texts).unwrap();
    let spans = br#"{"query": "q1", "document": "faq", "quote": "abcd", "grade": 2}"#;
    let spans = crate::Source::bytes("spans.jsonl", spans);
    let collection = Collection::spans(spans, &documents).unwrap();
    let run = run(&[("q1", &["news#char=0,4", "faq#char=0,3", "faq#char=0,4"])]);
    let evaluation = Evaluation::of_run(&collection, run).unwrap();
    let seen = |evaluation: &Evaluation, expected: &'static [Option<i32>]| {
        let seen = Metric::custom("Seen", 0.0..=1.0, move |ranking| {
            let grades = (1..=ranking.len()).map(|rank| ranking.grade_at(rank));
            f64::from(
                grades.eq(expected.iter().copied()) && ranking.relevant(1) == 1 && ranking.hits(3, 2) == 1,
            )
        });
        evaluation.scores(seen.unwrap()).unwrap()
    };
    assert_eq!(seen(&evaluation, &[None, Some(2), Some(0)]), [1.0]);
    assert_eq!(seen(&evaluation.without_unjudged(), &[Some(2), Some(0)]), [1.0]);
}

#[test]
fn segments_are_the_queries_that_share_a_metadata_value() {
    let evaluation = Evaluation::of_run(&collection(), run(&[("q2", &["d1"])])).unwrap();
    assert_eq!(evaluation.segment("kind", "b").unwrap().scores("RR").unwrap(), [1.0, 0.0]);
    assert_eq!(evaluation.segment_values("kind"), ["a", "b"]);
    let error = |key, value| evaluation.segment(key, value).unwrap_err().to_string();
    assert_eq!(error("kind", "c"), "no query has kind=c: the values are a, b");
    assert_eq!(error("colour", "red"), "no query has the metadata key `colour`: they have kind");
}

#[test]
fn a_score_is_the_mean_over_passes() {
    let runs = vec![run(&[("q1", &["d1"]), ("q2", &["d1"])]), run(&[("q1", &["d9", "d1"])])];
    let evaluation = Evaluation::of_passes(&collection(), Judging::default(), runs).unwrap();
    assert_eq!(evaluation.scores("RR").unwrap(), [0.75, 0.5, 0.0]);
    assert_eq!(evaluation.values_by_pass("RR").unwrap(), [2.0 / 3.0, 0.5 / 3.0]);
    assert_eq!(evaluation.unanswered(), ["q3"]);
}

#[test]
fn counts_are_summed_and_have_no_interval() {
    let evaluation = Evaluation::of_run(&collection(), run(&[("q1", &["d1", "d9"])])).unwrap();
    let estimate = evaluation.estimate("NumRet", Confidence::default()).unwrap();
    assert_eq!((estimate.value, estimate.interval), (2.0, Err(crate::stats::NoInterval::Count)));
}
