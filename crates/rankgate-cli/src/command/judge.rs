//! `rankgate judge`: models and people grade documents and answers.

use std::path::{Path, PathBuf};

use crate::command::pool::GUIDELINES as RELEVANCE;
use crate::health::{NewJudgments, Pool, Pooling};
use clap::{Args, Subcommand};
use rankgate::report::internal::number::counted;
use rankgate::{BoxError, Collection, Qrels, standalone};
use rankgate_judge::{
    AnswerFile, Case, Checked, Column, DocumentSample, Draw, LabelPair, Metric, Pair, People, Scoring,
    Settings, Tally, Verdicts, check, check_judgments, grade, judgment_lines, label_lines, label_page,
};

use crate::exit::Exit;
use crate::specs;
use crate::terminal::Terminal;

/// Grade documents and answers, by a model and by people
///
/// A judge writes files, and gates read them: judgments of documents, score columns of answers. No gate asks a judge.
#[derive(Args)]
#[command(after_help = "\
Exit status: 0 when everything is graded, 2 when something is left; what was paid for is kept.

Examples:
  rankgate judge grade benchmarks/helpdesk.yaml --output judged/model.jsonl
  rankgate judge score target/rankgate/helpdesk/assistant.answers.jsonl --metric Faithfulness,AnswerRelevance
  rankgate judge sample benchmarks/helpdesk.yaml --queries 40 --output judged/sample.jsonl --page grade.html
  rankgate judge sample answers.jsonl --metric Faithfulness --queries 40 --page grade.html
  rankgate judge sample answers.jsonl --metric Faithfulness --merge grades.jsonl
  rankgate judge check answers.jsonl --metric Faithfulness")]
pub(crate) struct Judge {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Grade documents that nobody judged, among the first of every configuration
    Grade(Grade),
    /// Score answers: one column for each metric
    Score(Score),
    /// Draw queries for people, list what they are to grade, and take their grades in
    Sample(Sample),
    /// Compare the judge with people: equal grades, kappa and bias, with intervals
    Check(Check),
}

#[derive(Args)]
struct Grade {
    /// The spec
    #[arg(value_name = "SPEC")]
    spec: PathBuf,

    /// The settings of the judge
    #[arg(long, value_name = "FILE", default_value = "judge.yaml")]
    judge: PathBuf,

    /// How many of the first documents of each configuration
    #[arg(short = 'k', long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    depth: u32,

    /// The file of judgments; grades that are there stay
    #[arg(long, value_name = "FILE")]
    output: PathBuf,

    /// Ask again about everything that had no usable reply
    #[arg(long)]
    again: bool,
}

/// The answers and what is counted in them.
#[derive(Args)]
struct Answers {
    /// The answers: JSON lines of `query`, `answer`, `contexts` and `citations`
    #[arg(value_name = "ANSWERS")]
    answers: PathBuf,

    /// The metrics, such as Faithfulness,CitationPrecision or Criterion(polite); may be repeated
    #[arg(long = "metric", value_name = "METRIC", value_delimiter = ',')]
    metrics: Vec<Metric>,

    /// The settings of the judge
    #[arg(long, value_name = "FILE", default_value = "judge.yaml")]
    judge: PathBuf,

    /// The spec with the queries and documents [default: `spec` of the settings]
    #[arg(long, value_name = "SPEC")]
    spec: Option<PathBuf>,
}

#[derive(Args)]
struct Score {
    #[command(flatten)]
    answers: Answers,

    /// The folder of the score columns
    #[arg(long, value_name = "FOLDER", default_value = "scores")]
    output: PathBuf,

    /// Print how many requests are missing, and ask nothing
    #[arg(long)]
    dry_run: bool,

    /// Ask again about everything that had no usable reply
    #[arg(long)]
    again: bool,
}

#[derive(Args)]
#[command(after_help = "\
Without --metric, ANSWERS is a spec whose documents a model graded: people grade what the model graded of the drawn queries. The file \
of --output has the draw and their grades, and `sample` of the spec's `judgments` names it.")]
struct Sample {
    #[command(flatten)]
    answers: Answers,

    /// People's judgments of the documents of a spec
    #[arg(long, value_name = "FILE", conflicts_with = "metrics")]
    output: Option<PathBuf>,

    /// Draw this many queries anew; people's grades are kept
    #[arg(long, value_name = "N")]
    queries: Option<usize>,

    /// The seed of the draw
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Write a page on which a person grades, in place of the lines
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    /// Take in the grades of FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["queries", "page"])]
    merge: Option<PathBuf>,
}

#[derive(Args)]
struct Check {
    /// The answers; left out with --judgments
    #[arg(value_name = "ANSWERS", required_unless_present = "judgments")]
    answers: Option<PathBuf>,

    /// The metrics whose questions are compared
    #[arg(
        long = "metric",
        value_name = "METRIC",
        value_delimiter = ',',
        required_unless_present = "judgments"
    )]
    metrics: Vec<Metric>,

    /// The settings of the judge
    #[arg(long, value_name = "FILE", default_value = "judge.yaml")]
    judge: PathBuf,

    /// The spec with the queries and documents [default: `spec` of the settings]
    #[arg(long, value_name = "SPEC")]
    spec: Option<PathBuf>,

    /// Judgments of documents by a model, to be compared with people's
    #[arg(long, value_name = "QRELS", requires = "people")]
    judgments: Option<PathBuf>,

    /// Judgments of documents by people
    #[arg(long, value_name = "QRELS", requires = "judgments")]
    people: Option<PathBuf>,
}

impl Judge {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        match self.task {
            Task::Grade(task) => {
                let output = task.output.clone();
                with_file(&output, || task.run(terminal))
            }
            Task::Score(task) => task.run(terminal),
            Task::Sample(task) => task.run(terminal),
            Task::Check(task) => task.run(terminal),
        }
    }
}

/// Does what writes a file that a spec may name before it is there.
fn with_file(path: &Path, task: impl FnOnce() -> Result<Exit, BoxError>) -> Result<Exit, BoxError> {
    let is_new = !path.exists();
    if is_new {
        standalone::write_file(path, "")?;
    }
    let done = task();
    if is_new && done.is_err() {
        std::fs::remove_file(path)?;
    }
    done
}

impl Grade {
    fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let settings = Settings::read(&self.judge)?;
        let benchmark = specs::open_to_ask(&self.spec, terminal)?;
        // What the model judged before is known by its text, and is not asked again.
        let pooling = Pooling { depth: self.depth as usize, judged_by_model: true, ..Pooling::default() };
        let pool = Pool::gather(&benchmark, &pooling)?;
        for one in &pool.left_out {
            terminal.warn(&format!("{} is left out: {}", one.configuration, one.reason));
        }
        let pairs = pool.entries.into_iter().filter_map(|entry| {
            let (query, query_text, document) = (entry.query, entry.query_text, entry.document);
            Some(Pair { query, query_text, document, document_text: entry.document_text? })
        });
        let mut verdicts = Verdicts::read(&settings.verdicts())?;
        let (graded, tally) = grade(&settings, pairs.collect(), &mut verdicts, self.again)?;
        let before = if self.output.exists() { Qrels::read(&self.output)? } else { Qrels::new() };
        standalone::write_file(&self.output, &judgment_lines(&before, &graded))?;
        let (all, left) = (graded.len(), graded.iter().filter(|one| one.is_open).count());
        let count = graded.iter().filter(|one| one.grade.is_some()).count();
        let said = format!("{count} of {all} documents graded in {}\n", self.output.display());
        terminal.result(&(said + &spent(&tally, &settings)))?;
        warn(&tally, terminal);
        if left > 0 && tally.requests == 0 {
            terminal.warn(&format!("{left} documents have no usable reply; --again asks again"));
        }
        Ok(if left == 0 { Exit::Passed } else { Exit::Undecided })
    }
}

impl Answers {
    /// The settings, and the answers with their queries.
    fn read(&self, terminal: &Terminal) -> Result<(Settings, Vec<Case>, Collection), BoxError> {
        if self.metrics.is_empty() {
            return Err("--metric names what is counted in answers, such as `--metric Faithfulness`".into());
        }
        let settings = Settings::read(&self.judge)?;
        let of_settings = || settings.spec.as_ref().map(|spec| settings.path(spec));
        let spec = self.spec.clone().or_else(of_settings).ok_or_else(|| {
            format!("which queries are these? Give --spec SPEC, or `spec: ...` in {}", self.judge.display())
        })?;
        for metric in &self.metrics {
            if let Metric::Criterion(name) = metric {
                settings.criterion(name)?;
            }
        }
        let collection = specs::open(&spec)?.collection()?.clone();
        let (cases, unanswered) = AnswerFile::read(&self.answers)?.cases(&collection)?;
        if !unanswered.is_empty() {
            let first = unanswered.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
            terminal.warn(&format!(
                "{} of {} queries have no answer: {first}{}",
                unanswered.len(),
                collection.queries().len(),
                if unanswered.len() > 5 { ", ..." } else { "" }
            ));
        }
        Ok((settings, cases, collection))
    }
}

impl Score {
    fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let (settings, cases, _) = self.answers.read(terminal)?;
        let metrics = &self.answers.metrics;
        let scoring = Scoring { settings: &settings, cases: &cases, metrics, again: self.again };
        let mut verdicts = Verdicts::read(&settings.verdicts())?;
        if self.dry_run {
            let missing = scoring.missing(&verdicts)?;
            terminal.result(&format!(
                "{missing} requests are missing; their replies may lead to further ones\n"
            ))?;
            return Ok(Exit::Passed);
        }
        let people = People::read(&settings.people())?;
        people.check(&ids(&cases))?;
        let scored = scoring.run(&mut verdicts, Some(&people))?;
        let mut text = String::new();
        for column in &scored.columns {
            let (path, _) = column.write(&self.output)?;
            text += &line(column, &path);
        }
        terminal.result(&(text + &spent(&scored.tally, &settings)))?;
        warn(&scored.tally, terminal);
        for Column { metric, left, .. } in &scored.columns {
            let name = |queries: &[String]| queries.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
            if let count @ 1.. = left.unknown.len() {
                terminal.warn(&format!(
                    "{metric}: the judge cannot tell for {count} queries: {}",
                    name(&left.unknown)
                ));
            }
            if let count @ 1.. = left.failed.len() {
                let first = name(&left.failed);
                terminal.warn(&format!(
                    "{metric}: no usable reply for {count} queries: {first}; --again asks again"
                ));
            }
        }
        let is_whole = |column: &Column| column.left.missing.is_empty() && column.left.failed.is_empty();
        Ok(if scored.columns.iter().all(is_whole) { Exit::Passed } else { Exit::Undecided })
    }
}

impl Sample {
    fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        if let Some(output) = &self.output {
            return with_file(output, || self.of_documents(output, terminal));
        }
        let (settings, cases, _) = self.answers.read(terminal)?;
        let metrics = &self.answers.metrics;
        let scoring = Scoring { settings: &settings, cases: &cases, metrics, again: false };
        let verdicts = Verdicts::read(&settings.verdicts())?;
        let mut people = People::read(&settings.people())?;
        if let Some(size) = self.queries {
            people.draw_of(&ids(&cases), size, self.seed)?;
        }
        let Some(Draw { drawn, of, seed, .. }) = people.draw.clone() else {
            return Err("nothing is drawn yet: --queries 40 draws that many queries".into());
        };
        people.check(&ids(&cases))?;
        if let Some(file) = &self.merge {
            let text = std::fs::read_to_string(file)
                .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            let new = people.merge(&file.display().to_string(), &text, &scoring, &verdicts)?;
            let left = people.to_grade(&scoring, &verdicts)?.len();
            let path = settings.people();
            terminal.result(&format!("{new} grades added to {}; {left} are left\n", path.display()))?;
            return Ok(Exit::Passed);
        }
        let pairs = people.to_grade(&scoring, &verdicts)?;
        terminal.note(&format!(
            "{} of {of} queries drawn by seed {seed}; {} questions to grade",
            drawn.len(),
            pairs.len()
        ));
        self.print(&pairs, seed, terminal)?;
        Ok(Exit::Passed)
    }

    fn of_documents(&self, output: &Path, terminal: &Terminal) -> Result<Exit, BoxError> {
        let collection = specs::open(&self.answers.answers)?.collection()?.clone();
        if collection.origins().is_none() {
            return Err("no model graded documents of this spec: `judgments: {model: FILE}` in its `collection` names the file that \
                        `rankgate judge grade` writes"
                .into());
        }
        let size = self.queries.map(|queries| (queries, self.seed));
        let mut sample = DocumentSample::new(output, &collection, size)?;
        let take = |file: &PathBuf| sample.merge(&NewJudgments::read(file)?.of_todays_texts(&collection)?);
        let merged = self.merge.as_ref().map(take).transpose()?;
        standalone::write_file(output, &sample.lines())?;
        let left = sample.to_grade().count();
        if let Some(new) = merged {
            terminal.result(&format!("{new} grades added to {}; {left} are left\n", output.display()))?;
            return Ok(Exit::Passed);
        }
        let Draw { drawn, of, seed, .. } = &sample.draw;
        terminal.note(&format!(
            "{} of {of} queries drawn by seed {seed} into {}; {} to grade",
            drawn.len(),
            output.display(),
            counted(left, "document", "documents")
        ));
        let texts = collection.corpus()?.find(sample.to_grade().map(|(_, document)| document))?;
        let pair = |(query, document): (&str, &str)| {
            let found = texts.get(document)?;
            let parts: Vec<&str> = found.title.as_deref().into_iter().chain([&*found.text]).collect();
            Some(LabelPair {
                query: query.to_owned(),
                query_text: collection.query(query)?.text.clone(),
                query_sha256: None,
                document: document.to_owned(),
                document_text: parts.join("\n"),
                document_sha256: None,
                scale: Vec::new(),
                rubric: None,
            })
        };
        let pairs: Vec<LabelPair> = sample.to_grade().filter_map(pair).collect();
        self.print(&pairs, *seed, terminal)?;
        Ok(Exit::Passed)
    }

    fn print(&self, pairs: &[LabelPair], seed: u64, terminal: &Terminal) -> Result<(), BoxError> {
        match &self.page {
            None => Ok(terminal.json(&label_lines(pairs))?),
            Some(path) => {
                let title =
                    self.answers.answers.file_stem().and_then(|stem| stem.to_str()).unwrap_or("answers");
                Ok(standalone::write_file(path, &label_page(title, RELEVANCE, pairs, seed))?)
            }
        }
    }
}

impl Check {
    fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        if let (Some(model), Some(people)) = (&self.judgments, &self.people) {
            let checked = check_judgments(&Qrels::read(model)?, &Qrels::read(people)?);
            terminal.result(&table(&[checked]))?;
            return Ok(Exit::Passed);
        }
        let Self { answers: Some(answers), metrics, judge, spec, .. } = self else { return Ok(Exit::Passed) };
        let answers = Answers { answers, metrics, judge, spec };
        let (settings, cases, _) = answers.read(terminal)?;
        let scoring = Scoring { settings: &settings, cases: &cases, metrics: &answers.metrics, again: false };
        let people = People::read(&settings.people())?;
        let checked = check(&scoring, &Verdicts::read(&settings.verdicts())?, &people)?;
        if checked.is_empty() {
            return Err("people have graded none of these questions: `rankgate judge sample` lists what they are to grade".into());
        }
        terminal.result(&table(&checked))?;
        Ok(Exit::Passed)
    }
}

fn ids(cases: &[Case]) -> Vec<&str> {
    cases.iter().map(|case| case.query.id.as_str()).collect()
}

/// `Faithfulness 0.9871 over 155 queries, 38 by people as well; 7 declined: scores/faithfulness.csv`.
fn line(column: &Column, path: &Path) -> String {
    let mean = column.mean().map_or_else(|| "no value".to_owned(), |mean| format!("{mean:.4}"));
    let mut text = format!("{} {mean} over {} queries", column.metric, column.queries());
    if column.people() > 0 {
        text += &format!(", {} by people as well", column.people());
    }
    let left = &column.left;
    let excluded = left.excluded.iter().map(|(why, count)| format!("{count} {why}"));
    let others = [
        (left.unknown.len(), "without a grade"),
        (left.failed.len(), "without a usable reply"),
        (left.missing.len(), "not asked"),
        (left.ungraded.len(), "drawn and not graded by people, so that the column has no values of people's"),
    ];
    let others =
        others.into_iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}"));
    let parts: Vec<String> = excluded.chain(others).collect();
    if !parts.is_empty() {
        text += &format!("; {}", parts.join(", "));
    }
    format!("{text}: {}\n", path.display())
}

fn spent(tally: &Tally, settings: &Settings) -> String {
    if tally.requests == 0 {
        return "nothing was asked: every verdict is on file\n".to_owned();
    }
    let [read, written] = tally.tokens;
    let file = settings.verdicts();
    format!(
        "{} requests, {read} tokens read, {written} written; verdicts in {}\n",
        tally.requests,
        file.display()
    )
}

fn warn(tally: &Tally, terminal: &Terminal) {
    if let Some(why) = &tally.stopped {
        terminal.warn(&format!("{why}; {} requests are left", tally.left));
    }
    for failed in tally.failed.iter().take(5) {
        terminal.warn(&format!("{} of query {}: {}", failed.task, failed.query, failed.why));
    }
    if let more @ 1.. = tally.failed.len().saturating_sub(5) {
        terminal.warn(&format!("{more} more requests failed"));
    }
}

fn table(checked: &[Checked]) -> String {
    let interval = |limits: Option<[f64; 2]>| {
        limits.map_or_else(String::new, |[low, high]| format!(" [{low:+.3}, {high:+.3}]"))
    };
    let mut text = String::new();
    for Checked { what, ungraded, agreement, .. } in checked {
        let Some(one) = agreement else {
            text +=
                &format!("{what}: the judge graded none of the {ungraded} questions that people graded\n");
            continue;
        };
        text += &format!("{what}: {} questions of {} queries\n", one.pairs, one.queries);
        let kappa = |kappa: Option<(f64, Option<[f64; 2]>)>| {
            kappa.map_or_else(
                || "none: a single grade".to_owned(),
                |(value, limits)| format!("{value:.3}{}", interval(limits)),
            )
        };
        text += &format!("  equal grades     {:.3}{}\n", one.equal.0, interval(one.equal.1));
        text += &format!("  kappa            {}\n", kappa(one.kappa));
        text += &format!("  quadratic kappa  {}\n", kappa(one.weighted_kappa));
        text += &format!("  judge - people   {:+.3}{}\n", one.bias.0, interval(one.bias.1));
        if *ungraded > 0 {
            text += &format!("  {ungraded} questions have no grade of the judge\n");
        }
    }
    text
}
