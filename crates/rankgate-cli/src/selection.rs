//! Which specs, and which of their gates, a command is about.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::gate::{Gate, encode_filter};
use rankgate::spec::{Configuration, ConfigurationSource};
use rankgate::standalone::{Opened, Refusal, Standalone, Subject, open_all, spec_files};
use rankgate::suite::Suite;

use crate::results::Results;
use crate::specs;

/// Specs, and gates of them.
#[derive(Args)]
pub(crate) struct Selection {
    /// Specs, and folders in which every .yaml file is one
    #[arg(required = true, value_name = "SPEC|FOLDER")]
    specs: Vec<PathBuf>,

    /// Only gates with this text in their name, such as `bm25::` or `nDCG@10`; may be repeated
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,

    /// A program that serves `retriever: NAME`, with its arguments after blanks, or as a list of JSON; it runs as a
    /// `command:` does, and receives the `params`; may be repeated
    #[arg(long = "retriever", value_name = "NAME=PROGRAM", value_parser = Served::parse)]
    served: Vec<Served>,

    /// The programs of --retriever carry queries to one process, which runs already: pytest's
    #[arg(long, hide = true, requires = "served")]
    in_process: bool,
}

/// A retriever that a spec names, and the program that serves it. Without a name what was typed is none of it.
#[derive(Clone)]
struct Served {
    name: String,
    /// Errors are reported later: clap would show the typed text, secrets included.
    command: Result<Vec<String>, String>,
}

impl Served {
    #[expect(clippy::unnecessary_wraps, reason = "clap asks for a result")]
    fn parse(text: &str) -> Result<Self, Infallible> {
        let Some((name, command)) = text.split_once('=') else {
            let why = "expected NAME=PROGRAM, as in `mine=python3 search.py`".to_owned();
            return Ok(Self { name: String::new(), command: Err(why) });
        };
        let command = if command.starts_with('[') {
            serde_json::from_str(command).map_err(|error| format!("no list of texts: {error}"))
        } else {
            Ok(command.split_whitespace().map(str::to_owned).collect())
        };
        Ok(Self { name: name.to_owned(), command })
    }
}

impl Selection {
    /// What specs may name: any retriever, and of those that a program serves the program.
    pub(crate) fn registry(&self) -> Result<Registry, BoxError> {
        let mut registry = specs::registry();
        for Served { name, command } in &self.served {
            let of = if name.is_empty() { "" } else { " " };
            let command = command.as_ref().map_err(|why| format!("--retriever{of}{name}: {why}"))?;
            registry.retrievers.register_program(name, command)?;
        }
        if self.in_process {
            registry.retrievers.set_bridges();
        }
        Ok(registry)
    }

    /// Whether a configuration's retriever is registered from Rust, and no program serves it.
    fn is_out_of_reach(&self, configuration: &Configuration) -> bool {
        match &configuration.source {
            ConfigurationSource::Retriever { name, .. } => self.served.iter().all(|one| one.name != *name),
            _ => false,
        }
    }

    /// Opens each spec whose file is named, to list its contents.
    pub(crate) fn open(
        &self,
        results: &mut Results<'_>,
        standalone: impl Fn(&Path) -> Standalone,
    ) -> Vec<Opened> {
        open_all(self.files(results), standalone)
    }

    /// Whether a gate's name is selected, by a part of it as it is or as the spec writes it.
    pub(crate) fn names(&self, gate: &Gate) -> bool {
        self.filter.is_empty() || self.filter.iter().any(|text| has(gate, text))
    }

    /// A filter that is in the name of no gate, where all specs could be opened.
    pub(crate) fn unmatched(&self, all: &[Opened]) -> Option<&str> {
        let subjects: Option<Vec<&Subject>> = all.iter().map(|one| one.subject.as_ref().ok()).collect();
        let subjects = subjects?;
        let any = |text: &&String| subjects.iter().any(|one| one.gates().iter().any(|gate| has(gate, text)));
        self.filter.iter().find(|text| !any(text)).map(String::as_str)
    }

    /// What was typed and names nothing in any of these specs: a part of it alone would be carried out, and the rest be taken
    /// for decided. Of specs that could not be opened nobody knows what they name.
    fn names_nothing(&self, all: &[Opened]) -> Option<String> {
        let subjects: Option<Vec<&Subject>> = all.iter().map(|one| one.subject.as_ref().ok()).collect();
        let subjects = subjects?;
        let any = |text: &&String| subjects.iter().any(|one| one.gates().iter().any(|gate| has(gate, text)));
        let (some, none): (Vec<&String>, Vec<&String>) = self.filter.iter().partition(any);
        if let (Some(text), false) = (none.first(), some.is_empty()) {
            return Some(format!(
                "no gate has `{text}` in its name, which --filter asks for: nothing was decided; `rankgate run --list` shows \
                 their names"
            ));
        }
        let named: BTreeSet<&str> = subjects.iter().flat_map(|one| retrievers(one)).collect();
        // A process that serves all of its retrievers need not know which of them a spec names.
        let mut served = self.served.iter().filter(|_| !self.in_process && !subjects.is_empty());
        let unknown = served.find(|served| !named.contains(&*served.name))?;
        let names = match named.is_empty() {
            true => "it names none".to_owned(),
            false => {
                let names: Vec<String> = named.iter().map(|name| format!("`{name}`")).collect();
                format!("it names {}", names.join(", "))
            }
        };
        Some(format!(
            "--retriever serves `{}`, which no spec here names: {names}; nothing was decided",
            unknown.name
        ))
    }

    /// Opens each spec and hands over those of which gates are selected that can be decided here. Errors
    /// of the others are reported, and they are left out.
    pub(crate) fn each(
        &self,
        results: &mut Results<'_>,
        standalone: impl Fn(&Path) -> Standalone,
        instead: &str,
        mut carry_out: impl FnMut(&mut Results<'_>, &Standalone, &Subject) -> Result<(), BoxError>,
    ) -> Result<(), BoxError> {
        let all = open_all(self.files(results), &standalone);
        if let Some(refusal) = self.names_nothing(&all) {
            results.refuse(&*BoxError::from(refusal));
            return Ok(());
        }
        results.expect(all.len());
        // Of all benchmarks, before a retriever of any is asked that may write there.
        for subject in all.iter().filter_map(|one| one.subject.as_ref().ok()) {
            if subject.gates().iter().any(|gate| self.names(gate)) {
                subject.read_golden_files();
            }
        }
        let mut any = false;
        for Opened { file, subject } in all {
            let standalone = standalone(&file);
            results.concern(Some(file.clone()));
            let subject = match subject {
                Ok(subject) => subject,
                Err(Refusal::Broken(error)) => {
                    results.add_broken(&file, &error);
                    if let Err(error) = standalone.write_error(&file, &error) {
                        results.refuse(&error);
                    }
                    continue;
                }
                Err(Refusal::Twin(other)) => {
                    results.add_twin(&file, &other);
                    continue;
                }
            };
            let selected: Vec<&Gate> = subject.gates().iter().filter(|gate| self.names(gate)).collect();
            // Without any gate everything is measured.
            let measures = subject.gates().is_empty() && self.filter.is_empty();
            if selected.is_empty() && !measures {
                continue;
            }
            let refusal = match &subject {
                Subject::Benchmark(benchmark) => self.refusal(benchmark, &selected, instead),
                Subject::Suite(suite) => self.suite_refusal(suite, &selected, instead),
            };
            if let Some((line, refusal)) = refusal {
                results.add_refused(&file, Some(line), refusal);
                continue;
            }
            any = true;
            carry_out(results, &standalone, &subject)?;
        }
        results.concern(None);
        if !any && results.is_empty() {
            let why = match &self.filter[..] {
                [] => "no gate was decided: there is none".to_owned(),
                [text] => format!("no gate was decided: none has `{text}` in its name"),
                _ => "no gate was decided: none has any of these texts in its name".to_owned(),
            };
            let hint = match () {
                () if self.filter.is_empty() => "",
                () => "; `rankgate run --list` shows their names",
            };
            results.refuse(&*BoxError::from(format!("{why}{hint}")));
        }
        Ok(())
    }

    /// The specs that are named, each once, in the order in which they are.
    fn files(&self, results: &mut Results<'_>) -> Vec<PathBuf> {
        let (mut files, mut seen) = (Vec::new(), BTreeSet::new());
        for path in &self.specs {
            match spec_files(path) {
                Ok(found) => files.extend(found),
                Err(error) => results.refuse(&error),
            }
        }
        files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
        files
    }

    /// Why a command cannot decide these gates of a suite, and the line of the first of them.
    fn suite_refusal(&self, suite: &Suite, selected: &[&Gate], instead: &str) -> Option<(usize, String)> {
        let needed = || selected.iter().flat_map(|gate| suite.configurations_of(gate));
        let rust = suite.members().iter().find_map(|member| {
            let spec = member.spec();
            let mut all = needed().filter_map(|name| spec.configuration(name));
            let one = all.find(|one| self.is_out_of_reach(one))?;
            Some(format!(
                "cannot run `{}` of {}, registered from Rust or Python; {instead}",
                one.name, spec.benchmark
            ))
        })?;
        Some((selected.first()?.line, rust))
    }

    /// Why a command cannot decide these gates, and a line of the spec that shows it: they need retrievers
    /// that were registered from Rust.
    fn refusal(&self, benchmark: &Benchmark, selected: &[&Gate], instead: &str) -> Option<(usize, String)> {
        // Without any gate everything is measured.
        let ungated = benchmark.spec().configurations.iter().filter(|_| benchmark.gates().is_empty());
        let needed: BTreeSet<&str> = selected
            .iter()
            .copied()
            .flat_map(|gate| benchmark.configurations_of(gate))
            .chain(ungated)
            .map(|configuration| configuration.name.as_str())
            .collect();
        let all = || benchmark.spec().configurations.iter();
        let rust: Vec<&Configuration> =
            all().filter(|one| needed.contains(&*one.name)).filter(|one| self.is_out_of_reach(one)).collect();
        let first = rust.first()?;
        let names: Vec<String> =
            rust.iter().map(|one| format!("`{}` (line {})", one.name, one.line)).collect();
        let mut text = format!("cannot run {}, registered from Rust or Python; {instead}", names.join(", "));
        if all().any(|one| !self.is_out_of_reach(one)) {
            text += ", or select other configurations' gates with --filter";
        }
        Some((first.line, text))
    }
}

/// Whether a gate's name has a text, as it is or as the spec writes it.
fn has(gate: &Gate, text: &str) -> bool {
    gate.name.contains(text) || gate.name.contains(&encode_filter(text))
}

/// The retrievers that a spec names and does not describe, those of a suite's benchmarks included.
pub(crate) fn retrievers(subject: &Subject) -> BTreeSet<&str> {
    match subject {
        Subject::Benchmark(benchmark) => retrievers_of(benchmark).collect(),
        Subject::Suite(suite) => suite.members().iter().flat_map(|member| retrievers_of(member)).collect(),
    }
}

fn retrievers_of(benchmark: &Benchmark) -> impl Iterator<Item = &str> {
    benchmark.spec().configurations.iter().filter_map(|configuration| match &configuration.source {
        ConfigurationSource::Retriever { name, .. } => Some(name.as_str()),
        _ => None,
    })
}
