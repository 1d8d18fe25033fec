use super::*;
use crate::retriever::retriever_fn;
use crate::run::Hit;

fn queries(n: usize) -> Arc<[Query]> {
    (0..n).map(|i| Query::new(format!("q{i:03}"), format!("text {i}"))).collect()
}

fn ask_queries(
    n: usize,
    asking: Asking,
    f: impl Fn(&Query, usize) -> Result<Vec<Hit>, BoxError> + Send + Sync + 'static,
) -> Result<Answers, Failure> {
    let retriever: Arc<dyn Retriever> = Arc::new(retriever_fn(f));
    ask(&retriever, &queries(n), asking, &|_| ())
}

fn at_once(concurrency: usize) -> Asking {
    Asking { concurrency: NonZeroUsize::new(concurrency), ..Asking::to_depth(10) }
}

#[test]
fn answers_stand_in_query_order_at_any_concurrency() {
    for concurrency in [1, 2, 7, 100] {
        let answers = ask_queries(25, at_once(concurrency), |q, _| Ok(vec![Hit::new(&*q.id, 1.0)])).unwrap();
        let ids: Vec<_> = answers.passes[0].iter().map(|hits| hits[0].id.clone()).collect();
        assert_eq!(ids, queries(25).iter().map(|q| q.id.clone()).collect::<Vec<_>>());
        assert!(answers.latency.is_some());
    }
}

#[test]
fn every_pass_asks_every_query() {
    let asking = Asking { passes: NonZeroUsize::new(3).unwrap(), ..at_once(2) };
    let answers = ask_queries(5, asking, |q, _| Ok(vec![Hit::new(&*q.id, 1.0)])).unwrap();
    assert_eq!(answers.passes.len(), 3);
    assert!(answers.passes.iter().all(|pass| pass.len() == 5 && pass.iter().all(|hits| hits.len() == 1)));
}

#[test]
fn no_query_is_no_failure() {
    assert_eq!(
        ask_queries(0, at_once(4), |_, _| Ok(vec![])),
        Ok(Answers {
            passes: vec![vec![]],
            scores: vec![],
            latency: None,
            said: BTreeMap::new(),
            warnings: Vec::new(),
            build_ms: 0
        })
    );
}

#[test]
fn an_error_names_its_query_and_all_causes() {
    let failure = ask_queries(9, at_once(2), |q, _| {
        if q.id == "q004" {
            let inner = std::io::Error::other("connection refused");
            return Err(Box::new(crate::Error::io("cannot read", "index".as_ref(), inner)) as BoxError);
        }
        Ok(vec![])
    });
    let failure = failure.unwrap_err();
    assert_eq!(
        failure.to_string(),
        "query `q004`: cannot read index: connection refused\nits text: `text 4`"
    );
    assert_eq!((failure.failed, failure.asked), (1, 9));
}

#[test]
fn panics_duplicates_and_nan_are_failures_of_their_query() {
    let failure = ask_queries(3, at_once(1), |q, _| match &*q.id {
        "q000" => Ok(vec![]),
        "q001" => panic!("no such field"),
        _ => Ok(vec![Hit::new("d", f64::NAN)]),
    });
    let text = failure.unwrap_err().to_string();
    assert!(text.starts_with("query `q001`: panicked: no such field ("), "{text}");
    assert!(
        text.ends_with(
            "(the first of 2 failures among 3 queries)\nthe queries that failed:\n  `q001` `text 1`\n  `q002` `text \
             2`: gave document `d` a score that is not a number"
        ),
        "{text}"
    );
}

#[test]
fn the_panic_that_poisoned_a_lock_is_told_of_and_not_those_that_met_the_lock() {
    let (index, poisoned) = (std::sync::Mutex::new(0), std::sync::Barrier::new(2));
    let failure = ask_queries(2, at_once(2), move |q, _| {
        if q.id == "q000" {
            poisoned.wait();
            *index.lock().map_err(|error| error.to_string())? += 1;
            return Ok(vec![]);
        }
        let failed = panic::catch(|| {
            let _held = index.lock().unwrap();
            panic!("no such field");
        });
        poisoned.wait();
        panic!("{}", failed.unwrap_err());
    });
    let text = failure.unwrap_err().to_string();
    assert!(text.starts_with("query `q001`: panicked: no such field"), "{text}");
    assert!(text.ends_with("(asking stopped with 1 to go)\nits text: `text 1`"), "{text}");
}

#[test]
fn many_failures_stop_the_asking() {
    let failure = ask_queries(1000, at_once(1), |_, _| Err("down".into())).unwrap_err();
    assert_eq!(failure.query.as_deref(), Some("q000"));
    assert_eq!((failure.failed, failure.asked, failure.stopped_after), (20, 1000, Some(20)));
    let text = failure.to_string();
    let (first, list) = text.split_once("\nthe queries that failed:").unwrap();
    assert_eq!(first, "query `q000`: down (20 of the first 20 asked failed; asking stopped with 980 to go)");
    assert_eq!(list.lines().count(), 21, "{list}");
    assert!(list.starts_with("\n  `q000` `text 0`\n  `q001` `text 1`\n"), "{list}");
    // The last of all may be one too many.
    let failure = ask_queries(20, at_once(1), |_, _| Err("down".into())).unwrap_err();
    assert!(
        failure.to_string().starts_with("query `q000`: down (the first of 20 failures among 20 queries)\n"),
        "{failure}"
    );
}

#[test]
fn queries_in_line_behind_the_one_that_failed_are_no_failures() {
    let failure = ask_queries(100, at_once(1), |query, _| match query.id.as_str() {
        "q017" => Err("the program exited".into()),
        id if id > "q017" => Err(NotReached("the program exited".to_owned()).into()),
        _ => Ok(vec![]),
    });
    let failure = failure.unwrap_err();
    assert_eq!((failure.failed, failure.stopped_after), (1, Some(18)));
    assert_eq!(
        failure.to_string(),
        "query `q017`: the program exited (asking stopped with 82 to go)\nits text: `text 17`"
    );
    // What ended before the first of these queries failed none of them, and one says so.
    let failure = ask_queries(30, at_once(1), |_, _| Err(NotReached("the program exited".to_owned()).into()));
    let failure = failure.unwrap_err();
    assert_eq!((failure.failed, failure.queries.len(), failure.stopped_after), (1, 1, Some(1)));
}

#[test]
fn a_batch_that_fails_names_as_many_queries_as_are_asked_before_it_is_enough() {
    let failure = ask_borrowed(&Batches(40, 1), &queries(40), at_once(1), &|_| ()).unwrap_err();
    assert_eq!((failure.failed, failure.queries.len()), (40, ENOUGH_FAILURES));
    assert!(failure.to_string().ends_with("\n  and 20 more"), "{failure}");
}

#[test]
fn a_hanging_query_is_left_behind() {
    let asking = Asking { timeout: Some(Duration::from_millis(30)), ..at_once(2) };
    let failure = ask_queries(50, asking, |q, _| {
        if q.id == "q003" {
            thread::park();
        }
        Ok(vec![])
    });
    assert_eq!(failure.unwrap_err().to_string(), "query `q003`: no answer within 30 ms to `text 3`");
}

#[test]
fn an_answer_after_its_time_is_a_failure() {
    let asking = Asking { timeout: Some(Duration::from_millis(5)), ..at_once(1) };
    let failure = ask_queries(1, asking, |_, _| {
        thread::sleep(Duration::from_millis(40));
        Ok(vec![])
    });
    assert_eq!(failure.unwrap_err().cause, FailureCause::TimedOut(5));
}

struct Batches(usize, usize);

impl Retriever for Batches {
    fn retrieve(&self, query: &Query, _: usize) -> Result<Vec<Hit>, BoxError> {
        Ok(vec![Hit::new(&*query.id, 1.0)])
    }
    fn batch_size(&self) -> usize {
        self.0
    }
    fn retrieve_batch(&self, queries: &[Query], depth: usize) -> Vec<Result<Vec<Hit>, BoxError>> {
        assert!(queries.len() <= self.0);
        queries.iter().skip(self.1).map(|query| self.retrieve(query, depth)).collect()
    }
}

#[test]
fn batches_are_asked_as_batches() {
    let answers = ask_borrowed(&Batches(4, 0), &queries(10), at_once(2), &|_| ()).unwrap();
    assert!(answers.passes[0].iter().enumerate().all(|(i, hits)| hits[0].id == format!("q{i:03}")));
}

#[test]
fn a_panic_in_a_method_that_asks_nothing_is_a_failure_and_names_it() {
    struct Panics(bool);
    impl Retriever for Panics {
        fn retrieve(&self, _: &Query, _: usize) -> Result<Vec<Hit>, BoxError> {
            Ok(vec![])
        }
        fn batch_size(&self) -> usize {
            assert!(!self.0, "no model");
            1
        }
        fn take_answers(&self) -> BTreeMap<String, crate::retriever::Answer> {
            panic!("no model")
        }
    }
    for (of_size, method) in [(true, "batch_size"), (false, "take_answers")] {
        let failure = ask_borrowed(&Panics(of_size), &queries(4), at_once(1), &|_| ()).unwrap_err();
        let text = failure.cause.to_string();
        assert!(
            text.starts_with("panicked: no model (") && text.ends_with(&format!("in `{method}`")),
            "{text}"
        );
    }
}

#[test]
fn a_batch_with_an_answer_missing_is_a_failure() {
    let failure = ask_borrowed(&Batches(4, 1), &queries(4), at_once(1), &|_| ()).unwrap_err();
    assert_eq!(failure.cause, FailureCause::BatchSize(4, 3));
}
