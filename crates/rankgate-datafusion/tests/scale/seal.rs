//! An engine that does not give all rows to the aggregate is found out.

use std::fmt;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, col, lit, when};
use datafusion::optimizer::AnalyzerRule;
use datafusion::prelude::SessionContext;

use crate::rows::{engine, error_text, evaluate, judgments_batch, rows, run_batch, split};

/// What happens to the rows of a table between the files and the aggregate.
type Harm = fn(LogicalPlanBuilder) -> Result<LogicalPlanBuilder>;

struct Harmful {
    table: &'static str,
    harm: Harm,
}

impl fmt::Debug for Harmful {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Harmful({})", self.table)
    }
}

impl AnalyzerRule for Harmful {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_down(|plan| match &plan {
            LogicalPlan::TableScan(scan) if scan.table_name.table() == self.table => {
                let harmed = (self.harm)(LogicalPlanBuilder::from(plan.clone()))?.build()?;
                Ok(Transformed::new(harmed, true, datafusion::common::tree_node::TreeNodeRecursion::Jump))
            }
            _ => Ok(Transformed::no(plan)),
        })
        .data()
    }

    fn name(&self) -> &'static str {
        "harmful"
    }
}

fn harmed(table: &'static str, harm: Harm) -> SessionContext {
    let builder = SessionStateBuilder::new_from_existing(engine(3, None).state());
    SessionContext::new_with_state(builder.with_analyzer_rule(Arc::new(Harmful { table, harm })).build())
}

/// In the type of the columns, as nothing is coerced any more.
fn text(text: &str) -> Expr {
    lit(ScalarValue::Utf8View(Some(text.to_owned())))
}

fn row() -> Expr {
    col("query").eq(text("q20")).and(col("document").eq(text("elsewhere")))
}

fn changed(plan: LogicalPlanBuilder, table: &str, value: &str, by: Expr) -> Result<LogicalPlanBuilder> {
    let one = col("query").eq(text("q20"));
    let changed = when(one, col(value) + by).otherwise(col(value))?.alias_qualified(Some(table), value);
    plan.project([col("query"), col("document"), changed])
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_an_engine_drops_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (retrieved, judged) = rows(40, 10);
    let (qrels, run) = split(folder.path(), &run_batch(&retrieved), &judgments_batch(&judged), 2);
    let of_run = retrieved.iter().filter(|row| row.0 == "q20").count();
    let found =
        async |table, harm| error_text(&evaluate(&qrels, &run, &harmed(table, harm)).await.unwrap_err());
    // The rule itself does no harm.
    assert!(evaluate(&qrels, &run, &harmed("run", Ok)).await.is_ok());

    let dropped = found("judgments", |plan| plan.filter(row().is_not_true())).await;
    let (rows, rest) = (judged.len(), judged.len() - 1);
    assert!(
        dropped.starts_with(&format!(
            "{}: the judgments in the files has {rows} rows, and the engine scored {rest} rows (1 were lost)",
            qrels.display()
        )),
        "{dropped}"
    );
    let dropped = found("run", |plan| plan.filter(col("query").not_eq(text("q20")))).await;
    assert!(
        dropped.contains(&format!("({of_run} were lost)")) && dropped.contains("the run in the files"),
        "{dropped}"
    );
    // As many rows, and one of them another.
    let moved = found("run", |plan| changed(plan, "run", "score", lit(1e-9))).await;
    assert!(moved.contains("(as many, but not the same)"), "{moved}");
    let moved = found("judgments", |plan| changed(plan, "judgments", "grade", lit(1))).await;
    assert!(moved.contains("(as many, but not the same)"), "{moved}");
    // A document that comes twice cannot be scored; that it is not the files that have it twice is what counts.
    let doubled = found("judgments", |plan| plan.clone().union(plan.filter(row())?.build()?)).await;
    assert!(
        doubled.contains("(1 came twice or from nowhere)")
            && doubled.ends_with("; query `q20`: document `elsewhere` is judged twice"),
        "{doubled}"
    );
    // Under a name of its own it can be.
    let added = found("judgments", |plan| {
        let named =
            [col("query"), text("another").alias_qualified(Some("judgments"), "document"), col("grade")];
        plan.clone().union(plan.filter(row())?.project(named)?.build()?)
    })
    .await;
    assert!(added.contains("(1 came twice or from nowhere)"), "{added}");
}
