//! Settings of insta's that would accept or pass a snapshot, and decide nothing here.

use std::path::Path;

use crate::yaml::{Source, parse};

/// Variables that insta follows.
const VARIABLES: [&str; 6] = [
    "INSTA_UPDATE",
    "INSTA_FORCE_PASS",
    "INSTA_FORCE_UPDATE",
    "INSTA_FORCE_UPDATE_SNAPSHOTS",
    "INSTA_REQUIRE_FULL_MATCH",
    "INSTA_PENDING_DIR",
];
/// Where insta looks for a file with settings, and which of its `behavior:` are meant.
const FILES: [&str; 3] = [".config/insta.yaml", "insta.yaml", ".insta.yaml"];
const KEYS: [&str; 4] = ["update", "force_pass", "force_update", "require_full_match"];
/// Values that accept nothing and pass nothing.
const HARMLESS: [&str; 6] = ["", "0", "false", "no", "new", "auto"];

/// Settings without effect, in a line; `workspace` is where insta's file would be.
pub(super) fn ignored(workspace: &Path, variable: impl Fn(&'static str) -> Option<String>) -> Option<String> {
    let value = |name| variable(name).filter(|value| !HARMLESS.contains(&value.as_str()));
    let variables = VARIABLES.into_iter().filter_map(|name| Some(format!("{name}={}", value(name)?)));
    let set: Vec<String> = variables.chain(in_file(workspace)).collect();
    (!set.is_empty()).then(|| {
        let set = set.join(", ");
        format!("note: ignored: {set}. A snapshot that differs fails; RANKGATE_BLESS=1 or `cargo insta review` accepts it")
    })
}

/// The settings of the first file that is there.
fn in_file(workspace: &Path) -> Vec<String> {
    let read = |name: &'static str| Some((name, Source::read(&workspace.join(name)).ok()?));
    let Some((name, source)) = FILES.into_iter().find_map(read) else { return Vec::new() };
    let settings = parse(&source).root.map(|root| root.to_json()).unwrap_or_default();
    let set = |key: &&str| {
        let value = match &settings["behavior"][*key] {
            serde_json::Value::Null => return None,
            serde_json::Value::String(value) => value.clone(),
            value => value.to_string(),
        };
        (!HARMLESS.contains(&value.as_str())).then(|| format!("`{key}: {value}` in {name}"))
    };
    KEYS.iter().filter_map(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_accept_or_pass_is_named_wherever_insta_looks_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let said = |variables: &[(&str, &str)]| {
            ignored(folder.path(), |name| {
                variables.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned())
            })
        };
        let set = |variables: &[(&str, &str)]| {
            said(variables).unwrap().split_once(". A snapshot").unwrap().0.to_owned()
        };
        assert_eq!(said(&[]), None);
        assert_eq!(said(&[("INSTA_UPDATE", "no"), ("INSTA_FORCE_PASS", "0")]), None);
        assert_eq!(set(&[("INSTA_UPDATE", "always")]), "note: ignored: INSTA_UPDATE=always");
        for name in FILES.into_iter().rev() {
            std::fs::create_dir_all(folder.path().join(".config")).unwrap();
            let text = "behavior: {update: always, output: none}\ntest: {runner: auto}\n";
            std::fs::write(folder.path().join(name), text).unwrap();
            assert_eq!(set(&[]), format!("note: ignored: `update: always` in {name}"));
        }
        std::fs::write(folder.path().join(FILES[0]), "behavior:\n  force_pass: true\n  update: auto\n")
            .unwrap();
        assert_eq!(
            set(&[("INSTA_FORCE_PASS", "1")]),
            "note: ignored: INSTA_FORCE_PASS=1, `force_pass: true` in .config/insta.yaml"
        );
        std::fs::write(folder.path().join(FILES[0]), "behavior: [\n").unwrap();
        assert_eq!(said(&[]), None);
    }
}
