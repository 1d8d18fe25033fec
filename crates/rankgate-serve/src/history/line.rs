//! The commits of a project, and the first-parent line of a branch.

use std::collections::{BTreeMap, HashMap, HashSet};

use rankgate_history::Commit;

use crate::records;
use crate::store::{Session, Stored};

/// The commits of a project, as far as they were read.
#[derive(Default)]
pub(super) struct Commits {
    line: i64,
    rewritten: i64,
    by_id: HashMap<String, records::Commit>,
    /// By branch, each with the number of the change that it came with.
    pub(super) tips: BTreeMap<String, HashMap<String, i64>>,
}

impl Commits {
    /// Reads the commits that are not known yet.
    pub(super) fn read(&mut self, session: &mut dyn Session, project: i64) -> Stored<()> {
        let (now, rewritten) = records::project_by(session, project)?
            .map_or((0, 0), |project| (project.line, project.rewritten));
        if rewritten != self.rewritten {
            // What was newest may be so no more.
            *self = Self { rewritten, ..Self::default() };
        }
        if now == self.line && now > 0 {
            return Ok(());
        }
        // What was there before changes were counted has the number 0.
        let since = if self.line == 0 { -1 } else { self.line };
        for commit in records::commits_since(session, project, since)? {
            self.by_id.insert(commit.commit.clone(), commit);
        }
        for (branch, commit, line) in records::tips_since(session, project, since)? {
            self.tips.entry(branch).or_default().insert(commit, line);
        }
        self.line = now;
        Ok(())
    }

    /// The branch that is meant: `main` where it is there, else `master`, else the first by name.
    pub(super) fn branch(&self, branch: Option<&str>) -> Option<String> {
        let usual = || ["main", "master"].into_iter().find(|name| self.tips.contains_key(*name));
        let first = || self.tips.keys().next().map(String::as_str);
        branch.or_else(usual).or_else(first).map(str::to_owned)
    }

    /// The first-parent line of a branch, oldest first, in whichever order its commits arrived.
    pub(super) fn line_of(&self, branch: Option<&str>) -> Vec<Commit> {
        let tips = self.branch(branch).and_then(|branch| self.tips.get(&branch));
        tips.map_or_else(Vec::new, |tips| line(&self.by_id, tips))
    }
}

/// The line that ends in the newest of the commits that a branch had: one that stands behind another is not it. Of
/// several, after the branch was replaced, the one that came last: clocks decide nothing.
fn line(by_id: &HashMap<String, records::Commit>, tips: &HashMap<String, i64>) -> Vec<Commit> {
    let mut by_arrival: Vec<(i64, &records::Commit)> =
        tips.iter().filter_map(|(tip, line)| Some((*line, by_id.get(tip)?))).collect();
    by_arrival.sort_by_key(|(line, tip)| std::cmp::Reverse((*line, tip.time, tip.commit.as_str())));
    let tips: Vec<&records::Commit> = by_arrival.into_iter().map(|(_, tip)| tip).collect();
    let walk = |tip: &str| -> Vec<&records::Commit> {
        let (mut line, mut seen, mut at) = (Vec::new(), HashSet::new(), by_id.get(tip));
        // Parents that were made up may go in circles.
        while let Some(one) = at.filter(|one| seen.insert(one.commit.as_str())) {
            line.push(one);
            at = one.parent.as_ref().and_then(|parent| by_id.get(parent));
        }
        line
    };
    // What stands on the line of another is no tip, whenever it came.
    let mut behind: HashSet<&str> = HashSet::new();
    for tip in &tips {
        // What stands behind a commit that was walked already was walked with it; parents may go in circles.
        let mut at = tip
            .parent
            .as_ref()
            .filter(|_| !behind.contains(tip.commit.as_str()))
            .and_then(|parent| by_id.get(parent));
        while let Some(one) = at.filter(|one| one.commit != tip.commit && behind.insert(one.commit.as_str()))
        {
            at = one.parent.as_ref().and_then(|parent| by_id.get(parent));
        }
    }
    let newest = tips.iter().find(|tip| !behind.contains(tip.commit.as_str()));
    let mut line = newest.map_or_else(Vec::new, |tip| walk(&tip.commit));
    line.reverse();
    let commit = |one: &records::Commit| Commit {
        id: one.commit.clone(),
        time: one.time,
        subject: one.subject.clone(),
        author: one.author.clone(),
        releases: one.releases.clone(),
    };
    line.into_iter().map(commit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(id: &str, parent: &str, time: i64) -> records::Commit {
        let parent = (!parent.is_empty()).then(|| parent.to_owned());
        records::Commit {
            commit: id.into(),
            parent,
            time,
            subject: String::new(),
            author: String::new(),
            releases: Vec::new(),
        }
    }

    #[test]
    fn the_line_is_that_of_parents_and_not_of_clocks_or_arrival() {
        let ids = |commits: &[records::Commit], tips: &[&str]| -> String {
            let by_id = commits.iter().map(|one| (one.commit.clone(), one.clone())).collect();
            line(&by_id, &(1..).zip(tips).map(|(line, tip)| ((*tip).to_owned(), line)).collect())
                .into_iter()
                .map(|one| one.id)
                .collect()
        };
        // b was made by a clock that is ahead.
        let mut commits =
            vec![commit("a", "", 1), commit("b", "a", 900), commit("c", "b", 3), commit("x", "a", 4)];
        assert_eq!(ids(&commits, &["a", "c", "b"]), "abc");
        commits.reverse();
        assert_eq!(ids(&commits, &["b", "a", "c"]), "abc");
        // The branch was replaced, also by what is older.
        assert_eq!(ids(&commits, &["c", "x"]), "ax");
        assert_eq!(ids(&commits, &["x", "c"]), "abc");
        // A commit of the year 2030 that was rewritten away hides nothing of what came after it.
        commits.push(commit("y", "a", 1_900_000_000));
        assert_eq!(ids(&commits, &["y", "b", "c"]), "abc");
        // A commit that was not sent ends the line.
        assert_eq!(ids(&[commit("a", "", 1), commit("c", "b", 3)], &["a", "c"]), "c");
        assert_eq!(ids(&[commit("a", "b", 1), commit("b", "a", 2)], &["b"]), "ab");
        assert_eq!(ids(&[], &["gone"]), "");
    }
}
