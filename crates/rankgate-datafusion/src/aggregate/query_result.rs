//! What `rank_eval` returns: a struct for each query, as Arrow holds it.

use std::sync::Arc;

use crate::Seal;
use datafusion::arrow::array::{
    Array, ArrayBuilder, ArrayRef, AsArray, BooleanBuilder, FixedSizeBinaryBuilder, Float64Builder,
    Int32Builder, ListBuilder, StringBuilder, StructArray, UInt64Builder,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Fields, Float64Type, Int32Type, UInt64Type};
use datafusion::common::{Result, exec_err, internal_datafusion_err};
use rankgate_cli::offline::QueryScores;

/// Bytes of a [`Seal`].
const SEAL: i32 = Seal::BYTES as i32;

/// A query's scores, and the seals of the rows that they were made of.
#[derive(Clone, Debug)]
pub struct SealedResult {
    /// What the kernel says of the query, or why it says nothing.
    pub scores: Result<QueryScores, String>,
    /// The run's rows.
    pub retrieved: Seal,
    /// The rows of judgments.
    pub judged: Seal,
}

/// The type. The lists' offsets have 32 bits, and [`Results::push`] guards them: arrow-flight 59 announces lists with
/// 64-bit ones as lists with 32-bit ones, and what a cluster returns would be of another type than what was planned.
pub(super) fn data_type() -> DataType {
    DataType::Struct(fields())
}

fn fields() -> Fields {
    let score = Arc::new(Field::new("item", DataType::Float64, true));
    Fields::from(vec![
        Field::new("scores", DataType::List(score), false),
        Field::new("retrieved", DataType::UInt64, false),
        Field::new("judged", DataType::UInt64, false),
        Field::new("judged_retrieved", DataType::UInt64, false),
        Field::new("tied_scores", DataType::UInt64, false),
        Field::new("best_grade", DataType::Int32, true),
        Field::new("identical", DataType::Boolean, false),
        Field::new("retrieved_seal", DataType::FixedSizeBinary(SEAL), false),
        Field::new("judged_seal", DataType::FixedSizeBinary(SEAL), false),
        Field::new("error", DataType::Utf8, true),
    ])
}

/// Collects results into an array.
pub(super) struct Results {
    scores: ListBuilder<Float64Builder>,
    counts: [UInt64Builder; 4],
    best_grade: Int32Builder,
    identical: BooleanBuilder,
    seals: [FixedSizeBinaryBuilder; 2],
    errors: StringBuilder,
    valid: Vec<bool>,
}

impl Results {
    pub(super) fn with_capacity(queries: usize) -> Self {
        Self {
            scores: ListBuilder::with_capacity(Float64Builder::new(), queries),
            counts: std::array::from_fn(|_| UInt64Builder::with_capacity(queries)),
            best_grade: Int32Builder::with_capacity(queries),
            identical: BooleanBuilder::with_capacity(queries),
            seals: std::array::from_fn(|_| FixedSizeBinaryBuilder::with_capacity(queries, SEAL)),
            errors: StringBuilder::new(),
            valid: Vec::with_capacity(queries),
        }
    }

    pub(super) fn push(&mut self, result: &SealedResult) -> Result<()> {
        let SealedResult { scores, retrieved, judged } = result;
        let (scores, error) = match scores {
            Ok(scores) => (scores, None),
            Err(why) => (&QueryScores::default(), Some(why)),
        };
        let held = ArrayBuilder::len(self.scores.values()) + scores.scores.len();
        let told = self.errors.values_slice().len() + error.map_or(0, String::len);
        if i32::try_from(held.max(told)).is_err() {
            return exec_err!(
                "rank_eval: one partition has more than 2^31 scores or 2 GiB of errors: split the rows into more partitions"
            );
        }
        self.scores.values().append_slice(&scores.scores);
        self.scores.append(true);
        let counts = [scores.retrieved, scores.judged, scores.judged_retrieved, scores.tied_scores];
        for (builder, count) in self.counts.iter_mut().zip(counts) {
            builder.append_value(count as u64);
        }
        self.best_grade.append_option(scores.best_grade);
        self.identical.append_value(scores.identical);
        self.seals[0].append_value(retrieved.to_bytes())?;
        self.seals[1].append_value(judged.to_bytes())?;
        self.errors.append_option(error);
        self.valid.push(true);
        Ok(())
    }

    /// A group all of whose rows a FILTER took out.
    pub(super) fn push_null(&mut self) -> Result<()> {
        self.scores.append(true);
        self.counts.iter_mut().for_each(|builder| builder.append_value(0));
        self.best_grade.append_null();
        self.identical.append_value(false);
        for seal in &mut self.seals {
            seal.append_value(Seal::default().to_bytes())?;
        }
        self.errors.append_null();
        self.valid.push(false);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<ArrayRef> {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.scores.finish())];
        columns.extend(self.counts.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef));
        columns.push(Arc::new(self.best_grade.finish()));
        columns.push(Arc::new(self.identical.finish()));
        columns.extend(self.seals.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef));
        columns.push(Arc::new(self.errors.finish()));
        let nulls = NullBuffer::from(self.valid);
        Ok(Arc::new(StructArray::try_new(
            fields(),
            columns,
            Some(nulls).filter(|nulls| nulls.null_count() > 0),
        )?))
    }
}

/// Reads results that came back from an engine.
///
/// # Errors
///
/// A column that is none of `rank_eval`'s.
pub fn read_results(column: &dyn Array) -> Result<Vec<Option<SealedResult>>> {
    let strange =
        || internal_datafusion_err!("a column of type {} is none of rank_eval's", column.data_type());
    let results = column.as_struct_opt().ok_or_else(strange)?;
    let of = |name| results.column_by_name(name).ok_or_else(strange);
    let count = |name| of(name)?.as_primitive_opt::<UInt64Type>().ok_or_else(strange);
    let seals = |name| of(name)?.as_fixed_size_binary_opt().ok_or_else(strange);
    let scores = of("scores")?.as_list_opt::<i32>().ok_or_else(strange)?;
    let (retrieved, judged) = (count("retrieved")?, count("judged")?);
    let (judged_retrieved, tied_scores) = (count("judged_retrieved")?, count("tied_scores")?);
    let best_grade = of("best_grade")?.as_primitive_opt::<Int32Type>().ok_or_else(strange)?;
    let identical = of("identical")?.as_boolean_opt().ok_or_else(strange)?;
    let (retrieved_seals, judged_seals) = (seals("retrieved_seal")?, seals("judged_seal")?);
    let errors = of("error")?.as_string_opt::<i32>().ok_or_else(strange)?;
    let seal = |bytes: &[u8]| Seal::from_bytes(bytes).ok_or_else(strange);
    let whole = |count: u64| usize::try_from(count).map_err(|_| strange());
    let one = |row: usize| -> Result<Option<SealedResult>> {
        if results.is_null(row) {
            return Ok(None);
        }
        let values = scores.value(row);
        let values = values.as_primitive_opt::<Float64Type>().ok_or_else(strange)?;
        let scores = match errors.is_valid(row) {
            true => Err(errors.value(row).to_owned()),
            false => Ok(QueryScores {
                scores: values.values().to_vec(),
                retrieved: whole(retrieved.value(row))?,
                judged: whole(judged.value(row))?,
                judged_retrieved: whole(judged_retrieved.value(row))?,
                tied_scores: whole(tied_scores.value(row))?,
                best_grade: best_grade.is_valid(row).then(|| best_grade.value(row)),
                identical: identical.value(row),
            }),
        };
        Ok(Some(SealedResult {
            scores,
            retrieved: seal(retrieved_seals.value(row))?,
            judged: seal(judged_seals.value(row))?,
        }))
    };
    (0..results.len()).map(one).collect()
}
