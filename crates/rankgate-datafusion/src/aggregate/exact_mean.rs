//! The aggregate `exact_mean`: the same bits however rows are split and in whatever order they come.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type, UInt64Type};
use datafusion::common::{
    DataFusionError, Result, ScalarValue, exec_datafusion_err, internal_datafusion_err, plan_err,
};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use rankgate_core::stats::ExactSum;

/// `exact_mean(x)`: as `avg(x)`, but from the exact sum, rounded once. Nulls are left out, as `avg` does: of a query
/// that nobody judged there is no score.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct ExactMean {
    signature: Signature,
}

impl Default for ExactMean {
    fn default() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for ExactMean {
    fn name(&self) -> &'static str {
        "exact_mean"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match types {
            [DataType::Float16 | DataType::Float32 | DataType::Float64 | DataType::Null] => {
                Ok(vec![DataType::Float64])
            }
            [
                DataType::Int8
                | DataType::Int16
                | DataType::Int32
                | DataType::UInt8
                | DataType::UInt16
                | DataType::UInt32,
            ] => Ok(vec![DataType::Float64]),
            _ => plan_err!("exact_mean takes one number: a float, or a whole number of at most 32 bits"),
        }
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    /// The sum as the bytes of floats that do not overlap, and how many values it is of. Not as a list: arrow-flight 59
    /// announces lists with 64-bit offsets as lists with 32-bit ones.
    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let field =
            |name, data_type| Arc::new(Field::new(format_state_name(args.name, name), data_type, true));
        Ok(vec![field("partials", DataType::LargeBinary), field("count", DataType::UInt64)])
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        if args.is_distinct {
            return plan_err!("exact_mean takes no DISTINCT: equal scores of different queries all count");
        }
        Ok(Box::new(Mean::default()))
    }
}

fn failed(error: rankgate_core::Error) -> DataFusionError {
    exec_datafusion_err!("exact_mean: {error}")
}

#[derive(Debug, Default)]
struct Mean {
    sum: ExactSum,
    count: u64,
}

impl Accumulator for Mean {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let strange = || internal_datafusion_err!("exact_mean: an argument of a type that was not announced");
        let values =
            values.first().and_then(|values| values.as_primitive_opt::<Float64Type>()).ok_or_else(strange)?;
        for value in values.iter().flatten() {
            self.sum.add(value).map_err(failed)?;
            self.count += 1;
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let strange = || internal_datafusion_err!("exact_mean: a state that exact_mean did not write");
        let [partials, counts] = states else { return Err(strange()) };
        let partials = partials.as_binary_opt::<i64>().ok_or_else(strange)?;
        let counts = counts.as_primitive_opt::<UInt64Type>().ok_or_else(strange)?;
        for (bytes, count) in partials.iter().zip(counts) {
            let (bytes, count) = bytes.zip(count).ok_or_else(strange)?;
            let (floats, []) = bytes.as_chunks() else { return Err(strange()) };
            let floats: Vec<f64> = floats.iter().copied().map(f64::from_le_bytes).collect();
            self.sum.merge(&ExactSum::from_partials(&floats).map_err(failed)?);
            self.count += count;
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        if self.count == 0 {
            return Ok(ScalarValue::Float64(None));
        }
        Ok(ScalarValue::Float64(Some(self.sum.value().map_err(failed)? / self.count as f64)))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let bytes = self.sum.partials().iter().flat_map(|partial| partial.to_le_bytes()).collect();
        Ok(vec![ScalarValue::LargeBinary(Some(bytes)), ScalarValue::UInt64(Some(self.count))])
    }

    fn size(&self) -> usize {
        size_of_val(self) + size_of_val(self.sum.partials())
    }
}
