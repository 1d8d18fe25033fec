//! Scores by query as columns: written, read, sealed, streamed.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use rankgate::collection::Tables;
use rankgate::run::RunWriter;
use rankgate::{Hit, Order, Qrels, Run};
use rankgate_offline::{Lines, ScoreComparisons, ScoreTable, Scores, Scoring, Seal};

use crate::rows::{self, Judged, Retrieved, judgments, run, shuffled};
use crate::written::{columns, texts};
use crate::{METRICS, bits, scoring, unnamed};

fn scored() -> (Qrels, Scores) {
    let qrels = Qrels::parse("q", rows::qrels_of(&judgments(40, 30)).as_bytes()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.run");
    std::fs::write(&path, rows::text_of(&run(40, 30))).unwrap();
    let scores = scoring().file(&qrels, &path).unwrap();
    (qrels, unnamed(scores))
}

/// The batch of a file of scores, and what it notes.
fn read_all(path: &Path) -> (RecordBatch, WriterProperties) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let notes = builder.metadata().file_metadata().key_value_metadata().unwrap();
    let notes = notes.iter().filter(|note| note.key.starts_with("rankgate.")).cloned().collect();
    let properties = WriterProperties::builder().set_key_value_metadata(Some(notes)).build();
    (builder.build().unwrap().next().unwrap().unwrap(), properties)
}

fn write(path: &Path, batches: &[RecordBatch], properties: WriterProperties) {
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batches[0].schema(), Some(properties)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
}

#[test]
fn scores_are_written_as_columns_and_read_back_to_the_last_bit() {
    let (qrels, scores) = scored();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let seal = Seal::of_judgments(&qrels);
    for name in ["a.parquet", "a.csv"] {
        scores.write(seal, path(name)).unwrap();
        let table = ScoreTable::read(path(name)).unwrap();
        assert_eq!((table.metrics(), table.judgments()), (&METRICS.map(str::to_owned)[..], Some(seal)));
        assert!(table.iter().eq(scores.per_query.as_ref().unwrap().iter()), "{name}");
    }
    let tables = ["a.parquet", "a.csv"].map(|name| ScoreTable::read(path(name)).unwrap());
    assert_eq!(tables[0], tables[1]);
    let compared =
        ScoreComparisons::new(&[("a", &tables[0]), ("b", &tables[1])], &[], &Default::default(), None, 5)
            .unwrap();
    assert!(compared.comparisons.iter().all(|one| one.difference == 0.0 && one.ties == one.queries));
    let other = Seal::of_judgments(&Qrels::parse("q", b"q 0 d 1\n").unwrap());
    scores.write(other, path("other.parquet")).unwrap();
    let other = ScoreTable::read(path("other.parquet")).unwrap();
    let error = ScoreComparisons::new(&[("a", &tables[1]), ("b", &other)], &[], &Default::default(), None, 5);
    assert!(error.unwrap_err().to_string().starts_with("a and b rest on different judgments"));
}

#[test]
fn a_row_that_is_dropped_changed_or_doubled_breaks_the_seal_of_a_file() {
    let (qrels, scores) = scored();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    scores.write(Seal::of_judgments(&qrels), &path).unwrap();
    let rows = || read_all(&path).0;
    let error = |batches: &[RecordBatch]| {
        let broken = folder.path().join("b.parquet");
        write(&broken, batches, read_all(&path).1);
        ScoreTable::read(&broken)
            .map(drop)
            .map_err(|error| error.to_string().replace(&broken.display().to_string(), "b"))
    };
    let count = rows().num_rows();
    // As it is, and in another order.
    assert_eq!(error(&[rows()]), Ok(()));
    assert_eq!(error(&[rows().slice(count / 2, count - count / 2), rows().slice(0, count / 2)]), Ok(()));
    let dropped = error(&[rows().slice(0, 3), rows().slice(4, count - 4)]).unwrap_err();
    assert!(
        dropped.starts_with("b: its rows are not those that were written: the seal in it is "),
        "{dropped}"
    );
    let mut columns = rows().columns().to_vec();
    let mut changed: Vec<f64> = scores.per_query.as_ref().unwrap().iter().map(|(_, row)| row[0]).collect();
    changed[7] = f64::from_bits(changed[7].to_bits() + 1);
    columns[1] = Arc::new(Float64Array::from(changed));
    let changed = error(&[RecordBatch::try_new(rows().schema(), columns).unwrap()]).unwrap_err();
    assert!(changed.starts_with("b: its rows are not those that were written"), "{changed}");
    // One that comes twice has a place to be named.
    let doubled = error(&[rows(), rows().slice(5, 1)]).unwrap_err();
    assert!(doubled.starts_with(&format!("b: row {}: query `", count + 1)), "{doubled}");
}

#[test]
fn scores_of_other_tools_come_as_columns_of_any_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let clicks: ArrayRef = Arc::new(Int64Array::from(vec![3, 0]));
    let ndcg = |values: Vec<Option<f64>>| -> ArrayRef { Arc::new(Float64Array::from(values)) };
    let read = |ndcg: ArrayRef| {
        let index: ArrayRef = Arc::new(Int64Array::from(vec![0, 1]));
        let all = [
            ("ndcg_cut_10", ndcg),
            ("qid", texts(&["q2", "q1"])),
            ("clicks", clicks.clone()),
            ("__index_level_0__", index),
        ];
        columns(&path, &all);
        ScoreTable::read(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "a"))
    };
    let table = read(ndcg(vec![Some(0.25), Some(0.5)])).unwrap();
    assert_eq!(table.metrics(), ["nDCG@10", "clicks"]);
    assert!(table.iter().eq([("q1", &[0.5, 0.0][..]), ("q2", &[0.25, 3.0][..])]));
    assert_eq!(read(ndcg(vec![Some(0.25), None])).unwrap_err(), "a: row 2: nDCG@10 of query `q1` is null");
    assert_eq!(
        read(ndcg(vec![Some(f64::INFINITY), Some(0.5)])).unwrap_err(),
        "a: row 1: nDCG@10 of query `q2` is inf"
    );
    assert_eq!(
        read(texts(&["x", "y"])).unwrap_err(),
        "a: column `ndcg_cut_10`: its type is Utf8; scores are numbers"
    );
}

/// Rows of both sides in one table, as `UNION ALL` gives them, in batches of some rows.
fn stream(retrieved: &[Retrieved], judged: &[Judged], ranked: bool) -> Vec<u8> {
    let number = if ranked {
        Field::new("rank", DataType::Float64, true)
    } else {
        Field::new("score", DataType::Float64, true)
    };
    let schema = Arc::new(Schema::new(vec![
        Field::new("query", DataType::Utf8, false),
        Field::new("document", DataType::Utf8, false),
        number,
        Field::new("grade", DataType::Int32, true),
    ]));
    let both: Vec<(&str, &str, Option<f64>, Option<i32>)> = retrieved
        .iter()
        .map(|row| (row.query.as_str(), row.document.as_str(), row.score, None))
        .chain(judged.iter().map(|row| (row.query.as_str(), row.document.as_str(), None, Some(row.grade))))
        .collect();
    let both = shuffled(&both);
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).unwrap();
    for rows in both.chunks(333) {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(rows.iter().map(|row| Some(row.0)).collect::<StringArray>()),
            Arc::new(rows.iter().map(|row| Some(row.1)).collect::<StringArray>()),
            Arc::new(rows.iter().map(|row| row.2).collect::<Float64Array>()),
            Arc::new(rows.iter().map(|row| row.3).collect::<Int32Array>()),
        ];
        writer.write(&RecordBatch::try_new(schema.clone(), columns).unwrap()).unwrap();
    }
    writer.into_inner().unwrap()
}

fn streamed(scoring: &Scoring, tables: &Tables, from: &[u8]) -> Result<Vec<RecordBatch>, String> {
    let mut to = Vec::new();
    let done = scoring.stream(tables, Some(3), from, &mut to);
    if let Err(error) = done {
        assert!(to.is_empty(), "something was written before {error}");
        return Err(error.to_string());
    }
    Ok(StreamReader::try_new(&to[..], None).unwrap().map(Result::unwrap).collect())
}

#[test]
fn a_stream_is_scored_as_the_files_of_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (retrieved, judged) = (run(100, 400), judgments(100, 400));
    std::fs::write(path("a.run"), rows::text_of(&retrieved)).unwrap();
    std::fs::write(path("a.qrels"), rows::qrels_of(&judged)).unwrap();
    let qrels = Qrels::read(path("a.qrels")).unwrap();
    let expected = unnamed(scoring().file(&qrels, path("a.run")).unwrap());
    let bytes = stream(&retrieved, &judged, false);
    for (memory, threads) in [(Tables::MEMORY, 1), (Tables::LEAST, 1), (Tables::LEAST, 4)] {
        let tables = Tables::default().memory(memory);
        let batches = rankgate::__private::within(threads, || streamed(&scoring(), &tables, &bytes).unwrap());
        write(&path("lines.parquet"), &batches, WriterProperties::default());
        let lines = Lines::read(path("lines.parquet")).unwrap();
        assert_eq!(lines.metrics(), METRICS);
        let scores = unnamed(lines.scores(&scoring()).unwrap());
        assert_eq!(bits(&scores), bits(&expected), "{memory} {threads}");
        assert_eq!(scores, expected, "{memory} {threads}");
        // What compares scores reads them as well, the queries that nobody judged left out.
        let table = ScoreTable::read(path("lines.parquet")).unwrap();
        assert!(table.iter().eq(expected.per_query.as_ref().unwrap().iter()));
    }
    let one =
        Lines::read(path("lines.parquet")).unwrap().scores(&Scoring::new(["AP".parse().unwrap()])).unwrap();
    assert_eq!(one.mean.get("AP"), expected.mean.get("AP"));
    let other = Lines::read(path("lines.parquet")).unwrap().scores(&Scoring::new(["P@5".parse().unwrap()]));
    assert!(other.unwrap_err().to_string().ends_with("has no P@5: it has nDCG@10, AP, RR, ERR@5, Judged@10"));
}

#[test]
fn a_stream_that_is_wrong_gives_nothing() {
    let tables = Tables::default();
    let error = |retrieved: &[Retrieved], judged: &[Judged]| {
        streamed(&scoring(), &tables, &stream(retrieved, judged, false)).unwrap_err()
    };
    let judged = rows::judged(&[("q1", "a", 1)]);
    let neither = Retrieved { query: "q1".into(), document: "a".into(), score: None };
    assert_eq!(error(&[neither], &[]), "the stream: row 1: it has neither a grade nor a score or rank");
    let twice = rows::retrieved(&[("q1", "a", 1.0), ("q1", "a", 2.0)]);
    assert_eq!(error(&twice, &judged), "query `q1`: document `a` comes twice");
    assert_eq!(
        error(&[], &rows::judged(&[("q1", "a", 1), ("q1", "a", 0)])),
        "query `q1`: document `a` is judged twice"
    );
    assert_eq!(error(&[], &rows::judged(&[("q1", "a", 4)])), "--max-grade is 3, and there is a grade of 4");
    let nan = rows::retrieved(&[("q1", "a", f64::NAN)]);
    assert_eq!(error(&nan, &[]), "the stream: row 1: the score is NaN");

    let whole = stream(&run(3, 400), &judged, false);
    for length in 0..whole.len() {
        let error = streamed(&scoring(), &tables, &whole[..length]).unwrap_err();
        assert!(
            error.starts_with("the stream: it cannot be read as a stream of Arrow, at byte "),
            "{length}: {error}"
        );
    }
    let missing = scoring().stream(&tables, None, &whole[..], &mut Vec::new()).unwrap_err().to_string();
    assert_eq!(missing, "ERR@5 scales by the highest grade of all judgments, which `--max-grade` says");
}

#[test]
fn a_second_stream_is_refused_and_not_dropped() {
    let (tables, judged) = (Tables::default(), rows::judged(&[("q1", "a", 1)]));
    let one = stream(&run(3, 40), &judged, false);
    let end = one.len();
    for more in [&one[..], &[0], b"q1 Q0 a 1 1 t\n", &[0xff; 8]] {
        let error = streamed(&scoring(), &tables, &[&one[..], more].concat()).unwrap_err();
        let said = "the stream: it cannot be read as a stream of Arrow, at byte ";
        assert_eq!(error, format!("{said}{end}: more follows after its end: give one stream, not several"));
    }
    // Without the end marker between them the second schema is one too many.
    let error = streamed(&scoring(), &tables, &[&one[..end - 8], &one].concat()).unwrap_err();
    assert!(error.contains("Not expecting a schema"), "{error}");
}

/// Whatever length a message claims, memory is that of what has been read: every four and eight bytes of a stream in
/// turn are made a large number.
#[test]
fn lengths_that_a_stream_only_claims_allocate_nothing() {
    let (tables, judged) = (Tables::default(), rows::judged(&[("q1", "a", 1)]));
    let whole = stream(&run(2, 2), &judged, false);
    assert!(whole.len() < 2000, "{}", whole.len());
    let mut refused = 0;
    for at in 0..whole.len() {
        for claim in [&i32::MAX.to_le_bytes()[..], &(1_u64 << 60).to_le_bytes(), &(1_u64 << 40).to_le_bytes()]
        {
            let mut broken = whole.clone();
            let end = broken.len().min(at + claim.len());
            broken[at..end].copy_from_slice(&claim[..end - at]);
            refused += usize::from(streamed(&scoring(), &tables, &broken).is_err());
        }
    }
    assert!(refused > whole.len(), "{refused}");
}

#[test]
fn ranks_of_a_stream_say_the_order() {
    let retrieved = rows::retrieved(&[("q1", "a", 2.0), ("q1", "b", 1.0)]);
    let judged = rows::judged(&[("q1", "a", 1)]);
    let scoring = Scoring::new(["RR".parse().unwrap()]);
    let batches = streamed(&scoring, &Tables::default(), &stream(&retrieved, &judged, true)).unwrap();
    let scores = batches[0].column_by_name("RR").unwrap();
    // By hand: rank 1 is b's, so the relevant one is second.
    assert_eq!(scores.as_any().downcast_ref::<Float64Array>().unwrap().values(), &[0.5]);
}

#[test]
fn runs_and_judgments_are_written_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let hits = vec![Hit::new("a b", 0.1 + 0.2), Hit::new("c", f64::NEG_INFINITY)];
    let run = Run::from_rankings([("q 1", hits), ("q2", vec![Hit::new("%", -0.0)])]).unwrap();
    RunWriter::new("mine").write(&run, path("a.parquet")).unwrap();
    let read = Run::read(path("a.parquet"), Order::Score).unwrap();
    assert!(read.iter().eq(run.iter()));
    // The order is that of the ranks where the scores say another one.
    let turned = Run::from_rankings([("q", vec![Hit::new("a", 1.0), Hit::new("b", 2.0)])]).unwrap();
    RunWriter::new("mine").write(&turned, path("b.parquet")).unwrap();
    assert!(Run::read(path("b.parquet"), Order::Rank).unwrap().iter().eq(turned.iter()));
    let qrels = Qrels::parse("q", b"q1 0 d1 2\nq1 0 d2 -1\nq2 0 d1 0\n").unwrap();
    qrels.write_parquet(path("q.parquet")).unwrap();
    assert_eq!(Qrels::read(path("q.parquet")).unwrap(), qrels);
}
