//! `scores:`: columns of scores that gates read.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::names::Names;
use super::scalar::{Name, Reference, read_words};
use super::template::PathTemplate;
use crate::Result;
use crate::error::Quoted;
use crate::mapping::{Field, FieldValue, FromNode, OneOrMany, Reader, Spanned, mapping};
use crate::metric::Metric;
use crate::words::keywords;
use crate::yaml::{Node, Problem, Value};

keywords! {
    /// Which scores of a column are better.
    #[derive(Default)]
    pub(crate) enum ScoreDirection {
        /// Higher ones.
        #[default]
        Higher = "higher",
        /// Lower ones.
        Lower = "lower",
    }
}

read_words!(ScoreDirection);

mapping! {
    /// A column of scores, a number for each query: from a file, or from the answers of the retriever, which carry it under
    /// this name.
    pub(super) struct RawScore as "a column of scores", "{file: scores/faithfulness.csv}" {
        /// The file: CSV with `query,value`, as `rankgate judge score` writes it. `{configuration}` stands for a name.
        "file" => file: PathTemplate,
        /// The configurations that the file is of; all by default.
        "for" => of: OneOrMany<Reference>,
        /// Which scores are better: `higher` (default) or `lower`.
        "direction" => direction: ScoreDirection,
        /// The smallest and the largest score that there can be; `[0, 1]` by default. `inf` is no largest.
        "range" => range: RawRange,
    }
    rules: [
        crate::mapping::Rule::Beside { key: "for", one_of: &["file"], because: "each configuration has its own answers" },
    ]
}

/// `[0, 1]`.
pub(super) struct RawRange(RangeInclusive<f64>);

impl FromNode for RawRange {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let end = |node: &Node| match &node.value {
            Value::Scalar(scalar) => scalar.text.parse::<f64>().ok().filter(|end| !end.is_nan()),
            Value::List(_) | Value::Map(_) | Value::Broken => None,
        };
        let ends = match &node.value {
            Value::List(items) => items.iter().map(end).collect::<Option<Vec<f64>>>(),
            Value::Scalar(_) | Value::Map(_) | Value::Broken => None,
        };
        match ends.as_deref() {
            Some([low, high]) if low.is_finite() && low < high => Some(Self(*low..=*high)),
            _ => reader.expected(node, "the smallest and the largest score, such as `[0, 1]` or `[0, inf]`"),
        }
    }
}

/// The mapping from names to columns. One that cannot be read still has a name.
#[derive(Default)]
pub(super) struct RawScores(Vec<(Spanned<Name>, Option<RawScore>)>);

impl FromNode for RawScores {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(
            node,
            "a mapping from names to columns, such as `{tokens: {direction: lower, range: [0, inf]}}`",
        )?;
        Name::of_all(entries, reader).map(Self)
    }
}

/// A column of scores, checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScorePlan {
    /// What gates read: its name, range and direction.
    pub column: Metric,
    /// The file; `None` if answers carry it.
    file: Option<PathTemplate>,
    of: Vec<String>,
}

/// What stands for the name of a configuration in the path of a file.
const PLACE: &str = "{configuration}";

impl ScorePlan {
    /// The name of the column.
    pub fn name(&self) -> &str {
        self.column.column_name().unwrap_or_default()
    }

    /// The file of a configuration; `None` if its answers carry the column.
    ///
    /// # Errors
    /// A variable in the path that is not set.
    pub fn file(&self, configuration: &str) -> Result<Option<PathBuf>> {
        let file = self.file.as_ref().filter(|_| self.of.iter().any(|name| name == configuration));
        let path = file.map(PathTemplate::resolve).transpose()?;
        Ok(path.map(|path| match path.to_str() {
            Some(text) => PathBuf::from(text.replace(PLACE, configuration)),
            None => path,
        }))
    }
}

impl RawScores {
    /// The columns; `None` where one is wrong, which has been reported.
    pub(super) fn check(self, names: &Names<'_>, reader: &mut Reader<'_>) -> Option<Vec<ScorePlan>> {
        let all = self.0.into_iter().map(|(name, raw)| raw?.check(&name, names, reader));
        all.collect::<Vec<_>>().into_iter().collect()
    }
}

impl RawScore {
    fn check(self, name: &Spanned<Name>, names: &Names<'_>, reader: &mut Reader<'_>) -> Option<ScorePlan> {
        let of = match self.of.into_value() {
            Some(of) => {
                of.0.iter().map(|one| names.check(&one.value.0, one.at, reader)).collect::<Option<_>>()?
            }
            None => names.all()?.to_vec(),
        };
        if let Some(file) = self.file.field_value().filter(|_| of.len() > 1)
            && !file.value.to_string().contains(PLACE)
        {
            let message =
                format!("one file of scores for {} configurations, which would all have the same", of.len());
            let help = format!("name one with `for`, or put `{PLACE}` into the path");
            reader.report(Problem::new(file.at, message).help(help));
            return None;
        }
        let range = self.range.into_value().map_or(0.0..=1.0, |range| range.0);
        let is_low = self.direction.into_value().unwrap_or_default() == ScoreDirection::Lower;
        match Metric::column(&name.value.0, range, is_low) {
            Ok(column) => Some(ScorePlan { column, file: self.file.into_value(), of }),
            Err(error) => reader.refuse(name.at, error.to_string()),
        }
    }
}

/// Adds the columns that a gate names to its metrics: from there on a gate does not know where its numbers come from.
pub(crate) fn add_columns(
    metrics: &mut Field<OneOrMany<Metric>>,
    scores: &mut Field<OneOrMany<Reference>>,
    names: &Names<'_>,
    reader: &mut Reader<'_>,
) {
    let given = match std::mem::replace(scores, Field::Absent) {
        Field::Absent => return,
        Field::Broken => return *metrics = Field::Broken,
        Field::Given(given) => given,
    };
    let FieldValue { key, at, value } = given;
    let columns: Option<Vec<Spanned<Metric>>> = value
        .0
        .into_iter()
        .map(|one| Some(Spanned { at: one.at, value: names.column(&one.value.0, one.at, reader)? }))
        .collect();
    *metrics = match (columns, std::mem::replace(metrics, Field::Absent)) {
        (None, _) | (_, Field::Broken) => Field::Broken,
        (Some(columns), Field::Absent) => Field::Given(FieldValue { key, at, value: OneOrMany(columns) }),
        (Some(columns), Field::Given(mut given)) => {
            given.value.0.extend(columns);
            Field::Given(given)
        }
    };
}

impl Names<'_> {
    /// The column of this name, if there is one; if there is not, that is reported.
    fn column(&self, name: &str, at: crate::yaml::Span, reader: &mut Reader<'_>) -> Option<Metric> {
        let columns = self.columns?;
        if let Some(plan) = columns.iter().find(|plan| plan.name() == name) {
            return Some(plan.column.clone());
        }
        let problem = Problem::new(at, format!("no column of scores is called {}", Quoted(name)));
        let problem = reader.suggest(problem, name, columns.iter().map(ScorePlan::name)).unwrap_or_else(|problem| {
            problem.help(format!("add `scores: {{{name}: {{file: scores/{name}.csv}}}}`, or `{{{name}: {{}}}}` if answers carry it"))
        });
        reader.report(problem);
        None
    }
}
