//! States of any size.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, Int64Array, StringViewArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::logical_expr::{AggregateUDF, EmitTo, GroupsAccumulator};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateExprBuilder;
use datafusion::physical_expr::expressions::{col, lit};
use rankgate_datafusion::{RankEval, read_results};

fn accumulator() -> Box<dyn GroupsAccumulator> {
    let schema = Schema::new(vec![
        Field::new("query", DataType::Utf8View, true),
        Field::new("document", DataType::Utf8View, true),
        Field::new("score", DataType::Float64, true),
        Field::new("grade", DataType::Int64, true),
    ]);
    let mut args: Vec<Arc<dyn PhysicalExpr>> =
        ["query", "document", "score", "grade"].map(|name| col(name, &schema).unwrap()).to_vec();
    args.push(lit("NumRet"));
    let function = Arc::new(AggregateUDF::from(RankEval::default()));
    let function =
        AggregateExprBuilder::new(function, args).schema(Arc::new(schema)).alias("r").build().unwrap();
    function.create_groups_accumulator().unwrap()
}

/// 2^31 bytes are what 32-bit offsets hold. One group grows beyond that by itself, and all of them together do.
#[test]
fn two_gib_of_state_do_not_overflow() {
    const LONG: usize = 1 << 20;
    const LIMIT: usize = 1 << 31;
    let padding = "0".repeat(LONG);
    // Ids of a mebibyte: few rows, so that the time goes into bytes.
    let batch = |from: usize| -> Vec<ArrayRef> {
        let ids: Vec<String> = (from..from + 64).map(|row| padding.clone() + &row.to_string()).collect();
        vec![
            Arc::new(StringViewArray::from(vec!["q"; 64])),
            Arc::new(ids.iter().map(|id| Some(id.as_str())).collect::<StringViewArray>()),
            Arc::new(Float64Array::from_iter_values((from..from + 64).map(|row| row as f64))),
            Arc::new(Int64Array::new_null(64)),
        ]
    };
    let mut first = accumulator();
    // Half of the rows go to group 0, the others to groups of their own.
    let mut groups = 1;
    let mut rows = 0;
    while rows * LONG < LIMIT + (LIMIT >> 4) {
        let batch = batch(rows);
        let indices: Vec<usize> =
            (0..64).map(|row| if row % 2 == 0 { 0 } else { groups + row / 2 }).collect();
        groups += 32;
        first.update_batch(&batch, &indices, None, groups).unwrap();
        rows += 64;
    }
    assert!(first.size() > LIMIT);
    let state = first.state(EmitTo::All).unwrap();
    let bytes = state[1].as_binary::<i64>();
    assert_eq!((bytes.len(), state[1].data_type()), (groups, &DataType::LargeBinary));
    assert!(bytes.value_data().len() > LIMIT);
    // Merged twice into one group, that group alone has more than 2 GiB; the states are read where they lie.
    drop(first);
    let mut second = accumulator();
    let large = [state[0].slice(0, 1), state[1].slice(0, 1)];
    let small = [state[0].slice(1, groups - 1), state[1].slice(1, groups - 1)];
    drop(state);
    second.merge_batch(&large, &[0], 2).unwrap();
    second.merge_batch(&small, &vec![0; groups - 1], 2).unwrap();
    drop((large, small));
    assert!(second.size() > LIMIT);
    let states = second.state(EmitTo::First(1)).unwrap();
    assert!(states[1].as_binary::<i64>().value(0).len() > LIMIT);
    let mut third = accumulator();
    third.merge_batch(&states, &[0], 1).unwrap();
    drop(states);
    let results = read_results(&third.evaluate(EmitTo::All).unwrap()).unwrap();
    let result = results[0].as_ref().unwrap();
    assert_eq!((result.scores.as_ref().unwrap().retrieved, result.retrieved.rows()), (rows, rows as u64));
}
