//! What is deleted because it is old, or because there is newer.

use std::collections::{BTreeMap, BTreeSet};

use rankgate_history::report::site::day;

use crate::audit::{self, Actor};
use crate::contents;
use crate::records;
use crate::store::{Store, StoreError, Stored};
use crate::trail;

/// What is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Days after which reports, runs and judgments are deleted.
    pub days: Option<u32>,
    /// Reports of each benchmark, the last ones.
    pub reports: Option<u32>,
    /// Whether nearly all reports may go.
    pub nearly_all: bool,
}

/// From so many reports on, nine of ten of them are nearly all.
const FEW: usize = 10;
/// Seconds by which a clock may be behind the last report that was received.
const BEHIND: i64 = 24 * 60 * 60;

impl Retention {
    /// Whether anything is ever deleted.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.days.is_none() && self.reports.is_none()
    }

    /// Why so many of so many reports are not deleted, the last of which was received then, if they are not.
    fn refusal(&self, (old, all): (usize, usize), (last, now): (i64, i64)) -> Option<String> {
        if old == 0 {
            return None;
        }
        if self.days.is_some() && now < last - BEHIND {
            return Some(format!(
                "nothing was deleted: the clock says {}, and a report was received on {}: set the clock",
                day(now),
                day(last)
            ));
        }
        if !self.nearly_all && all >= FEW && old * 10 >= all * 9 {
            return Some(format!(
                "nothing was deleted: {old} of {all} reports would go, which is nearly everything; the clock says {}. If \
                 that is meant, `rankgate-serve retain` with --nearly-all deletes them",
                day(now)
            ));
        }
        None
    }
}

/// What was deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Reports.
    pub reports: u64,
    /// Contents that nothing refers to any more.
    pub blobs: u64,
}

/// Deletes reports beyond the limits, with all that was read of them. Histories no longer contain them.
///
/// # Errors
/// Those of the store; nearly all reports, unless that is allowed; a clock that is behind the last report.
pub fn retain(store: &Store, keep: Retention, now: i64) -> Stored<Removed> {
    let removed = store.write(move |session| {
        let oldest = keep.days.map_or(i64::MIN, |days| now - i64::from(days) * 24 * 60 * 60);
        let most = keep.reports.map_or(i64::MAX, i64::from);
        let rows = session.query("SELECT id, project, benchmark, received, sha256, commit_id FROM report ORDER BY id DESC", &[])?;
        let mut seen: BTreeMap<(i64, &str), i64> = BTreeMap::new();
        let mut old = Vec::new();
        for row in &rows {
            let newer = seen.entry((row.int(1), row.text(2))).or_default();
            *newer += 1;
            if *newer > most || row.int(3) < oldest {
                old.push((row.int(0), row.int(1), row.text(4), [row.text(2), row.text(5)]));
            }
        }
        let last = rows.iter().map(|row| row.int(3)).max().unwrap_or(now);
        if let Some(why) = keep.refusal((old.len(), rows.len()), (last, now)) {
            return Err(StoreError::new(why));
        }
        for (report, project, sha256, of) in &old {
            session.execute("DELETE FROM measured WHERE report = $1", &[(*report).into()])?;
            session.execute("DELETE FROM report WHERE id = $1", &[(*report).into()])?;
            let about = trail::report((*report, sha256), *of);
            audit::add(session, (*project, now), &Actor::command(), trail::DELETE, &about)?;
        }
        session.execute("DELETE FROM rescored WHERE scoring NOT IN (SELECT scoring FROM measured)", &[])?;
        session.execute("DELETE FROM scoring WHERE id NOT IN (SELECT scoring FROM measured)", &[])?;
        let projects: BTreeSet<i64> = old.iter().map(|(_, project, ..)| *project).collect();
        for project in projects {
            records::rewrite(session, project)?;
        }
        let gone = "DELETE FROM rejudged WHERE NOT EXISTS (SELECT 1 FROM measured WHERE measured.project = rejudged.project \
                    AND measured.benchmark = rejudged.benchmark)";
        session.execute(gone, &[])?;
        // What was a report's goes with it; runs and judgments go by their age, but for those that histories are scored by.
        let of = |table: &str| {
            format!(
                "NOT EXISTS (SELECT 1 FROM {table} WHERE {table}.project = blob.project AND {table}.sha256 = blob.sha256)"
            )
        };
        let unused = format!("{} AND {}", of("report"), of("rejudged"));
        let own = format!("SELECT 1 FROM blob WHERE project = $1 AND sha256 = $2 AND {unused}");
        let mut blobs = 0;
        // The last first: what rests on an earlier one goes before it, or is carried by another.
        for (_, project, sha256, _) in &old {
            let of = [(*project).into(), (*sha256).into()];
            if session.one(&own, &of)?.is_some() {
                contents::release(session, *project, sha256)?;
                blobs += session.execute("DELETE FROM blob WHERE project = $1 AND sha256 = $2", &of)?;
            }
        }
        let aged = format!(
            "DELETE FROM blob WHERE received < $1 AND {unused} AND NOT EXISTS \
             (SELECT 1 FROM blob AS other WHERE other.project = blob.project AND other.base = blob.sha256)"
        );
        blobs += session.execute(&aged, &[oldest.into()])?;
        if !old.is_empty() || blobs > 0 {
            let about = format!("{} reports, {blobs} blobs", old.len());
            audit::add(session, (0, now), &Actor::command(), trail::RETAIN, &about)?;
        }
        Ok(Removed { reports: old.len() as u64, blobs })
    })?;
    store.forget()?;
    Ok(removed)
}
