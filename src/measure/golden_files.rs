//! Golden files that nobody needs: of a configuration that was renamed, under a tag that nothing names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::spec::Configuration;

use super::Measure;

/// Golden files that belong to no configuration, as of one that was renamed.
pub(crate) fn orphans(measure: &Measure) -> BTreeSet<PathBuf> {
    golden_files(measure, |name, _| measure.spec.configuration(name).is_none())
}

/// Tagged golden runs that no comparison of the spec names.
pub(crate) fn unused_tags(measure: &Measure) -> BTreeSet<PathBuf> {
    let is_named = |name: &str, tag: &str| measure.spec.tagged(name).any(|named| named == tag);
    golden_files(measure, |name, tag| {
        measure.spec.configuration(name).is_some() && tag.is_some_and(|tag| !is_named(name, tag))
    })
}

/// The golden files that are there, chosen by the configuration and the tag in their names.
fn golden_files(measure: &Measure, chosen: impl Fn(&str, Option<&str>) -> bool) -> BTreeSet<PathBuf> {
    let entries = measure.golden_folder().ok().and_then(|folder| std::fs::read_dir(folder).ok());
    let is_chosen =
        |path: &PathBuf| file_parts(path).is_some_and(|(name, tag, _)| chosen(&name, tag.as_deref()));
    let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(is_chosen).collect()
}

/// Where a configuration's golden file, or a tagged golden run of it, is missing: the commands that give it those of
/// one that is no more, by its name.
pub(crate) fn renamings(measure: &Measure, configuration: &Configuration) -> Vec<(String, String)> {
    let mut renamings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for orphan in orphans(measure) {
        let Some((name, tag, ending)) = file_parts(&orphan) else { continue };
        let tag = tag.map_or(String::new(), |tag| format!("@{tag}"));
        let path = orphan.with_file_name(format!("{}{tag}{ending}", configuration.name));
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

/// The configuration in the name of a golden file, its tag, and its ending.
fn file_parts(path: &Path) -> Option<(String, Option<String>, &'static str)> {
    let file = path.file_name()?.to_string_lossy();
    let (stem, ending) = ENDINGS.iter().find_map(|ending| Some((file.strip_suffix(ending)?, *ending)))?;
    let (name, tag) = stem.split_once('@').map_or((stem, None), |(name, tag)| (name, Some(tag.to_owned())));
    Some((name.to_owned(), tag, ending))
}
