//! Tables as engines write them: the same as text, and errors that name file, row and column.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float16Array, Float32Array,
    Float64Array, Int32Array, Int64Array, LargeStringArray, ListArray, RecordBatch, StringArray, UInt32Array,
    UInt64Array,
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use rankgate_core::run::{Order, Run, RunReader};
use rankgate_core::scores::ScoreTable;
use rankgate_tables::{ColumnNames, files, read_judgments, read_run, read_scores, write_scores};

type Columns<'a> = Vec<(&'a str, ArrayRef)>;

/// Writes columns in row groups of five rows.
fn write(path: &Path, columns: Columns<'_>) {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, c)| (name, c, true)));
    let batch = batch.unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(5)).build();
    let file = fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn floats(values: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

/// Six queries of seven documents, in an order of rows that is none.
fn rows() -> Vec<(String, i64, f64)> {
    let row = |at: usize| (format!("q{}", at % 6), 100 + (at * 11 % 7) as i64, ((at * 5) % 9) as f64 / 8.0);
    (0..42).map(|at| row(at * 25 % 42)).collect()
}

fn run_columns(rows: &[(String, i64, f64)]) -> Columns<'static> {
    vec![
        ("qid", Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row.0)))),
        ("docno", Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.1)))),
        ("score", Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.2)))),
    ]
}

fn run(path: &Path, order: Option<Order>) -> Result<Run, String> {
    let paths = files(path).unwrap().ok_or("no table")?;
    let read = |paths: &[PathBuf]| {
        let source = read_run(path, paths, &ColumnNames::default(), order)?;
        RunReader::new().order(order).read_source(&source)
    };
    read(&paths).map_err(|error| error.to_string())
}

#[test]
fn rows_in_any_order_and_number_of_files_are_the_run_that_is_text() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows();
    let text: String =
        rows.iter().map(|(query, document, score)| format!("{query} Q0 {document} 0 {score} t\n")).collect();
    let expected = RunReader::new().parse("a.run", text.as_bytes()).unwrap();
    let rankings = |run: &Run| {
        let of_query = |(query, hits): (&str, &[rankgate_core::run::Hit])| (query.to_owned(), hits.to_vec());
        run.iter().map(of_query).collect::<Vec<_>>()
    };
    for parts in [1, 3] {
        let into = folder.path().join(format!("{parts}/day=1"));
        fs::create_dir_all(&into).unwrap();
        for (index, part) in rows.chunks(rows.len().div_ceil(parts)).enumerate() {
            write(&into.join(format!("part-{index}.parquet")), run_columns(part));
        }
        fs::write(into.join("_SUCCESS"), "").unwrap();
        let found = run(&folder.path().join(parts.to_string()), None).unwrap();
        assert_eq!(rankings(&found), rankings(&expected), "{parts}");
    }
    fs::write(folder.path().join("3/day=1/notes.txt"), "text").unwrap();
    let error = files(&folder.path().join("3")).unwrap_err().to_string();
    assert!(error.contains("notes.txt: this is not a Parquet file"), "{error}");
    assert_eq!(files(&folder.path().join("none")).unwrap(), None);
}

/// Decimals as pyarrow writes them, beside the same numbers as text.
#[test]
fn decimals_are_the_floats_that_their_text_is() {
    let data = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name);
    let expected = RunReader::new().read_source(&data("decimals.run").into()).unwrap();
    let found = run(&data("decimals.parquet"), None).unwrap();
    assert!(found.iter().eq(expected.iter()));
}

/// Types as Arrow's own writer writes them: pandas, Polars and DuckDB choose among these.
#[test]
fn ids_and_numbers_are_read_from_each_type_that_engines_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let read = |queries: ArrayRef, documents: ArrayRef, scores: ArrayRef| {
        write(&path, vec![("query", queries), ("document", documents), ("score", scores)]);
        let hits = |run: Run| {
            let hits =
                run.iter().flat_map(|(query, hits)| hits.iter().map(move |hit| (query.to_owned(), hit)));
            hits.map(|(query, hit)| format!("{query} {} {:?}", hit.id, hit.score)).collect::<Vec<_>>()
        };
        run(&path, None).map(hits)
    };
    let categories: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::from_iter(["q", "q"]));
    let unsigned: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX, 7]));
    let halves = Float16Array::from(vec![half::f16::from_f32(0.5), half::f16::from_f32(-0.25)]);
    let found = read(categories, unsigned, Arc::new(halves)).unwrap();
    assert_eq!(found, ["q 18446744073709551615 0.5", "q 7 -0.25"]);
    let money = Decimal128Array::from(vec![-105, 2]).with_precision_and_scale(20, 2).unwrap();
    let large: ArrayRef = Arc::new(LargeStringArray::from(vec!["q", "q"]));
    let whole = Decimal128Array::from(vec![12, 34]).with_precision_and_scale(30, 0).unwrap();
    assert_eq!(read(large.clone(), Arc::new(whole), Arc::new(money)).unwrap(), ["q 34 0.02", "q 12 -1.05"]);
    let unsigned: ArrayRef = Arc::new(UInt32Array::from(vec![u32::MAX, 7]));
    assert!(read(texts(&["q", "q"]), large.clone(), unsigned).unwrap_err().contains("again"));
    let dates: ArrayRef = Arc::new(Date32Array::from(vec![1, 2]));
    let error = read(large.clone(), dates, floats(&[1.0, 2.0])).unwrap_err();
    assert!(
        error.ends_with("column `document`: it holds values of the type Date; ids are text or whole numbers"),
        "{error}"
    );
    let error = read(large.clone(), floats(&[1.5, 2.0]), floats(&[1.0, 2.0])).unwrap_err();
    assert!(
        error.ends_with(
            "column `document`: it holds values of the type fractions; ids are text or whole numbers"
        ),
        "{error}"
    );
    let lists = ListArray::from_iter_primitive::<Float64Type, _, _>([Some(vec![Some(1.0)]), Some(vec![])]);
    let error = read(large, texts(&["a", "b"]), Arc::new(lists)).unwrap_err();
    assert!(error.contains("column `score`: it holds values of the type a list, map or struct"), "{error}");
}

#[test]
fn ranks_give_the_order_if_there_are_no_scores_or_if_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let ids = |run: &Run| run.ranking("q").unwrap().iter().map(|hit| hit.id.clone()).collect::<String>();
    let columns = || {
        let ranks: ArrayRef = Arc::new(Int32Array::from(vec![2, 3, 1]));
        vec![("query", texts(&["q"; 3])), ("document", texts(&["a", "b", "c"])), ("rank", ranks)]
    };
    write(&path, columns());
    assert_eq!(ids(&run(&path, None).unwrap()), "cab");
    let error = run(&path, Some(Order::Score)).unwrap_err();
    assert!(
        error.contains("a.parquet: no column is called score; there are query, document, rank"),
        "{error}"
    );
    let scores = ("score", Arc::new(Float32Array::from(vec![1.0, 2.0, 3.0])) as ArrayRef);
    write(&path, [columns(), vec![scores]].concat());
    assert_eq!(ids(&run(&path, None).unwrap()), "cba");
    assert_eq!(ids(&run(&path, Some(Order::Rank)).unwrap()), "cab");
}

#[test]
fn a_value_that_does_not_fit_is_an_error_with_file_row_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let error = |columns: Columns<'_>| {
        write(&path, columns);
        let error = run(&path, None).unwrap_err();
        error[error.find("a.parquet").unwrap()..].to_owned()
    };
    let base = |score: ArrayRef| {
        vec![("query", texts(&["q"; 2])), ("document", texts(&["a", "b"])), ("score", score)]
    };
    let null: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
    assert_eq!(error(base(null)), "a.parquet: row 2, column `score`: the value is null");
    assert_eq!(error(base(floats(&[f64::NAN, 1.0]))), "a.parquet: row 1, column `score`: the value is NaN");
    assert_eq!(
        error(base(texts(&["1", "2"]))),
        "a.parquet: column `score`: it holds values of the type text; scores, ranks and grades are numbers"
    );
    let large: ArrayRef = Arc::new(Int64Array::from(vec![1, (1 << 53) + 1]));
    assert_eq!(
        error(base(large)),
        "a.parquet: row 2, column `score`: 9007199254740993 has more digits than a float holds"
    );
    let mut empty = base(floats(&[1.0, 2.0]));
    empty[1].1 = texts(&["a", ""]);
    assert_eq!(error(empty), "a.parquet: row 2, column `document`: the id is empty");
    let mut twice = base(floats(&[1.0, 2.0]));
    twice[1].1 = texts(&["a", "a"]);
    assert_eq!(error(twice), "a.parquet:2: document of query `q` again (first in line 1): `a`");
}

#[test]
fn judgments_are_whole_numbers_or_booleans_and_stand_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.parquet");
    let read = |documents: &[&str], grades: ArrayRef| {
        write(&path, vec![("query", texts(&["q"; 2])), ("doc", texts(documents)), ("label", grades)]);
        let read = read_judgments(&path, std::slice::from_ref(&path), &ColumnNames::default());
        read.map_err(|error| error.to_string())
    };
    let booleans: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
    assert_eq!(read(&["a", "b"], booleans).unwrap().grade("q", "a"), Some(1));
    let qrels = read(&["a", "b"], floats(&[2.0, -1.0])).unwrap();
    assert_eq!((qrels.grade("q", "a"), qrels.grade("q", "b")), (Some(2), Some(-1)));
    for (documents, grades, expected) in [
        (["a", "b"], [0.5, 1.0], "q.parquet: row 1, column `label`: 0.5 is not a whole number"),
        (["a", "b"], [1.0, 3e9], "q.parquet: row 2, column `label`: the grade 3000000000 is out of range"),
        (["a", "a"], [1.0, 1.0], "q.parquet: row 2: document `a` is judged twice for query `q`"),
    ] {
        let error = read(&documents, floats(&grades)).unwrap_err();
        assert!(error.ends_with(expected), "{error}");
    }
}

#[test]
fn scores_are_read_back_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.parquet");
    let rows = [("q1", [0.1 + 0.2, -0.0]), ("q2", [f64::MIN_POSITIVE, 1.0])];
    let lines = rows.map(|(query, [ndcg, ap])| format!("{query},{ndcg:?},{ap:?}\n")).concat();
    let table = ScoreTable::parse(&path, &format!("query,nDCG@10,AP\n{lines}"), "x").unwrap();
    write_scores(&path, &table).unwrap();
    let read = read_scores(std::slice::from_ref(&path)).unwrap();
    for (query, values) in rows {
        let bits = ["nDCG@10", "AP"].map(|name| read.columns[name].get(query).unwrap().value.to_bits());
        assert_eq!(bits, values.map(f64::to_bits), "{query}");
    }
    let index: ArrayRef = Arc::new(Int64Array::from(vec![0]));
    write(&path, vec![("query_id", texts(&["q"])), ("__index_level_0__", index), ("AP", floats(&[0.5]))]);
    assert!(read_scores(std::slice::from_ref(&path)).unwrap().columns.keys().eq(["AP"]));
    write(&path, vec![("id", texts(&["q"])), ("AP", floats(&[0.5]))]);
    let error = read_scores(std::slice::from_ref(&path)).unwrap_err().to_string();
    assert!(error.ends_with("s.parquet: no column is called query"), "{error}");
}

#[test]
fn a_broken_file_is_an_error_or_a_run_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, run_columns(&rows()[..12]));
    let whole = fs::read(&path).unwrap();
    for length in (8..whole.len()).step_by(29) {
        fs::write(&path, &whole[..length]).unwrap();
        let error = run(&path, None).unwrap_err();
        assert!(error.contains("a.parquet: it cannot be read as Parquet: "), "{length}: {error}");
    }
    let mut refused = 0;
    for at in (5..whole.len()).step_by(5) {
        let mut broken = whole.clone();
        broken[at] ^= if at % 2 == 0 { 0xff } else { 1 << (at % 8) };
        fs::write(&path, &broken).unwrap();
        refused += usize::from(run(&path, None).is_err());
    }
    assert!(refused > whole.len() / 50, "{refused} of {}", whole.len());
}

/// A file with checksums of its pages, by pyarrow 26 (`write_page_checksum=True`): no changed byte of a page gives other
/// scores.
#[test]
fn a_page_that_is_not_what_was_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/checksums.parquet");
    let whole = fs::read(data).unwrap();
    fs::write(&path, &whole).unwrap();
    let expected = run(&path, None).unwrap();
    let footer = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap()) as usize;
    let (pages, mut mismatches) = (5..whole.len() - 8 - footer, 0);
    for at in pages.clone().step_by(3) {
        let mut broken = whole.clone();
        broken[at] ^= 1 << (at % 8);
        fs::write(&path, &broken).unwrap();
        match run(&path, None) {
            Ok(run) => assert!(run == expected, "byte {at}"),
            Err(error) => mismatches += usize::from(error.contains("Page CRC checksum mismatch")),
        }
    }
    // Most bytes are those of pages, the others those of their headers.
    assert!(mismatches > pages.len() / 6, "{mismatches} of {}", pages.len());
}
