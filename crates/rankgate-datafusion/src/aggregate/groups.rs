//! The rows of many queries while they come in, and their scores once all have come.

use std::mem;
use std::sync::Arc;

use crate::Seal;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Decimal128Array, Float64Array, LargeBinaryBuilder,
    LargeStringBuilder, PrimitiveArray, StringViewArray,
};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use datafusion::common::{Result, ScalarValue, exec_err, internal_datafusion_err};
use datafusion::logical_expr::{Accumulator, EmitTo, GroupsAccumulator};
use rankgate_cli::offline::Kernel;

use super::options::{Options, Unscorable};
use super::query_result::{Results, SealedResult};
use super::rows::{Row, Rows, push};

/// One query: its id and its rows, as they came.
#[derive(Debug, Default)]
struct Group {
    query: String,
    rows: Vec<u8>,
}

impl Group {
    fn size(&self) -> usize {
        self.query.capacity() + self.rows.capacity()
    }

    /// Says whose rows these are; all must be of one query.
    fn set_query(&mut self, query: &str) -> Result<()> {
        if self.rows.is_empty() {
            self.query.push_str(query);
        } else if self.query != query {
            return exec_err!(
                "rank_eval: rows of the queries {:?} and {query:?} are in one group: GROUP BY the query",
                self.query
            );
        }
        Ok(())
    }
}

/// What [`GroupsAccumulator`] asks for.
#[derive(Debug)]
pub(super) struct QueryRows {
    kernel: Kernel,
    unscorable: Unscorable,
    groups: Vec<Group>,
    /// Bytes that the groups hold, kept as they grow: DataFusion asks after each batch.
    held: usize,
}

impl QueryRows {
    pub(super) fn new(options: &Options) -> Self {
        Self { kernel: options.kernel(), unscorable: options.unscorable, groups: Vec::new(), held: 0 }
    }

    fn grow(&mut self, total: usize) {
        if total > self.groups.len() {
            self.groups.resize_with(total, Group::default);
        }
    }

    fn add(&mut self, group: usize, query: &str, row: Row<'_>) -> Result<()> {
        let Some(group) = self.groups.get_mut(group) else {
            return Err(internal_datafusion_err!("rank_eval: a group that was not announced"));
        };
        let before = group.size();
        group.set_query(query)?;
        push(&mut group.rows, row)?;
        self.held += group.size() - before;
        Ok(())
    }

    fn take(&mut self, emit: EmitTo) -> Vec<Group> {
        let taken = emit.take_needed(&mut self.groups);
        self.held = self.held.saturating_sub(taken.iter().map(Group::size).sum());
        taken
    }

    fn score(&self, group: &Group) -> Result<SealedResult> {
        let (mut retrieved, mut judged) = (Vec::new(), Vec::new());
        let (mut retrieved_seal, mut judged_seal) = (Seal::default(), Seal::default());
        for row in Rows(&group.rows) {
            match row? {
                Row::Retrieved(document, score) => {
                    retrieved_seal.retrieved(&group.query, document, score);
                    retrieved.push((document, score));
                }
                Row::Judged(document, grade) => {
                    judged_seal.judged(&group.query, document, grade);
                    judged.push((document, grade));
                }
            }
        }
        // It names the query.
        let scores = self.kernel.score(&group.query, &retrieved, &judged).map_err(|error| error.to_string());
        if let (Err(why), Unscorable::Fails) = (&scores, self.unscorable) {
            return exec_err!("rank_eval: {why}");
        }
        Ok(SealedResult { scores, retrieved: retrieved_seal, judged: judged_seal })
    }
}

impl GroupsAccumulator for QueryRows {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        self.grow(total);
        let input = Input::new(values)?;
        for (row, &group) in groups.iter().enumerate() {
            if filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row)) {
                let (query, row) = input.row(row)?;
                self.add(group, query, row)?;
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let groups = self.take(emit);
        let mut results = Results::with_capacity(groups.len());
        // One after the other, so that a query's rows are gone when the next one's are read.
        for group in groups {
            if group.rows.is_empty() {
                results.push_null()?;
            } else {
                results.push(&self.score(&group)?)?;
            }
        }
        results.finish()
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        let groups = self.take(emit);
        let bytes = |part: fn(&Group) -> usize| groups.iter().map(part).sum();
        let mut queries = LargeStringBuilder::with_capacity(groups.len(), bytes(|group| group.query.len()));
        let mut rows = LargeBinaryBuilder::with_capacity(groups.len(), bytes(|group| group.rows.len()));
        for group in groups {
            queries.append_value(&group.query);
            rows.append_value(&group.rows);
        }
        Ok(vec![Arc::new(queries.finish()), Arc::new(rows.finish())])
    }

    fn merge_batch(&mut self, values: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        self.grow(total);
        let strange = || internal_datafusion_err!("rank_eval: a state that rank_eval did not write");
        let [queries, rows] = values else { return Err(strange()) };
        let queries = queries.as_string_opt::<i64>().ok_or_else(strange)?;
        let rows = rows.as_binary_opt::<i64>().ok_or_else(strange)?;
        for (row, &index) in groups.iter().enumerate() {
            let bytes = rows.value(row);
            if bytes.is_empty() {
                continue;
            }
            let group = self.groups.get_mut(index).ok_or_else(strange)?;
            let before = group.size();
            group.set_query(queries.value(row))?;
            group.rows.extend_from_slice(bytes);
            self.held += group.size() - before;
        }
        Ok(())
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let input = Input::new(values)?;
        let mut queries = LargeStringBuilder::new();
        let mut rows = LargeBinaryBuilder::new();
        let mut bytes = Vec::new();
        for row in 0..input.queries.len() {
            bytes.clear();
            if filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row)) {
                let (query, row) = input.row(row)?;
                push(&mut bytes, row)?;
                queries.append_value(query);
            } else {
                queries.append_value("");
            }
            rows.append_value(&bytes);
        }
        Ok(vec![Arc::new(queries.finish()), Arc::new(rows.finish())])
    }

    fn size(&self) -> usize {
        self.held + self.groups.capacity() * size_of::<Group>()
    }
}

/// The same for one group: what DataFusion uses where nothing is grouped.
#[derive(Debug)]
pub(super) struct OneQuery(pub(super) QueryRows);

impl Accumulator for OneQuery {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let rows = values.first().map_or(0, |column| column.len());
        self.0.update_batch(values, &vec![0; rows], None, 1)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let rows = states.first().map_or(0, |column| column.len());
        self.0.merge_batch(states, &vec![0; rows], 1)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.0.grow(1);
        ScalarValue::try_from_array(&GroupsAccumulator::evaluate(&mut self.0, EmitTo::All)?, 0)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.0.grow(1);
        let columns = GroupsAccumulator::state(&mut self.0, EmitTo::All)?;
        columns.iter().map(|column| ScalarValue::try_from_array(column, 0)).collect()
    }

    fn size(&self) -> usize {
        mem::size_of_val(self) + GroupsAccumulator::size(&self.0)
    }
}

/// The arguments of one batch.
struct Input<'a> {
    queries: &'a StringViewArray,
    documents: &'a StringViewArray,
    scores: Scores<'a>,
    grades: &'a PrimitiveArray<Int64Type>,
}

/// Scores or ranks, in the types that `coerce_types` leaves.
enum Scores<'a> {
    Float(&'a Float64Array),
    Int(&'a PrimitiveArray<Int64Type>),
    Unsigned(&'a PrimitiveArray<UInt64Type>),
    Decimal(&'a Decimal128Array),
}

impl<'a> Input<'a> {
    fn new(values: &'a [ArrayRef]) -> Result<Self> {
        let strange = || internal_datafusion_err!("rank_eval: arguments of types that were not announced");
        let [queries, documents, scores, grades, ..] = values else { return Err(strange()) };
        Ok(Self {
            queries: queries.as_string_view_opt().ok_or_else(strange)?,
            documents: documents.as_string_view_opt().ok_or_else(strange)?,
            scores: match scores.data_type() {
                DataType::Int64 => Scores::Int(scores.as_primitive_opt().ok_or_else(strange)?),
                DataType::UInt64 => Scores::Unsigned(scores.as_primitive_opt().ok_or_else(strange)?),
                DataType::Decimal128(..) => Scores::Decimal(scores.as_primitive_opt().ok_or_else(strange)?),
                _ => Scores::Float(scores.as_primitive_opt::<Float64Type>().ok_or_else(strange)?),
            },
            grades: grades.as_primitive_opt().ok_or_else(strange)?,
        })
    }

    fn row(&self, row: usize) -> Result<(&'a str, Row<'a>)> {
        if self.queries.is_null(row) {
            return exec_err!("rank_eval: a row has no query{}", self.around(row));
        }
        if self.documents.is_null(row) {
            return exec_err!("rank_eval: a row has no document{}", self.around(row));
        }
        let (query, document) = (self.queries.value(row), self.documents.value(row));
        let row = match (self.score(row)?, self.grades.is_valid(row)) {
            (Some(score), false) if score.is_nan() => {
                return exec_err!("rank_eval: the score is not a number{}", self.around(row));
            }
            (Some(score), false) => Row::Retrieved(document, score),
            (None, true) => match i32::try_from(self.grades.value(row)) {
                Ok(grade) => Row::Judged(document, grade),
                Err(_) => {
                    let grade = self.grades.value(row);
                    return exec_err!("rank_eval: grade {grade} has more than 32 bits{}", self.around(row));
                }
            },
            (Some(_), true) => {
                return exec_err!(
                    "rank_eval: a row has a score and a grade, and is of the run or of the judgments{}",
                    self.around(row)
                );
            }
            (None, false) => {
                return exec_err!(
                    "rank_eval: a row has neither a score nor a grade: the run's score or the judgment's grade is null{}",
                    self.around(row)
                );
            }
        };
        Ok((query, row))
    }

    fn score(&self, row: usize) -> Result<Option<f64>> {
        let inexact = |score: &dyn std::fmt::Display| {
            exec_err!(
                "rank_eval: score {score} has more digits than a 64-bit float holds{}",
                self.around(row)
            )
        };
        match &self.scores {
            Scores::Float(scores) => Ok(scores.is_valid(row).then(|| scores.value(row))),
            Scores::Int(scores) if scores.is_valid(row) => {
                let score = scores.value(row);
                // Through 128 bits, as a float of 2^63 would saturate to the 64-bit integer below it.
                if score as f64 as i128 == i128::from(score) {
                    Ok(Some(score as f64))
                } else {
                    inexact(&score)
                }
            }
            Scores::Unsigned(scores) if scores.is_valid(row) => {
                let score = scores.value(row);
                if score as f64 as i128 == i128::from(score) {
                    Ok(Some(score as f64))
                } else {
                    inexact(&score)
                }
            }
            Scores::Decimal(scores) if scores.is_valid(row) => {
                let digits = scores.value_as_string(row);
                // The nearest float, as of text.
                match digits.parse() {
                    Ok(score) => Ok(Some(score)),
                    Err(_) => exec_err!("rank_eval: score `{digits}` is not a number{}", self.around(row)),
                }
            }
            Scores::Int(_) | Scores::Unsigned(_) | Scores::Decimal(_) => Ok(None),
        }
    }

    /// What can be named of a row that is wrong.
    fn around(&self, row: usize) -> String {
        let named = |what, column: &StringViewArray| match column.is_valid(row) {
            true => format!(" {what} {:?}", column.value(row)),
            false => String::new(),
        };
        let named = named("query", self.queries) + &named("document", self.documents);
        if named.is_empty() { named } else { format!(" (of{named})") }
    }
}
