//! Rows to test with, as Parquet files and as the text files of TREC.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, DictionaryArray, Float32Array, Float64Array, Int32Array, Int64Array, LargeStringArray,
    RecordBatch, StringArray,
};
use datafusion::arrow::datatypes::Int32Type;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::prelude::{SessionConfig, SessionContext};
use rankgate_cli::offline::{Scores, Scoring};
use rankgate_core::collection::Qrels;
use rankgate_core::metric::parse_list;
use rankgate_core::run::Order;
use rankgate_datafusion::{
    Evaluated, Evaluating, Options, Place, Side, Stores, Table, Unscorable, runtime, state,
};
use rankgate_report::Judging;
use rankgate_tables::ColumnNames;

pub(crate) const METRICS: &str = "nDCG@10,AP,RR@10,P@10,R@100,Judged@10,ERR@5,NumRet";

/// Query, document, score.
pub(crate) type Retrieved = (String, String, f64);
/// Query, document, grade.
pub(crate) type Judged = (String, String, i32);

/// Numbers that look random and are the same in every run (splitmix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    pub(crate) fn shuffle<T>(&mut self, rows: &mut [T]) {
        for last in (1..rows.len()).rev() {
            rows.swap(last, self.roll(last as u64 + 1) as usize);
        }
    }
}

/// Rankings with ties, judged in part; every seventh query is not judged, every eleventh not answered.
pub(crate) fn rows(queries: u64, depth: u64) -> (Vec<Retrieved>, Vec<Judged>) {
    let mut dice = Dice(7);
    let (mut retrieved, mut judged) = (Vec::new(), Vec::new());
    for query in 0..queries {
        let id = format!("q{query}");
        for document in 0..depth + dice.roll(20) {
            let name = format!("d{}", (document * 7919 + query) % (depth * 10));
            if query % 11 != 3 {
                retrieved.push((id.clone(), name.clone(), dice.roll(depth * 3) as f64 / 7.0));
            }
            if query % 7 != 5 && dice.roll(3) == 0 {
                judged.push((id.clone(), name, dice.roll(5) as i32 - 1));
            }
        }
        if query % 7 != 5 {
            judged.push((id, "elsewhere".to_owned(), 1 + dice.roll(3) as i32));
        }
    }
    (retrieved, judged)
}

pub(crate) fn columns(names: [&str; 3], columns: [ArrayRef; 3]) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        names.into_iter().zip(columns).map(|(name, column)| (name, column, true)),
    )
    .unwrap()
}

pub(crate) fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

pub(crate) fn run_batch(rows: &[Retrieved]) -> RecordBatch {
    let scores = Float64Array::from_iter_values(rows.iter().map(|row| row.2));
    let (queries, documents) =
        (texts(rows.iter().map(|row| row.0.as_str())), texts(rows.iter().map(|row| row.1.as_str())));
    columns(["query", "document", "score"], [queries, documents, Arc::new(scores)])
}

pub(crate) fn judgments_batch(rows: &[Judged]) -> RecordBatch {
    let grades = Int32Array::from_iter_values(rows.iter().map(|row| row.2));
    let (queries, documents) =
        (texts(rows.iter().map(|row| row.0.as_str())), texts(rows.iter().map(|row| row.1.as_str())));
    columns(["query", "document", "grade"], [queries, documents, Arc::new(grades)])
}

/// The same rows in the types that other writers choose: dictionaries, long offsets, 64-bit grades.
pub(crate) fn in_other_types(batch: &RecordBatch) -> RecordBatch {
    use datafusion::arrow::array::AsArray;
    let [queries, documents, values] = batch.columns() else { unreachable!() };
    let schema = batch.schema();
    let names = [0, 1, 2].map(|column| schema.field(column).name().as_str());
    let queries: DictionaryArray<Int32Type> = queries.as_string::<i32>().iter().collect();
    let documents: LargeStringArray = documents.as_string::<i32>().iter().collect();
    let values: ArrayRef = match values.as_primitive_opt::<Int32Type>() {
        Some(grades) => Arc::new(grades.iter().map(|grade| grade.map(i64::from)).collect::<Int64Array>()),
        None => Arc::clone(values),
    };
    columns(names, [Arc::new(queries), Arc::new(documents), values])
}

/// Scores as 32-bit floats.
pub(crate) fn short(rows: &[Retrieved]) -> RecordBatch {
    let batch = run_batch(rows);
    let scores = Float32Array::from_iter_values(rows.iter().map(|row| row.2 as f32));
    columns(
        ["query", "document", "score"],
        [Arc::clone(batch.column(0)), Arc::clone(batch.column(1)), Arc::new(scores)],
    )
}

pub(crate) fn write(path: &Path, batch: &RecordBatch, row_group: usize) {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(row_group)).build();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// A folder with the rows as `qrels` and `run`, split over files.
pub(crate) fn split(
    folder: &Path,
    run: &RecordBatch,
    judgments: &RecordBatch,
    files: usize,
) -> (PathBuf, PathBuf) {
    let each = |name: &str, batch: &RecordBatch| {
        let length = batch.num_rows().div_ceil(files).max(1);
        for file in 0..files {
            let from = (file * length).min(batch.num_rows());
            let part = batch.slice(from, length.min(batch.num_rows() - from));
            let batch = if file % 2 == 1 { in_other_types(&part) } else { part };
            write(&folder.join(name).join(format!("part-{file}.parquet")), &batch, 1000);
        }
        folder.join(name)
    };
    (each("qrels", judgments), each("run", run))
}

/// What the text road says of the same rows.
pub(crate) fn by_text(folder: &Path, run: &[Retrieved], judgments: &[Judged]) -> Scores {
    let lines = |rows: Vec<String>| rows.concat();
    let run = lines(run.iter().map(|(q, d, score)| format!("{q} Q0 {d} 1 {score} t\n")).collect());
    let qrels = lines(judgments.iter().map(|(q, d, grade)| format!("{q} 0 {d} {grade}\n")).collect());
    let (path, qrels_path) = (folder.join("text.run"), folder.join("text.qrels"));
    fs::write(&path, run).unwrap();
    fs::write(&qrels_path, qrels).unwrap();
    scoring().order(Order::Score).file(&Qrels::read(&qrels_path).unwrap(), &path).unwrap()
}

pub(crate) fn scoring() -> Scoring {
    Scoring::new(parse_list(METRICS).unwrap().into_iter().map(|one| one.metric)).per_query(true)
}

pub(crate) async fn evaluating(qrels: &str, run: &str) -> datafusion::common::Result<Evaluating> {
    let stores = Stores::default();
    let names = ColumnNames::default();
    let run = Table::open(Side::Run, Place::parse(run)?, &names, None, &stores).await?;
    Ok(Evaluating {
        judgments: Table::open(Side::Judgments, Place::parse(qrels)?, &names, None, &stores).await?,
        scoring: scoring().order(run.order()),
        options: Options {
            metrics: parse_list(METRICS).unwrap().into_iter().map(|one| one.metric).collect(),
            judging: Judging::default(),
            order: run.order(),
            max_grade: None,
            unscorable: Unscorable::default(),
        },
        run,
        tasks: 3,
    })
}

pub(crate) fn engine(partitions: usize, memory: Option<usize>) -> SessionContext {
    // Small batches where memory is small: two of them have to fit.
    let batch = if memory.is_some() { 512 } else { 8192 };
    let config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(batch);
    SessionContext::new_with_state(state(config, runtime(Arc::new(Stores::default()), memory).unwrap()))
}

pub(crate) async fn evaluate(
    qrels: &Path,
    run: &Path,
    engine: &SessionContext,
) -> datafusion::common::Result<Evaluated> {
    evaluating(qrels.to_str().unwrap(), run.to_str().unwrap()).await?.by(engine).await
}

/// Equal in every bit; only the run's name is where it lies.
pub(crate) fn assert_same_bits(one: &Scores, other: &Scores, what: &str) {
    let bits = |scores: &Scores| {
        let rows = scores.per_query.as_ref().unwrap();
        rows.iter()
            .map(|(query, row)| {
                (query.to_owned(), row.iter().map(|score| score.to_bits()).collect::<Vec<_>>())
            })
            .collect::<Vec<_>>()
    };
    let means = |scores: &Scores| {
        scores.mean.iter().map(|(metric, mean)| (metric.to_owned(), mean.to_bits())).collect::<Vec<_>>()
    };
    assert_eq!(bits(one), bits(other), "{what}");
    assert_eq!(means(one), means(other), "{what}");
    let mut renamed = other.clone();
    renamed.run.clone_from(&one.run);
    assert_eq!(one, &renamed, "{what}");
}

/// What an error says, without the kind that DataFusion puts before it.
pub(crate) fn error_text(error: &datafusion::common::DataFusionError) -> String {
    let text = error.strip_backtrace();
    text.strip_prefix("Execution error: ").map_or(text.clone(), str::to_owned)
}
