//! Score tables as CSV.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Score, ScoreColumn, ScoreTable};
use crate::error::Quoted;
use crate::{Error, Result};

/// What `origin` says of a number that a model gave.
const MODEL: &str = "model";
const HEADER: [&str; 6] = ["column", "query", "value", "people", "fingerprint", "origin"];
/// What other programs call the column of queries.
const QUERY: [&str; 4] = ["query", "query_id", "qid", "q_id"];

pub(super) fn parse(path: &Path, text: &str, name: &str) -> Result<ScoreTable> {
    let mut lines = (1..).zip(text.strip_prefix('\u{feff}').unwrap_or(text).lines());
    let empty = || {
        let why = "the file is empty; its first line is `query,value`, or `query` and the names of columns";
        Error::invalid(format!("{}:1: {why}", path.display()))
    };
    let (_, first) = lines.next().ok_or_else(empty)?;
    let first =
        Line { path, number: 1, text: first, separator: if first.contains('\t') { '\t' } else { ',' } };
    let header = first.fields()?;
    if let Some(twice) = (1..header.len()).find(|at| header[..*at].contains(&header[*at])) {
        return Err(first.wrong(format!("the column {} comes twice", Quoted(&header[twice]))));
    }
    let Some(query) = header.iter().position(|field| QUERY.contains(&field.as_str())) else {
        let why = "the column `query` is missing: the first line is `query,value`, or `query` and the names of columns";
        return Err(first.wrong(why));
    };
    let others = lines.filter(|(_, text)| !text.trim().is_empty());
    let lines = others.map(|(number, text)| Line { number, text, ..first });
    match header.iter().any(|field| field == "value") {
        true => long(&Places::new(&first, &header, query)?, lines, name),
        false => wide(&first, &header, query, lines),
    }
}

/// Where the fields of a line with one number stand.
struct Places {
    query: usize,
    known: BTreeMap<&'static str, usize>,
    fields: usize,
}

impl Places {
    fn new(first: &Line<'_>, header: &[String], query: usize) -> Result<Self> {
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for (place, field) in header.iter().enumerate().filter(|(place, _)| *place != query) {
            match HEADER.iter().find(|known| *known == field) {
                Some(name) => _ = known.insert(name, place),
                None => {
                    let help = "a file of scores has `query,value`, and may have `people`, `fingerprint`, `origin` and `column`";
                    let why = format!("no column of this file is called {}: {help}", Quoted(field));
                    return Err(first.wrong(why));
                }
            }
        }
        Ok(Self { query, known, fields: header.len() })
    }
}

/// A line for each number.
fn long<'a>(places: &Places, lines: impl Iterator<Item = Line<'a>>, name: &str) -> Result<ScoreTable> {
    let mut table = ScoreTable::default();
    let is_named = places.known.contains_key("column");
    if !is_named {
        table.columns.insert(name.to_owned(), ScoreColumn::default());
    }
    for line in lines {
        let fields = line.fields_of(places.fields)?;
        let field = |name: &str| places.known.get(name).map_or("", |place| fields[*place].as_str());
        let column = if is_named { field("column") } else { name };
        if column.is_empty() {
            return Err(line.wrong("the column is empty"));
        }
        let is_of_model = match field("origin") {
            "" => false,
            MODEL => true,
            other => {
                return Err(
                    line.wrong(format!("the origin is {}, and only `{MODEL}` is known", Quoted(other)))
                );
            }
        };
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let score = Score {
            value: line.number(field("value"))?,
            people: some(field("people")).map(|text| line.number(&text)).transpose()?,
            fingerprint: some(field("fingerprint")),
            is_of_model,
            line: line.number,
        };
        line.insert(table.columns.entry(column.to_owned()).or_default(), &fields[places.query], score)?;
    }
    Ok(table)
}

/// A line for each query.
fn wide<'a>(
    first: &Line<'_>,
    header: &[String],
    query: usize,
    lines: impl Iterator<Item = Line<'a>>,
) -> Result<ScoreTable> {
    let mut columns: Vec<(usize, ScoreColumn)> = (0..header.len())
        .filter(|place| *place != query)
        .map(|place| (place, ScoreColumn::default()))
        .collect();
    if columns.is_empty() {
        return Err(first.wrong("there is no column beside the queries"));
    }
    if columns.iter().any(|(place, _)| header[*place].is_empty()) {
        return Err(first.wrong("a column has no name"));
    }
    for line in lines {
        let fields = line.fields_of(header.len())?;
        for (place, column) in &mut columns {
            let score = Score { line: line.number, ..Score::new(line.number(&fields[*place])?) };
            line.insert(column, &fields[query], score)?;
        }
    }
    Ok(ScoreTable {
        columns: columns.into_iter().map(|(place, column)| (header[place].clone(), column)).collect(),
    })
}

#[derive(Clone, Copy)]
struct Line<'a> {
    path: &'a Path,
    number: usize,
    text: &'a str,
    separator: char,
}

impl Line<'_> {
    fn wrong(&self, why: impl std::fmt::Display) -> Error {
        Error::invalid(format!("{}:{}: {why}: {}", self.path.display(), self.number, Quoted(self.text)))
    }

    fn fields(&self) -> Result<Vec<String>> {
        fields(self.text, self.separator).map_err(|why| self.wrong(why))
    }

    fn fields_of(&self, count: usize) -> Result<Vec<String>> {
        let fields = self.fields()?;
        if fields.len() != count {
            return Err(self.wrong(format!("{} fields, and the first line has {count}", fields.len())));
        }
        Ok(fields)
    }

    fn number(&self, text: &str) -> Result<f64> {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(self.wrong(format!("{} is not a finite number", Quoted(text)))),
            Err(_) => Err(self.wrong(format!("{} is not a number", Quoted(text)))),
        }
    }

    fn insert(&self, column: &mut ScoreColumn, query: &str, score: Score) -> Result<()> {
        if query.is_empty() {
            return Err(self.wrong("the query is empty"));
        }
        match column.insert(query, score) {
            None => Ok(()),
            Some(first) => {
                Err(self.wrong(format!("query {} has a score in line {} already", Quoted(query), first.line)))
            }
        }
    }
}

/// The fields of a line; one in quotation marks may have separators, and two marks are one.
fn fields(line: &str, separator: char) -> Result<Vec<String>, &'static str> {
    let (mut all, mut rest) = (Vec::new(), line);
    loop {
        let Some(mut quoted) = rest.strip_prefix('"') else {
            let (field, more) =
                rest.split_once(separator).map_or((rest, None), |(field, more)| (field, Some(more)));
            all.push(field.trim().to_owned());
            match more {
                Some(more) => rest = more,
                None => return Ok(all),
            }
            continue;
        };
        let mut field = String::new();
        loop {
            let (part, after) =
                quoted.split_once('"').ok_or("a quotation mark is missing at the end of a field")?;
            field.push_str(part);
            match after.strip_prefix('"') {
                Some(after) => {
                    field.push('"');
                    quoted = after;
                }
                None => {
                    quoted = after;
                    break;
                }
            }
        }
        all.push(field);
        match quoted.strip_prefix(separator) {
            Some(more) => rest = more,
            None if quoted.is_empty() => return Ok(all),
            None => return Err("a comma is missing behind a field in quotation marks"),
        }
    }
}

/// A line for each query: of columns of the same queries of which nothing but numbers is known.
pub(super) fn write_wide(columns: &BTreeMap<String, ScoreColumn>) -> Option<String> {
    let (_, first) = columns.first_key_value()?;
    let is_plain =
        |score: &Score| score.people.is_none() && score.fingerprint.is_none() && !score.is_of_model;
    let fits = |(name, column): (&String, &ScoreColumn)| {
        !HEADER.contains(&name.as_str())
            && column.scores.keys().eq(first.scores.keys())
            && column.scores.values().all(is_plain)
    };
    if !columns.iter().all(fits) {
        return None;
    }
    let names: Vec<String> = columns.keys().map(|name| quoted(name)).collect();
    let mut text = format!("query,{}\n", names.join(","));
    let mut all: Vec<_> = columns.values().map(|column| column.scores.values()).collect();
    for query in first.scores.keys() {
        text += &quoted(query);
        for score in all.iter_mut().filter_map(Iterator::next) {
            text += &format!(",{}", score.value);
        }
        text.push('\n');
    }
    Some(text)
}

/// Columns that no score has anything in are left out.
pub(super) fn write<'a>(columns: impl Iterator<Item = (Option<&'a str>, &'a ScoreColumn)> + Clone) -> String {
    let any = |has: fn(&Score) -> bool| columns.clone().any(|(_, column)| column.scores.values().any(has));
    let is_named = columns.clone().any(|(name, _)| name.is_some());
    let has = [
        is_named,
        true,
        true,
        any(|score| score.people.is_some()),
        any(|score| score.fingerprint.is_some()),
        any(|score| score.is_of_model),
    ];
    let line = |fields: [String; 6]| {
        let kept: Vec<String> =
            fields.into_iter().zip(has).filter_map(|(field, has)| has.then_some(field)).collect();
        kept.join(",") + "\n"
    };
    let mut text = line(HEADER.map(ToOwned::to_owned));
    for (name, column) in columns {
        for (query, score) in column.iter() {
            text += &line([
                quoted(name.unwrap_or_default()),
                quoted(query),
                score.value.to_string(),
                score.people.map_or_else(String::new, |value| value.to_string()),
                score.fingerprint.clone().unwrap_or_default(),
                if score.is_of_model { MODEL.to_owned() } else { String::new() },
            ]);
        }
    }
    text
}

fn quoted(text: &str) -> String {
    match text.contains([',', '\t', '"']) || text.trim() != text {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
