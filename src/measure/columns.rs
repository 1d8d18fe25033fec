//! Columns of scores: of answers, of files, of golden runs.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::Quoted;
use crate::evaluation::{Columns, Evaluation};
use crate::golden::write_atomically;
use crate::output::Written;
use crate::retriever::answer_fingerprint;
use crate::scores::{Score, ScoreColumn, ScoreTable};
use crate::spec::{Configuration, ConfigurationSource, ScorePlan};
use crate::{Error, Result, stats};

use super::recorded::{is_elsewhere, recorded_run};
use super::{Measure, Measurement};

/// Queries that a message names.
const NAMED: usize = 5;

/// By query, what tells its answer from any other.
type Fingerprints = BTreeMap<String, String>;

/// What the answers of each pass say under the names of the spec's columns: of a query its mean over the passes, if all
/// of them say it.
pub(super) fn of_answers(measure: &Measure, passes: &[Vec<BTreeMap<String, f64>>]) -> Result<Columns> {
    let mut columns = Columns::new();
    let queries = measure.collection()?.queries_to_ask();
    for plan in &measure.spec.scores {
        let of_query = |place: usize| {
            let values = passes.iter().map(|pass| pass.get(place)?.get(plan.name()).copied());
            values.collect::<Option<Vec<f64>>>().filter(|values| !values.is_empty())
        };
        let mut column = ScoreColumn::default();
        for (place, query) in queries.iter().enumerate() {
            let Some(values) = of_query(place) else { continue };
            let value = stats::mean(&values)?;
            column.insert(query.id.clone(), Score::new(value));
        }
        if column.iter().next().is_some() {
            columns.insert(plan.name().to_owned(), Ok(column));
        }
    }
    Ok(columns)
}

/// The measurement with the columns that stand in files.
pub(super) fn with_files(
    measure: &Measure,
    configuration: &Configuration,
    mut measurement: Measurement,
) -> Measurement {
    if measure.spec.scores.is_empty() {
        return measurement;
    }
    let mut columns = measurement.evaluation.columns().clone();
    let mut known = None;
    for plan in &measure.spec.scores {
        let name = plan.name();
        let column = match plan.file(&configuration.name) {
            Ok(None) => continue,
            Ok(Some(_)) if columns.contains_key(name) => Err(Error::invalid(format!(
                "the column {} is there twice: answers of {} carry it, and `scores` names a file of it",
                Quoted(name),
                Quoted(&configuration.name)
            ))),
            Ok(Some(path)) => {
                let today = || fingerprints(measure, configuration, &measurement);
                column_of_file(measure, &path, plan, || known.get_or_insert_with(today).clone())
            }
            Err(error) => Err(error),
        };
        columns.insert(name.to_owned(), column);
    }
    measurement.evaluation = measurement.evaluation.with_columns(columns);
    measurement
}

fn column_of_file(
    measure: &Measure,
    path: &Path,
    plan: &ScorePlan,
    today: impl FnOnce() -> Result<Option<(String, Fingerprints)>>,
) -> Result<ScoreColumn> {
    let (name, shown) = (plan.name(), measure.context.shown(path));
    if !path.exists() {
        let by_judge = match today()? {
            Some((answers, _)) => format!("`{}` writes it", scoring(&shown, &answers)),
            None => "`rankgate judge score` writes such files".to_owned(),
        };
        return Err(Error::invalid(format!(
            "{shown} is not there, which has the column {}: {by_judge}, or any program that writes `query,value` and a line for \
             each query",
            Quoted(name)
        )));
    }
    let mut table = ScoreTable::read(path, name)?;
    let Some(column) = table.columns.remove(name) else {
        return Err(Error::invalid(format!("{shown} has no column {}", Quoted(name))));
    };
    let collection = measure.collection()?;
    let unjudged = collection.without_judgments().iter();
    let known: std::collections::BTreeSet<&str> =
        collection.queries_to_ask().iter().chain(unjudged).map(|query| query.id.as_str()).collect();
    for (query, score) in column.iter() {
        let place = |why: String| Error::invalid(format!("{shown}:{}: {why}", score.line));
        if !known.contains(query) {
            return Err(place(format!("the collection has no query {}: remove the line", Quoted(query))));
        }
        for value in std::iter::once(score.value).chain(score.people) {
            plan.column.of_column(value).map_err(|error| {
                place(format!("query {}: {error}; `range` of the column says otherwise", Quoted(query)))
            })?;
        }
    }
    if column.iter().any(|(_, score)| score.fingerprint.is_some()) {
        let Some((answers, today)) = today()? else {
            return Err(Error::invalid(format!(
                "{shown} has fingerprints of answers, and there are no answers to compare them with: remove its column \
                 `fingerprint` if the scores are of these rankings"
            )));
        };
        check_fingerprints((&shown, &column), (&answers, &today))?;
    }
    Ok(column)
}

/// Refuses scores of other answers than today's.
fn check_fingerprints(
    (file, column): (&str, &ScoreColumn),
    (answers, today): (&str, &Fingerprints),
) -> Result<()> {
    let is_stale = |(query, score): &(&str, &Score)| {
        score.fingerprint.as_ref().is_some_and(|scored| today.get(*query) != Some(scored))
    };
    let stale: Vec<(&str, &Score)> = column.iter().filter(is_stale).collect();
    let Some((_, first)) = stale.first() else { return Ok(()) };
    let named: Vec<String> = stale.iter().take(NAMED).map(|(query, _)| Quoted(query).to_string()).collect();
    let more = if stale.len() > NAMED { format!(" and {} more", stale.len() - NAMED) } else { String::new() };
    Err(Error::invalid(format!(
        "{file}:{}: the score is of another answer than today's; so it is of {}{more}. Score today's answers: `{}`",
        first.line,
        named.join(", "),
        scoring(file, answers)
    )))
}

/// What tells today's answers from any others, and the file that has them; `None` if there are no answers.
fn fingerprints(
    measure: &Measure,
    configuration: &Configuration,
    measurement: &Measurement,
) -> Result<Option<(String, Fingerprints)>> {
    let recorded = recorded_run(measure, configuration).with_extension("answers.jsonl");
    if !measurement.said.is_empty() {
        let run = measurement.evaluation.run(0);
        let of_query = |query: &String| run.and_then(|run| run.ranking(query)).unwrap_or_default();
        let ids = |query| of_query(query).iter().map(|hit| hit.id.as_str());
        let all = measurement.said.iter().map(|(query, one)| (query.clone(), one.fingerprint(ids(query))));
        return Ok(Some((measure.context.shown(&recorded), all.collect())));
    }
    let file = match &configuration.source {
        ConfigurationSource::Run { path, .. } => path.resolve()?.with_extension("answers.jsonl"),
        _ if is_elsewhere(measure, configuration) => recorded,
        _ => return Ok(None),
    };
    if !file.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&file).map_err(|error| Error::io("cannot read", &file, error))?;
    let mut all = Fingerprints::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let wrong =
            || Error::invalid(format!("{}:{number}: not an answer: {}", file.display(), Quoted(line)));
        let (query, fingerprint) = answer_fingerprint(line).ok_or_else(wrong)?;
        all.insert(query, fingerprint);
    }
    Ok(Some((measure.context.shown(&file), all)))
}

/// A blessed run's evaluation with the columns that were blessed beside it.
pub(super) fn with_blessed(
    measure: &Measure,
    evaluation: Evaluation,
    scores: &Result<ScoreTable>,
) -> Evaluation {
    let column = |plan: &ScorePlan| {
        let name = plan.name();
        let missing = || {
            let why = format!("the golden run has no column {}: bless once more, and it has", Quoted(name));
            Error::invalid(why)
        };
        let column = scores
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|table| table.columns.get(name).cloned().ok_or_else(missing));
        (name.to_owned(), column)
    };
    evaluation.with_columns(measure.spec.scores.iter().map(column).collect())
}

/// The file of columns beside a run.
pub(super) fn beside(run: &Path) -> std::path::PathBuf {
    run.with_extension("scores.csv")
}

/// The columns beside a run; none where there is no such file.
pub(super) fn read_beside(run: &Path) -> Result<ScoreTable> {
    let path = beside(run);
    if path.exists() { ScoreTable::read(&path, "value") } else { Ok(ScoreTable::default()) }
}

/// Writes the columns of an evaluation beside its run; those that cannot be read are left out. What was there and has no column any
/// more is removed.
pub(crate) fn write_beside(
    run: &Path,
    evaluation: &Evaluation,
) -> Result<Option<(std::path::PathBuf, Written)>> {
    let known =
        evaluation.columns().iter().filter_map(|(name, column)| Some((name.clone(), column.clone().ok()?)));
    let mut table = ScoreTable::default();
    table.columns.extend(known);
    let path = beside(run);
    if !table.columns.is_empty() {
        let written = write_atomically(&path, table.to_csv().as_bytes())?;
        return Ok(Some((path, written)));
    }
    match path.exists() {
        false => Ok(None),
        true => {
            std::fs::remove_file(&path).map_err(|error| Error::output("cannot remove", &path, error))?;
            Ok(None)
        }
    }
}

/// The command that scores answers into a file.
fn scoring(file: &str, answers: &str) -> String {
    let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let output = if folder == "scores" { String::new() } else { format!(" --output {folder}") };
    format!("rankgate judge score {answers} --metric ...{output}")
}
