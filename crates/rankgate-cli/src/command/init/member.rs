//! The gates in a crate of their own: a member of the workspace, which users of the crate never compile.

use std::path::{Path, PathBuf};

use rankgate::BoxError;

use crate::exit::Exit;
use crate::terminal::Terminal;

use super::kind::Kind;
use super::{shown, write_all};

/// The folder of the new crate.
const FOLDER: &str = "gates";

/// Writes the crate below that of `folder`, and prints the lines of the other manifest.
pub(super) fn write(folder: &Path, terminal: &Terminal) -> Result<Exit, BoxError> {
    let manifest = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest)
        .map_err(|error| format!("cannot read {}: {error}", manifest.display()))?;
    let package = package(&text)
        .ok_or_else(|| format!("{} has no [package]: name the folder of a crate", manifest.display()))?;
    let mut files = Kind::Rust.files();
    files.push(("Cargo.toml", own_manifest(package)));
    files.push((
        "src/lib.rs",
        format!("//! Gates on the retrieval quality of `{package}`: see tests/retrieval.rs.\n"),
    ));
    let member = PathBuf::from(shown(folder, FOLDER));
    std::fs::create_dir_all(&member).map_err(|error| format!("cannot make {}: {error}", member.display()))?;
    write_all(&member, &files, terminal)?;
    terminal.note(&format!(
        "\nIn {}, say where rankgate is. Into {}, if its [workspace] does not say so:\n",
        shown(folder, "gates/Cargo.toml"),
        shown(folder, "Cargo.toml")
    ));
    terminal.result(WORKSPACE)?;
    terminal.note(&format!("\nThen: cargo test -p {package}-gates"));
    Ok(Exit::Passed)
}

/// What the workspace's manifest says.
const WORKSPACE: &str = "\
[workspace]
members = [\"gates\"]
default-members = [\".\"]  # `cargo build` and `cargo test` leave the gates out
";

/// The manifest of the new crate. Its edition is one that older versions of cargo read as well: they read it even where they
/// compile the other crate alone.
fn own_manifest(package: &str) -> String {
    format!(
        "[package]\n\
         name = \"{package}-gates\"\n\
         version = \"0.0.0\"\n\
         edition = \"2021\"\n\
         publish = false\n\
         \n\
         [dev-dependencies]\n\
         {package} = {{ path = \"..\" }}\n\
         rankgate = {{ path = \"../../rankgate\" }}  # where your clone is, or git = \"...\": it is on no registry yet\n\
         \n\
         [[test]]\n\
         name = \"retrieval\"  # tests/retrieval.rs\n\
         harness = false     # which runs the tests itself\n"
    )
}

/// The name of the package of a manifest.
fn package(manifest: &str) -> Option<&str> {
    let lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[package]").skip(1);
    let mut lines = lines.take_while(|line| !line.starts_with('['));
    lines.find_map(|line| {
        let value = line.strip_prefix("name")?.trim_start().strip_prefix('=')?.trim();
        value.get(1..)?.split(['"', '\'']).next()
    })
}
