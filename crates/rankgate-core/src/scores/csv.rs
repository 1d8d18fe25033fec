//! Score tables as CSV.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Score, ScoreColumn, ScoreTable};
use crate::error::Quoted;
use crate::{Error, Result};

/// What `origin` says of a number that a model gave.
const MODEL: &str = "model";
const HEADER: [&str; 6] = ["column", "query", "value", "people", "fingerprint", "origin"];

pub(super) fn parse(path: &Path, text: &str, name: &str) -> Result<ScoreTable> {
    let mut lines = (1..).zip(text.strip_prefix('\u{feff}').unwrap_or(text).lines());
    let wrong = |line: usize, why: String| Error::invalid(format!("{}:{line}: {why}", path.display()));
    let Some((_, header)) = lines.next() else {
        return Err(wrong(1, "the file is empty; its first line is `query,value`".to_owned()));
    };
    let header = fields(header).map_err(|why| wrong(1, format!("{why}: {}", Quoted(header))))?;
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, field) in header.iter().enumerate() {
        let Some(known) = HEADER.iter().find(|known| *known == field) else {
            let help = "a file of scores has `query,value`, and may have `people`, `fingerprint`, `origin` and `column`";
            return Err(wrong(1, format!("no column of this file is called {}: {help}", Quoted(field))));
        };
        if places.insert(known, place).is_some() {
            return Err(wrong(1, format!("the column {} comes twice", Quoted(field))));
        }
    }
    for needed in ["query", "value"] {
        if !places.contains_key(needed) {
            return Err(wrong(
                1,
                format!("the column `{needed}` is missing: the first line is `query,value`"),
            ));
        }
    }
    let mut table = ScoreTable::default();
    if !places.contains_key("column") {
        table.columns.insert(name.to_owned(), ScoreColumn::default());
    }
    for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        let wrong = |why: String| wrong(line, format!("{why}: {}", Quoted(text)));
        let fields = fields(text).map_err(wrong)?;
        if fields.len() != header.len() {
            return Err(wrong(format!("{} fields, and the first line has {}", fields.len(), header.len())));
        }
        let field = |name: &str| places.get(name).map_or("", |place| fields[*place].trim());
        let number = |text: &str| match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(wrong(format!("{} is not a finite number", Quoted(text)))),
            Err(_) => Err(wrong(format!("{} is not a number", Quoted(text)))),
        };
        let (query, column) = (field("query"), field("column"));
        let column = if places.contains_key("column") { column } else { name };
        if query.is_empty() || column.is_empty() {
            let which = if query.is_empty() { "query" } else { "column" };
            return Err(wrong(format!("the {which} is empty")));
        }
        let is_of_model = match field("origin") {
            "" => false,
            MODEL => true,
            other => {
                return Err(wrong(format!("the origin is {}, and only `{MODEL}` is known", Quoted(other))));
            }
        };
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let score = Score {
            value: number(field("value"))?,
            people: some(field("people")).map(|text| number(&text)).transpose()?,
            fingerprint: some(field("fingerprint")),
            is_of_model,
            line,
        };
        let of_column = table.columns.entry(column.to_owned()).or_default();
        if let Some(first) = of_column.insert(query, score) {
            return Err(wrong(format!("query {} has a score in line {} already", Quoted(query), first.line)));
        }
    }
    Ok(table)
}

/// The fields of a line; one in quotation marks may have commas, and two marks are one.
fn fields(line: &str) -> Result<Vec<String>, String> {
    let (mut all, mut rest) = (Vec::new(), line);
    loop {
        let Some(mut quoted) = rest.strip_prefix('"') else {
            let (field, more) =
                rest.split_once(',').map_or((rest, None), |(field, more)| (field, Some(more)));
            all.push(field.to_owned());
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
        match quoted.strip_prefix(',') {
            Some(more) => rest = more,
            None if quoted.is_empty() => return Ok(all),
            None => return Err("a comma is missing behind a field in quotation marks".to_owned()),
        }
    }
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
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
