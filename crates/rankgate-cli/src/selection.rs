//! Which specs, and which of their gates, a command is about.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use rankgate::BoxError;
use rankgate::benchmark::Benchmark;
use rankgate::gate::{Family, Gate, GateKind};
use rankgate::spec::{Configuration, SuiteSpec};
use rankgate::standalone::{Standalone, spec_files};
use rankgate::suite::Suite;

use crate::results::Results;
use crate::specs::{self, is_from_rust};

/// Specs, and gates of them.
#[derive(Args)]
pub(crate) struct Selection {
    /// Specs, and folders in which every .yaml file is one
    #[arg(required = true, value_name = "SPEC|FOLDER")]
    specs: Vec<PathBuf>,

    /// Only gates with this text in their name, such as `bm25::` or `nDCG@10`; may be repeated
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,

    /// Also gates on configurations that the spec ignores
    #[arg(long)]
    include_ignored: bool,
}

impl Selection {
    pub(crate) fn takes(&self, benchmark: &Benchmark, gate: &Gate) -> bool {
        self.takes_gate(gate, benchmark.ignored(gate))
    }

    /// The same of a gate of which it is known whether it is ignored.
    pub(crate) fn takes_gate(&self, gate: &Gate, ignored: Option<&str>) -> bool {
        let named =
            self.filter.is_empty() || self.filter.iter().any(|text| gate.name.contains(text.as_str()));
        named && (self.include_ignored || ignored.is_none())
    }

    /// Opens each spec and hands over those of which gates are selected that can be decided here. What is
    /// wrong with the others is said, and they are left out.
    pub(crate) fn each(
        &self,
        results: &mut Results<'_>,
        standalone: impl Fn(&Path) -> Standalone,
        instead: &str,
        mut carry_out: impl FnMut(&mut Results<'_>, &Standalone, &Benchmark) -> Result<(), BoxError>,
        mut carry_out_suite: impl FnMut(&mut Results<'_>, &Standalone, &Suite) -> Result<(), BoxError>,
    ) -> Result<(), BoxError> {
        let mut names: Vec<(String, PathBuf)> = Vec::new();
        let (mut ignored, mut any) = (false, false);
        let open = |file: PathBuf, of_suite: bool| {
            let standalone = standalone(&file);
            let standalone = if of_suite { standalone.of_suite() } else { standalone };
            let benchmark = standalone.open(&file).inspect(|one| {
                // Of all benchmarks, before a retriever of any is asked that may write there.
                if one.gates().iter().any(|gate| self.takes(one, gate)) {
                    one.read_golden_files();
                }
            });
            (file, standalone, benchmark)
        };
        let (suites, mut files): (Vec<PathBuf>, Vec<PathBuf>) =
            self.files(results).into_iter().partition(|file| SuiteSpec::is_in(file));
        let mut members = Vec::new();
        for suite in &suites {
            // What is wrong with it is said where it is opened.
            members.extend(members_of(suite).into_iter().flatten());
        }
        let is_in = |files: &[PathBuf], one: &Path| files.iter().any(|file| is_same(file, one));
        for member in &members {
            if !is_in(&files, member) {
                files.push(member.clone());
            }
        }
        results.expect(files.len() + suites.len());
        let mut kept: Vec<Arc<Benchmark>> = Vec::new();
        let opened: Vec<_> = files
            .into_iter()
            .map(|file| {
                let of_suite = is_in(&members, &file);
                open(file, of_suite)
            })
            .collect();
        for (file, standalone, benchmark) in opened {
            let benchmark = match benchmark {
                Ok(benchmark) => benchmark,
                Err(error) => {
                    results.add_broken(&file, &error);
                    if let Err(error) = standalone.write_error(&file, &error) {
                        results.refuse(&error);
                    }
                    continue;
                }
            };
            if let Some((_, other)) = names.iter().find(|(name, _)| name == benchmark.name()) {
                let message = format!("{} already has a benchmark of this name", other.display());
                results.add_refused(&file, None, message);
                continue;
            }
            names.push((benchmark.name().to_owned(), file.clone()));
            let benchmark = Arc::new(benchmark);
            if is_in(&members, &file) {
                kept.push(Arc::clone(&benchmark));
            }
            let selected: Vec<&Gate> =
                benchmark.gates().iter().filter(|gate| self.takes(&benchmark, gate)).collect();
            ignored |= benchmark.gates().iter().any(|gate| benchmark.ignored(gate).is_some());
            let measures = benchmark.gates().is_empty() && self.filter.is_empty();
            if selected.is_empty() && !measures {
                continue;
            }
            if let Some((line, refusal)) = refusal(&benchmark, &selected, instead) {
                results.add_refused(&file, Some(line), refusal);
                continue;
            }
            any = true;
            carry_out(results, &standalone, &benchmark)?;
        }
        for file in suites {
            let standalone = standalone(&file);
            let open = |path: &Path| {
                let found = kept.iter().find(|one| is_same(&one.spec().path, path));
                found.map_or_else(|| standalone.open(path).map(Arc::new), |one| Ok(Arc::clone(one)))
            };
            let suite = match standalone.open_suite_of(&file, open) {
                Ok(suite) => suite,
                Err(error) => {
                    results.add_broken(&file, &error);
                    if let Err(error) = standalone.write_error(&file, &error) {
                        results.refuse(&error);
                    }
                    continue;
                }
            };
            if let Some((_, other)) = names.iter().find(|(name, _)| name == suite.name()) {
                let message = format!("{} already has a benchmark or suite of this name", other.display());
                results.add_refused(&file, None, message);
                continue;
            }
            names.push((suite.name().to_owned(), file.clone()));
            ignored |= suite.gates().iter().any(|gate| suite.ignored(gate).is_some());
            let takes = |gate: &&Gate| self.takes_gate(gate, suite.ignored(gate));
            let selected: Vec<&Gate> = suite.gates().iter().filter(takes).collect();
            let Some(first) = selected.first() else { continue };
            if let Some(refusal) = suite_refusal(&suite, &selected, instead) {
                results.add_refused(&file, Some(first.line), refusal);
                continue;
            }
            any = true;
            suite.read_golden_files();
            carry_out_suite(results, &standalone, &suite)?;
        }
        if !any && results.is_empty() {
            let why = match &self.filter[..] {
                [] => "no gate was decided: every one is on an ignored configuration".to_owned(),
                [text] => format!("no gate was decided: none has `{text}` in its name"),
                _ => "no gate was decided: none has any of these texts in its name".to_owned(),
            };
            let hint =
                if ignored && !self.include_ignored { "; --include-ignored takes ignored ones" } else { "" };
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
}

/// The files of a suite's benchmarks, where it can be read.
fn members_of(suite: &Path) -> Option<Vec<PathBuf>> {
    let suite = Standalone::new().registry(specs::registry()).open_suite(suite).ok()?;
    Some(suite.spec().members.iter().map(|member| member.path.clone()).collect())
}

/// Whether two paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    place(one) == place(other)
}

/// Why a command cannot decide these gates of a suite.
fn suite_refusal(suite: &Suite, selected: &[&Gate], instead: &str) -> Option<String> {
    let needed = || selected.iter().flat_map(|gate| suite.configurations_of(gate));
    let rust = suite.members().iter().find_map(|member| {
        let spec = member.spec();
        let one = needed().filter_map(|name| spec.configuration(name)).find(|one| is_from_rust(one))?;
        Some(format!("cannot run `{}` of {}, registered from Rust; {instead}", one.name, spec.benchmark))
    })?;
    Some(rust)
}

/// Why a command cannot decide these gates, and a line of the spec that shows it: they need retrievers
/// that were registered from Rust.
fn refusal(benchmark: &Benchmark, selected: &[&Gate], instead: &str) -> Option<(usize, String)> {
    let compares = |gate: &&Gate| matches!(gate.kind, GateKind::Comparison { .. });
    // Where all comparisons of a spec are one family, none is decided without the others.
    let whole = benchmark.spec().statistics.family == Family::Spec && selected.iter().any(&compares);
    let members =
        benchmark.gates().iter().filter(|gate| whole && compares(gate) && benchmark.ignored(gate).is_none());
    // Without any gate everything is measured that is not ignored.
    let ungated = benchmark.spec().configurations.iter().filter(|one| one.ignore.is_none());
    let ungated = ungated.filter(|_| benchmark.gates().is_empty());
    let needed: BTreeSet<&str> = selected
        .iter()
        .copied()
        .chain(members)
        .flat_map(|gate| benchmark.configurations_of(gate))
        .chain(ungated)
        .map(|configuration| configuration.name.as_str())
        .collect();
    let all = || benchmark.spec().configurations.iter();
    let rust: Vec<&Configuration> =
        all().filter(|one| needed.contains(&*one.name)).filter(|one| is_from_rust(one)).collect();
    let first = rust.first()?;
    let names: Vec<String> = rust.iter().map(|one| format!("`{}` (line {})", one.name, one.line)).collect();
    let mut text = format!("cannot run {}, registered from Rust; {instead}", names.join(", "));
    if all().any(|one| !is_from_rust(one)) {
        text += ", or select other configurations' gates with --filter";
    }
    Some((first.line, text))
}
