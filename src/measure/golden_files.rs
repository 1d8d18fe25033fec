//! Where golden files stand, and orphaned ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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

    /// The configuration's golden run, or the tagged golden run that has this tag: no name of a file has an `@` elsewhere.
    pub(crate) fn blessed_path(&self, configuration: &Configuration, tag: Option<&str>) -> Result<PathBuf> {
        let tag = tag.map_or(String::new(), |tag| format!("@{tag}"));
        Ok(self.golden_folder()?.join(format!("{}{tag}.run", configuration.name)))
    }

    /// Golden files that belong to no configuration, as of one that was renamed.
    pub(crate) fn orphans(&self) -> BTreeSet<PathBuf> {
        self.golden_files(|name, _| self.spec.configuration(name).is_none())
    }

    /// Tagged golden runs that no comparison of the spec names.
    pub(crate) fn unused_tags(&self) -> BTreeSet<PathBuf> {
        let is_named = |name: &str, tag: &str| self.spec.tagged(name).any(|named| named == tag);
        self.golden_files(|name, tag| {
            self.spec.configuration(name).is_some() && tag.is_some_and(|tag| !is_named(name, tag))
        })
    }

    /// The golden files that are there, chosen by the configuration and the tag in their names.
    fn golden_files(&self, chosen: impl Fn(&str, Option<&str>) -> bool) -> BTreeSet<PathBuf> {
        let entries = self.golden_folder().ok().and_then(|folder| std::fs::read_dir(folder).ok());
        let is_chosen =
            |path: &PathBuf| file_parts(path).is_some_and(|(name, tag, _)| chosen(&name, tag.as_deref()));
        let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        paths.filter(is_chosen).collect()
    }

    /// Where a configuration's golden file, or a tagged golden run of it, is missing: the commands that give it those of
    /// one that is no more, by its name.
    pub(crate) fn renamings(&self, configuration: &Configuration) -> Vec<(String, String)> {
        let mut renamings: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for orphan in self.orphans() {
            let Some((name, tag, ending)) = file_parts(&orphan) else { continue };
            let tag = tag.map_or(String::new(), |tag| format!("@{tag}"));
            let path = orphan.with_file_name(format!("{}{tag}{ending}", configuration.name));
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

/// What golden files end in.
const ENDINGS: [&str; 3] = [".run", ".snap", ".scores.csv"];

/// The configuration in the name of a golden file, its tag, and its ending.
fn file_parts(path: &Path) -> Option<(String, Option<String>, &'static str)> {
    let file = path.file_name()?.to_string_lossy();
    let (stem, ending) = ENDINGS.iter().find_map(|ending| Some((file.strip_suffix(ending)?, *ending)))?;
    let (name, tag) = stem.split_once('@').map_or((stem, None), |(name, tag)| (name, Some(tag.to_owned())));
    Some((name.to_owned(), tag, ending))
}
