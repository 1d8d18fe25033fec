//! Which columns of a table are the query, the document and the number beside them.

use std::str::FromStr;

use datafusion::arrow::datatypes::Schema;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use rankgate::Order;

use super::table::Side;

/// What a column is, and what it is usually called, in small letters.
const ROLES: [(&str, &[&str]); 5] = [
    ("query", &["query", "qid", "query_id", "query-id", "q_id", "queryid"]),
    (
        "document",
        &["document", "docid", "doc_id", "docno", "document_id", "doc", "did", "corpus-id", "corpus_id"],
    ),
    ("score", &["score"]),
    ("rank", &["rank"]),
    ("grade", &["grade", "rel", "relevance", "label"]),
];

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

/// Names of columns that a user told: `query=session,document=sku`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Vec<(&'static str, String)>);

impl FromStr for Names {
    type Err = DataFusionError;

    fn from_str(text: &str) -> Result<Self> {
        let one = |pair: &str| {
            let known = |role: &str| ROLES.iter().map(|(known, _)| *known).find(|known| *known == role);
            match pair.split_once('=').and_then(|(role, name)| Some((known(role.trim())?, name.trim()))) {
                Some((role, name)) if !name.is_empty() => Ok((role, name.to_owned())),
                _ => exec_err!(
                    "`{pair}` is no column: write ROLE=NAME, where ROLE is query, document, score, rank or grade"
                ),
            }
        };
        text.split(',').map(one).collect::<Result<_>>().map(Self)
    }
}

impl Names {
    /// The columns of a table, and whether ranks say the order: where nobody asked for them, if there are no scores.
    pub(super) fn find(
        &self,
        side: Side,
        order: Option<Order>,
        file: &str,
        schema: &Schema,
    ) -> Result<(Columns, Order)> {
        let query = self.needed("query", file, schema)?;
        let document = self.needed("document", file, schema)?;
        let (value, order) = match (side, order) {
            (Side::Run, Some(Order::Score)) => (self.needed("score", file, schema)?, Order::Score),
            (Side::Run, Some(Order::Rank)) => (self.needed("rank", file, schema)?, Order::Rank),
            (Side::Run, None) => match (self.one("score", file, schema)?, self.one("rank", file, schema)?) {
                (Some(score), _) => (score, Order::Score),
                (None, Some(rank)) => (rank, Order::Rank),
                (None, None) => return Err(missing("score", file, schema)),
            },
            // BEIR calls its grades scores.
            (Side::Judgments, _) => match self.one("grade", file, schema)? {
                None if query == "query-id" => (self.needed("score", file, schema)?, Order::Score),
                None => return Err(missing("grade", file, schema)),
                Some(grade) => (grade, Order::Score),
            },
        };
        Ok((Columns { query, document, value }, order))
    }

    fn needed(&self, role: &str, file: &str, schema: &Schema) -> Result<String> {
        self.one(role, file, schema)?.ok_or_else(|| missing(role, file, schema))
    }

    /// The only column of a role; nothing where none was told and none has a usual name.
    fn one(&self, role: &str, file: &str, schema: &Schema) -> Result<Option<String>> {
        let told: Vec<&str> =
            self.0.iter().filter(|(of, _)| *of == role).map(|(_, name)| name.as_str()).collect();
        let usual = || ROLES.iter().find(|(of, _)| *of == role).map_or(&[] as &[&str], |(_, usual)| usual);
        let is = |name: &str| match told.as_slice() {
            [] => usual().contains(&name.to_lowercase().as_str()),
            told => told.contains(&name),
        };
        let mut found = schema.fields().iter().map(|field| field.name()).filter(|name| is(name));
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(Some(one.clone())),
            (Some(one), Some(other)) => exec_err!(
                "{file}: `{one}` and `{other}` may both be the {role}: `--columns {role}={one}` says which it is"
            ),
            (None, _) if told.is_empty() => Ok(None),
            (None, _) => exec_err!(
                "{file}: there is no column `{}` for the {role}; there are {}",
                told.join("`, `"),
                listed(schema)
            ),
        }
    }
}

fn missing(role: &str, file: &str, schema: &Schema) -> DataFusionError {
    exec_datafusion_err!(
        "{file}: no column is called {role}; there are {}: `--columns {role}=NAME` says which it is",
        listed(schema)
    )
}

pub(super) fn listed(schema: &Schema) -> String {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::{DataType, Field};

    use super::*;

    fn schema(names: &[&str]) -> Schema {
        Schema::new(names.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect::<Vec<_>>())
    }

    fn found(told: &str, side: Side, names: &[&str]) -> std::result::Result<(String, Order), String> {
        let told = if told.is_empty() { Names::default() } else { told.parse().unwrap() };
        let found = told.find(side, None, "a.parquet", &schema(names));
        found
            .map(|(columns, order)| {
                (format!("{} {} {}", columns.query, columns.document, columns.value), order)
            })
            .map_err(|error| error.strip_backtrace())
    }

    #[test]
    fn columns_are_found_by_usual_names_or_by_told_ones() {
        let is = |text: &str, order| Ok((text.to_owned(), order));
        assert_eq!(
            found("", Side::Run, &["Qid", "docno", "score", "rank"]),
            is("Qid docno score", Order::Score)
        );
        assert_eq!(found("", Side::Run, &["qid", "docno", "rank"]), is("qid docno rank", Order::Rank));
        assert_eq!(
            found("", Side::Judgments, &["query-id", "corpus-id", "score"]),
            is("query-id corpus-id score", Order::Score)
        );
        assert_eq!(
            found("query=session,document=sku,score=s", Side::Run, &["session", "sku", "s", "query"]),
            is("session sku s", Order::Score)
        );
    }

    #[test]
    fn a_column_that_is_not_there_is_an_error_with_those_that_are() {
        assert_eq!(
            found("", Side::Run, &["query", "sku", "score"]).unwrap_err(),
            "Execution error: a.parquet: no column is called document; there are query, sku, score: \
             `--columns document=NAME` says which it is"
        );
        assert_eq!(
            found("document=item", Side::Run, &["query", "sku", "score"]).unwrap_err(),
            "Execution error: a.parquet: there is no column `item` for the document; there are query, sku, score"
        );
        assert_eq!(
            found("", Side::Run, &["query", "qid", "doc", "score"]).unwrap_err(),
            "Execution error: a.parquet: `query` and `qid` may both be the query: `--columns query=query` says which it is"
        );
        assert!(
            "query:session"
                .parse::<Names>()
                .unwrap_err()
                .to_string()
                .contains("`query:session` is no column")
        );
    }
}
