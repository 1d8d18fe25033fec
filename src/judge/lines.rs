//! The lines of a file of judgments: read, and checked against each other.

use std::collections::{BTreeMap, HashSet};

use super::claim::{self, Claim};
use super::item::{Description, Head, Item, PEOPLE, SCALE, unsealed};
use crate::gate::{Form, State};
use crate::{Error, Result, threads};

/// Lines that one thread reads at a time.
const TOGETHER: usize = 512;

/// What every line with an item is checked by.
pub(super) trait Line<'t>: Sized {
    /// Reads a line, and whether its seal, where it has one, is that of what it says.
    fn read(line: &'t str) -> serde_json::Result<(Self, bool)>;
    /// Query, document and judge.
    fn key(&self) -> [&str; 3];
    fn outcome(&self) -> (State, Option<u8>);
    /// Where it is a list of claims, these.
    fn claims(&self) -> Option<&[Claim]>;
}

impl Line<'_> for Item {
    fn read(line: &str) -> serde_json::Result<(Self, bool)> {
        let (line, seal) = unsealed(line);
        let item: Self = serde_json::from_str(&line)?;
        let is_whole = seal.is_none_or(|seal| seal == item.seal());
        Ok((item, is_whole))
    }

    fn key(&self) -> [&str; 3] {
        [&self.query, &self.document, &self.judge]
    }

    fn outcome(&self) -> (State, Option<u8>) {
        (self.state, self.grade)
    }

    fn claims(&self) -> Option<&[Claim]> {
        self.claims.as_deref()
    }
}

/// The judges and the items of a file's text, in its order.
pub(super) fn lines<'t, T: Line<'t> + Send>(
    name: &str,
    text: &'t str,
    killed: bool,
) -> Result<(BTreeMap<String, Description>, Vec<T>)> {
    let whole = if killed { text.rfind('\n').map_or("", |end| &text[..=end]) } else { text };
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let items: Vec<Vec<_>> = threads::map(lines.len().div_ceil(TOGETHER), |chunk| {
        let lines = &lines[chunk * TOGETHER..lines.len().min((chunk + 1) * TOGETHER)];
        lines.iter().map(|line| T::read(line)).collect()
    });
    let mut judges: BTreeMap<String, Description> = BTreeMap::new();
    // A file that is sorted holds nothing twice; of another one is remembered what stands above.
    let (mut last, mut above): (_, Option<HashSet<_>>) = (None, None);
    for ((number, line), item) in (1..).zip(&lines).zip(items.iter().flatten()) {
        let place = |message: String| Error::invalid(format!("{name}:{number}: {message}"));
        if !line.ends_with('\n') {
            return Err(place("the last line has no end: the file was cut, or is being written".into()));
        }
        if line.trim().is_empty() {
            return Err(place("an empty line".into()));
        }
        if line.starts_with("{\"describes\"") {
            let head: Head =
                serde_json::from_str(line).map_err(|error| place(format!("no judge: {error}")))?;
            let (fingerprint, id) = (head.describes.fingerprint(), head.describes.id());
            if fingerprint != head.fingerprint || id != head.judge {
                let message = format!(
                    "what describes `{}` was edited: its fingerprint would be {fingerprint}",
                    head.judge
                );
                return Err(place(message));
            }
            judges.insert(id, head.describes);
            continue;
        }
        let (item, is_whole) = item.as_ref().map_err(|error| place(format!("no judgment: {error}")))?;
        let key @ [query, document, judge] = item.key();
        // People describe themselves by nothing.
        let by_people = judge == PEOPLE && item.claims().is_some();
        let scale = judges.get(judge).map(|described| described.scale);
        let Some([least, most]) = scale.or(by_people.then_some(SCALE)) else {
            return Err(place(format!("no line above describes the judge `{judge}`")));
        };
        match item.outcome() {
            (State::Graded, Some(grade)) if (least..=most).contains(&grade) => {}
            (State::Graded, Some(grade)) => {
                return Err(place(format!("the grade {grade} is not on the scale from {least} to {most}")));
            }
            (State::Graded, None) if item.claims().is_some() => {}
            (State::Graded, None) => return Err(place("it is graded, and there is no grade".into())),
            (_, Some(grade)) => {
                return Err(place(format!("the grade {grade} beside a state that has none")));
            }
            (_, None) => {}
        }
        if let Some(claims) = item.claims() {
            let form = judges.get(judge).map(|described| described.form);
            let misplaced = match item.outcome() {
                (_, Some(grade)) => Some(format!("the grade {grade} beside a list of claims")),
                (State::Graded, None) if form == Some(Form::Grade) => {
                    Some(format!("a list of claims by `{judge}`, which grades"))
                }
                (State::Graded, None) => claim::find_fault(form, claims),
                (_, None) => Some("a list of claims beside a state that has none".into()),
            };
            if let Some(what) = misplaced {
                return Err(place(what));
            }
        }
        if above.is_none() && last >= Some(key) {
            let before = items.iter().flatten().take(number - 1).flatten();
            above = Some(before.map(|(item, _)| item.key()).collect());
        }
        last = Some(key);
        if above.as_mut().is_some_and(|above| !above.insert(key)) {
            return Err(place(format!(
                "`{judge}` judged document `{document}` of query `{query}` above already"
            )));
        }
        // What people write themselves they need not seal.
        if !is_whole && !by_people {
            return Err(place(format!(
                "the judgment of document `{document}` for query `{query}` by `{judge}` was edited: its seal is that of \
                 another one"
            )));
        }
    }
    // What describes a judge is no item.
    let items = items.into_iter().flatten().filter_map(std::result::Result::ok);
    Ok((judges, items.map(|(item, _)| item).collect()))
}
