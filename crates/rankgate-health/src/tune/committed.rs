//! Looks that were committed: what git's history has of them, none may be missing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rankgate::git::{Git, Limits, RawEntry};

use super::looks::{self, Look};
use crate::Result;
use crate::error::Quoted;

/// Files of looks in the commits behind the one that is checked out.
pub(super) struct Committed {
    /// The looks of the last commit, in their order.
    last: Vec<Look>,
    /// All looks that any commit had at this path.
    ever: Vec<Look>,
}

impl Committed {
    /// What commits had at a path; `None` where there is no git, or no commit.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let (git, inside) = around(path)?;
        let last = git.ask(&["show", &format!("HEAD:{inside}")]).unwrap_or_default();
        let ever = versions(&git)?.remove(&inside).unwrap_or_default();
        Some(Self { last: looks::read_lines(&last), ever: contents(&git, &ever) })
    }

    /// Checks that no look is gone or changed. After a merge looks have other numbers, and are known by what they looked at.
    pub(super) fn check(&self, path: &Path, looks: &[Look]) -> Result<()> {
        let kept = self.last.iter().zip(looks).take_while(|(one, other)| one == other).count();
        if let Some(gone) = self.last.get(kept) {
            return Err(gone.missing(path, &format!("`git checkout HEAD -- {}`", path.display())));
        }
        match self.ever.iter().find(|look| !looks.iter().any(|other| other.is_same(look))) {
            None => Ok(()),
            Some(gone) => Err(gone.missing(
                path,
                &format!(
                    "put it back: `git log --full-history -- {}` has the commit that removed it",
                    path.display()
                ),
            )),
        }
    }

    /// What should be known of files of looks that were committed under other paths and are there no more: whether they were
    /// of these queries, no line says.
    pub(super) fn gone(path: &Path) -> Vec<String> {
        let Some((git, inside)) = around(path) else { return Vec::new() };
        let there = git.ask(&["ls-tree", "-r", "-z", "--name-only", "HEAD"]).unwrap_or_default();
        let there: Vec<&str> = there.split_terminator('\0').collect();
        let mut here = looks::read_lines(&std::fs::read_to_string(path).unwrap_or_default());
        here.extend(Self::read(path).into_iter().flat_map(|committed| committed.ever));
        let mut cautions = Vec::new();
        for (other, blobs) in versions(&git).unwrap_or_default() {
            if other == inside || there.contains(&other.as_str()) {
                continue;
            }
            let mut lost = contents(&git, &blobs);
            lost.retain(|look| !here.iter().any(|own| own.is_same(look)));
            let count = lost.len();
            if count > 0 {
                let looks = if count == 1 { "look" } else { "looks" };
                cautions.push(format!(
                    "{} was committed with {count} {looks}, and is gone: if they were at these queries, put them first in {} and \
                     number on",
                    Quoted(&other),
                    path.display()
                ));
            }
        }
        cautions
    }
}

/// The repository around a file, and the file's path in it.
fn around(path: &Path) -> Option<(Git, String)> {
    // The folders may be gone with the file.
    let there = |above: &&Path| above.as_os_str().is_empty() || above.is_dir();
    let above = path.ancestors().skip(1).find(there)?;
    let folder = if above.as_os_str().is_empty() { Path::new(".") } else { above };
    let git = Git::around(folder).ok()?;
    let top = git.ask(&["rev-parse", "--show-toplevel"]).ok()?;
    let top = PathBuf::from(top.trim_end()).canonicalize().ok()?;
    let rest = path.strip_prefix(above).ok()?;
    let inside = folder.canonicalize().ok()?.strip_prefix(&top).ok()?.join(rest);
    Some((git, inside.to_str()?.replace('\\', "/")))
}

/// All contents that files of looks had in any commit, by path.
fn versions(git: &Git) -> Option<BTreeMap<String, Vec<String>>> {
    let is_file = |path: &str| path == super::LOOKS || path.ends_with(&format!("/{}", super::LOOKS));
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // Paths are patterns here: wherever such a file was, on whichever side of a merge.
    let listed = ["--no-literal-pathspecs", "log", "-m", "--full-history", "--raw", "-z", "--no-abbrev"];
    let pattern = format!(":(top,glob)**/{}", super::LOOKS);
    let rest = ["--no-renames", "--no-ext-diff", "--format=", "HEAD", "--", &pattern];
    let listed = git.ask(&[&listed[..], &rest].concat()).ok()?;
    let mut parts = listed.split_terminator('\0');
    while let Some(part) = parts.next() {
        let Some(entry) = RawEntry::read(part.trim_start()) else { continue };
        let Some(path) = parts.next() else { break };
        let Some(blob) = entry.blobs[1].filter(|_| is_file(path)) else { continue };
        let blobs = found.entry(path.to_owned()).or_default();
        if !blobs.iter().any(|known| known == blob) {
            blobs.push(blob.to_owned());
        }
    }
    Some(found)
}

fn contents(git: &Git, blobs: &[String]) -> Vec<Look> {
    let blobs: Vec<&str> = blobs.iter().map(String::as_str).collect();
    let texts = git.contents(&blobs, Limits::RUNS).unwrap_or_default();
    texts.iter().flat_map(|text| looks::read_lines(&String::from_utf8_lossy(text))).collect()
}
