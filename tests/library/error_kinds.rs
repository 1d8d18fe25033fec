//! Who can mend an error.

use rankgate::standalone::{Standalone, write_file};
use rankgate::{CollectionBuilder, ErrorKind, Hit, Query, evaluate, retriever_fn};

#[expect(clippy::unwrap_used, reason = "a test fails where there is no error")]
fn kind<T>(result: rankgate::Result<T>) -> ErrorKind {
    result.map(drop).unwrap_err().kind()
}

#[test]
fn whoever_can_mend_it_is_told_by_the_kind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.yaml"), "version: 2").unwrap();
    std::fs::write(path("b.run"), "not a run").unwrap();
    let open = |name: &str| kind(Standalone::new().open(path(name)));
    assert_eq!(open("a.yaml"), ErrorKind::BadInput);
    assert_eq!(kind(rankgate::Run::read(path("b.run"), rankgate::Order::Score)), ErrorKind::BadInput);
    assert_eq!(kind("nDGC@10".parse::<rankgate::metric::Metric>()), ErrorKind::BadInput);
    assert_eq!(open("none.yaml"), ErrorKind::Missing);

    let mut builder = CollectionBuilder::new();
    builder.add_query(Query::new("q1", "alpha"), [("d1", 1)]);
    let collection = builder.build().unwrap();
    let down = evaluate(&collection, 10, |_: &Query, _| Err::<Vec<Hit>, _>("down".into()));
    assert_eq!(kind(down), ErrorKind::Retrieval);

    let mut factories = rankgate::retriever::Factories::default();
    let mut register = || factories.register("mine", |_| Ok(retriever_fn(|_, _| Ok(Vec::new()))));
    register().unwrap();
    assert_eq!(kind(register()), ErrorKind::Setup);

    // A folder stands where the file goes.
    assert_eq!(kind(write_file(folder.path(), "text")), ErrorKind::Internal);
}
