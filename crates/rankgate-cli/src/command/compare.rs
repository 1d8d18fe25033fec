//! `rankgate compare`: whether runs differ, and why.

use std::path::{Path, PathBuf};

use crate::offline::report::{comparisons_csv, comparisons_within, remarks_on, to_json};
use crate::offline::{Comparing, Comparisons, Conclusion, of_tables, score_columns};
use clap::{Args, ValueEnum};
use rankgate::benchmark::model::Report;
use rankgate::gate::Statistics;
use rankgate::metric::Metric;
use rankgate::report;
use rankgate::run::RunReader;
use rankgate::standalone::write_file;
use rankgate::stats::{Confidence, Correction, DecidingTest, Robustness};
use rankgate::{BoxError, Collection, Evaluation};
use rankgate_core::scores::ScoreTable;

use crate::exit::Exit;
use crate::expected::{CoverageOptions, Expected, with_remedy};
use crate::inputs::{
    Conventions, Files, Grouping, STATISTICS, TableOptions, check_no_metrics, check_standard_input, metrics,
    name, note_scale, score_table,
};
use crate::rendering::csv;
use crate::shell::quoted;
use crate::terminal::Terminal;
use crate::words::words;

/// What is compared unless something is asked for: few metrics, for each costs power.
const DEFAULT: &str = "nDCG@10,R@100";

/// Compare runs with a baseline: differences, significance, queries that moved
///
/// Queries are paired by id; all judged queries count. Each candidate and metric is one comparison of a
/// family, and p-values are adjusted for its size. With --expect the exit status is a gate: 0 when all hold,
/// 1 when one fails or is inconclusive.
///
/// More than two candidates are a line each, best first; --all shows what is behind them. The table
/// is as wide as the terminal, or COLUMNS says; 80 columns in a pipe.
#[derive(Args)]
#[command(override_usage = "\
rankgate compare [OPTIONS] <QRELS> <BASELINE> <CANDIDATE>...
       rankgate compare [OPTIONS] --from-scores <BASELINE> <CANDIDATE>...")]
#[command(after_help = "\
What --expect may say of every candidate, on every metric:
  no-regression    no significant drop that is larger than --margin (0 by default)
  non-inferiority  any drop is significantly smaller than --margin
  improvement      a significant gain, of at least --margin (0 by default)
  equivalence      any difference is significantly smaller than --margin
  identical        the same documents in the same order on every query

Examples:
  rankgate compare qrels.txt old.run new.run
  rankgate compare qrels.txt bm25.run dense.run hybrid.run -m nDCG@10 --queries topics.tsv --top 10
  rankgate compare qrels.txt main.run branch.run -m nDCG@10 --expect non-inferiority --margin 0.02
  rankgate compare --from-scores old.csv new.csv -m nDCG@10 --expect no-regression")]
pub(crate) struct Compare {
    /// Judgments (- for standard input), or a folder in the layout of BEIR
    qrels: PathBuf,

    /// The run that candidates are compared with
    #[arg(required_unless_present = "from_scores")]
    baseline: Option<PathBuf>,

    /// Runs to compare with it
    #[arg(required_unless_present = "from_scores", value_name = "CANDIDATE")]
    candidates: Vec<PathBuf>,

    /// Compare tables of scores by query, CSV or Parquet, that eval --write-scores or another program wrote
    #[arg(long, conflicts_with_all = ["order", "relevant_from", "skip_queries_without_relevant", "exclude_identical_ids", "parents", "parents_file", "documents", "columns"])]
    from_scores: bool,

    /// Metrics, with commas or blanks between them; may be given several times
    #[arg(long = "metric", alias = "metrics", short, value_name = "METRIC")]
    metrics: Vec<String>,

    #[command(flatten)]
    expected: Expected,

    #[command(flatten)]
    coverage: CoverageOptions,

    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Show what is behind every candidate
    #[arg(long)]
    all: bool,

    /// Queries to name that lost, and that gained
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,

    /// Texts of the queries: lines of id, tab, text, or JSON lines
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,

    /// Write the whole report as well: .html, .json, .md or .csv
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Confidence of the intervals; sets the level of the tests
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    confidence: f64,

    /// How p-values are adjusted
    #[arg(long, value_parser = words::<Correction>(Correction::ALL.map(Correction::as_str)), default_value_t, help_heading = STATISTICS)]
    correction: Correction,

    /// Which test decides
    #[arg(long, value_parser = words::<DecidingTest>(DecidingTest::ALL.map(DecidingTest::as_str)), default_value_t, help_heading = STATISTICS)]
    test: DecidingTest,

    /// How much an unseen query may change a result before a claim fails
    #[arg(long, value_parser = words::<Robustness>(Robustness::ALL.map(Robustness::as_str)), default_value_t, help_heading = STATISTICS)]
    robustness: Robustness,

    /// What random numbers are derived from
    #[arg(long, default_value_t = 1, help_heading = STATISTICS)]
    seed: u64,

    #[command(flatten)]
    grouping: Grouping,

    #[command(flatten)]
    conventions: Conventions,

    #[command(flatten)]
    tables: TableOptions,
}

/// How comparisons are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// One object
    Json,
    /// A line per candidate and metric
    Csv,
}

impl Compare {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        check_no_metrics(self.baseline.iter().chain(&self.candidates))?;
        if self.from_scores && self.baseline.is_none() {
            let first = name(&self.qrels);
            return Err(format!(
                "--from-scores compares files of scores, BASELINE CANDIDATE...: `{first}` is the baseline, and there is no candidate"
            )
            .into());
        }
        if self.format != Format::Text && self.all {
            return Err("--all goes with --format text; the other formats contain everything".into());
        }
        let written = self.report.as_deref().map(rendering).transpose()?;
        let all = if self.from_scores { self.of_scores() } else { self.of_runs(terminal) }?;
        for remark in remarks_on(&all.report) {
            terminal.note(&format!("note: {remark}"));
        }
        match self.format {
            Format::Text => {
                terminal.result(&comparisons_within(&all, terminal.style(), terminal.width(), self.all))
            }
            Format::Json => terminal.json(&to_json(&all)),
            Format::Csv => terminal.result(&comparisons_csv(&all)),
        }?;
        if let (Some(path), Some(render)) = (&self.report, written) {
            write_file(path, &render(&all.report))?;
        }
        if self.format == Format::Text {
            self.point_further(&all, terminal);
        }
        Ok(match all.holds() {
            None | Some(true) => Exit::Passed,
            Some(false) => Exit::Failed,
        })
    }

    /// On these metrics, as the options say.
    fn comparing(&self, metrics: impl IntoIterator<Item = Metric>) -> Result<Comparing, BoxError> {
        Ok(Comparing {
            statistics: self.statistics()?,
            expect: self.expected.expectation()?,
            movers: self.top,
            reader: RunReader::new().order(self.conventions.order()).parents(self.conventions.parents()?),
            judging: self.conventions.judging(),
            min_coverage: self.coverage.share()?,
            pictured: self.report.is_some(),
            ..Comparing::new(metrics)
        })
    }

    /// Compares runs by judgments.
    fn of_runs(&self, terminal: &Terminal) -> Result<Comparisons, BoxError> {
        let metrics = metrics(&self.metrics, DEFAULT)?;
        let of_subtopics = metrics.iter().any(|one| one.metric.requirements().subtopics);
        let comparing = self.comparing(metrics.iter().map(|one| one.metric.clone()))?;
        check_standard_input(std::iter::once(&self.qrels).chain(self.paths()))?;
        let files = Files::new(&self.tables, self.conventions.order());
        let collection = files.collection_by(&self.conventions, &self.qrels, self.queries.as_ref())?;
        note_scale(&metrics, collection.qrels().max_grade(), terminal);
        let paths = self.paths().into_iter();
        if self.conventions.documents.is_some() || of_subtopics {
            let read = |path: &PathBuf| files.evaluation(&collection, path, &self.conventions);
            return self.compared(&comparing, &paths.map(read).collect::<Result<Vec<_>, BoxError>>()?);
        }
        let sources = paths.map(|path| Ok((name(path), files.run(path)?)));
        // Compared while they are read, and never held.
        let sources = sources.collect::<Result<Vec<_>, BoxError>>()?;
        comparing.sources(&collection, &sources).map_err(with_remedy)
    }

    /// Compares tables of scores by query.
    fn of_scores(&self) -> Result<Comparisons, BoxError> {
        if self.expected.expectation()?.is_some_and(|expected| expected.tested().is_none()) {
            return Err("--from-scores compares scores, and --expect identical rankings".into());
        }
        let tables = self.paths().into_iter().map(|path| Ok((path.as_path(), score_table(path)?)));
        let tables: Vec<(&Path, ScoreTable)> = tables.collect::<Result<_, BoxError>>()?;
        let queries = self.queries.as_deref().map(Collection::read_queries).transpose()?.unwrap_or_default();
        let (path, first) = tables.first().ok_or("a comparison needs a baseline")?;
        let comparing = self.comparing(score_columns(path, first, &self.metrics)?)?;
        self.compared(&comparing, &of_tables(tables, queries)?)
    }

    /// Compares the first of the evaluations with the others, in the order of their paths.
    fn compared(&self, comparing: &Comparing, evaluations: &[Evaluation]) -> Result<Comparisons, BoxError> {
        let names: Vec<String> = self.paths().iter().map(|path| name(path)).collect();
        let named: Vec<(&str, &Evaluation)> = names.iter().map(String::as_str).zip(evaluations).collect();
        let (baseline, candidates) = named.split_first().ok_or("a comparison needs a baseline")?;
        comparing.compare(*baseline, candidates).map_err(with_remedy)
    }

    /// What is compared, the baseline first; of scores no judgments stand before it.
    fn paths(&self) -> Vec<&PathBuf> {
        let first = self.from_scores.then_some(&self.qrels);
        first.into_iter().chain(&self.baseline).chain(&self.candidates).collect()
    }

    fn statistics(&self) -> Result<Statistics, BoxError> {
        let mut statistics = Statistics {
            confidence: Confidence::new(self.confidence)?,
            seed: self.seed,
            correction: self.correction,
            test: self.test,
            robustness: self.robustness,
            ..Statistics::default()
        };
        statistics.group_by.clone_from(&self.grouping.group_by);
        Ok(statistics)
    }

    /// Whether there are so few candidates that all are shown whole.
    fn is_short(&self) -> bool {
        self.paths().len() <= 3
    }

    /// The command that shows the query which moved most.
    fn point_further(&self, all: &Comparisons, terminal: &Terminal) {
        if !self.is_short() {
            if !self.all {
                terminal.note("\nlook at each candidate: add --all");
            }
            return;
        }
        let Some(one) = all.comparisons.first().filter(|_| !self.from_scores) else { return };
        let movers = match one.conclusion {
            Some(Conclusion::Better | Conclusion::Higher) => &one.movers.gains,
            Some(
                Conclusion::Worse | Conclusion::Lower | Conclusion::NotSignificant | Conclusion::Identical,
            )
            | None => &one.movers.losses,
        };
        let (Some(mover), Some(baseline), Some(candidate)) =
            (movers.first(), &self.baseline, self.candidates.first())
        else {
            return;
        };
        let files = [&self.qrels, baseline, candidate];
        if files.contains(&&PathBuf::from("-")) {
            return;
        }
        let words = files.map(|path| name(path));
        let words = words.iter().map(String::as_str).chain(["--query", &mover.query]).map(quoted);
        if let Some(words) = words.collect::<Option<Vec<String>>>() {
            terminal.note(&format!("\nlook at one query: rankgate explain {}", words.join(" ")));
        }
    }
}

/// The report's rendering that a file's ending asks for.
fn rendering(path: &Path) -> Result<fn(&Report) -> String, BoxError> {
    let ending = path.extension().and_then(|extension| extension.to_str());
    Ok(match ending {
        Some("html") => report::html,
        Some("json") => report::json,
        Some("md") => report::markdown,
        Some("csv") => csv,
        _ => {
            let path = path.display();
            return Err(
                format!("--report {path}: the ending sets the format: .html, .json, .md or .csv").into()
            );
        }
    })
}
