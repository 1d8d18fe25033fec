//! `rankgate fetch`: benchmarks by name.

use std::cell::Cell;
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use crate::fetch::{Catalogue, Data, Entry, Fetch as Fetching, Remote, Step, size};
use clap::Args;
use rankgate::metric::Metric;
use rankgate::run::RunReader;
use rankgate::{BoxError, Evaluation, Judging};

use crate::exit::Exit;
use crate::terminal::Terminal;

/// A figure is far from the published one if it differs by more.
const FAR: f64 = 0.03;

/// Download a standard benchmark by its name, or list them
///
/// It prints the collection for your spec, with the split and the conventions that make figures comparable. Tests never
/// fetch: gates on files that are not there are errors.
#[derive(Args)]
#[command(after_help = "\
Benchmarks are in RANKGATE_DATA, by default in `rankgate` in your cache folder. Checksums, documents and queries are \
compared with those published. A file of the right name in the folder `downloads` there is taken instead of the \
network's. RANKGATE_CATALOGUE names a YAML file with benchmarks of your own.

Examples:
  rankgate fetch --list
  rankgate fetch beir/scifact
  rankgate fetch beir/nfcorpus beir/fiqa --accept-licence
  rankgate fetch beir/scifact --verify bm25.run

With --verify, the exit status is 1 if a figure differs from the published one by more than 0.03.")]
pub(crate) struct Fetch {
    /// Their names; `beir/cqadupstack` stands for all below it
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// List the benchmarks, below NAME with one, and those on this machine
    #[arg(long)]
    list: bool,

    /// You have read their terms and accept them
    #[arg(long)]
    accept_licence: bool,

    /// Fetch files again that are here already
    #[arg(long)]
    again: bool,

    /// Compare the files that are here with their checksums instead
    #[arg(long, conflicts_with_all = ["again", "list"])]
    check: bool,

    /// Score a run of BM25 and hold it against the published figures instead
    #[arg(long, value_name = "RUN", conflicts_with_all = ["again", "list", "check"])]
    verify: Option<PathBuf>,
}

impl Fetch {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let (catalogue, data) = (Catalogue::read()?, Data::from_env()?);
        if self.list || self.names.is_empty() {
            if !self.list {
                terminal.note("which one? `rankgate fetch NAME` gets it\n");
            }
            terminal.result(&listed(&catalogue, &data, &self.names)?)?;
            return Ok(Exit::Passed);
        }
        let names = self.expanded(&catalogue)?;
        if let Some(run) = &self.verify {
            let [name] = names.as_slice() else {
                return Err("--verify takes one benchmark".into());
            };
            return verify(&catalogue, &data, name, run, terminal);
        }
        if self.check {
            for name in &names {
                let files = data.check(&catalogue, name)?;
                terminal.result(&format!("{name}: {files} files are as they were fetched\n"))?;
            }
            return Ok(Exit::Passed);
        }
        self.fetch(&catalogue, &data, &names, terminal)?;
        Ok(Exit::Passed)
    }

    /// The names of benchmarks that were meant, each after the one whose documents it searches.
    fn expanded(&self, catalogue: &Catalogue) -> Result<Vec<String>, BoxError> {
        let mut names: Vec<String> = Vec::new();
        for given in &self.names {
            let below: Vec<(&str, &Entry)> = catalogue.below(given).collect();
            if below.is_empty() {
                catalogue.find(given)?;
            }
            for (name, entry) in below {
                // To look into a benchmark, that one alone is meant.
                let fetched = !self.check && self.verify.is_none();
                let corpus = entry.corpus_of.iter().map(String::as_str).filter(|_| fetched);
                for name in corpus.chain([name]) {
                    if !names.iter().any(|known| known == name) {
                        names.push(name.to_owned());
                    }
                }
            }
        }
        Ok(names)
    }

    fn fetch(
        &self,
        catalogue: &Catalogue,
        data: &Data,
        names: &[String],
        terminal: &Terminal,
    ) -> Result<(), BoxError> {
        let missing: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| self.again || !data.has(name)).collect();
        // Terms that several benchmarks have are read once.
        let mut terms: Vec<(&str, &str)> = Vec::new();
        for name in &missing {
            let entry = catalogue.find(name)?;
            terminal.note(&introduced(name, entry));
            let own = (entry.licence.as_str(), entry.home.as_str());
            if !terms.contains(&own) {
                terms.push(own);
                if !self.accept_licence && !accepted(entry)? {
                    return Err(format!("nothing was fetched: the terms of {name} were not accepted").into());
                }
            }
        }
        let last = Cell::new(None);
        let observer = |step: Step<'_>| watch(step, &last, terminal);
        let fetching = Fetching { catalogue, data, again: self.again, observer: &observer };
        let mut done = 0;
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let end = fetching.fetch_all(&all, |name, folder| {
            done += 1;
            let folder = folder.display();
            let use_it = catalogue.find(name).map(|entry| data.in_a_spec(name, entry)).unwrap_or_default();
            terminal.note(&format!("{name} is in {folder}\n  in a spec: {use_it}"));
        });
        if let (Err(_), after @ [_, ..]) = (&end, &all[(done + 1).min(all.len())..]) {
            terminal.note(&format!("not fetched, because one before failed: {}", after.join(", ")));
        }
        Ok(end?)
    }
}

/// Reports the work, and of long downloads every tenth.
fn watch(step: Step<'_>, last: &Cell<Option<u64>>, terminal: &Terminal) {
    match step {
        Step::Waiting => terminal.note("another process fetches it; waiting"),
        Step::Downloading { file, host, done, total } => {
            let tenth = total.and_then(|total| (done * 10).checked_div(total));
            if last.get() != tenth || tenth.is_none() && last.get().is_none() && done == 0 {
                last.set(tenth);
                let of = total.map(|total| format!(" of {}", size(total))).unwrap_or_default();
                terminal.note(&format!("{file} from {host}: {}{of}", size(done)));
            }
        }
        Step::Checking { file } => terminal.note(&format!("{file}: comparing checksums")),
        Step::Unpacking { file } => terminal.note(&format!("{file}: unpacking")),
        Step::Counting => terminal.note("counting documents and queries"),
    }
}

fn introduced(name: &str, entry: &Entry) -> String {
    let sizes: Vec<String> = entry.files.iter().filter_map(|file| file.bytes).map(size).collect();
    let files: Vec<&str> = entry.files.iter().map(Remote::file_name).collect();
    let sizes = if sizes.is_empty() { String::new() } else { format!(" ({})", sizes.join(", ")) };
    let unchecked: Vec<&str> =
        entry.files.iter().filter(|file| !file.has_checksum()).map(Remote::file_name).collect();
    let unchecked = match unchecked.is_empty() {
        true => String::new(),
        false => format!("\n  no checksum is published of {}", unchecked.join(", ")),
    };
    let untried = match entry.verified {
        true => "",
        false => {
            "\nnobody of this project has fetched it from its address yet: what comes is checked all the same"
        }
    };
    format!(
        "{name}: {}\n  {} documents, {} judged queries, {}{sizes}{unchecked}\n  licence: {}\n  terms: {}{untried}",
        entry.about,
        entry.documents,
        entry.queries,
        files.join(", "),
        entry.licence,
        entry.home
    )
}

/// Asks the user at the terminal.
fn accepted(entry: &Entry) -> Result<bool, BoxError> {
    if !io::stdin().is_terminal() {
        return Err(format!(
            "somebody has to accept its terms: read them ({}), then say --accept-licence",
            entry.home
        )
        .into());
    }
    use io::Write;
    write!(io::stderr().lock(), "accept and fetch? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Those below these names; all, where there is none.
fn listed(catalogue: &Catalogue, data: &Data, below: &[String]) -> Result<String, BoxError> {
    let mut shown: Vec<(&str, &Entry)> = Vec::new();
    for name in below {
        if catalogue.below(name).next().is_none() {
            catalogue.find(name)?;
        }
        shown.extend(catalogue.below(name));
    }
    if below.is_empty() {
        shown.extend(catalogue.below(""));
    }
    let wide = shown.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut text =
        format!("{:wide$}  {:>9}  {:>7}  {:>8}  here\n", "benchmark", "documents", "queries", "download");
    for (name, entry) in shown {
        let bytes: Option<u64> = entry.files.iter().map(|file| file.bytes).sum();
        let bytes = bytes.map_or("-".to_owned(), size);
        let here = match (data.has(name), data.is_damaged(catalogue, name)) {
            (true, false) => "yes",
            (true, true) => "damaged",
            (false, _) => "-",
        };
        let (documents, queries) = (entry.documents, entry.queries);
        text +=
            &format!("{name:wide$}  {documents:>9}  {queries:>7}  {bytes:>8}  {here:4}  {}\n", entry.about);
    }
    Ok(text)
}

/// Prints a run's figures beside those published.
fn verify(
    catalogue: &Catalogue,
    data: &Data,
    name: &str,
    path: &Path,
    terminal: &Terminal,
) -> Result<Exit, BoxError> {
    let entry = catalogue.find(name)?;
    if entry.bm25.is_empty() {
        return Err(format!("the catalogue has no published figures of BM25 on {name}").into());
    }
    let collection = data.source(catalogue, name)?.load()?;
    let (relevant_from, exclude_identical_ids) = (entry.relevant_from, entry.exclude_identical_ids);
    let judging = Judging { relevant_from, exclude_identical_ids, ..Judging::default() };
    let evaluation = Evaluation::of_run(&collection, RunReader::new().read(path)?)?.judged_by(judging)?;
    let (queries, unanswered) = (evaluation.queries().len(), evaluation.unanswered().len());
    let mut text = format!("{name}, {queries} queries, {unanswered} of them unanswered\n");
    text += &format!("{:10}  {:>7}  {:>9}  {:>7}\n", "metric", "here", "published", "apart");
    let mut exit = Exit::Passed;
    for (metric, published) in &entry.bm25 {
        let here = evaluation.value(metric.parse::<Metric>()?)?;
        let apart = here - published;
        // Published figures have three digits.
        let is_far = apart.abs() > FAR + 0.0005;
        let mark = if is_far { "  far" } else { "" };
        text += &format!("{metric:10}  {here:>7.4}  {published:>9.4}  {apart:>+7.4}{mark}\n");
        if is_far {
            exit = Exit::Failed;
        }
    }
    text += &format!("published: {}\n", entry.bm25_source);
    if exit == Exit::Failed {
        text +=
            "a figure is far from the published one: the run indexes, reads or leaves out something else\n";
    }
    terminal.result(&text)?;
    Ok(exit)
}
