//! The aggregate `rank_eval`.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, GroupsAccumulator, Signature, Volatility};
use datafusion::physical_expr::expressions::Literal;

use super::groups::{OneQuery, QueryRows};
use super::options::Options;
use super::query_result;

/// What SQL calls it.
pub(super) const NAME: &str = "rank_eval";

/// `rank_eval(query, document, score, grade [, metrics [, options]])`: the scores of one query.
///
/// A row with a score is the run's, a row with a grade the judgments': both sides come through one `UNION ALL` and
/// are never joined, so that no unanswered query, unjudged document or document that nobody retrieved can be lost.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct RankEval {
    signature: Signature,
}

impl Default for RankEval {
    fn default() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for RankEval {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let ([query, document, score, grade], texts) = types.split_first_chunk().ok_or_else(usage)?;
        if texts.len() > 2 {
            return Err(usage());
        }
        let mut coerced = vec![id("query", query)?, id("document", document)?];
        coerced.push(match score {
            DataType::Float16 | DataType::Float32 | DataType::Float64 | DataType::Null => DataType::Float64,
            DataType::UInt64 => DataType::UInt64,
            integer if integer.is_integer() => DataType::Int64,
            DataType::Decimal32(digits, scale)
            | DataType::Decimal64(digits, scale)
            | DataType::Decimal128(digits, scale) => DataType::Decimal128(*digits, *scale),
            other => {
                return plan_err!(
                    "rank_eval: the score is a number, not {other}; write CAST(score AS DOUBLE) if it is to become one"
                );
            }
        });
        coerced.push(match grade {
            DataType::Null | DataType::Boolean => DataType::Int64,
            integer if integer.is_integer() => DataType::Int64,
            other => {
                return plan_err!(
                    "rank_eval: the grade is a whole number, not {other}; write CAST(grade AS INT) if it is to become one"
                );
            }
        });
        coerced.extend(texts.iter().map(|_| DataType::Utf8));
        Ok(coerced)
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(query_result::data_type())
    }

    /// 64-bit offsets: the states of all groups of a partition stand in one array, and 2 GiB are soon full.
    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let field =
            |name, data_type| Arc::new(Field::new(format_state_name(args.name, name), data_type, true));
        Ok(vec![field("query", DataType::LargeUtf8), field("rows", DataType::LargeBinary)])
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(OneQuery(QueryRows::new(&options(&args)?))))
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs<'_>) -> bool {
        true
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(QueryRows::new(&options(&args)?)))
    }
}

fn usage() -> datafusion::common::DataFusionError {
    datafusion::common::plan_datafusion_err!(
        "rank_eval takes (query, document, score, grade), then the metrics and the options as text if they are not \
         the default ones"
    )
}

/// Ids are text; whole numbers become their decimal digits before anything is ordered by them.
fn id(what: &str, data_type: &DataType) -> Result<DataType> {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => Ok(DataType::Utf8View),
        DataType::Dictionary(_, value) => id(what, value),
        integer if integer.is_integer() => Ok(DataType::Utf8View),
        other => plan_err!("rank_eval: the {what} is text or a whole number, not {other}"),
    }
}

fn options(args: &AccumulatorArgs<'_>) -> Result<Options> {
    if args.is_distinct || !args.order_bys.is_empty() {
        return plan_err!(
            "rank_eval takes neither DISTINCT nor ORDER BY: it sees every row and orders them itself"
        );
    }
    let text = |index: usize| match args.exprs.get(index) {
        None => Ok(String::new()),
        Some(expr) => match expr.downcast_ref::<Literal>().map(Literal::value) {
            Some(ScalarValue::Utf8(text) | ScalarValue::Utf8View(text) | ScalarValue::LargeUtf8(text)) => {
                Ok(text.clone().unwrap_or_default())
            }
            _ => exec_err!("rank_eval: the metrics and the options are constants, not {expr}"),
        },
    };
    Options::parse(&text(4)?, &text(5)?)
}
