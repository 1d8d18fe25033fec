//! The workspace that a crate is in, as far as messages need it: paths are shown as cargo's own are, and commands
//! name the package where others would run beside it.

use std::fs;
use std::path::{Path, PathBuf};

/// A cargo workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Workspace {
    /// The folder of its manifest.
    pub(crate) root: PathBuf,
    /// Whether it has more than one package.
    pub(crate) several: bool,
}

impl Workspace {
    /// The workspace of the crate in this folder; the crate alone, where it is in none.
    pub(crate) fn find(home: &Path) -> Self {
        for root in home.ancestors() {
            let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
            let has = |table: &str| manifest.lines().any(|line| line.trim_start().starts_with(table));
            let left_out = |folder: &str| home.starts_with(root.join(folder));
            if !has("[workspace") || listed(&manifest, "exclude").any(left_out) {
                continue;
            }
            // A pattern stands for as many packages as it likes.
            let weight = |member: &str| if member.contains('*') { 2 } else { 1 };
            let members: usize = listed(&manifest, "members").map(weight).sum();
            let several = members + usize::from(has("[package]")) > 1;
            return Self { root: root.to_owned(), several };
        }
        Self { root: home.to_owned(), several: false }
    }
}

/// The strings of an array of a manifest: `members = ["a", "b"]`.
fn listed<'a>(manifest: &'a str, key: &str) -> impl Iterator<Item = &'a str> {
    let array = manifest.split('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len() + 1;
        Some((start, line))
    });
    let is_key = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
    let start = array.into_iter().find(|(_, line)| is_key(line.trim_start())).map(|(start, _)| start);
    let array = start.and_then(|start| manifest[start..].split_once('[')?.1.split_once(']'));
    array.into_iter().flat_map(|(strings, _)| strings.split('"').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_has_a_root_and_one_package_or_several() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let package = "[package]\nname = \"x\"\n";
        for (name, manifest, expected) in [
            ("alone", String::new(), ("alone/crates/a", false)),
            (
                "virtual",
                "[workspace]\nmembers = [\n  \"crates/a\", # the first\n  \"crates/b\",\n]\n".into(),
                ("virtual", true),
            ),
            ("pattern", "[workspace]\nmembers=[\"crates/*\"]\n".into(), ("pattern", true)),
            ("single", "[workspace]\nmembers = [\"crates/a\"]\n".into(), ("single", false)),
            ("beside", format!("{package}[workspace]\nmembers = [\"crates/a\"]\n"), ("beside", true)),
            (
                "excluded",
                "[workspace]\nmembers = [\"b\", \"c\"]\nexclude = [\"crates\"]\n".into(),
                ("excluded/crates/a", false),
            ),
        ] {
            let home = root.join(name).join("crates/a");
            fs::create_dir_all(&home).unwrap();
            fs::write(home.join("Cargo.toml"), package).unwrap();
            if !manifest.is_empty() {
                fs::write(root.join(name).join("Cargo.toml"), manifest).unwrap();
            }
            let (at, several) = expected;
            assert_eq!(Workspace::find(&home), Workspace { root: root.join(at), several }, "{name}");
        }
    }
}
