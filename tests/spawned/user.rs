//! A crate of a user's, in which these tests are run.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::repository::root;

/// A copy of `tests/fixture`, always in the same folder: cargo takes crates of one name in one target
/// folder for the same crate, wherever they are. Each test has it for itself while it lasts, and finds it as if it
/// were copied anew.
pub(crate) struct Crate {
    pub(crate) folder: PathBuf,
    _turn: MutexGuard<'static, ()>,
    /// The same for other processes that run these tests.
    _lock: File,
}

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) notes: Vec<String>,
    pub(crate) report: Option<String>,
    /// The HTML report, and one of its plots.
    pub(crate) page: Option<String>,
    pub(crate) plot: Option<String>,
    pub(crate) junit: Option<String>,
}

/// The one crate's users take turns.
static TURNS: Mutex<()> = Mutex::new(());

/// What blessing the copy as it is writes below `golden`.
static GOLDEN: OnceLock<Files> = OnceLock::new();

/// Files by their paths below a folder.
type Files = BTreeMap<PathBuf, Vec<u8>>;

impl Ran {
    pub(crate) fn all(&self) -> String {
        format!("code {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.stdout, self.stderr)
    }

    /// How many lines the retriever noted.
    pub(crate) fn noted(&self, what: &str) -> usize {
        self.notes.iter().filter(|note| *note == what).count()
    }

    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Self {
        assert!(self.stdout.contains(text) || self.stderr.contains(text), "no `{text}` in {}", self.all());
        self
    }

    #[track_caller]
    pub(crate) fn does_not_say(&self, text: &str) -> &Self {
        assert!(!self.stdout.contains(text) && !self.stderr.contains(text), "`{text}` in {}", self.all());
        self
    }

    #[track_caller]
    pub(crate) fn ends_with(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}", self.all());
        self
    }
}

impl Crate {
    pub(crate) fn new() -> Self {
        let turn = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join("user.lock")).unwrap();
        lock.lock().unwrap();
        let root = root();
        let here = root.display().to_string().replace('\\', "/");
        let mut wanted = read_all(&root.join("tests/fixture"));
        let manifest = wanted.get_mut(Path::new("Cargo.toml")).unwrap();
        *manifest = String::from_utf8_lossy(manifest).replace("RANKGATE", &here).into_bytes();
        wanted.insert("Cargo.lock".into(), fs::read(root.join("Cargo.lock")).unwrap());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("user");
        hold(&folder, &wanted);
        Self { folder, _turn: turn, _lock: lock }
    }

    /// A copy whose golden files were blessed.
    pub(crate) fn blessed() -> Self {
        let this = Self::new();
        if let Some(golden) = GOLDEN.get() {
            write_all(&this.path("golden"), golden);
        } else {
            this.run(&["test"], &[("RANKGATE_BLESS", "1")]).ends_with(0);
            GOLDEN.get_or_init(|| read_all(&this.path("golden")));
        }
        this
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap_or_else(|error| panic!("{relative}: {error}"))
    }

    pub(crate) fn edit(&self, relative: &str, change: impl FnOnce(String) -> String) {
        let old = self.read(relative);
        let new = change(old.clone());
        assert_ne!(old, new, "the edit of {relative} changes nothing");
        fs::write(self.path(relative), new).unwrap();
    }

    /// Runs cargo in the crate, with nothing of this test run's own surroundings.
    pub(crate) fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        self.finish(self.command(env!("CARGO"), arguments, variables))
    }

    /// Runs a command of this crate's to its end, and gathers what it left.
    pub(crate) fn finish(&self, mut command: Command) -> Ran {
        let left = [
            self.path("notes"),
            self.output("toy/report.json"),
            self.output("toy/report.html"),
            self.output("toy/plots/curve-nDCG.svg"),
            self.path("target/nextest/default/junit.xml"),
        ];
        for file in &left {
            fs::remove_file(file).ok();
        }
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let [notes, report, page, plot, junit] = left.map(|file| fs::read_to_string(file).ok());
        let notes = notes.unwrap_or_default().lines().map(str::to_owned).collect();
        Ran {
            code: status.code(),
            stdout: text(stdout),
            stderr: text(stderr),
            notes,
            report,
            page,
            plot,
            junit,
        }
    }

    /// A program in the crate, with nothing of this test run's own surroundings.
    pub(crate) fn command(&self, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars() {
            // Only what tells the child about this very test run. Whatever says which toolchain is used,
            // and that none may be installed, is the machine's to say.
            let of_this_run = [
                "NEXTEST",
                "INSTA_",
                "RANKGATE_",
                "FIXTURE_",
                "GITHUB_",
                "GITLAB_",
                "BUILD",
                "CODEBUILD_",
                "JENKINS_",
            ];
            if of_this_run.iter().any(|prefix| name.starts_with(prefix)) {
                command.env_remove(name);
            }
        }
        command
            .env_remove("CI")
            // Of whoever runs these tests; cargo tells its children their own.
            .env_remove("CARGO_MANIFEST_DIR")
            .env("CARGO_TERM_COLOR", "never")
            .env("CARGO_NET_OFFLINE", "true")
            .env("RUSTUP_AUTO_INSTALL", "0")
            .env_remove("RUST_BACKTRACE")
            .env("CARGO_TARGET_DIR", target())
            .env("FIXTURE_NOTES", self.path("notes"))
            .envs(variables.iter().copied())
            .args(arguments)
            .stdin(Stdio::null())
            .current_dir(&self.folder);
        command
    }

    /// The test binary, as cargo has built it.
    pub(crate) fn binary(&self) -> String {
        let built = self.run(&["test", "--no-run", "--test", "retrieval"], &[]);
        built.ends_with(0);
        let path = built
            .stderr
            .split_once("Executable tests/retrieval.rs (")
            .and_then(|(_, rest)| rest.split_once(')'));
        path.unwrap_or_else(|| panic!("no binary: {}", built.all())).0.to_owned()
    }

    /// A file that the test run writes.
    pub(crate) fn output(&self, relative: &str) -> PathBuf {
        target().join("rankgate").join(relative)
    }
}

/// The files of a folder and of those in it, by their paths below it.
fn read_all(folder: &Path) -> Files {
    let mut files = Files::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            files.extend(read_all(&path).into_iter().map(|(below, text)| (name.join(below), text)));
        } else {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
    files
}

/// Writes those of the files that are not there as they should be.
///
/// The others keep their times, by which cargo knows what it has built: most tests change no code, and compile none.
fn write_all(folder: &Path, files: &Files) {
    for (name, text) in files {
        let path = folder.join(name);
        if fs::read(&path).ok().as_ref() != Some(text) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
}

/// Leaves these files in the folder, and nothing else.
fn hold(folder: &Path, files: &Files) {
    fs::create_dir_all(folder).unwrap();
    clear(folder, Path::new(""), files);
    write_all(folder, files);
}

/// Removes what is none of the files from what is at `below` in the folder.
fn clear(folder: &Path, below: &Path, files: &Files) {
    for entry in fs::read_dir(folder.join(below)).unwrap() {
        let entry = entry.unwrap();
        let name = below.join(entry.file_name());
        let is_folder = entry.file_type().unwrap().is_dir();
        if is_folder && files.keys().any(|file| file.starts_with(&name)) {
            clear(folder, &name, files);
        } else if is_folder {
            fs::remove_dir_all(entry.path()).unwrap();
        } else if !files.contains_key(&name) {
            fs::remove_file(entry.path()).unwrap();
        }
    }
}

/// Where all these crates are built.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixture")
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
