//! Histories that are still valid, in a limited amount of memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rankgate_history::{Commit, ConfigurationTimeline};

use super::explanation::Explanations;
use super::line::Commits;
use super::measured::Measured;
use super::p_values::TestCache;
use super::scoring::Both;
use crate::budget::{Budget, Share, bytes};
use crate::problem::Answer;
use crate::store::{Store, StoreError, Stored};

/// Histories and the measurements that they rest on. New measurements are added, so that of thousands of reports only
/// the last one is read. A history is discarded where the project was changed in any other way.
#[derive(Default)]
pub(crate) struct Cache {
    histories: Mutex<HashMap<Key, Arc<Mutex<CachedHistory>>>>,
    budget: Budget,
    lines: Mutex<HashMap<i64, Arc<Mutex<Commits>>>>,
}

/// Project, benchmark, configuration, branch and base.
pub(super) type Key = (i64, String, String, Option<String>, Option<String>);

/// Measurements that are remembered, of all histories together.
const REMEMBERED: usize = 100_000;
/// Histories, and projects.
const HISTORIES: usize = 256;

/// A history.
#[derive(Default)]
pub(super) struct CachedHistory {
    pub(super) latest: Option<(i64, Arc<ConfigurationTimeline>)>,
    pub(super) measured: Measured,
    pub(super) tests: TestCache,
    pub(super) explanations: Explanations,
}

impl Cache {
    /// The first-parent line of a branch, oldest first.
    pub(crate) fn line(&self, store: &Store, project: i64, branch: Option<&str>) -> Answer<Vec<Commit>> {
        let commits = self.commits(project);
        let mut commits = commits.lock().unwrap_or_else(PoisonError::into_inner);
        store.read(|session| commits.read(session, project))?;
        Ok(commits.line_of(branch))
    }

    /// The branches that there are, by name.
    pub(crate) fn branches(&self, store: &Store, project: i64) -> Answer<Vec<String>> {
        let commits = self.commits(project);
        let mut commits = commits.lock().unwrap_or_else(PoisonError::into_inner);
        store.read(|session| commits.read(session, project))?;
        Ok(commits.tips.keys().cloned().collect())
    }

    pub(super) fn commits(&self, project: i64) -> Arc<Mutex<Commits>> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= HISTORIES && !lines.contains_key(&project) {
            lines.clear();
        }
        Arc::clone(lines.entry(project).or_default())
    }

    pub(super) fn cached(&self, key: Key) -> Arc<Mutex<CachedHistory>> {
        let mut all = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        // A history that is in use counts as empty: its lock is not waited for.
        let number =
            |known: &Arc<Mutex<CachedHistory>>| known.try_lock().map_or(0, |known| known.measured.all.len());
        if !all.contains_key(&key)
            && (all.len() >= HISTORIES || all.values().map(number).sum::<usize>() >= REMEMBERED)
        {
            all.clear();
        }
        Arc::clone(all.entry(key).or_default())
    }
}

/// Room for the scores of a history.
pub(super) struct Room<'a> {
    pub(super) cache: &'a Cache,
    pub(super) of: &'a Key,
    pub(super) limit: usize,
}

impl Room<'_> {
    /// Takes memory for more scores. Other histories are dropped where there is none left, and read again when needed.
    pub(super) fn take(&self, share: &mut Option<Share>, (now, golden): &Both) -> Stored<()> {
        let budget = &self.cache.budget;
        let share = share.get_or_insert_with(|| budget.share());
        let golden = golden.as_ref().filter(|golden| !Arc::ptr_eq(now, golden));
        share.grow(bytes(now) + golden.map_or(0, |golden| bytes(golden)));
        if budget.is_within(self.limit) {
            return Ok(());
        }
        let others = {
            let mut all = self.cache.histories.lock().unwrap_or_else(PoisonError::into_inner);
            let mut others = std::mem::take(&mut *all);
            all.extend(others.remove_entry(self.of));
            others
        };
        drop(others);
        if budget.is_within(self.limit) {
            return Ok(());
        }
        if share.is_within(self.limit) {
            return Err(StoreError::passing("other histories have the memory that this one needs"));
        }
        let (_, benchmark, configuration, ..) = self.of;
        let why = format!(
            "the scores of {benchmark}, {configuration} take more than {} MiB, which is the limit of this server \
             (`--memory`); `retain` keeps fewer reports",
            self.limit >> 20
        );
        Err(StoreError { is_invalid: true, ..StoreError::new(why) })
    }
}

/// What is known of a history, to be added to. Of what somebody left in the middle, who gave up or panicked, the tests
/// stay: each is whole.
pub(super) fn begin(history: &Mutex<CachedHistory>) -> MutexGuard<'_, CachedHistory> {
    history.lock().unwrap_or_else(|left| {
        let mut known = left.into_inner();
        let measured = Measured::after(known.measured.rewritten);
        *known =
            CachedHistory { tests: std::mem::take(&mut known.tests), measured, ..CachedHistory::default() };
        history.clear_poison();
        known
    })
}
