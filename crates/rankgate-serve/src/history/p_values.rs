//! What the tests of a history came to, kept when they are made, so that the first trend after a restart makes none again.

use rankgate_history::Tests;

use super::place::{Place, rows};
use crate::records;
use crate::store::{Store, StoreError, Stored};

/// The tests of a history.
#[derive(Default)]
pub(super) struct TestCache {
    pub(super) tests: Tests,
    was_read: bool,
}

impl TestCache {
    /// Reads what is kept, once.
    pub(super) fn read(&mut self, store: &Store, place: Place<'_>) -> Stored<()> {
        if self.was_read {
            return Ok(());
        }
        for row in rows(store, ("bytes", "p_values"), place)? {
            let (_, (benchmark, configuration)) = place;
            let read = self.tests.remember(row.bytes(0));
            read.map_err(|error| StoreError::new(format!("{benchmark}, {configuration}: {error}")))?;
        }
        self.was_read = true;
        Ok(())
    }

    /// Keeps what is new. A p-value is known by all that it depends on, so whatever was rewritten meanwhile, it is right.
    pub(super) fn keep(&self, store: &Store, (project, (benchmark, configuration)): Place<'_>) -> Stored<()> {
        let news = self.tests.news();
        if news.bytes.is_empty() {
            return Ok(());
        }
        let (benchmark, configuration) = (benchmark.to_owned(), configuration.to_owned());
        store.write(move |session| {
            if records::project_by(session, project)?.is_none() {
                return Ok(());
            }
            let of = [project.into(), (&benchmark).into(), (&configuration).into()];
            let these = "project = $1 AND benchmark = $2 AND configuration = $3";
            if news.replaces {
                session.execute(&format!("DELETE FROM p_values WHERE {these}"), &of)?;
            }
            let sql = format!("SELECT COALESCE(MAX(number), 0) FROM p_values WHERE {these}");
            let number = session.one(&sql, &of)?.map_or(0, |row| row.int(0)) + 1;
            let sql = "INSERT INTO p_values (project, benchmark, configuration, number, bytes) \
                       VALUES ($1, $2, $3, $4, $5)";
            session.execute(sql, &[&of[..], &[number.into(), news.bytes.clone().into()]].concat())?;
            Ok(())
        })
    }
}
