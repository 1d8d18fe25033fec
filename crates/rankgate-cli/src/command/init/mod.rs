//! `rankgate init`: a benchmark to start from.

mod kind;

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::BoxError;

use crate::exit::Exit;
use crate::terminal::Terminal;

use self::kind::Kind;

/// Write a spec, a tiny collection and a test that runs it
#[derive(Args)]
#[command(after_help = "\
Nothing that is there is overwritten. The commands that are printed at the end make all gates pass; change one thing \
after the other.

Examples:
  rankgate init
  rankgate init crates/search
  rankgate init --pytest
  rankgate init --python services/search")]
pub(crate) struct Init {
    /// The folder of the crate or project
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    kind: Option<WhoAnswers>,
}

/// Who answers queries, and who runs the gates.
#[derive(Args)]
#[group(multiple = false)]
struct WhoAnswers {
    /// A retriever in Rust, with a test that runs the gates (the default)
    #[arg(long)]
    rust: bool,

    /// A retriever in Python, with pytest to run the gates: the plugin comes with rankgate's wheel
    #[arg(long)]
    pytest: bool,

    /// A program in Python, or in any language
    #[arg(long)]
    python: bool,

    /// A service
    #[arg(long)]
    http: bool,

    /// Run files that something has written
    #[arg(long)]
    runs: bool,
}

impl WhoAnswers {
    fn kind(&self) -> Kind {
        match self {
            Self { pytest: true, .. } => Kind::Pytest,
            Self { python: true, .. } => Kind::Python,
            Self { http: true, .. } => Kind::Http,
            Self { runs: true, .. } => Kind::Runs,
            _ => Kind::Rust,
        }
    }
}

/// What git reads: beside the golden files, so that those of the crate itself stay as they are. Each is left alone where
/// it is there.
const OF_GIT: &[(&str, &str)] = &[
    ("golden/.gitattributes", include_str!("starter/golden/gitattributes")),
    ("golden/.gitignore", rankgate::internal::IGNORED_BESIDE_GOLDEN),
];

/// What editors read, as the first line of the spec says.
const SCHEMA: &str = "benchmarks/rankgate.schema.json";

/// What goes into the manifest.
const MANIFEST: &str = r#"[dev-dependencies]
# Where your clone is, or git = "...": it is on no registry yet. As a shared library it is not linked again after each edit.
rankgate = { package = "rankgate-dylib", path = "../rankgate/crates/rankgate-dylib" }

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
        let kind = self.kind.map_or(Kind::Rust, |kind| kind.kind());
        // A project may have one, and its owner knows where the retriever belongs in it.
        let (pasted, files): (Vec<_>, Vec<_>) = kind
            .files()
            .into_iter()
            .partition(|(path, _)| *path == kind::CONFTEST && folder.join(path).exists());
        write_all(folder, &files, terminal)?;
        for (path, text) in &pasted {
            terminal
                .note(&format!("\n{} is there already. Paste these lines into it:\n", shown(folder, path)));
            terminal.result(text)?;
        }
        match kind {
            Kind::Rust => rust_steps(folder, terminal)?,
            Kind::Pytest | Kind::Python | Kind::Http | Kind::Runs => {
                for step in kind.steps(&shown(folder, "benchmarks")) {
                    terminal.note(&step);
                }
            }
        }
        Ok(Exit::Passed)
    }
}

/// What to do in a crate.
fn rust_steps(folder: &Path, terminal: &Terminal) -> Result<(), BoxError> {
    if folder.join("Cargo.toml").is_file() {
        terminal.note("\nAdd these lines to Cargo.toml. If it has [dev-dependencies] already, put the `rankgate` line there:\n");
        terminal.result(MANIFEST)?;
        terminal.note("\nThen: cargo test --test retrieval");
        return Ok(());
    }
    terminal.note(&format!(
        "\n{} has no Cargo.toml. To run the test in a crate, add these lines to its Cargo.toml:\n",
        if folder == Path::new(".") { "This folder".to_owned() } else { folder.display().to_string() }
    ));
    terminal.result(MANIFEST)?;
    terminal.note(&format!(
        "\nIf your search is not in Rust, delete these files and run `rankgate init` with --pytest, --python, --http or --runs.\n\
         The gates on the run file need no Rust:\n  rankgate run {} --filter first::before::",
        shown(folder, "benchmarks/first.yaml")
    ));
    Ok(())
}

/// Writes files, by their paths below a folder, and what git and editors read beside them: all, or none where one is there.
fn write_all(folder: &Path, files: &[(&str, String)], terminal: &Terminal) -> Result<(), BoxError> {
    let paths = files.iter().map(|(path, _)| *path).chain([SCHEMA]);
    let there: Vec<&str> = paths.filter(|path| folder.join(path).exists()).collect();
    if !there.is_empty() {
        let shown: Vec<String> = there.iter().map(|path| format!("\n  {}", shown(folder, path))).collect();
        return Err(format!("nothing was written: these files are there already{}", shown.concat()).into());
    }
    let schema = rankgate::spec::SPEC_SCHEMA;
    let files = files.iter().map(|(path, contents)| (*path, contents.as_str()));
    for (path, contents) in files.chain([(SCHEMA, schema)]) {
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
    Ok(())
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
