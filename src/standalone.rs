//! Specs carried out outside of `cargo test`: by a program of one's own, or by the command `rankgate`.
//!
//! ```no_run
//! use rankgate::standalone::Standalone;
//!
//! let standalone = Standalone::new().output("target/rankgate");
//! let benchmark = standalone.open("benchmarks/helpdesk.yaml")?;
//! let report = benchmark.run();
//! print!("{}", rankgate::report::text(&report));
//! # Ok::<(), rankgate::Error>(())
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::benchmark::{Benchmark, Registry, names, write_error};
use crate::golden::Bless;
use crate::measure::{Accept, Context, normalize_path};
use crate::order;
use crate::output::write_whole;
use crate::progress::Observer;
use crate::session;
use crate::suite::Suite;
use crate::{Error, ErrorKind, Result};

#[doc(hidden)]
pub use crate::measure::{with_option, without_blessing};
pub use crate::session::{Opened, Refusal, Subject};

/// What a snapshot names that no test asserts.
const NO_TEST: &str = "rankgate";

/// How specs are carried out outside of `cargo test`. Golden files are compared with and, unless
/// [`bless`](Self::bless) was called, never written.
#[derive(Clone)]
pub struct Standalone {
    registry: Registry,
    output: Option<PathBuf>,
    bless: Bless,
    /// The command that messages advise to accept a ranking, such as `rankgate bless x.yaml`.
    pub accept_with: Option<String>,
    /// Lets what was answered in the last test run, which is kept in the [`output`](Self::output) folder, or
    /// else the blessed run speak for retrievers that are not registered here: to look into a benchmark, not
    /// to decide its gates.
    pub recorded: bool,
    /// Somebody who watches the work.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Default for Standalone {
    fn default() -> Self {
        Self::new()
    }
}

impl Standalone {
    /// Built-in metrics and retrievers only; no report, no observer.
    pub fn new() -> Self {
        Self {
            registry: Registry::new(),
            output: None,
            bless: Bless::never(),
            accept_with: None,
            recorded: false,
            observer: None,
        }
    }

    /// Retrievers and metrics of one's own.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// The folder in which [`write_reports`](Self::write_reports) makes a folder for each benchmark.
    /// Messages name the report in it.
    pub fn output(mut self, folder: impl Into<PathBuf>) -> Self {
        self.output = Some(folder.into());
        self
    }

    /// Writes golden files instead of comparing with them: a metric report for each snapshot gate, and
    /// the run of each configuration that was measured. A configuration with an error's are left alone.
    ///
    /// # Errors
    /// On a CI machine, where no one would review blessings.
    pub fn bless(mut self) -> Result<Self> {
        self.bless = Bless::by_command()?;
        Ok(self)
    }

    /// Independent of the environment.
    #[cfg(test)]
    pub(crate) fn blessing(mut self, bless: Bless) -> Self {
        self.bless = bless;
        self
    }

    /// Where it blesses, also (`force`) the configurations whose blocking thresholds fail, whose golden files are left alone
    /// otherwise, and where it tags, also in place of other rankings. What is lost with the new rankings can be accepted
    /// (`accept_loss`): golden files record it, and histories raise no alarm of it. That does not go with [`tag`](Self::tag),
    /// which moves no golden file.
    pub fn blessing_all(mut self, force: bool, accept_loss: bool) -> Self {
        (self.bless.force, self.bless.accept_loss) = (force, accept_loss);
        self
    }

    /// Reads a spec. Nothing else is read or asked before a gate needs it.
    ///
    /// # Errors
    /// Everything that is wrong with the spec, each with its place in the file.
    pub fn open(&self, spec: impl AsRef<Path>) -> Result<Benchmark> {
        let spec = spec.as_ref();
        Benchmark::load(spec, &self.registry, Arc::new(self.context(spec)), false)
    }

    fn context(&self, spec: &Path) -> Context {
        let root = std::env::current_dir().unwrap_or_default();
        let place = normalize_path(&root.join(spec));
        let folder = place.parent().unwrap_or(Path::new("")).to_owned();
        let home = folder.ancestors().find(|folder| folder.join("Cargo.toml").is_file());
        let home = home.unwrap_or(&folder).to_owned();
        Context {
            bless: self.bless.clone(),
            recorded: self.recorded,
            site: None,
            source: NO_TEST.to_owned(),
            cache: None,
            accept: match &self.accept_with {
                Some(command) => Accept::Command(command.clone()),
                None => Accept::Test("cargo test".to_owned()),
            },
            reports: self.output.is_some(),
            output: self.output.clone().unwrap_or_default(),
            commit: OnceLock::new(),
            observer: self.observer.clone(),
            root,
            home,
        }
    }

    /// Replaces the last report of a spec by the errors of [`open`](Self::open), in the folder that
    /// [`output`](Self::output) named: it must not be taken for today's.
    ///
    /// # Errors
    /// A folder or file that cannot be written.
    pub fn write_error(&self, spec: impl AsRef<Path>, error: &Error) -> Result<()> {
        let Some(output) = &self.output else { return Ok(()) };
        let spec = spec.as_ref();
        let root = std::env::current_dir().unwrap_or_default();
        let shown = normalize_path(spec);
        let shown = shown.strip_prefix(&root).unwrap_or(&shown);
        write_error(output, [spec, shown], error)
    }

    /// Reads a suite and the specs of its benchmarks. Nothing else is read or asked before a gate needs it.
    ///
    /// # Errors
    /// Everything that is wrong with the suite, each with its place in the file.
    pub fn open_suite(&self, suite: impl AsRef<Path>) -> Result<Suite> {
        let suite = suite.as_ref();
        let member = |spec: &Path| {
            Benchmark::load(spec, &self.registry, Arc::new(self.context(spec)), true).map(Arc::new)
        };
        Suite::load(suite, &self.registry, Arc::new(self.context(suite)), member)
    }

    /// Writes every [rendering](crate::report::RENDERINGS) of a report into the folder that [`output`](Self::output)
    /// named, each file whole or not at all. Writes nothing if no folder was named.
    ///
    /// # Errors
    /// A folder or file that cannot be written.
    pub fn write_reports(&self, subject: &Subject) -> Result<()> {
        match self.output {
            Some(_) => subject.write_reports(),
            None => Ok(()),
        }
    }
}

/// Opens specs together, each by what `standalone` says of its file: benchmarks in the order of the files, then those that
/// only suites name, then suites. An error in one keeps none of the others from being opened.
pub fn open_all(files: Vec<PathBuf>, standalone: impl Fn(&Path) -> Standalone) -> Vec<Opened> {
    let registry = files.first().map(|file| names(&standalone(file).registry)).unwrap_or_default();
    session::open(files, &registry, &|file| {
        let standalone = standalone(file);
        let context = Arc::new(standalone.context(file));
        (standalone.registry, context)
    })
}

impl Benchmark {
    /// Reads a spec to carry it out outside of `cargo test`. Golden files are compared with and
    /// never written; the report is returned and not written. [`Standalone`] has more to choose.
    ///
    /// # Errors
    /// Everything that is wrong with the spec, each with its place in the file.
    pub fn open(path: impl AsRef<Path>, registry: &Registry) -> Result<Self> {
        Standalone::new().registry(registry.clone()).open(path)
    }
}

/// Writes a file so that at any moment its path holds the old text or the new one; folders are made as
/// needed.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn write_file(path: impl AsRef<Path>, text: &str) -> Result<()> {
    write_whole(path.as_ref(), text.as_bytes()).map(drop)
}

/// The specs that a path stands for: the YAML files of a folder and the folders in it, sorted; the file
/// itself, if it is one.
///
/// # Errors
/// A path that cannot be read; a folder without a YAML file in it.
pub fn spec_files(path: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
    let path = path.as_ref();
    let metadata = std::fs::metadata(path).map_err(|error| Error::io("cannot read", path, error))?;
    if !metadata.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let is = |file: &Path, wanted: &str| {
        file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted))
    };
    let files = files_below(path, |file| is(file, "yaml") || is(file, "yml"))?;
    if files.is_empty() {
        return Err(Error::of_file(
            ErrorKind::Missing,
            path,
            "no spec here: no .yaml file, so nothing would be tested",
        ));
    }
    Ok(files)
}

/// The files of a folder and the folders in it that are wanted, sorted. A folder that several links lead to is looked into
/// once.
///
/// # Errors
/// A folder that cannot be read.
pub fn files_below(folder: impl AsRef<Path>, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.as_ref().to_owned()]);
    let mut seen = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        let io = |e| Error::io("cannot read folder", &folder, e);
        if !seen.insert(folder.canonicalize().map_err(io)?) {
            continue;
        }
        for entry in std::fs::read_dir(&folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            if path.is_dir() {
                folders.push(path);
            } else if wanted(&path) {
                files.push(path);
            }
        }
    }
    order::sort(&mut files);
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::progress::{Event, Work};
    use crate::{Hit, Query, retriever_fn};

    const SPEC: &str = "
version: 1
benchmark: toy
collection:
  inline:
    documents: {d1: alpha, d2: beta}
    queries:
      - {id: q1, text: alpha, relevant: [d1]}
      - {id: q2, text: beta, relevant: [d2]}
configurations:
  one: {retriever: first, repeats: 3}
  two: {retriever: first}
thresholds:
  - {metric: RR@2, min: 0.5}
comparisons:
  - {candidate: one, baseline: two, metrics: [RR@2]}
";

    fn registry() -> Registry {
        let mut registry = Registry::new();
        let first = |_: &Query, _: usize| Ok(vec![Hit::new("d1", 2.0), Hit::new("d2", 1.0)]);
        registry.retrievers.register("first", move |_| Ok(retriever_fn(first))).unwrap();
        registry
    }

    #[test]
    fn specs_are_found_whatever_the_case_of_their_ending() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.yaml", "b.YML", "c.Yaml", "D.YAML", "e.txt", "yaml"] {
            std::fs::write(folder.path().join(name), SPEC).unwrap();
        }
        let found = spec_files(folder.path()).unwrap();
        let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["D.YAML", "a.yaml", "b.YML", "c.Yaml"]);
    }

    #[test]
    fn watching_tells_of_all_work_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toy.yaml");
        std::fs::write(&path, SPEC).unwrap();
        let plain = Standalone::new().registry(registry());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&seen);
        let observer =
            move |work: &Work, event: Event| notes.lock().unwrap().push(format!("{} {event:?}", work.what));
        let watched = Standalone { observer: Some(Arc::new(observer)), ..plain.clone() };
        let watched = watched.open(&path).unwrap().run();

        let seen = seen.lock().unwrap();
        let count = |text: &str| seen.iter().filter(|event| event.contains(text)).count();
        assert_eq!(count("toy: asking one Started"), 1);
        assert_eq!(count("toy: asking one Advanced(1)"), 6);
        for work in ["reading queries", "reading documents", "building", "resampling"] {
            assert!(count(work) > 0 && count(work) % 2 == 0, "{work}: {seen:?}");
        }

        let unwatched = plain.open(&path).unwrap().run();
        assert_eq!((watched.gates, watched.collection), (unwatched.gates, unwatched.collection));
    }

    #[test]
    fn reports_are_written_where_an_output_is_named_and_messages_point_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toy.yaml");
        std::fs::write(&path, SPEC.replace("0.5", "0.9")).unwrap();
        let written = |standalone: &Standalone| {
            let benchmark = standalone.open(&path).unwrap();
            let report = benchmark.run();
            standalone.write_reports(&Subject::Benchmark(Arc::new(benchmark))).unwrap();
            crate::report::text(&report)
        };
        let standalone = Standalone::new().registry(registry());
        assert!(!written(&standalone).contains("full report"));
        let text = written(&standalone.output(folder.path().join("out")));
        assert!(text.contains("full report") && text.contains("out/toy/report."), "{text}");
        for (ending, _) in crate::report::RENDERINGS {
            assert!(folder.path().join(format!("out/toy/report.{ending}")).is_file());
        }
    }
}
