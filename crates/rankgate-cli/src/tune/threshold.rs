//! A score threshold for unanswerable queries, chosen by Learn then Test on one half and confirmed on the other.
//!
//! A false answer is an unanswerable query whose best result reaches the threshold, so that a higher threshold has fewer.
//! Thresholds are tested from the highest down, each by the upper limit of Clopper and Pearson for its share of false answers,
//! which is the interval that gates on `FalseAnswer` have. The lowest threshold before the first that is not shown to keep the
//! share is chosen. Tests in a fixed order need no correction, so that the chosen threshold has a larger share with probability
//! of at most 1 - `confidence`. Scores between the thresholds change nothing: the share falls as the threshold rises.
//!
//! Source: Angelopoulos, Bates, Candès, Jordan and Lei, "Learn then Test: Calibrating Predictive Algorithms to Achieve Risk
//! Control", 2021 (fixed sequence testing, binomial p-values).

use rankgate::benchmark::model::Verdict;
use rankgate::report::Style;
use rankgate::report::internal::clean::shorten_name;
use rankgate::report::internal::number::{count, counted, percent};
use rankgate::report::internal::page::{Block, Section, Table};
use rankgate::report::internal::{painter, verdict};
use rankgate::stats::{Confidence, Interval, mean_interval};
use rankgate::{Error, Result};
use serde::Serialize;

use super::halves::choosing;
use super::{NAME, SCHEMA, WIDTH};

/// The share of false answers that a threshold keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    false_answer: f64,
    /// On one side.
    confidence: f64,
    /// The two-sided interval whose ends have that confidence each.
    two_sided: Confidence,
}

impl Demand {
    /// # Errors
    /// A share that is not between 0 and 1, or a confidence that is not between 0.5 and 1.
    pub(crate) fn new(false_answer: f64, confidence: f64) -> Result<Self> {
        if !(false_answer > 0.0 && false_answer < 1.0) {
            return Err(Error::invalid(format!("--false-answer is above 0 and below 1, not {false_answer}")));
        }
        if !(confidence > 0.5 && confidence < 1.0) {
            return Err(Error::invalid(format!("--confidence is above 0.5 and below 1, not {confidence}")));
        }
        Ok(Self { false_answer, confidence, two_sided: Confidence::new(2.0 * confidence - 1.0)? })
    }

    /// The one-sided limits of a share.
    fn limits(&self, events: usize, queries: usize) -> Result<Interval> {
        let values: Vec<f64> = (0..queries).map(|at| f64::from(at < events)).collect();
        let found = mean_interval(&values, self.two_sided, 0.0..=1.0)?;
        found.interval.map_err(|error| Error::invalid(error.to_string()))
    }

    fn is_shown(&self, events: usize, queries: usize) -> Result<bool> {
        Ok(self.limits(events, queries)?.high <= self.false_answer)
    }

    /// How many unanswerable queries it takes if none of them is answered: half of them choose.
    fn fewest(&self) -> usize {
        let alone = (self.two_sided.tail().ln() / (1.0 - self.false_answer).ln()).ceil();
        2 * alone as usize - 1
    }
}

/// The threshold of one run, with the price of others.
#[derive(Debug, Serialize)]
pub(crate) struct ScoreThreshold {
    schema: u32,
    pub(crate) verdict: Verdict,
    run: String,
    false_answer: f64,
    confidence: f64,
    /// The key of the hash that halves the queries.
    key: String,
    /// Results that score less are cut; null if none is needed, or none is shown to keep the share.
    pub(crate) score_threshold: Option<f64>,
    /// Unanswerable queries without a false answer that it takes.
    needed: usize,
    /// The lowest first.
    trade_off: Vec<Costs>,
}

/// The price of one threshold.
#[derive(Clone, Copy, Debug, Serialize)]
struct Costs {
    score_threshold: Option<f64>,
    /// False answers of the queries that choose.
    choosing: Share,
    /// False answers of the queries that confirm.
    confirming: Share,
    /// Queries with an answer of which nothing is left.
    false_silences: Share,
}

/// How often something happened, with the largest share that this leaves possible.
#[derive(Clone, Copy, Debug, Serialize)]
struct Share {
    events: usize,
    queries: usize,
    at_most: f64,
}

/// Chooses the lowest threshold that keeps the share of false answers on one half of the unanswerable queries, and
/// tests it on the other half. Queries have their ids and best scores; none if nothing is returned.
///
/// # Errors
/// Fewer than two unanswerable queries, or no query with an answer.
pub(crate) fn choose_threshold(
    demand: Demand,
    (run, key): (&str, &str),
    unanswerable: &[(&str, Option<f64>)],
    answerable: &[(&str, Option<f64>)],
) -> Result<ScoreThreshold> {
    if unanswerable.len() < 2 || answerable.is_empty() {
        return Err(Error::invalid(format!(
            "a score threshold needs queries with a relevant document, and at least two without: there are {} and {}",
            answerable.len(),
            unanswerable.len()
        )));
    }
    let first = choosing(key, unanswerable.iter().map(|(id, _)| *id));
    let half = |chooses: bool| -> Vec<Option<f64>> {
        let half = unanswerable.iter().filter(|(id, _)| first.contains(id) == chooses);
        half.map(|(_, score)| *score).collect()
    };
    let (mut choosing, confirming) = (half(true), half(false));
    choosing.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    let with_answer: Vec<Option<f64>> = answerable.iter().map(|(_, score)| *score).collect();
    // The most false answers that still show the share: none if not even their absence does.
    let mut most = None;
    for events in 0..choosing.len() {
        if !demand.is_shown(events, choosing.len())? {
            break;
        }
        most = Some(events);
    }
    let above = |most: usize| lowest_above(&choosing, most, &with_answer);
    let score_threshold = most.and_then(above);
    let share = |scores: &[Option<f64>], threshold: Option<f64>, counts: bool| -> Result<Share> {
        let events = scores.iter().filter(|score| is_answered(**score, threshold) == counts).count();
        let at_most = demand.limits(events, scores.len())?.high;
        Ok(Share { events, queries: scores.len(), at_most })
    };
    // Half, a quarter, an eighth and so on of the false answers, down to none; beside them the chosen one, and no threshold.
    let halved = std::iter::successors(Some(choosing.len() / 2), |most| (*most > 0).then_some(most / 2));
    let mut thresholds: Vec<Option<f64>> = halved.map(above).chain([score_threshold, None]).collect();
    thresholds.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    thresholds.dedup();
    let costs = |threshold: Option<f64>| {
        Ok(Costs {
            score_threshold: threshold,
            choosing: share(&choosing, threshold, true)?,
            confirming: share(&confirming, threshold, true)?,
            false_silences: share(&with_answer, threshold, false)?,
        })
    };
    let other = share(&confirming, score_threshold, true)?;
    let verdict = match most {
        None => Verdict::Inconclusive,
        Some(_) if other.at_most <= demand.false_answer => Verdict::Passed,
        Some(_) if demand.limits(other.events, other.queries)?.low > demand.false_answer => Verdict::Failed,
        Some(_) => Verdict::Inconclusive,
    };
    Ok(ScoreThreshold {
        schema: SCHEMA,
        verdict,
        run: run.to_owned(),
        false_answer: demand.false_answer,
        confidence: demand.confidence,
        key: key.to_owned(),
        score_threshold,
        needed: demand.fewest(),
        trade_off: thresholds.into_iter().map(costs).collect::<Result<_>>()?,
    })
}

fn is_answered(score: Option<f64>, threshold: Option<f64>) -> bool {
    score.is_some_and(|score| threshold.is_none_or(|threshold| score >= threshold))
}

/// The lowest threshold that leaves at most so many of these answered; `None` if that needs none.
fn lowest_above(ascending: &[Option<f64>], most: usize, others: &[Option<f64>]) -> Option<f64> {
    let cut = ascending[ascending.len().checked_sub(most + 1)?]?;
    let higher = ascending.iter().chain(others).flatten().filter(|score| **score > cut);
    let next = higher.copied().reduce(f64::min).unwrap_or_else(|| cut + cut.abs().max(1e-3) / 10.0);
    let middle = cut + (next - cut) / 2.0;
    // As few decimals as tell it from the scores around it.
    let short = (0..17).filter_map(|decimals| format!("{middle:.decimals$}").parse().ok());
    Some(short.into_iter().find(|short| cut < *short && *short <= next).unwrap_or(next))
}

impl ScoreThreshold {
    pub(crate) fn text(&self, style: Style) -> String {
        let name = shorten_name(&self.run, NAME);
        let kept = |share: &Share| {
            let Share { events, queries, at_most } = share;
            format!("{} of {} answered, at most {}", count(*events), count(*queries), rounded(*at_most))
        };
        let chosen = self.trade_off.iter().find(|costs| costs.score_threshold == self.score_threshold);
        let said = match (chosen.filter(|costs| self.is_chosen(costs)), self.score_threshold) {
            (None, _) => format!("no score threshold of {name} keeps the share of false answers"),
            (Some(costs), None) => {
                format!("{name} needs no score threshold; the other half: {}", kept(&costs.confirming))
            }
            (Some(costs), Some(threshold)) => {
                format!("score threshold {threshold} for {name}; the other half: {}", kept(&costs.confirming))
            }
        };
        let demand = format!(
            "At most {} of the unanswerable queries are to be answered, with {} confidence. That takes {} without a false \
             answer; there are {}, and half of them choose.",
            rounded(self.false_answer),
            rounded(self.confidence),
            counted(self.needed, "unanswerable query", "unanswerable queries"),
            count(self.trade_off.first().map_or(0, |one| one.choosing.queries + one.confirming.queries)),
        );
        let sections = [
            Section::from_blocks([
                Block::paragraph(format!("{}: {said}", verdict::word(self.verdict))),
                Block::paragraph(demand),
            ]),
            Section::from_blocks([Block::Table(self.table())]),
        ];
        painter::page(&sections, WIDTH, style)
    }

    /// Returns true if the half that chooses shows these costs to keep the share.
    fn is_chosen(&self, costs: &Costs) -> bool {
        costs.score_threshold == self.score_threshold && costs.choosing.at_most <= self.false_answer
    }

    fn table(&self) -> Table {
        let header =
            ["threshold", "choosing", "at most", "confirming", "at most", "false silences", "at most"];
        let mut table = Table::headed(header).right(1..7);
        for costs in &self.trade_off {
            let mark = if self.is_chosen(costs) { "*" } else { "" };
            let threshold =
                costs.score_threshold.map_or("none".to_owned(), |threshold| threshold.to_string());
            let mut row = vec![threshold + mark];
            for Share { events, queries, at_most } in [costs.choosing, costs.confirming, costs.false_silences]
            {
                row.push(format!("{} of {}", count(events), count(queries)));
                row.push(rounded(at_most));
            }
            table.row(row);
        }
        table
    }
}

/// A share to a tenth of a percent: `5%`, `8.8%`.
fn rounded(share: f64) -> String {
    percent((share * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(false_answer: f64, confidence: f64, scores: &[Option<f64>]) -> ScoreThreshold {
        let names = |name: &str, count: usize| (0..count).map(|at| format!("{name}{at}")).collect::<Vec<_>>();
        let (n, a) = (names("n", scores.len()), names("a", 100));
        let without: Vec<_> = n.iter().map(String::as_str).zip(scores.iter().copied()).collect();
        let with: Vec<_> = (0..100).map(|at| (a[at].as_str(), Some(at as f64 / 10.0))).collect();
        let demand = Demand::new(false_answer, confidence).unwrap();
        choose_threshold(demand, ("mine.run", "key"), &without, &with).unwrap()
    }

    fn chosen(report: &ScoreThreshold) -> Costs {
        *report.trade_off.iter().find(|costs| report.is_chosen(costs)).unwrap()
    }

    #[test]
    fn limits_are_those_of_clopper_and_pearson() {
        // Without events (1 - rate)^n = alpha; the others by SciPy 1.17, stats.beta.ppf(0.95, k + 1, n - k).
        let demand = Demand::new(0.05, 0.95).unwrap();
        let close =
            |actual: f64, expected: f64| assert!((actual - expected).abs() < 1e-9, "{actual} {expected}");
        close(demand.limits(0, 59).unwrap().high, 1.0 - 0.05f64.powf(1.0 / 59.0));
        close(demand.limits(2, 60).unwrap().high, 0.101_235_894_924_161_63);
        close(demand.limits(5, 60).unwrap().low, 0.033_410_632_369_750_89);
    }

    #[test]
    fn so_many_queries_show_a_share() {
        // 0.95^59 = 0.0485, 0.95^58 = 0.0510; 0.98^149 = 0.0493, 0.98^148 = 0.0503; 0.99^299 = 0.0495, 0.99^298 = 0.0500.
        for (share, half) in [(0.1, 29), (0.05, 59), (0.02, 149), (0.01, 299)] {
            let demand = Demand::new(share, 0.95).unwrap();
            assert_eq!(demand.fewest(), 2 * half - 1, "{share}");
            assert!(demand.is_shown(0, half).unwrap() && !demand.is_shown(0, half - 1).unwrap(), "{share}");
        }
        // SciPy 1.17, stats.binom.cdf: of 100 at 0.1, 0.0237 for 4 and 0.0576 for 5.
        let demand = Demand::new(0.1, 0.95).unwrap();
        assert!(demand.is_shown(4, 100).unwrap() && !demand.is_shown(5, 100).unwrap());
    }

    #[test]
    fn too_few_queries_show_nothing_whatever_they_score() {
        let scores = |count: usize| (0..count).map(|at| Some(at as f64)).collect::<Vec<_>>();
        assert_eq!(choose(0.05, 0.95, &scores(116)).verdict, Verdict::Inconclusive);
        assert_eq!(choose(0.05, 0.95, &scores(116)).score_threshold, None);
        assert!(choose(0.05, 0.95, &scores(117)).score_threshold.is_some());
        let silent = choose(0.05, 0.95, &vec![None; 200]);
        assert_eq!((silent.verdict, silent.score_threshold), (Verdict::Passed, None));
    }

    #[test]
    fn the_threshold_is_the_lowest_that_is_shown() {
        let scores: Vec<_> = (0..200).map(|at| Some(f64::from(at) / 1000.0)).collect();
        let report = choose(0.1, 0.9, &scores);
        // SciPy 1.17: of 100 at 0.1 the tail is 0.0576 for 5 and 0.1172 for 6, so that five may be answered.
        assert_eq!((chosen(&report).choosing.events, chosen(&report).choosing.queries), (5, 100));
        assert!(
            report
                .trade_off
                .iter()
                .rev()
                .all(|costs| costs.score_threshold >= report.score_threshold || costs.choosing.events > 5)
        );
    }

    #[test]
    fn equal_scores_are_cut_together() {
        // 60 of 200 tie at 0.5, which is more than may be answered.
        let report =
            choose(0.1, 0.9, &(0..200).map(|at| Some(if at < 60 { 0.5 } else { 0.1 })).collect::<Vec<_>>());
        assert_eq!(report.score_threshold, Some(0.6));
        assert_eq!((chosen(&report).choosing.events, chosen(&report).confirming.events), (0, 0));
        assert_eq!(report.verdict, Verdict::Passed);
    }

    #[test]
    fn the_other_half_can_contradict() {
        let names: Vec<String> = (0..200).map(|at| format!("n{at}")).collect();
        let first = choosing("key", names.iter().map(String::as_str));
        let score = |name: &String| Some(if first.contains(name.as_str()) { 0.0 } else { 9.0 });
        let report = choose(0.05, 0.95, &names.iter().map(score).collect::<Vec<_>>());
        assert_eq!(report.verdict, Verdict::Failed);
        assert!(report.score_threshold.is_some());
    }

    #[test]
    fn thresholds_are_short_numbers() {
        for (low, high, expected) in [
            (0.31234, 0.41, 0.4),
            (7.2, 9.9, 9.0),
            (120.0, 180.0, 150.0),
            (-0.5, -0.2, -0.3),
            (0.0, 1e-7, 5e-8),
        ] {
            assert_eq!(lowest_above(&[Some(low)], 0, &[Some(high)]), Some(expected));
        }
        assert_eq!(lowest_above(&[Some(0.1)], 0, &[Some(0.1f64.next_up())]), Some(0.1f64.next_up()));
    }

    /// Uniform scores, of which the share above a threshold is known: 1 - threshold. Coarse ones tie at every tenth.
    #[test]
    fn a_threshold_keeps_its_share() {
        const DRAWS: u64 = 150;
        use rand::RngExt;
        for (number, (count, share, confidence, is_coarse)) in
            [(80, 0.1, 0.9, false), (81, 0.1, 0.9, true), (130, 0.05, 0.95, false)].into_iter().enumerate()
        {
            let mut broken = 0;
            for draw in 0..DRAWS {
                let mut rng = rankgate::stats::Stream::new(number as u64).rng(draw);
                let mut score = |_| {
                    let score = rng.random::<f64>();
                    Some(if is_coarse { (score * 10.0).floor() / 10.0 } else { score })
                };
                let scores: Vec<_> = (0..count).map(&mut score).collect();
                let threshold = choose(share, confidence, &scores).score_threshold.unwrap();
                // A tenth is reached by what is drawn from that tenth on.
                let above = if is_coarse { 1.0 - (threshold * 10.0).ceil() / 10.0 } else { 1.0 - threshold };
                broken += u64::from(above > share + 1e-9);
            }
            let (rate, allowed) = (broken as f64 / DRAWS as f64, 1.0 - confidence);
            // Three standard errors of so many draws.
            let noise = 3.0 * (allowed * (1.0 - allowed) / DRAWS as f64).sqrt();
            assert!(rate <= allowed + noise, "{count} {share} {confidence}: {rate}");
        }
    }
}
