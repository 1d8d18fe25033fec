//! Where golden files stand, and those that belong to nobody.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::PathBuf;

use crate::Result;
use crate::spec::Configuration;

use super::Cache;

impl Cache {
    /// `golden/<benchmark>`.
    pub(crate) fn golden_folder(&self) -> Result<PathBuf> {
        Ok(self.spec.golden_folder()?.join(self.name()))
    }

    pub(crate) fn golden_path(&self, configuration: &Configuration, ending: &str) -> Result<PathBuf> {
        Ok(self.golden_folder()?.join(format!("{}.{ending}", configuration.name)))
    }

    /// Golden files that belong to no configuration, as of one that was renamed.
    pub(crate) fn orphans(&self) -> BTreeSet<PathBuf> {
        let entries = self.golden_folder().ok().and_then(|folder| std::fs::read_dir(folder).ok());
        let is_orphan = |path: &PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            path.extension().is_some_and(|ending| ending == "run" || ending == "snap")
                && self.spec.configuration(&name).is_none()
        };
        let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        paths.filter(is_orphan).collect()
    }

    /// Where a configuration's golden file is missing: the commands that give it those of one that is no
    /// more, by its name.
    pub(crate) fn renamings(&self, configuration: &Configuration) -> Vec<(String, String)> {
        let mut renamings: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for orphan in self.orphans() {
            let part = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
            let (name, ending) = (part(orphan.file_stem()), part(orphan.extension()));
            let Ok(path) = self.golden_path(configuration, &ending) else { continue };
            // The command is there to be copied.
            let plain =
                name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) && !name.starts_with('-');
            if plain && !path.exists() {
                let [from, to] = [&orphan, &path].map(|path| self.context.shown(path));
                renamings.entry(name).or_default().push(format!("git mv {from} {to}"));
            }
        }
        renamings.into_iter().map(|(name, commands)| (name, commands.join(" && "))).collect()
    }
}
