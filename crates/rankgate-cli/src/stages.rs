//! Stages of a pipeline: what the documents of each allow, and which stage a difference falls to.

use std::collections::{BTreeSet, HashSet};

use rankgate::collection::Collection;
use rankgate::metric::Metric;
use rankgate::report::internal::clean::shorten_name;
use rankgate::report::internal::number::{DECIMALS, counted, interval, score, signed};
use rankgate::report::internal::page::{Block, Section, Table};
use rankgate::report::internal::painter::{self, Style};
use rankgate::run::score_by_order;
use rankgate::stats::{Confidence, Differences, PairedT};
use rankgate::{Error, Evaluation, Hit, Judging, Result, Run};
use serde::Serialize;

/// Characters of a stage's name.
const NAME: usize = 28;
const WIDTH: usize = 80;

/// The runs of a pipeline in the order in which documents pass them, judged. The runs of one step are side by side; the last
/// step is the ranking that is returned.
pub(crate) struct Pipeline {
    steps: Vec<Step>,
}

struct Step {
    name: String,
    runs: Vec<Evaluation>,
    /// All documents of the step by grade, the highest first; nothing for the ranking that is returned.
    ceiling: Option<Evaluation>,
}

impl Pipeline {
    /// # Errors
    /// Fewer than two steps; a step that lacks more than 10% of the queries, which the last ranking answers.
    pub(crate) fn new(steps: Vec<Vec<(String, Evaluation)>>, judging: Judging) -> Result<Self> {
        let few = || Error::invalid("name at least two runs: a stage and the ranking after it");
        let [before @ .., last] = &steps[..] else { return Err(few()) };
        let ([(last_name, last)], false) = (&last[..], before.is_empty()) else { return Err(few()) };
        for step in before {
            check_queries(step, (last_name, last))?;
        }
        let made = |step: &Vec<(String, Evaluation)>| {
            let runs: Vec<Evaluation> = step.iter().map(|(_, run)| run.clone()).collect();
            let ideal = Evaluation::of_run(last.collection(), by_grade(&runs)?)?.judged_by(judging)?;
            Ok(Step { name: step_name(step), runs, ceiling: Some(ideal) })
        };
        let mut all = before.iter().map(made).collect::<Result<Vec<_>>>()?;
        all.push(Step { name: last_name.clone(), runs: vec![last.clone()], ceiling: None });
        Ok(Self { steps: all })
    }

    /// How many queries return a document that their last stage did not hand on.
    pub(crate) fn foreign(&self) -> usize {
        let [.., handed_on, last] = &self.steps[..] else { return 0 };
        let Some(returned) = last.runs.first().and_then(|run| run.run(0)) else { return 0 };
        let knows = |query: &str, id: &str| {
            let mut rankings = handed_on.runs.iter().filter_map(|run| run.run(0)?.ranking(query));
            rankings.any(|ranking| ranking.iter().any(|hit| hit.id == id))
        };
        returned.iter().filter(|(query, hits)| hits.iter().any(|hit| !knows(query, &hit.id))).count()
    }

    /// The scores of each query by what each step allows, and last by what was returned.
    fn reached(&self, metric: &Metric) -> Result<Vec<Vec<f64>>> {
        self.steps.iter().map(|step| step.ceiling.as_ref().unwrap_or(&step.runs[0]).scores(metric)).collect()
    }

    fn queries(&self) -> usize {
        self.steps.last().map_or(0, |step| step.runs[0].queries().len())
    }
}

fn step_name(step: &[(String, Evaluation)]) -> String {
    step.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" + ")
}

/// A run in the format of TREC does not list a query without results, so that some may be missing.
fn check_queries(step: &[(String, Evaluation)], (last_name, last): (&str, &Evaluation)) -> Result<()> {
    let unasked: BTreeSet<&str> = last.absent().into_iter().collect();
    let absent: Vec<BTreeSet<&str>> =
        step.iter().map(|(_, run)| run.absent().into_iter().collect()).collect();
    let is_absent = |id: &&str| absent.iter().all(|absent| absent.contains(id));
    let answered = last.queries().iter().map(|query| query.id.as_str()).filter(|id| !unasked.contains(id));
    let lacking: Vec<&str> = answered.filter(is_absent).collect();
    let most = last.queries().len() / 10;
    let Some(first) = lacking.first().filter(|_| lacking.len() > most) else { return Ok(()) };
    Err(Error::invalid(format!(
        "{} has no ranking for {}, such as `{first}`, that {last_name} answers: are the runs of one pipeline?",
        step_name(step),
        counted(lacking.len(), "query", "queries")
    )))
}

/// The documents of runs side by side, ordered as a perfect reranker would: by grade, the highest first, and unjudged documents
/// last, as they came.
fn by_grade(runs: &[Evaluation]) -> Result<Run> {
    let queries: BTreeSet<&str> =
        runs.iter().flat_map(Evaluation::queries).map(|query| query.id.as_str()).collect();
    let mut rankings = Vec::with_capacity(queries.len());
    for query in queries {
        let lists: Vec<&[Hit]> = runs.iter().filter_map(|run| run.run(0)?.ranking(query)).collect();
        // A query without any list was not asked.
        if let (false, Some(run)) = (lists.is_empty(), runs.first()) {
            rankings.push((query.to_owned(), ideal(run.collection(), query, &lists)?));
        }
    }
    Run::from_rankings(rankings)
}

/// The documents of all lists, each once, by grade. With judged spans, a passage that adds nothing to those above it counts as
/// not relevant.
fn ideal(collection: &Collection, query: &str, lists: &[&[Hit]]) -> Result<Vec<Hit>> {
    let mut seen = HashSet::new();
    let mut ids: Vec<&str> =
        lists.iter().copied().flatten().map(|hit| hit.id.as_str()).filter(|id| seen.insert(*id)).collect();
    let descending = |grade: Option<i32>| std::cmp::Reverse(grade.unwrap_or(-1).max(-1));
    ids.sort_by_key(|id| descending(collection.grade(query, id)));
    if let Some(passages) = collection.passages() {
        let (grades, _) = passages.judge(query, ids.iter().copied())?;
        let mut graded: Vec<(Option<i32>, &str)> = grades.into_iter().zip(ids).collect();
        graded.sort_by_key(|(grade, _)| descending(*grade));
        ids = graded.into_iter().map(|(_, id)| id).collect();
    }
    Ok(ids.into_iter().enumerate().map(|(position, id)| Hit::new(id, score_by_order(position))).collect())
}

/// What the stages of a pipeline allow, by metric.
#[derive(Serialize)]
pub(crate) struct StagesReport {
    /// How many queries were scored.
    queries: usize,
    metrics: Vec<MetricStages>,
}

#[derive(Serialize)]
struct MetricStages {
    metric: String,
    steps: Vec<StepReport>,
}

#[derive(Serialize)]
struct StepReport {
    stage: String,
    /// What no other order of the documents of this step exceeds; nothing for the ranking that is returned.
    ceiling: Option<f64>,
    /// The score of each run of the step.
    scores: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
}

/// The part of a difference that falls to a step. For every query the parts add up to its difference.
#[derive(Serialize)]
struct Part {
    /// The baseline's ceiling less that of the step before, as a mean over queries; for the ranking that is returned its score
    /// less the last ceiling.
    baseline: f64,
    candidate: f64,
    difference: f64,
    /// The paired t interval at 95%; nothing if no query varies.
    interval: Option<[f64; 2]>,
}

/// Ceilings and scores of a pipeline, and with a baseline how the difference of the two falls to the steps.
///
/// # Errors
/// Pipelines of different numbers of steps; a metric that fewer documents can raise.
pub(crate) fn explain(
    metrics: &[Metric],
    candidate: &Pipeline,
    baseline: Option<&Pipeline>,
) -> Result<StagesReport> {
    if let Some(other) = baseline.filter(|other| other.steps.len() != candidate.steps.len()) {
        return Err(Error::invalid(format!(
            "--stages has {} steps and --baseline {}: a difference is split if both have the same",
            candidate.steps.len(),
            other.steps.len()
        )));
    }
    let of_metric = |metric: &Metric| {
        if !metric.is_highest_by_grade() {
            let message = format!(
                "{metric} has no ceiling: an order by grade is not its best, or not all that it needs"
            );
            return Err(Error::invalid(message));
        }
        let reached = candidate.reached(metric)?;
        let parts = baseline.map(|baseline| parts(&baseline.reached(metric)?, &reached)).transpose()?;
        let mut parts = parts.into_iter().flatten();
        let report = |step: &Step| {
            Ok(StepReport {
                stage: step.name.clone(),
                ceiling: step.ceiling.as_ref().map(|ceiling| ceiling.value(metric)).transpose()?,
                scores: step.runs.iter().map(|run| run.value(metric)).collect::<Result<_>>()?,
                part: parts.next(),
            })
        };
        let steps = candidate.steps.iter().map(report).collect::<Result<_>>()?;
        Ok(MetricStages { metric: metric.to_string(), steps })
    };
    let metrics = metrics.iter().map(of_metric).collect::<Result<_>>()?;
    Ok(StagesReport { queries: candidate.queries(), metrics })
}

/// The first part is the difference of the first ceilings, each further one that of how much a step's ceiling lies above the
/// one before, and the last that of how far the scores lie below the last ceilings.
fn parts(baseline: &[Vec<f64>], candidate: &[Vec<f64>]) -> Result<Vec<Part>> {
    let nothing = vec![0.0; candidate.first().map_or(0, Vec::len)];
    let gained = |reached: &[Vec<f64>], step: usize| -> Vec<f64> {
        let before = step.checked_sub(1).map_or(&nothing, |before| &reached[before]);
        reached[step].iter().zip(before).map(|(reached, before)| reached - before).collect()
    };
    let part = |step: usize| {
        let differences = Differences::new(&gained(baseline, step), &gained(candidate, step))?;
        let interval = PairedT::new(&differences).and_then(|test| test.interval(Confidence::default()).ok());
        Ok(Part {
            baseline: differences.baseline_mean(),
            candidate: differences.candidate_mean(),
            difference: differences.mean(),
            interval: interval.map(|interval| [interval.low, interval.high]),
        })
    };
    (0..candidate.len()).map(part).collect()
}

/// A table for each metric.
pub(crate) fn text(report: &StagesReport, style: Style) -> String {
    let mut sections = vec![Section::from_blocks([Block::line(counted(report.queries, "query", "queries"))])];
    for MetricStages { metric, steps } in &report.metrics {
        let is_split = steps.iter().any(|step| step.part.is_some());
        let mut header = vec![metric.as_str(), "ceiling", "score"];
        header.extend(["part", "95% CI (t)"].into_iter().filter(|_| is_split));
        let mut table = Table::headed(header).right([1, 2, 3]);
        for step in steps {
            let own: Vec<String> = step.scores.iter().map(|one| score(metric, *one)).collect();
            let ceiling = step.ceiling.map_or_else(|| "-".to_owned(), |ceiling| score(metric, ceiling));
            let mut cells = vec![shorten_name(&step.stage, NAME), ceiling, own.join(", ")];
            if let Some(part) = &step.part {
                let limits = part.interval.map(|limits| interval(limits, DECIMALS));
                cells.push(signed(part.difference, DECIMALS));
                cells.push(limits.unwrap_or_else(|| "no interval".to_owned()));
            }
            table.row(cells);
        }
        sections.push(Section::from_blocks([Block::Table(table)]));
    }
    painter::page(&sections, WIDTH, style)
}

#[cfg(test)]
mod tests {
    use rankgate::Qrels;

    use super::*;

    fn collection() -> Collection {
        let qrels = "q1 0 a 2\nq1 0 b 1\nq1 0 c 0\nq2 0 a 1\nq2 0 d 3\n";
        Collection::from_qrels(Qrels::parse("q", qrels.as_bytes()).unwrap()).unwrap()
    }

    fn run(q1: &[&str], q2: &[&str]) -> Evaluation {
        let hits = |ids: &[&str]| ids.iter().map(|&id| Hit::new(id, 1.0)).collect::<Vec<_>>();
        let run = Run::from_rankings([("q1", hits(q1)), ("q2", hits(q2))]).unwrap();
        Evaluation::of_run(&collection(), run).unwrap()
    }

    fn pipeline(steps: Vec<Vec<Evaluation>>) -> Result<Pipeline> {
        let named = |step: Vec<Evaluation>| step.into_iter().map(|run| ("s.run".to_owned(), run)).collect();
        Pipeline::new(steps.into_iter().map(named).collect(), Judging::default())
    }

    /// By hand, P@1 and R@2. The candidates of q1 hold `b` and `c`, and those of q2 `d`: their ceilings are 1 and 1 of P@1, 1/2
    /// and 1/2 of R@2. What is returned has `c` first for q1.
    #[test]
    fn a_ceiling_is_what_the_best_order_scores() {
        let steps = vec![
            vec![run(&["c", "b"], &["x", "d"]), run(&["c"], &["x"])],
            vec![run(&["c", "b"], &["d", "x"])],
        ];
        let pipeline = pipeline(steps).unwrap();
        let report = explain(&["P@1".parse().unwrap(), "R@2".parse().unwrap()], &pipeline, None).unwrap();
        let of = |at: usize| {
            let [first, last] = &report.metrics[at].steps[..] else { panic!() };
            (first.ceiling, first.scores.clone(), last.ceiling, last.scores.clone())
        };
        assert_eq!(of(0), (Some(1.0), vec![0.0, 0.0], None, vec![0.5]));
        assert_eq!(of(1), (Some(0.5), vec![0.5, 0.0], None, vec![0.5]));
        assert_eq!(pipeline.foreign(), 0);
        assert!(text(&report, Style::Plain).contains("s.run + s.run   1.0000  0.0000, 0.0000"));
    }

    #[test]
    fn parts_add_up_to_the_difference() {
        let old =
            [run(&["c", "b", "a"], &["x", "d"]), run(&["a", "c", "b"], &["d", "x"]), run(&["a"], &["d"])];
        let new = [run(&["c", "b"], &["x", "a"]), run(&["b", "c"], &["x", "a"]), run(&["c", "b"], &["a"])];
        let made = |steps: &[Evaluation; 3]| pipeline(steps.iter().map(|run| vec![run.clone()]).collect());
        let (old_pipeline, new_pipeline) = (made(&old).unwrap(), made(&new).unwrap());
        let metrics: Vec<Metric> = ["nDCG@10", "AP", "RR", "R@1"].map(|name| name.parse().unwrap()).to_vec();
        let report = explain(&metrics, &new_pipeline, Some(&old_pipeline)).unwrap();
        for (metric, split) in metrics.iter().zip(&report.metrics) {
            let sum: f64 = split.steps.iter().map(|step| step.part.as_ref().unwrap().difference).sum();
            let difference = new[2].value(metric).unwrap() - old[2].value(metric).unwrap();
            assert!((sum - difference).abs() <= 1e-15, "{metric}: {sum} {difference}");
        }
        // By hand, R@1 over two relevant documents each: the first ceilings are 1/2 and 1/2, on either side.
        assert_eq!(report.metrics[3].steps[0].part.as_ref().unwrap().difference, 0.0);
    }

    #[test]
    fn what_is_no_pipeline_says_why() {
        let whole = run(&["a"], &["d"]);
        let half = {
            let half = Run::from_rankings([("q1", vec![Hit::new("a", 1.0)])]).unwrap();
            Evaluation::of_run(&collection(), half).unwrap()
        };
        let error = |steps: Vec<Vec<Evaluation>>| pipeline(steps).err().unwrap().to_string();
        assert_eq!(
            error(vec![vec![half], vec![whole.clone()]]),
            "s.run has no ranking for 1 query, such as `q2`, that s.run answers: are the runs of one pipeline?"
        );
        assert!(error(vec![vec![whole.clone()]]).contains("at least two runs"));
        let two = pipeline(vec![vec![whole.clone()], vec![whole.clone()]]).unwrap();
        let three = pipeline(vec![vec![whole.clone()], vec![whole.clone()], vec![whole]]).unwrap();
        assert!(explain(&["SetP".parse().unwrap()], &two, None).is_err());
        assert!(explain(&["AP".parse().unwrap()], &two, Some(&three)).is_err());
    }
}
