//! `rankgate init`: a benchmark to start from.

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::BoxError;

use crate::exit::Exit;
use crate::terminal::Terminal;

/// Write a commented spec, a tiny collection and a test that runs it
#[derive(Args)]
#[command(after_help = "\
Nothing that is there is overwritten. The tests pass as they are written; change one thing after \
the other.

Examples:
  rankgate init
  rankgate init crates/search")]
pub(crate) struct Init {
    /// The folder of the crate
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// The new files: path and contents.
const FILES: &[(&str, &str)] = &[
    ("benchmarks/first.yaml", include_str!("starter/benchmarks/first.yaml")),
    ("benchmarks/data/first/corpus.jsonl", include_str!("starter/benchmarks/data/first/corpus.jsonl")),
    ("benchmarks/data/first/queries.jsonl", include_str!("starter/benchmarks/data/first/queries.jsonl")),
    ("benchmarks/data/first/qrels/test.tsv", include_str!("starter/benchmarks/data/first/qrels/test.tsv")),
    ("benchmarks/runs/before.run", include_str!("starter/benchmarks/runs/before.run")),
    ("tests/retrieval.rs", include_str!("starter/tests/retrieval.rs")),
    ("golden/first/before.run", include_str!("starter/golden/first/before.run")),
    ("golden/first/before.snap", include_str!("starter/golden/first/before.snap")),
    ("golden/first/words.run", include_str!("starter/golden/first/words.run")),
    ("golden/first/words.snap", include_str!("starter/golden/first/words.snap")),
];

/// What git reads: beside the golden files, so that those of the crate itself stay as they are. Each is left alone where
/// it is there.
const OF_GIT: &[(&str, &str)] = &[
    ("golden/.gitattributes", include_str!("starter/golden/gitattributes")),
    ("golden/.gitignore", include_str!("starter/golden/gitignore")),
];

/// What editors read, as the first line of the spec says.
const SCHEMA: &str = "benchmarks/rankgate.schema.json";

/// What goes into the manifest.
const MANIFEST: &str = r#"[dev-dependencies]
rankgate = { path = "../rankgate" }  # where your clone is, or git = "...": it is on no registry yet

[[test]]
name = "retrieval"  # tests/retrieval.rs
harness = false     # which runs the tests itself

# Of a crate that is published: nobody who depends on it needs what its tests compare with.
# [package]
# exclude = ["/benchmarks", "/golden", "/tests/retrieval.rs"]
"#;

impl Init {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let folder = self.folder.as_path();
        if !folder.is_dir() {
            return Err(format!("{}: no such folder", folder.display()).into());
        }
        let paths = FILES.iter().map(|(path, _)| *path).chain([SCHEMA]);
        let there: Vec<&str> = paths.filter(|path| folder.join(path).exists()).collect();
        if !there.is_empty() {
            let shown: Vec<String> =
                there.iter().map(|path| format!("\n  {}", shown(folder, path))).collect();
            return Err(
                format!("nothing was written: these files are there already{}", shown.concat()).into()
            );
        }
        let schema = format!("{:#}\n", rankgate::spec::json_schema());
        for (path, contents) in FILES.iter().copied().chain([(SCHEMA, schema.as_str())]) {
            write(&folder.join(path), contents)?;
            terminal.note(&format!("wrote  {}", shown(folder, path)));
        }
        for (path, contents) in OF_GIT {
            let said = match folder.join(path).exists() {
                true => "kept ",
                false => {
                    write(&folder.join(path), contents)?;
                    "wrote"
                }
            };
            terminal.note(&format!("{said}  {}", shown(folder, path)));
        }
        if folder.join("Cargo.toml").is_file() {
            terminal
                .note("\nInto Cargo.toml (a [dev-dependencies] that is there takes the line below it):\n");
            terminal.result(MANIFEST)?;
            terminal.note("\nThen: cargo test --test retrieval");
        } else {
            terminal.note(&format!(
                "\n{} holds no Cargo.toml. In a crate, these lines of its manifest run the test:\n",
                if folder == Path::new(".") {
                    "This folder".to_owned()
                } else {
                    folder.display().to_string()
                }
            ));
            terminal.result(MANIFEST)?;
            terminal.note(&format!(
                "\nWithout Rust, what needs no retriever of its own runs as it is:\n  rankgate run {} \
                 --filter first::before::",
                shown(folder, "benchmarks/first.yaml")
            ));
        }
        Ok(Exit::Passed)
    }
}

fn shown(folder: &Path, path: &str) -> String {
    if folder == Path::new(".") { path.to_owned() } else { folder.join(path).display().to_string() }
}

/// Writes a file that must not be there: should it have come in the meantime, it stays.
fn write(path: &Path, contents: &str) -> Result<(), BoxError> {
    use std::io::Write;
    let failed = |error| format!("cannot write {}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = std::fs::File::create_new(path).map_err(failed)?;
    file.write_all(contents.as_bytes()).map_err(failed)?;
    Ok(())
}
