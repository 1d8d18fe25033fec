//! The queries and documents behind alarms, from the reports of both rankings; kept when they are known, since two reports are
//! read for each alarm.

use std::collections::HashMap;

use rankgate::benchmark::model::{Mover, Report};
use rankgate_history::{Timeline, explain_alarms};

use super::place::{Place, rows};
use crate::column::{from_json, to_json};
use crate::hash::sha256;
use crate::problem::Answer;
use crate::records;
use crate::store::{Store, Stored};

/// What is known of a history.
#[derive(Default)]
pub(super) struct Explanations {
    /// By the comparison: what was held against what, and which queries lost.
    all: HashMap<String, Vec<Mover>>,
    /// Comparisons that the database does not have yet.
    new: Vec<String>,
    was_read: bool,
}

impl Explanations {
    /// Reads what is kept, once.
    pub(super) fn read(&mut self, store: &Store, place: Place<'_>) -> Stored<()> {
        if self.was_read {
            return Ok(());
        }
        for row in rows(store, ("comparison, queries", "explanation"), place)? {
            self.all.insert(row.text(0).to_owned(), from_json(row.text(1))?);
        }
        self.was_read = true;
        Ok(())
    }

    /// Names the documents behind the alarms of a history, from the report of each ranking.
    pub(super) fn explain(
        &mut self,
        timeline: &mut Timeline,
        configuration: &str,
        report: impl Fn(&str) -> Answer<Option<Report>>,
    ) -> Answer<()> {
        for (place, mut alarm) in std::mem::take(&mut timeline.alarms).into_iter().enumerate() {
            let state = timeline.states.iter().find(|state| state.number == alarm.state);
            let against = alarm.largest().map(|held| &held.against);
            let key =
                sha256(to_json(&(against, state.map(|state| &state.ranking), &alarm.queries)).as_bytes());
            if let Some(known) = self.all.get(&key) {
                alarm.queries.clone_from(known);
                timeline.alarms.push(alarm);
                continue;
            }
            timeline.alarms.push(alarm);
            let before = timeline.alarms.drain(..place).collect::<Vec<_>>();
            explain_alarms(configuration, timeline, &report)?;
            timeline.alarms.splice(..0, before);
            self.all.insert(key.clone(), timeline.alarms[place].queries.clone());
            self.new.push(key);
        }
        Ok(())
    }

    /// Keeps what is new, unless what was told of was rewritten meanwhile.
    pub(super) fn keep(
        &mut self,
        store: &Store,
        (project, (benchmark, configuration)): Place<'_>,
        rewritten: i64,
    ) -> Stored<()> {
        let row = |key: &String| (key.clone(), to_json(&self.all.get(key)));
        let new: Vec<(String, String)> = self.new.iter().map(row).collect();
        self.new.clear();
        if new.is_empty() {
            return Ok(());
        }
        let (benchmark, configuration) = (benchmark.to_owned(), configuration.to_owned());
        store.write(move |session| {
            let now = records::project_by(session, project)?;
            if now.is_none_or(|now| now.rewritten != rewritten) {
                return Ok(());
            }
            let sql = "INSERT INTO explanation (project, benchmark, configuration, comparison, queries) \
                       VALUES ($1, $2, $3, $4, $5) \
                       ON CONFLICT (project, benchmark, configuration, comparison) DO NOTHING";
            for (key, queries) in new {
                let of = [project.into(), (&benchmark).into(), (&configuration).into()];
                session.execute(sql, &[&of[..], &[key.into(), queries.into()]].concat())?;
            }
            Ok(())
        })
    }
}
