//! A rule of the physical optimizer: rows of a query are collected once.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, Partitioning};

use super::rank_eval::NAME;

/// Plans `rank_eval` as one aggregation after the rows were brought together by query.
///
/// DataFusion aggregates in each partition first, and merges afterwards. That is good for sums and wrong for
/// `rank_eval`, whose state is all of its rows: they would be held twice, and travel as states of whole queries that a
/// message of a cluster has no room for. Brought together first, they travel as plain rows.
///
/// Where memory is bounded, the rows are sorted by query in between. Sorting goes to disk row by row, and one query at a
/// time is then held. An aggregation that spills by itself would hold 8192 queries in each batch that it merges.
#[derive(Debug)]
pub struct CollectOnce {
    /// Whether memory is bounded.
    pub sorted: bool,
}

impl PhysicalOptimizerRule for CollectOnce {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|plan| {
            Ok(match as_one_step(&plan, self.sorted)? {
                Some(once) => Transformed::yes(once),
                None => Transformed::no(plan),
            })
        })
        .data()
    }

    fn name(&self) -> &'static str {
        "CollectOnce"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The plan of a final aggregation with `rank_eval`, as one step; nothing if it is another plan.
fn as_one_step(plan: &Arc<dyn ExecutionPlan>, sorted: bool) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    let Some(last) = plan.downcast_ref::<AggregateExec>() else { return Ok(None) };
    if !last.aggr_expr().iter().any(|function| function.fun().name() == NAME)
        || last.limit_options().is_some()
    {
        return Ok(None);
    }
    let between = last.input();
    let below = between.children();
    let [below] = below.as_slice() else { return Ok(None) };
    let Some(first) = below.downcast_ref::<AggregateExec>() else { return Ok(None) };
    if *first.mode() != AggregateMode::Partial || !first.group_expr().is_single() {
        return Ok(None);
    }
    let rows = Arc::clone(first.input());
    let (mode, rows): (_, Arc<dyn ExecutionPlan>) = match last.mode() {
        AggregateMode::FinalPartitioned => {
            let Some(repartition) = between.downcast_ref::<RepartitionExec>() else { return Ok(None) };
            let Partitioning::Hash(_, partitions) = repartition.partitioning() else { return Ok(None) };
            let keys = first.group_expr().input_exprs();
            let rows = RepartitionExec::try_new(rows, Partitioning::Hash(keys, *partitions))?;
            (AggregateMode::SinglePartitioned, Arc::new(rows))
        }
        AggregateMode::Final if between.is::<CoalescePartitionsExec>() => {
            (AggregateMode::Single, Arc::new(CoalescePartitionsExec::new(rows)))
        }
        _ => return Ok(None),
    };
    let keys = first.group_expr().input_exprs().into_iter();
    let rows = match LexOrdering::new(keys.map(PhysicalSortExpr::new_default)) {
        Some(order) if sorted => Arc::new(SortExec::new(order, rows).with_preserve_partitioning(true)),
        _ => rows,
    };
    let once = AggregateExec::try_new(
        mode,
        first.group_expr().clone(),
        first.aggr_expr().to_vec(),
        first.filter_expr().to_vec(),
        rows,
        first.input_schema(),
    )?;
    Ok(Some(Arc::new(once)))
}
