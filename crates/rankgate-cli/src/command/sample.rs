//! `rankgate sample`: the queries that people judge.

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::benchmark::Benchmark;
use rankgate::report::LabelPair;
use rankgate::{BoxError, report, standalone};
use rankgate_judge::{Assessment, Look, Merging, People, agreement_text};

use super::judge::{left_out, open_named};
use crate::exit::Exit;
use crate::specs;
use crate::terminal::Terminal;

/// Draw queries at random for people to judge, list what to judge, and take their grades in
///
/// People's grades of a random sample are what a judge is measured by and corrected with. The draw is written to the file
/// that `humans:` of the spec's judge names, with its seed: anyone can repeat it, and a sample that somebody picked is
/// refused. The unjudged documents among the first ones are printed as JSON lines, or written as one
/// HTML page.
#[derive(Args)]
#[command(after_help = "\
The page loads nothing and sends nothing: it can be mailed to whoever judges. It says neither which configuration returned \
a document nor what the model made of it. Its file of grades is taken in with --merge; several people's files give their \
agreement, and what they do not agree on is listed and left out.

Examples:
  rankgate sample benchmarks/helpdesk.yaml --queries 40 --page label.html
  rankgate sample benchmarks/helpdesk.yaml --merge anna.jsonl
  rankgate sample benchmarks/helpdesk.yaml --merge anna.jsonl ben.jsonl --page disagreed.html
  rankgate sample benchmarks/helpdesk.yaml --queries 95
  rankgate sample benchmarks/helpdesk.yaml --queries 40 --strata difficulty --page label.html
  rankgate sample benchmarks/helpdesk.yaml --until --page label.html
  rankgate sample benchmarks/helpdesk.yaml --until --merge anna.jsonl --page next.html")]
pub(crate) struct Sample {
    /// The spec
    #[arg(value_name = "SPEC")]
    spec: PathBuf,

    /// How many queries, or groups of them where the spec's statistics are over groups, or all where there are fewer; a larger
    /// sample holds the smaller
    #[arg(long, value_name = "N", conflicts_with = "merge")]
    queries: Option<usize>,

    /// What the draw is made with the first time, 1 by default; another one once the judge was changed
    #[arg(long, value_name = "SEED", conflicts_with = "merge")]
    seed: Option<u64>,

    /// Draw from each stratum of the queries about as many as it is large: a metadata key of the queries, such as difficulty, or a
    /// metric of documents, such as nDCG@10, of which the judge's scores make four strata
    #[arg(long, value_name = "KEY|METRIC", conflicts_with_all = ["merge", "until", "recalibrate"])]
    strata: Option<String>,

    /// Draw 30 queries and, whenever all are judged and a corrected gate is still open, a batch more: people stop when the
    /// verdict is there. Intervals then hold at every look; the file says so before the first grade
    #[arg(long, conflicts_with_all = ["queries", "recalibrate"])]
    until: bool,

    /// How many queries more at each look
    #[arg(long, value_name = "N", default_value_t = 10, requires = "until", value_parser = clap::value_parser!(u16).range(1..))]
    batch: u16,

    /// Write a page on which a person grades the rest
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    /// Leave grades before the last --merge out of what the judge's errors are known from: gates that carry these over say when
    #[arg(long, conflicts_with_all = ["merge", "queries", "seed", "page"])]
    recalibrate: bool,

    /// Take in what people have saved, a file each
    #[arg(long, value_name = "FILE", num_args = 1..)]
    merge: Vec<PathBuf>,
}

impl Sample {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let benchmark = specs::open_to_ask(&self.spec, terminal)?;
        if self.recalibrate {
            let left_out = Assessment::new(&benchmark).recalibrate()?;
            terminal.result(&format!(
                "{} before the last `--merge` are left out of the judge's errors from now on; commit the file\n",
                grades(left_out)
            ))?;
            return Ok(Exit::Passed);
        }
        let merged = match self.merge.as_slice() {
            [] => None,
            paths => {
                let files = paths.iter().map(|path| open_named(path)).collect::<Result<Vec<_>, _>>()?;
                Some(Assessment::new(&benchmark).merge_grades(&files)?)
            }
        };
        if let Some(merging) = &merged {
            terminal.result(&merge_summary(merging))?;
            if self.page.is_none() && !self.until {
                return Ok(Exit::Passed);
            }
        }
        if self.until {
            // The grades that came just now are not in what was read before.
            return self.look(&specs::open_to_ask(&self.spec, terminal)?, terminal);
        }
        let assessment = Assessment::new(&benchmark);
        let people = match &self.strata {
            Some(by) => assessment.draw_strata(self.queries, self.seed, by)?,
            None => assessment.draw_sample(self.queries, self.seed)?,
        };
        self.list(&benchmark, &people, terminal)
    }

    /// What people are to judge of a sample.
    fn list(&self, benchmark: &Benchmark, people: &People, terminal: &Terminal) -> Result<Exit, BoxError> {
        let skipped = left_out(&people.left_out, terminal);
        let pairs: Vec<LabelPair> = people.pairs.iter().map(Into::into).collect();
        match &self.page {
            Some(path) => page(benchmark, people, &pairs, path, terminal)?,
            None => {
                terminal.json(&report::label_lines(&pairs))?;
                terminal.note(&drawn(people));
            }
        }
        Ok(if skipped { Exit::Undecided } else { Exit::Passed })
    }

    /// Whether the verdict is there, and what people are to judge otherwise.
    fn look(&self, benchmark: &Benchmark, terminal: &Terminal) -> Result<Exit, BoxError> {
        let Look { judged, gates, people, .. } =
            Assessment::new(benchmark).draw_until(self.batch.into(), self.seed)?;
        let is_open = gates.iter().any(|gate| gate.passes.is_none());
        let sample = &people.sample;
        if !gates.is_empty() {
            terminal.result(&format!("after {judged} of {} queries:\n", sample.of))?;
        }
        for gate in &gates {
            let word = match gate.passes {
                Some(true) => "passes",
                Some(false) => "fails",
                None => "open",
            };
            let beyond = match gate.by_nobody {
                true => format!(
                    ": as it stands, all {} would not decide it, and it takes more queries",
                    sample.of
                ),
                false => String::new(),
            };
            terminal.result(&format!("  {word:<8}{}{beyond}\n", gate.name))?;
        }
        match (gates.is_empty(), is_open) {
            (true, _) => self.list(benchmark, &people, terminal),
            (false, false) => {
                terminal.result("the verdict is there: people can stop\n")?;
                Ok(Exit::Passed)
            }
            (false, true) if people.pairs.is_empty() && sample.drawn.len() == sample.of => {
                terminal.result("people have judged all queries: it takes more queries\n")?;
                Ok(Exit::Undecided)
            }
            (false, true) => self.list(benchmark, &people, terminal),
        }
    }
}

fn page(
    benchmark: &Benchmark,
    people: &People,
    pairs: &[LabelPair],
    path: &Path,
    terminal: &Terminal,
) -> Result<(), BoxError> {
    terminal.note(&drawn(people));
    if pairs.is_empty() {
        terminal.result("nothing is left to judge, and no page was written\n")?;
        return Ok(());
    }
    let guidelines = benchmark.judge()?.description()?;
    let text = report::label_page(benchmark.name(), guidelines.guidelines(), pairs, people.sample.seed);
    standalone::write_file(path, &text)?;
    let said = format!(
        "{} to judge on {}: its file of grades is taken in with --merge\n",
        documents(pairs.len()),
        path.display()
    );
    terminal.result(&said)
}

fn documents(number: usize) -> String {
    if number == 1 { "1 document".to_owned() } else { format!("{number} documents") }
}

fn drawn(people: &People) -> String {
    let sample = &people.sample;
    let what = sample
        .cluster
        .as_ref()
        .map_or_else(|| "queries".to_owned(), |key| format!("groups of queries ({key})"));
    format!(
        "{} of {} {what}{} drawn by seed {} in {}; {} graded, {} to judge",
        sample.drawn.len(),
        sample.of,
        sample.strata.as_ref().map_or_else(String::new, |strata| strata_summary(sample, strata)),
        sample.seed,
        people.path.display(),
        people.graded,
        documents(people.pairs.len())
    )
}

/// `, in strata of difficulty (easy 8 of 32, hard 32 of 130),`
fn strata_summary(sample: &rankgate::judge::Sample, strata: &rankgate::judge::Strata) -> String {
    let part = |(name, members): (&String, &Vec<String>)| {
        let drawn = members.iter().filter(|id| sample.drawn.binary_search(id).is_ok()).count();
        format!("{name} {drawn} of {}", members.len())
    };
    let parts: Vec<String> = strata.of.iter().map(part).collect();
    format!(", in strata of {} ({}),", strata.by, parts.join(", "))
}

fn grades(number: usize) -> String {
    if number == 1 { "1 grade".to_owned() } else { format!("{number} grades") }
}

fn merge_summary(merging: &Merging) -> String {
    let mut text = format!("{} added to {}", grades(merging.added), merging.path.display());
    if merging.known > 0 {
        text += &format!("; {} there already", merging.known);
    }
    if merging.changed > 0 {
        text += &format!("; {} left out, of texts that are others now", merging.changed);
    }
    text.push('\n');
    if let Some(agreement) = &merging.agreement {
        text += &agreement_text(agreement);
    }
    if !merging.disagreements.is_empty() {
        text +=
            &format!("{} left out, on which people do not agree:\n", documents(merging.disagreements.len()));
    }
    for one in &merging.disagreements {
        let said = one.grades.iter().map(|(name, grade)| {
            let name = Path::new(name)
                .file_stem()
                .map_or_else(|| name.clone(), |stem| stem.to_string_lossy().into_owned());
            format!("{name} {}", grade.map_or_else(|| "cannot tell".to_owned(), |grade| grade.to_string()))
        });
        text += &format!("  {}  {}  {}\n", one.query, one.document, said.collect::<Vec<_>>().join(", "));
    }
    text
}
