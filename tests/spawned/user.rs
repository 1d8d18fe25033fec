//! A crate of a user's, in which these tests are run.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tempfile::TempDir;

use crate::repository::root;

/// A copy of `tests/fixture`.
///
/// Most copies have a folder of their own and the test program that was built once for all of them, so that their
/// tests run side by side. Tests that change code, or that are about cargo itself, take turns with one copy.
pub(crate) struct Crate {
    pub(crate) folder: PathBuf,
    kind: Kind,
}

#[expect(dead_code, reason = "they last as long as the copy")]
enum Kind {
    /// In a folder of its own, with the program at this path.
    Built(PathBuf, TempDir),
    /// Compiled by cargo, always in the same folder: cargo takes crates of one name in one target folder for the same
    /// crate, wherever they are. The lock is for other processes that run these tests.
    Compiled(MutexGuard<'static, ()>, File),
}

/// The test program of the copy as it is.
struct Program {
    binary: PathBuf,
    /// What nextest, where it is there, needs to run the program without cargo.
    nextest: Option<Metadata>,
}

/// Files for nextest.
struct Metadata {
    cargo: PathBuf,
    binaries: PathBuf,
}

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) notes: Vec<String>,
    pub(crate) report: Option<String>,
    /// The HTML report.
    pub(crate) page: Option<String>,
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
    /// A copy in a folder of its own, whose code stays as it is.
    pub(crate) fn new() -> Self {
        let program = program();
        let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let folder = place.path().join("user");
        write_all(&folder, &fixture());
        // Reports are written to the target folder in which the program lies.
        let programs = folder.join("target/debug/deps");
        fs::create_dir_all(&programs).unwrap();
        fs::write(folder.join("target/CACHEDIR.TAG"), "").unwrap();
        let binary = programs.join(program.binary.file_name().unwrap());
        fs::hard_link(&program.binary, &binary).unwrap();
        Self { folder, kind: Kind::Built(binary, place) }
    }

    /// The copy that cargo compiles, as if it were copied anew.
    pub(crate) fn for_cargo() -> Self {
        let turn = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join("user.lock")).unwrap();
        lock.lock().unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("user");
        hold(&folder, &fixture());
        Self { folder, kind: Kind::Compiled(turn, lock) }
    }

    /// A copy whose golden files were blessed.
    pub(crate) fn blessed() -> Self {
        Self::new().bless()
    }

    /// The same of the copy that cargo compiles.
    pub(crate) fn blessed_for_cargo() -> Self {
        Self::for_cargo().bless()
    }

    fn bless(self) -> Self {
        let golden = GOLDEN.get_or_init(|| {
            let first = Self::new();
            first.run(&["test"], &[("RANKGATE_BLESS", "1")]).ends_with(0);
            read_all(&first.path("golden"))
        });
        write_all(&self.path("golden"), golden);
        self
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

    /// Runs cargo in the crate, with nothing of this test run's own surroundings; where the program is built already,
    /// what `cargo test` and `cargo nextest run` would run, without cargo's look at what it has built.
    pub(crate) fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let Kind::Built(binary, _) = &self.kind else {
            return self.finish(self.command(env!("CARGO"), arguments, variables));
        };
        for (name, text) in fixture().iter().filter(|(name, _)| !name.starts_with("benchmarks")) {
            let same = fs::read(self.path(&name.display().to_string())).ok().as_ref() == Some(text);
            assert!(same, "{name:?} was changed, and is not compiled: take Crate::for_cargo()");
        }
        match arguments {
            ["test", "--quiet", "--test", "retrieval", rest @ ..]
            | ["test", "--test", "retrieval", rest @ ..]
            | ["test", rest @ ..] => {
                let arguments = match rest {
                    ["--", rest @ ..] => rest,
                    [] => &[],
                    _ => panic!("{arguments:?} is for cargo: take Crate::for_cargo()"),
                };
                self.finish(self.command(&binary.display().to_string(), arguments, variables))
            }
            ["nextest", "run", rest @ ..] => {
                let Metadata { cargo, binaries } =
                    program().nextest.as_ref().unwrap_or_else(|| panic!("cargo-nextest is not installed"));
                let mut command = self.command(env!("CARGO"), &["nextest", "run"], variables);
                command.arg("--cargo-metadata").arg(cargo).arg("--binaries-metadata").arg(binaries);
                command.arg("--workspace-remap").arg(&self.folder);
                command.arg("--target-dir-remap").arg(self.path("target")).args(rest);
                self.finish(command)
            }
            _ => panic!("{arguments:?} is for cargo: take Crate::for_cargo()"),
        }
    }

    /// Runs a command of this crate's to its end, and gathers what it left.
    pub(crate) fn finish(&self, mut command: Command) -> Ran {
        let left = [
            self.path("notes"),
            self.output("toy/report.json"),
            self.output("toy/report.html"),
            self.path("target/nextest/default/junit.xml"),
        ];
        for file in &left {
            fs::remove_file(file).ok();
        }
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let [notes, report, page, junit] = left.map(|file| fs::read_to_string(file).ok());
        let notes = notes.unwrap_or_default().lines().map(str::to_owned).collect();
        Ran { code: status.code(), stdout: text(stdout), stderr: text(stderr), notes, report, page, junit }
    }

    /// A program in the crate, with nothing of this test run's own surroundings.
    pub(crate) fn command(&self, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = alone(program);
        command.env("FIXTURE_NOTES", self.path("notes"));
        match &self.kind {
            Kind::Built(..) => command.env("CARGO_MANIFEST_DIR", &self.folder),
            Kind::Compiled(..) => command.env("CARGO_TARGET_DIR", target()),
        };
        command.envs(variables.iter().copied()).args(arguments).current_dir(&self.folder);
        command
    }

    /// The test program.
    pub(crate) fn binary(&self) -> String {
        if let Kind::Built(binary, _) = &self.kind {
            return binary.display().to_string();
        }
        let built = self.run(&["test", "--no-run", "--test", "retrieval"], &[]);
        built.ends_with(0);
        executable(&built.stderr).unwrap_or_else(|| panic!("no program: {}", built.all())).to_owned()
    }

    /// A file that the test run writes.
    pub(crate) fn output(&self, relative: &str) -> PathBuf {
        let target = match self.kind {
            Kind::Built(..) => self.path("target"),
            Kind::Compiled(..) => target(),
        };
        target.join("rankgate").join(relative)
    }
}

/// What a copy holds: the fixture with rankgate's place, and rankgate's lock file.
fn fixture() -> Files {
    let root = root();
    let here = root.display().to_string().replace('\\', "/");
    let mut files = read_all(&root.join("tests/fixture"));
    let manifest = files.get_mut(Path::new("Cargo.toml")).unwrap();
    *manifest = String::from_utf8_lossy(manifest).replace("RANKGATE", &here).into_bytes();
    files.insert("Cargo.lock".into(), fs::read(root.join("Cargo.lock")).unwrap());
    files
}

/// Builds the program, once in a process; other processes wait meanwhile, and find it built.
fn program() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let lock = File::create(place.join("program.lock")).unwrap();
        lock.lock().unwrap();
        let mut files = fixture();
        let manifest = files.get_mut(Path::new("Cargo.toml")).unwrap();
        // Cargo keeps apart what it builds of two versions.
        *manifest = String::from_utf8_lossy(manifest).replace("\"0.0.0\"", "\"0.0.1\"").into_bytes();
        let folder = place.join("program");
        hold(&folder, &files);
        let ask = |arguments: &[&str]| {
            let mut command = alone(env!("CARGO"));
            command.env("CARGO_TARGET_DIR", target()).args(arguments).current_dir(&folder);
            let Output { status, stdout, stderr } = command.output().unwrap();
            assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
            (stdout, String::from_utf8(stderr).unwrap())
        };
        let (_, built) = ask(&["test", "--no-run", "--test", "retrieval"]);
        let binary = executable(&built).unwrap_or_else(|| panic!("no program: {built}")).into();
        let has_nextest =
            alone(env!("CARGO")).args(["nextest", "--version"]).output().unwrap().status.success();
        let nextest = has_nextest.then(|| {
            let keep = |name: &str, text: &[u8]| {
                let file = place.join(name);
                fs::write(&file, text).unwrap();
                file
            };
            let listing = "nextest list --test retrieval --list-type binaries-only --message-format json";
            let (listed, _) = ask(&listing.split(' ').collect::<Vec<_>>());
            let read: serde_json::Value = serde_json::from_slice(&listed).unwrap();
            // Without it, cargo asks for what other systems compile too, which nobody may have fetched.
            let host = &read["rust-build-meta"]["platforms"]["host"]["platform"]["triple"];
            let (metadata, _) =
                ask(&["metadata", "--format-version", "1", "--filter-platform", host.as_str().unwrap()]);
            Metadata { cargo: keep("cargo.json", &metadata), binaries: keep("binaries.json", &listed) }
        });
        // The program takes its copy for another checkout while there is a crate where it was compiled.
        fs::remove_file(folder.join("Cargo.toml")).unwrap();
        Program { binary, nextest }
    })
}

/// The absolute path of the test program, which cargo names on stderr.
fn executable(built: &str) -> Option<&str> {
    Some(built.split_once("Executable tests/retrieval.rs (")?.1.split_once(')')?.0)
}

/// A program with nothing of this test run's own surroundings.
fn alone(program: &str) -> Command {
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
            "CARGO_TARGET_",
            "RUSTC_BOOTSTRAP",
        ];
        if of_this_run.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command
        .env_remove("CI")
        // Of whoever runs these tests; cargo tells its children their own.
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("CARGO_TARGET_DIR")
        .env("CARGO_TERM_COLOR", "never")
        .env("CARGO_NET_OFFLINE", "true")
        // Half of what rustc does, and nobody steps through these crates.
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("RUSTUP_AUTO_INSTALL", "0")
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null());
    command
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
