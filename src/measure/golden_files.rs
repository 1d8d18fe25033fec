//! Golden files that belong to no configuration, as of one that was renamed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::spec::Configuration;

use super::Measure;

/// The golden files that belong to no configuration.
pub(crate) fn orphans(measure: &Measure) -> BTreeSet<PathBuf> {
    let entries = measure.golden_folder().ok().and_then(|folder| std::fs::read_dir(folder).ok());
    let is_orphan = |path: &PathBuf| {
        file_parts(path).is_some_and(|(name, _)| measure.spec.configuration(&name).is_none())
    };
    let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(is_orphan).collect()
}

/// Where a configuration's golden file is missing: the commands that give it those of
/// one that is no more, by its name.
pub(crate) fn renamings(measure: &Measure, configuration: &Configuration) -> Vec<(String, String)> {
    let mut renamings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for orphan in orphans(measure) {
        let Some((name, ending)) = file_parts(&orphan) else { continue };
        let path = orphan.with_file_name(format!("{}{ending}", configuration.name));
        // The command is there to be copied.
        let plain = name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) && !name.starts_with('-');
        if plain && !path.exists() {
            let [from, to] = [&orphan, &path].map(|path| measure.context.shown(path));
            renamings.entry(name).or_default().push(format!("git mv {from} {to}"));
        }
    }
    renamings.into_iter().map(|(name, commands)| (name, commands.join(" && "))).collect()
}

/// What golden files end in.
const ENDINGS: [&str; 3] = [".run", ".snap", ".scores.csv"];

/// The configuration in the name of a golden file, and its ending.
fn file_parts(path: &Path) -> Option<(String, &'static str)> {
    let file = path.file_name()?.to_string_lossy();
    ENDINGS.iter().find_map(|ending| Some((file.strip_suffix(ending)?.to_owned(), *ending)))
}
