//! Rows that come as columns: the same scores as of text, in every bit, and errors that say where.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

mod hostile;
mod rows;
mod scores;
mod written;

use std::path::Path;

use rankgate::collection::{Role, Tables};
use rankgate::run::RunReader;
use rankgate::{Judging, Order, Qrels, Run};
use rankgate_offline::{Scores, Scoring, Seal};

use rows::{judgments, run, shuffled, text_of};
use written::{Ids, Written};

const METRICS: [&str; 5] = ["nDCG@10", "AP", "RR", "ERR@5", "Judged@10"];

fn scoring() -> Scoring {
    Scoring::new(METRICS.map(|name| name.parse().unwrap())).per_query(true)
}

/// Scores with the name of their run left out.
fn unnamed(scores: Scores) -> Scores {
    let mut scores = scores;
    scores.run.clear();
    scores
}

/// Every score and mean as its bits.
fn bits(scores: &Scores) -> Vec<(String, Vec<u64>)> {
    let to_bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect();
    let mut all = vec![("mean".to_owned(), to_bits(scores.mean.iter().map(|(_, mean)| *mean).collect()))];
    let rows = scores.per_query.as_ref().unwrap();
    all.extend(rows.iter().map(|(query, row)| (query.to_owned(), to_bits(row.to_vec()))));
    all
}

fn ids(run: &Run, query: &str) -> Vec<String> {
    run.ranking(query).unwrap().iter().map(|hit| hit.id.clone()).collect()
}

#[test]
fn bits_agree_over_partitions_engines_and_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (rows, judged) = (run(60, 120), judgments(60, 120));
    std::fs::write(path("a.run"), text_of(&rows)).unwrap();
    std::fs::write(path("shuffled.run"), text_of(&shuffled(&rows))).unwrap();
    std::fs::write(path("a.json"), rows::json_of(&rows)).unwrap();
    std::fs::write(path("a.qrels"), rows::qrels_of(&judged)).unwrap();
    let qrels = Qrels::read(path("a.qrels")).unwrap();
    let expected = unnamed(scoring().file(&qrels, path("a.run")).unwrap());
    assert_eq!((expected.queries, expected.unanswered, expected.unjudged_queries), (55, 2, 5));

    let whole = Written::default();
    whole.run(&path("sorted.parquet"), &rows);
    whole.run(&path("shuffled.parquet"), &shuffled(&rows));
    Written { group: 97, ids: Ids::Integers, ..whole }.run(&path("integers.parquet"), &rows);
    Written { ids: Ids::Dictionary, group: 1000, ..whole }.run(&path("dictionary.parquet"), &shuffled(&rows));
    for parts in [1, 7, 64] {
        for (name, rows) in [("sorted", rows.clone()), ("shuffled", shuffled(&rows))] {
            let into = path(&format!("{name}-{parts}"));
            std::fs::create_dir(&into).unwrap();
            for (index, part) in rows.chunks(rows.len().div_ceil(parts)).enumerate() {
                let written = Written { group: 50, ..whole };
                written.run(&into.join(format!("part-{index:02}.parquet")), part);
            }
            std::fs::write(into.join("_SUCCESS"), "").unwrap();
        }
    }
    whole.judgments(&path("qrels.parquet"), &judged);
    Written { ids: Ids::Integers, group: 10, ..whole }.judgments(&path("integers.qrels"), &shuffled(&judged));

    let sources = [
        "shuffled.run",
        "a.json",
        "sorted.parquet",
        "shuffled.parquet",
        "integers.parquet",
        "dictionary.parquet",
        "sorted-1",
        "sorted-7",
        "sorted-64/part-*.parquet",
        "shuffled-1",
        "shuffled-7",
        "shuffled-64",
    ];
    for (judgments, source) in ["qrels.parquet", "integers.qrels"]
        .into_iter()
        .cycle()
        .zip(sources)
        .chain([("a.qrels", "shuffled-7")])
    {
        let qrels = Qrels::read(path(judgments)).unwrap();
        for (memory, threads) in
            [(Tables::MEMORY, 1), (Tables::MEMORY, 4), (Tables::LEAST, 1), (Tables::LEAST, 4)]
        {
            let scoring = scoring().tables(Tables::default().memory(memory));
            let scores = rankgate::__private::within(threads, || scoring.file(&qrels, path(source)).unwrap());
            let scores = unnamed(scores);
            assert_eq!(bits(&scores), bits(&expected), "{judgments} {source} {memory} {threads}");
            assert_eq!(scores, expected, "{judgments} {source} {memory} {threads}");
        }
    }
    let held = RunReader::new().read(path("shuffled-64")).unwrap();
    assert_eq!(held, RunReader::new().read(path("sorted.parquet")).unwrap());
    assert_eq!(unnamed(scoring().run(&qrels, "held", &held).unwrap()), expected);
}

#[test]
fn rows_that_do_not_fit_into_memory_give_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // 40,000 rows take more than a mebibyte, and so wait in files.
    let (rows, judged) = (run(100, 400), judgments(100, 400));
    std::fs::write(path("a.run"), text_of(&rows)).unwrap();
    Written::default().run(&path("a.parquet"), &shuffled(&rows));
    Written::default().judgments(&path("q.parquet"), &judged);
    let qrels = Qrels::read(path("q.parquet")).unwrap();
    let expected = unnamed(scoring().file(&qrels, path("a.run")).unwrap());
    for threads in [1, 4] {
        let tiny = scoring().tables(Tables::default().memory(0));
        let scores = rankgate::__private::within(threads, || tiny.file(&qrels, path("a.parquet")).unwrap());
        assert_eq!(unnamed(scores), expected, "{threads} threads");
    }
}

#[test]
fn judgments_that_do_not_fit_into_memory_give_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // 42,000 judgments take more than a mebibyte where they are held.
    let (rows, judged) = (run(400, 90), judgments(400, 1000));
    std::fs::write(path("a.run"), text_of(&rows)).unwrap();
    Written::default().run(&path("a.parquet"), &shuffled(&rows));
    Written::default().judgments(&path("q.parquet"), &shuffled(&judged));
    let qrels = Qrels::read(path("q.parquet")).unwrap();
    let tiny = || scoring().tables(Tables::default().memory(0));
    let in_pieces = |scoring: &Scoring, run: &str| scoring.in_pieces(path("q.parquet"), path(run)).unwrap();
    let by_score = || scoring().judging(Judging { exclude_identical_ids: true, ..Judging::default() });
    for threads in [1, 4] {
        for (asked, held) in
            [(tiny(), scoring()), (by_score().tables(Tables::default().memory(0)), by_score())]
        {
            let expected = unnamed(held.file(&qrels, path("a.run")).unwrap());
            let (scores, seal) =
                rankgate::__private::within(threads, || in_pieces(&asked, "a.parquet")).unwrap();
            assert_eq!(unnamed(scores), expected, "{threads} threads");
            assert_eq!(seal, Seal::of_judgments(&qrels));
        }
    }
    // By rank, which falls with the score's place in the file.
    let ranks: Vec<i32> = (0..rows.len()).map(|row| 1 + (row % 90) as i32).collect();
    Written::default().ranked(&path("ranked.parquet"), &rows, &ranks, true);
    let expected = unnamed(scoring().order(Order::Rank).file(&qrels, path("ranked.parquet")).unwrap());
    let (scores, _) = in_pieces(&tiny().order(Order::Rank), "ranked.parquet").unwrap();
    assert_eq!(unnamed(scores), expected);
    // What fits is held, and so is what stands beside another kind of run.
    assert!(in_pieces(&scoring(), "a.parquet").is_none());
    assert!(in_pieces(&tiny(), "a.run").is_none());

    // A document twice in a query that nobody judged is counted, here as there.
    let nobody = rows::retrieved(&[("of nobody", "x", 1.0), ("of nobody", "x", 0.5)]);
    Written::default().run(&path("nobody.parquet"), &[&rows[..], &nobody].concat());
    let (scores, _) = in_pieces(&tiny(), "nobody.parquet").unwrap();
    let expected = unnamed(scoring().file(&qrels, path("nobody.parquet")).unwrap());
    assert_eq!((scores.unjudged_repeats, unnamed(scores)), (1, expected));

    let last = rows.last().unwrap().clone();
    Written::default().run(&path("twice.parquet"), &[&rows[..], std::slice::from_ref(&last)].concat());
    let error = tiny().in_pieces(path("q.parquet"), path("twice.parquet")).unwrap_err().to_string();
    let said = format!(
        "row {}: document `{}` of query `{}` again (first in row",
        rows.len() + 1,
        last.document,
        last.query
    );
    assert!(error.contains(&said), "{error}");
    Written::default().judgments(&path("twice.parquet"), &[&judged[..], &judged[..1]].concat());
    let error = tiny().in_pieces(path("twice.parquet"), path("a.parquet")).unwrap_err().to_string();
    let said = format!(
        "row {}: document `{}` is judged twice for query `{}` (first in row 1)",
        judged.len() + 1,
        judged[0].document,
        judged[0].query
    );
    assert!(error.ends_with(&said), "{error}");
}

#[test]
fn values_by_hand_of_scattered_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let retrieved = [("q2", "b", 1.0), ("q1", "a", 2.0), ("q2", "a", 2.0), ("q1", "b", 3.0)];
    Written { group: 2, ..Written::default() }.run(&path("a.parquet"), &rows::retrieved(&retrieved));
    let judged = [("q1", "a", 1), ("q2", "a", 1), ("q2", "c", 1), ("q3", "a", 1)];
    Written::default().judgments(&path("q.parquet"), &rows::judged(&judged));
    let qrels = Qrels::read(path("q.parquet")).unwrap();
    let scores = Scoring::new(["RR".parse().unwrap(), "R@5".parse().unwrap()])
        .file(&qrels, path("a.parquet"))
        .unwrap();
    // By hand: RR is 1/2, 1 and, unanswered, 0; recall 1, 1/2 and 0.
    assert_eq!((scores.mean.get("RR"), scores.mean.get("R@5")), (Some(&0.5), Some(&0.5)));
    assert_eq!((scores.queries, scores.unanswered, scores.results, scores.judged_results), (3, 1, 4, 2));
}

#[test]
fn integer_ids_tie_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let retrieved = ["10", "9", "100", "-1"].map(|document| ("7", document, 0.5));
    Written { ids: Ids::Integers, ..Written::default() }.run(&path, &rows::retrieved(&retrieved));
    // By hand: as text, `9` is above `100`, that above `10`, and digits are above `-`.
    assert_eq!(ids(&Run::read(&path, Order::Score).unwrap(), "7"), ["9", "100", "10", "-1"]);
}

#[test]
fn a_query_split_over_files_is_one_query() {
    let folder = tempfile::tempdir().unwrap();
    let part = |index: usize, rows: &[(&str, &str, f64)]| {
        let path = folder.path().join(format!("part-{index}.parquet"));
        Written::default().run(&path, &rows::retrieved(rows));
    };
    part(0, &[("q1", "a", 1.0), ("q2", "a", 1.0)]);
    part(1, &[("q2", "b", 2.0)]);
    part(2, &[("q2", "c", 3.0), ("q3", "a", 1.0)]);
    let read = || Run::read(folder.path(), Order::Score).unwrap();
    let together = read();
    assert_eq!(ids(&together, "q2"), ["c", "b", "a"]);
    // The same where its files do not follow each other.
    part(3, &[("q2", "d", 4.0), ("q1", "b", 0.5)]);
    let scattered = read();
    assert_eq!(
        (ids(&scattered, "q2"), ids(&scattered, "q1")),
        (vec!["d".into(), "c".into(), "b".into(), "a".into()], vec!["a".into(), "b".into()])
    );
    assert_eq!((scattered.len(), ids(&scattered, "q3")), (3, vec!["a".to_owned()]));
}

#[test]
fn a_null_score_is_an_error_with_its_file_and_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    Written::default().run(&path("part-0.parquet"), &run(3, 5));
    let mut rows = run(3, 5);
    rows[11].score = None;
    Written { group: 4, ..Written::default() }.run(&path("part-1.parquet"), &rows);
    let error = Run::read(folder.path(), Order::Score).unwrap_err().to_string();
    assert_eq!(error, format!("{}: row 12: the score is null", path("part-1.parquet").display()));
    rows[11].score = Some(f64::NAN);
    Written { group: 4, ..Written::default() }.run(&path("part-1.parquet"), &rows);
    let error = Run::read(folder.path(), Order::Score).unwrap_err().to_string();
    assert_eq!(error, format!("{}: row 12: the score is NaN", path("part-1.parquet").display()));
}

#[test]
fn a_duplicate_across_files_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let name = |name: &str| path(name).display().to_string();
    let (first, second) = ("part-0.parquet", "part-1.parquet");
    Written::default()
        .run(&path(first), &rows::retrieved(&[("q0", "x", 1.0), ("q1", "a", 3.0), ("q1", "b", 2.0)]));
    Written::default().run(&path(second), &rows::retrieved(&[("q1", "c", 1.0), ("q1", "a", 0.5)]));
    let expected = format!(
        "{}: row 2: document `a` of query `q1` again (first in {}, row 2)",
        name(second),
        name(first)
    );
    assert_eq!(Run::read(folder.path(), Order::Score).unwrap_err().to_string(), expected);

    let of_judgments = |rows: &[(&str, &str, i32)], file: &str| {
        Written::default().judgments(&path(file), &rows::judged(rows))
    };
    of_judgments(&[("q1", "a", 1), ("q2", "a", 0)], first);
    of_judgments(&[("q3", "a", 1), ("q2", "a", 0)], second);
    let expected = format!(
        "{}: row 2: document `a` is judged twice for query `q2` (first in {}, row 2)",
        name(second),
        name(first)
    );
    assert_eq!(Qrels::read(folder.path()).unwrap_err().to_string(), expected);
    of_judgments(&[("q1", "a", 1), ("q2", "a", 0), ("q1", "a", 1)], second);
    let error = Qrels::read(path(second)).unwrap_err().to_string();
    assert!(
        error.ends_with(": row 3: document `a` is judged twice for query `q1` (first in row 1)"),
        "{error}"
    );
}

#[test]
fn ranks_say_the_order_where_they_are_asked_for_or_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let rows = rows::retrieved(&[("q1", "a", 0.5), ("q1", "b", 0.25), ("q1", "c", 0.75)]);
    let ranks = [3, 1, 2];
    Written::default().ranked(&path("both.parquet"), &rows, &ranks, true);
    Written::default().ranked(&path("alone.parquet"), &rows, &ranks, false);
    let read = |name: &str, order: Option<Order>| {
        let reader = RunReader::new().order(order);
        reader.read(path(name)).map(|run| ids(&run, "q1").concat()).map_err(|error| error.to_string())
    };
    assert_eq!(read("both.parquet", None).unwrap(), "cab");
    assert_eq!(read("both.parquet", Some(Order::Rank)).unwrap(), "bca");
    assert_eq!(read("alone.parquet", None).unwrap(), "bca");
    let error = read("alone.parquet", Some(Order::Score)).unwrap_err();
    assert!(error.contains("no column is called score; there are query, document, rank"), "{error}");
    Written::default().ranked(&path("twice.parquet"), &rows, &[1, 2, 1], false);
    let error = read("twice.parquet", None).unwrap_err();
    assert!(error.ends_with(": row 3: rank 1 of query `q1` again (first in row 1)"), "{error}");
}

#[test]
fn columns_are_found_by_their_usual_names_or_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let read = |names: [&'static str; 3], tables: &str| {
        let tables: Tables = if tables.is_empty() { Tables::default() } else { tables.parse().unwrap() };
        Written { names: Some(names), ..Written::default() }
            .run(&path, &rows::retrieved(&[("q1", "a", 0.5)]));
        let run = RunReader::new().tables(tables).read(&path);
        run.map(|run| ids(&run, "q1").concat())
            .map_err(|error| error.to_string().replace(&path.display().to_string(), "a"))
    };
    for names in
        [["qid", "docno", "score"], ["Query_ID", "DocId", "Score"], ["query-id", "corpus-id", "score"]]
    {
        assert_eq!(read(names, "").unwrap(), "a", "{names:?}");
    }
    assert_eq!(read(["session", "sku", "bm25"], "query=session,document=sku,score=bm25").unwrap(), "a");
    // Several names for the same are those of several files.
    assert_eq!(read(["session", "sku", "score"], "query=qid,query=session,document=sku").unwrap(), "a");
    assert_eq!(
        read(["session", "doc", "score"], "").unwrap_err(),
        "a: no column is called query; there are session, doc, score: `--columns query=NAME` says which it is"
    );
    assert_eq!(
        read(["query", "doc", "score"], "query=qid").unwrap_err(),
        "a: there is no column `qid` for the query; there are query, doc, score"
    );
    assert_eq!(
        read(["query", "qid", "score"], "").unwrap_err(),
        "a: `query` and `qid` may both be the query: `--columns query=query` says which it is"
    );
    let tables = Tables::default().column(Role::Query, "qid").column(Role::Document, "query");
    assert_eq!(RunReader::new().tables(tables).read(&path).unwrap().ranking("a").unwrap()[0].id, "q1");
    assert!(
        "quary=qid".parse::<Tables>().unwrap_err().to_string().starts_with("`quary=qid` is not one of query")
    );
}

#[test]
fn numbers_of_any_type_are_taken_where_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let of = |column: arrow_array::ArrayRef, name: &str| {
        written::columns(
            &path,
            &[
                ("query", written::texts(&["q", "q"])),
                ("document", written::texts(&["a", "b"])),
                (name, column),
            ],
        );
    };
    let said = |error: rankgate::Error| error.to_string().replace(&path.display().to_string(), "a");
    let scores = |column| {
        of(column, "score");
        Run::read(&path, Order::Score)
            .map(|run| run.ranking("q").unwrap().iter().map(|hit| hit.score).collect::<Vec<_>>())
            .map_err(said)
    };
    use arrow_array::*;
    let array = |array: ArrayRef| array;
    assert_eq!(scores(array(std::sync::Arc::new(Int32Array::from(vec![2, 1])))).unwrap(), [2.0, 1.0]);
    assert_eq!(scores(array(std::sync::Arc::new(UInt8Array::from(vec![2, 1])))).unwrap(), [2.0, 1.0]);
    assert_eq!(
        scores(array(std::sync::Arc::new(Float32Array::from(vec![0.1, 0.0])))).unwrap(),
        [f64::from(0.1_f32), 0.0]
    );
    let decimals = Decimal128Array::from(vec![12345, 1]).with_precision_and_scale(20, 4).unwrap();
    assert_eq!(scores(array(std::sync::Arc::new(decimals))).unwrap(), [1.2345, 0.0001]);
    // Rust's reading of the same digits; 125735641737510620 / 1e20, each rounded, is the float above it.
    let decimals = Decimal128Array::from(vec![125_735_641_737_510_620, 1]);
    let decimals = decimals.with_precision_and_scale(20, 20).unwrap();
    assert_eq!(scores(array(std::sync::Arc::new(decimals))).unwrap(), [0.001257356417375106, 1e-20]);
    let decimals = Decimal256Array::from_iter_values([12345_i64, 1].map(Into::into));
    let decimals = decimals.with_precision_and_scale(50, 4).unwrap();
    assert_eq!(scores(array(std::sync::Arc::new(decimals))).unwrap(), [1.2345, 0.0001]);
    assert_eq!(
        scores(array(std::sync::Arc::new(Int64Array::from(vec![1, (1 << 53) + 1])))).unwrap_err(),
        "a: row 2: the score 9007199254740993 has more digits than a float holds"
    );
    assert_eq!(
        scores(written::texts(&["0.5", "1"])).unwrap_err(),
        "a: column `score`: its type is Utf8; scores are numbers"
    );
    let grades = |column| {
        of(column, "grade");
        Qrels::read(&path)
            .map(|qrels| (qrels.grade("q", "a").unwrap(), qrels.grade("q", "b").unwrap()))
            .map_err(said)
    };
    assert_eq!(grades(array(std::sync::Arc::new(Int8Array::from(vec![-1, 3])))).unwrap(), (-1, 3));
    assert_eq!(grades(array(std::sync::Arc::new(Float64Array::from(vec![2.0, 0.0])))).unwrap(), (2, 0));
    assert_eq!(grades(array(std::sync::Arc::new(BooleanArray::from(vec![true, false])))).unwrap(), (1, 0));
    assert_eq!(
        grades(array(std::sync::Arc::new(Float64Array::from(vec![2.0, 0.5])))).unwrap_err(),
        "a: row 2: the grade 0.5 is not a whole number"
    );
    assert_eq!(
        grades(array(std::sync::Arc::new(Int64Array::from(vec![1 << 40, 0])))).unwrap_err(),
        "a: row 1: the grade 1099511627776 is out of range"
    );
    assert_eq!(
        grades(array(std::sync::Arc::new(Int64Array::from(vec![Some(1), None])))).unwrap_err(),
        "a: row 2: the grade is null"
    );
}

/// The same rows as decimals (written by pyarrow 26) and as text. DataFusion is asked the same of these files, in
/// crates/rankgate-datafusion.
#[test]
fn decimals_are_the_nearest_floats_as_text_is() {
    let bits = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name);
        let run = RunReader::new().order(Order::Score).read(path).unwrap();
        let rows = run.iter().flat_map(|(query, hits)| {
            hits.iter().map(move |hit| (query.to_owned(), hit.id.clone(), hit.score.to_bits()))
        });
        rows.collect::<Vec<_>>()
    };
    let text = bits("decimals.run");
    assert_eq!(bits("decimals.parquet"), text);
    // By hand: 0.001257356417375106 is the float nearest to both of q4, so that the higher id is first.
    let last: Vec<&str> = text[text.len() - 2..].iter().map(|(_, document, _)| document.as_str()).collect();
    assert_eq!(last, ["d1", "d0"]);
}

#[test]
fn scores_of_32_bits_are_said_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (rows, judged) = (run(5, 10), judgments(5, 10));
    Written { single: true, ..Written::default() }.run(&path("a.parquet"), &rows);
    Written::default().judgments(&path("q.parquet"), &judged);
    let qrels = Qrels::read(path("q.parquet")).unwrap();
    let scores = scoring().file(&qrels, path("a.parquet")).unwrap();
    assert!(scores.float32_scores);
    let remarks = rankgate_offline::report::remarks(&[scores]);
    assert!(
        remarks.iter().any(|remark| remark.contains(
            "a.parquet: scores are 32-bit floats or shorter; those that differ beyond their digits tie"
        )),
        "{remarks:?}"
    );
}

#[test]
fn a_place_in_a_file_is_told_of_judgments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.parquet");
    Written { group: 2, ..Written::default() }
        .judgments(&path, &rows::judged(&[("q1", "a", 1), ("q1", "b", 0), ("q2", "a", 2)]));
    let qrels = Qrels::read(&path).unwrap();
    assert_eq!(qrels.origin("q2", "a").unwrap().to_string(), format!("{}:3", path.display()));
    assert_eq!(qrels, Qrels::parse("q", b"q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n").unwrap());
}

fn read_run(path: &Path) -> Result<Run, String> {
    RunReader::new().read(path).map_err(|error| error.to_string().replace(&path.display().to_string(), "a"))
}
