//! Whether all of a report can be read, as its page reads it.
//!
//! Nearly all of a report are the lists of its queries, and reports of one ranking have the same lists, byte for byte. So a
//! list that was read once is not read again: of 10,000 queries that takes a third of a second.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rankgate::benchmark::model::Report;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::hash::sha256;
use crate::problem::{Answer, Problem};

/// Lists of fewer bytes are read each time.
const SHORT: usize = 4 << 10;
/// So many hashes are remembered: a server that has many more rankings reads some lists again.
const MOST: usize = 20_000;

/// Lists of queries that were read, by the hashes of their bytes.
#[derive(Default)]
pub(crate) struct ReadLists(Mutex<HashSet<String>>);

#[derive(Deserialize)]
struct Outline<'a> {
    #[serde(borrow, default)]
    configurations: Vec<ConfigurationOutline<'a>>,
}

#[derive(Deserialize)]
struct ConfigurationOutline<'a> {
    #[serde(borrow)]
    outcome: &'a RawValue,
}

#[derive(Deserialize)]
struct OutcomeOutline<'a> {
    #[serde(borrow)]
    measured: MeasuredOutline<'a>,
}

#[derive(Deserialize)]
struct MeasuredOutline<'a> {
    #[serde(borrow)]
    queries: &'a RawValue,
}

/// Where the lists of queries are, in their order.
fn lists(bytes: &[u8]) -> Vec<Range<usize>> {
    let Ok(outline) = serde_json::from_slice::<Outline<'_>>(bytes) else { return Vec::new() };
    let queries = |one: &ConfigurationOutline<'_>| {
        let measured: OutcomeOutline<'_> = serde_json::from_str(one.outcome.get()).ok()?;
        // It is a part of these bytes.
        let text = measured.measured.queries.get();
        let from = (text.as_ptr() as usize).checked_sub(bytes.as_ptr() as usize)?;
        Some(from..from + text.len()).filter(|list| list.len() >= SHORT && list.end <= bytes.len())
    };
    outline.configurations.iter().filter_map(queries).collect()
}

impl ReadLists {
    /// Whether all of a report can be read.
    ///
    /// # Errors
    /// What cannot, and where it is.
    pub(crate) fn check(&self, bytes: &[u8]) -> Answer<()> {
        let lists: Vec<(Range<usize>, String)> =
            lists(bytes).into_iter().map(|list| (list.clone(), sha256(&bytes[list]))).collect();
        let (mut rest, mut end) = (Vec::with_capacity(bytes.len()), 0);
        {
            let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for (list, _) in lists.iter().filter(|(_, hash)| known.contains(hash)) {
                rest.extend_from_slice(&bytes[end..list.start]);
                rest.extend_from_slice(b"[]");
                end = list.end;
            }
        }
        rest.extend_from_slice(&bytes[end..]);
        let read = |bytes: &[u8]| serde_json::from_slice::<Report>(bytes).map(drop);
        // The place of what cannot be read is that in the whole.
        read(&rest).or_else(|_| read(bytes)).map_err(|error| Problem::json(&error))?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + lists.len() > MOST {
            known.clear();
        }
        known.extend(lists.into_iter().map(|(_, hash)| hash));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const EXAMPLE: &str = include_str!("../../rankgate-report/src/report/example.json");

    /// The example with so many copies of its first query.
    fn report(queries: usize) -> Value {
        let mut report: Value = serde_json::from_str(EXAMPLE).unwrap();
        let list = &mut report["configurations"][0]["outcome"]["measured"]["queries"];
        let first = list[0].clone();
        let query = |number: usize| {
            let mut query = first.clone();
            query["id"] = json!(format!("q{number}"));
            query
        };
        *list = (0..queries).map(query).collect();
        report
    }

    #[test]
    fn a_list_that_was_read_is_not_read_again_and_everything_else_is() {
        let whole = report(100).to_string();
        let found = lists(whole.as_bytes());
        assert_eq!(found.len(), 1);
        let list: Value = serde_json::from_slice(&whole.as_bytes()[found[0].clone()]).unwrap();
        assert_eq!(list.as_array().map(Vec::len), Some(100));
        let read = ReadLists::default();
        let check = |report: &Value| read.check(report.to_string().as_bytes()).is_ok();
        for _ in 0..2 {
            assert!(check(&report(100)));
            // Beside a list that is known, and in a list that is not.
            let mut message = report(100);
            message["gates"][0]["message"] = json!(0.15);
            let mut text = report(100);
            text["configurations"][0]["outcome"]["measured"]["queries"][99]["text"] = json!(5);
            let mut twice = whole.clone();
            twice.insert_str(1, "\"configurations\": [], ");
            assert!(!check(&message) && !check(&text) && read.check(twice.as_bytes()).is_err());
        }
        assert_eq!(read.0.lock().unwrap().len(), 1);
        // Where a part of it is missing, it is no report.
        for end in [0, 1, whole.len() / 2, whole.len() - 1] {
            assert!(read.check(&whole.as_bytes()[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn the_place_of_what_cannot_be_read_is_that_in_the_whole() {
        let mut broken = report(100);
        broken["gates"][0]["message"] = json!(0.15);
        let broken = broken.to_string();
        let (fresh, read) = (ReadLists::default(), ReadLists::default());
        read.check(report(100).to_string().as_bytes()).unwrap();
        let [one, other] =
            [&fresh, &read].map(|lists| format!("{:?}", lists.check(broken.as_bytes()).unwrap_err()));
        assert_eq!(one, other);
    }
}
