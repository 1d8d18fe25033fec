//! `rankgate tune`: a choice made on one half of the queries and confirmed on the other.

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::benchmark::model::Verdict;
use rankgate::collection::Query;
use rankgate::gate::Statistics;
use rankgate::stats::{Confidence, Expectation};
use rankgate::{BoxError, Evaluation, Run};

use crate::exit::Exit;
use crate::expected::{CoverageOptions, with_remedy};
use crate::format::Format;
use crate::inputs::{
    Conventions, Files, Grouping, STATISTICS, TableOptions, check_no_metrics, check_standard_input, metrics,
    name,
};
use crate::offline::Comparing;
use crate::offline::report::to_json;
use crate::terminal::Terminal;
use crate::tune::{Demand, choose, choose_threshold};

const THRESHOLD: &str = "Score threshold";

/// Choose a run or a score threshold on half of the queries and confirm it on the others
///
/// The run with the highest mean on one half is compared with the baseline on the other half, by the test that decides gates
/// and `compare`. With --score-threshold, half of the unanswerable queries choose the lowest score at which so few of them are
/// shown to be answered, and the other half confirms it. Unanswerable queries are those that --queries marks with
/// `unanswerable: true`; without such marks, judged queries without a relevant document.
#[derive(Args)]
#[command(override_usage = "\
rankgate tune [OPTIONS] <QRELS> <RUN> <RUN>...
       rankgate tune [OPTIONS] --score-threshold <QRELS> <RUN>")]
#[command(after_help = "\
The exit status is 0 if the choice is confirmed (PASSED), and 1 if it is not (FAILED, INCONCLUSIVE).

Examples:
  rankgate tune qrels.txt today.run k1.run k2.run k3.run -m nDCG@10
  rankgate tune qrels.txt a.run b.run c.run --baseline b.run --format json
  rankgate tune qrels.txt mine.run --queries queries.jsonl --score-threshold --write cut.json")]
pub(crate) struct Tune {
    /// Judgments (- for standard input), or a folder in the layout of BEIR
    qrels: PathBuf,

    /// Runs to choose from
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// The metric
    #[arg(long, short, value_name = "METRIC", default_value = "nDCG@10", conflicts_with = "score_threshold")]
    metric: String,

    /// The run that the chosen one is compared with [default: the first run]
    #[arg(long, value_name = "RUN", conflicts_with = "score_threshold")]
    baseline: Option<PathBuf>,

    /// The key of the hash that halves the queries
    #[arg(long, value_name = "TEXT", default_value = "rankgate")]
    key: String,

    /// Texts and metadata of the queries: lines of id, tab, text, or JSON lines
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,

    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Choose the score below which results of one run are cut
    #[arg(long, help_heading = THRESHOLD)]
    score_threshold: bool,

    /// The share of unanswerable queries that may be answered
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "score_threshold", help_heading = THRESHOLD)]
    false_answer: f64,

    /// Write the run without the results that score less; a name in .json keeps queries without results
    #[arg(long, value_name = "FILE", requires = "score_threshold", help_heading = THRESHOLD)]
    write: Option<PathBuf>,

    /// Confidence of the intervals; sets the level of the tests
    #[arg(long, default_value_t = 0.95, help_heading = STATISTICS)]
    confidence: f64,

    #[command(flatten)]
    grouping: Grouping,

    #[command(flatten)]
    coverage: CoverageOptions,

    #[command(flatten)]
    conventions: Conventions,

    #[command(flatten)]
    tables: TableOptions,
}

impl Tune {
    pub(crate) fn run(mut self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let baseline = self.baseline.clone().unwrap_or_else(|| self.runs[0].clone());
        if !self.runs.contains(&baseline) {
            self.runs.insert(0, baseline.clone());
        }
        check_no_metrics(&self.runs)?;
        check_standard_input(std::iter::once(&self.qrels).chain(&self.runs))?;
        let files = Files::new(&self.tables, self.conventions.order());
        let collection = files.collection_by(&self.conventions, &self.qrels, self.queries.as_ref())?;
        let read = |path: &PathBuf| Ok((name(path), files.evaluation(&collection, path, &self.conventions)?));
        let runs: Vec<(String, Evaluation)> = self.runs.iter().map(read).collect::<Result<_, BoxError>>()?;
        let verdict = match (self.score_threshold, &runs[..]) {
            (true, [(name, run)]) => self.threshold(name, run, terminal),
            (true, _) => Err("--score-threshold is chosen for one run".into()),
            (false, [_]) => Err("name at least two runs to choose from".into()),
            (false, _) => self.choice(&runs, &name(&baseline), terminal),
        }?;
        Ok(if verdict == Verdict::Passed { Exit::Passed } else { Exit::Failed })
    }

    fn choice(
        &self,
        runs: &[(String, Evaluation)],
        baseline: &str,
        terminal: &Terminal,
    ) -> Result<Verdict, BoxError> {
        let named = metrics(std::slice::from_ref(&self.metric), "")?;
        let [metric] = named.as_slice() else {
            return Err(format!("a run is chosen by one metric, not by `{}`", self.metric).into());
        };
        let cluster = self.grouping.group_by.clone();
        let confidence = Confidence::new(self.confidence)?;
        let comparing = Comparing {
            statistics: Statistics { confidence, group_by: cluster.clone(), ..Statistics::default() },
            min_coverage: self.coverage.share()?,
            expect: Some(Expectation::Improvement { margin: 0.0 }.into()),
            movers: 0,
            pictured: false,
            ..Comparing::new([metric.metric.clone()])
        };
        let baseline = runs.iter().position(|(name, _)| name == baseline).unwrap_or(0);
        let how = (&metric.metric, self.key.as_str(), cluster.as_deref());
        let choice = choose(how, &comparing, baseline, runs).map_err(with_remedy)?;
        let text = || choice.text(terminal.style(), terminal.width());
        self.format.print(terminal, text, || to_json(&choice))?;
        Ok(choice.verdict)
    }

    fn threshold(
        &self,
        name: &str,
        evaluation: &Evaluation,
        terminal: &Terminal,
    ) -> Result<Verdict, BoxError> {
        let demand = Demand::new(self.false_answer, self.confidence)?;
        let run = evaluation.run(0).filter(|run| run.has_scores());
        let run =
            run.ok_or_else(|| format!("{name} has no scores, only an order: nothing can be cut by score"))?;
        let marked = evaluation.collection().unanswerable();
        let has_answer = |at: usize| {
            let judged = evaluation.judged(at);
            judged.is_none_or(|ranking| ranking.relevant(ranking.relevant_from()) > 0)
        };
        let judged = || evaluation.queries().iter().enumerate();
        let with: Vec<&Query> = judged()
            .filter(|(at, _)| !marked.is_empty() || has_answer(*at))
            .map(|(_, query)| query)
            .collect();
        let without: Vec<&Query> = match marked {
            [] => judged().filter(|(at, _)| !has_answer(*at)).map(|(_, query)| query).collect(),
            marked => marked.iter().collect(),
        };
        // A run in the format of TREC does not list queries without results.
        let absent = with.iter().filter(|query| run.ranking(&query.id).is_none()).count();
        if absent > with.len() / 10 {
            let of = with.len();
            return Err(format!(
                "{name} has no ranking for {absent} of the {of} queries that have an answer"
            )
            .into());
        }
        let chosen = choose_threshold(demand, (name, &self.key), &best(run, &without), &best(run, &with))?;
        if let Some(path) = &self.write {
            let threshold = chosen.score_threshold.ok_or("there is no score threshold to cut the run by")?;
            let mut run = run.clone();
            run.answer_with_nothing(with.iter().chain(&without).map(|query| query.id.as_str()));
            write_cut(run, threshold, path)?;
        }
        self.format.print(terminal, || chosen.text(terminal.style()), || to_json(&chosen))?;
        Ok(chosen.verdict)
    }
}

/// Queries with their best scores; none if nothing was returned.
fn best<'a>(run: &Run, queries: &[&'a Query]) -> Vec<(&'a str, Option<f64>)> {
    let score = |id: &str| run.ranking(id)?.iter().map(|hit| hit.score).reduce(f64::max);
    queries.iter().map(|query| (query.id.as_str(), score(&query.id))).collect()
}

fn write_cut(mut run: Run, threshold: f64, path: &Path) -> Result<(), BoxError> {
    run.cut_below(threshold);
    Ok(match path.extension().is_some_and(|extension| extension == "json") {
        true => run.write_json(path),
        false => run.write_trec(path, "cut"),
    }?)
}
