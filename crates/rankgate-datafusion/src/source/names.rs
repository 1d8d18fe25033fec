//! What the columns of a table are called that matter.

use std::path::Path;

use datafusion::arrow::datatypes::Schema;
use datafusion::common::{Result, exec_datafusion_err, internal_datafusion_err};
use rankgate_core::run::Order;
use rankgate_tables::{ColumnNames, TableSide};

use super::table::Side;

/// What the columns of one table are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The query's id.
    pub query: String,
    /// The document's id.
    pub document: String,
    /// The score, the rank or the grade.
    pub value: String,
}

/// The columns of a table, and whether ranks say the order: where nobody asked for them, if there are no scores.
pub(super) fn find(
    names: &ColumnNames,
    side: Side,
    order: Option<Order>,
    file: &str,
    schema: &Schema,
) -> Result<(Columns, Order)> {
    let columns: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let side = match side {
        Side::Run => TableSide::Run { by_rank: order.map(|order| order == Order::Rank) },
        Side::Judgments => TableSide::Judgments,
    };
    let found =
        names.find(&columns, side, Path::new(file)).map_err(|error| exec_datafusion_err!("{error}"))?;
    let order = if found.rank.is_some() { Order::Rank } else { Order::Score };
    let value = found.rank.or(found.score).or(found.grade);
    let value =
        value.ok_or_else(|| internal_datafusion_err!("{file}: no column was found for its numbers"))?;
    let name = |at: usize| columns[at].to_owned();
    Ok((Columns { query: name(found.query), document: name(found.document), value: name(value) }, order))
}

pub(super) fn listed(schema: &Schema) -> String {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::{DataType, Field};

    use super::*;

    #[test]
    fn columns_are_those_that_rankgate_finds() {
        let found = |told: &str, side: Side, names: &[&str]| {
            let told = if told.is_empty() { ColumnNames::default() } else { told.parse().unwrap() };
            let fields: Vec<_> = names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect();
            let found = find(&told, side, None, "a.parquet", &Schema::new(fields));
            found
                .map(|(columns, order)| {
                    (format!("{} {} {}", columns.query, columns.document, columns.value), order)
                })
                .map_err(|error| error.strip_backtrace())
        };
        let is = |text: &str, order| Ok((text.to_owned(), order));
        assert_eq!(
            found("", Side::Run, &["Qid", "docno", "score", "rank"]),
            is("Qid docno score", Order::Score)
        );
        assert_eq!(found("", Side::Run, &["rank", "qid", "docno"]), is("qid docno rank", Order::Rank));
        assert_eq!(
            found("query=session", Side::Judgments, &["session", "doc", "rel"]),
            is("session doc rel", Order::Score)
        );
        assert_eq!(
            found("", Side::Judgments, &["query", "doc", "score"]).unwrap_err(),
            "Execution error: a.parquet: no column is called grade; there are query, doc, score: did you swap judgments and run? If not, `--columns grade=NAME` says which it is"
        );
    }
}
