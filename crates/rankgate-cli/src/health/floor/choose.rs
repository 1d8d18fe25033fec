//! The choice of a floor by Learn then Test, and its test on queries that did not choose it.
//!
//! A false answer is an unanswerable query whose best result reaches the floor, so that a higher floor has fewer. Floors are
//! tested from the highest down: that a share of more than `false_answer` is answered falsely is rejected by the exact
//! binomial tail. The lowest floor before the first that is not rejected is chosen. Tests in a fixed order need no
//! correction, so that the chosen floor has a larger share with probability of at most 1 - `confidence`. Scores between the
//! floors that were tested change nothing: the share falls as the floor rises, and queries that tie are cut together.
//!
//! Source: Angelopoulos, Bates, Candès, Jordan and Lei, "Learn then Test: Calibrating Predictive Algorithms to Achieve Risk
//! Control", 2021 (fixed sequence testing, binomial p-values).

use std::fmt::Write as _;

use crate::health::halves::by_hash;
use crate::health::stats::Confidence;
use crate::health::{Error, Result};

use super::rate::{fewest_trials, lower_limit, most_events, tail, upper_limit};
use super::report::{
    FLOOR_SCHEMA, FloorCosts, FloorGate, FloorOutcome, FloorReport, HeldOut, QueriesNeeded, Rate,
};

/// Shares for which the number of queries is said.
const SHARES: [f64; 4] = [0.1, 0.05, 0.02, 0.01];

/// A query, and the score that decides whether it is answered at a floor.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryScore {
    /// Its id.
    pub query: String,
    /// The highest floor at which it is still answered; `None` where it is not answered without one.
    pub score: Option<f64>,
}

/// What a floor has to keep.
#[derive(Clone, Debug)]
pub struct FloorDemand {
    /// The share of unanswerable queries that may be answered, above 0 and below 1.
    pub false_answer: f64,
    /// The probability with which the true share is no larger.
    pub confidence: f64,
    /// The key of the hash that halves the queries.
    pub key: String,
    /// The confidence of intervals in the spec, by which its gates are decided.
    pub gates: Confidence,
}

impl FloorDemand {
    /// # Errors
    /// A share or a confidence that is not between 0 and 1.
    pub fn check(&self) -> Result<()> {
        for (what, value) in
            [("a share of false answers", self.false_answer), ("a confidence", self.confidence)]
        {
            if !(value > 0.0 && value < 1.0) {
                return Err(Error::invalid(format!("{what} is above 0 and below 1, not {value}")));
            }
        }
        Ok(())
    }

    fn alpha(&self) -> f64 {
        // Without what 1 - 0.95 is more than 0.05 by.
        ((1.0 - self.confidence) * 1e9).round() / 1e9
    }
}

/// Chooses the floor of a configuration by half of its unanswerable queries, and tests it by the others.
///
/// The halves are those of a keyed hash of the queries' ids: the same for every configuration, score and machine.
///
/// # Errors
/// A demand that cannot be met by any floor; no query of one of the two kinds.
///
/// ```
/// use rankgate_cli::health::{FloorDemand, FloorOutcome, QueryScore, choose_floor};
///
/// let scores = |name: &str, count: usize, of: fn(usize) -> f64| -> Vec<QueryScore> {
///     (0..count).map(|at| QueryScore { query: format!("{name}{at}"), score: Some(of(at)) }).collect()
/// };
/// // 200 queries without an answer score 0.00 to 0.199, 100 with one 0.10 to 1.09.
/// let unanswerable = scores("n", 200, |at| at as f64 / 1000.0);
/// let answerable = scores("a", 100, |at| 0.1 + at as f64 / 100.0);
/// let demand = FloorDemand { false_answer: 0.05, confidence: 0.95, key: "k".into(), gates: Default::default() };
/// let report = choose_floor(&demand, ("toy", "mine"), &unanswerable, &answerable)?;
/// assert_eq!(report.outcome, FloorOutcome::Chosen);
/// assert!((0.18..0.2).contains(&report.floor.unwrap()));
/// # Ok::<(), rankgate::Error>(())
/// ```
pub fn choose_floor(
    demand: &FloorDemand,
    (benchmark, configuration): (&str, &str),
    unanswerable: &[QueryScore],
    answerable: &[QueryScore],
) -> Result<FloorReport> {
    demand.check()?;
    if unanswerable.is_empty() || answerable.is_empty() {
        let missing = if answerable.is_empty() {
            "queries that have an answer: a system that never answers needs no floor"
        } else {
            "unanswerable queries: mark them with `answerable: false` in their metadata"
        };
        return Err(Error::invalid(format!("a floor needs {missing}")));
    }
    let alpha = demand.alpha();
    let (choosing, held_out) = halves(&demand.key, unanswerable);
    let (allowed, floor) = match most_events(choosing.len(), demand.false_answer, alpha) {
        None => (FloorOutcome::TooFewQueries, None),
        Some(most) => match lowest_above(&choosing, most, answerable) {
            None => (FloorOutcome::NotNeeded, None),
            Some(floor) => (FloorOutcome::Chosen, Some(floor)),
        },
    };
    let rate = |scores: &[Option<f64>], floor: Option<f64>, is_event: fn(bool) -> bool| {
        let reaches = |score: &&Option<f64>| is_event(is_answered(**score, floor));
        let events = scores.iter().filter(reaches).count();
        Rate { events, queries: scores.len(), at_most: upper_limit(events, scores.len(), alpha) }
    };
    let silent: Vec<Option<f64>> = answerable.iter().map(|one| one.score).collect();
    let costs = |at: Option<f64>| FloorCosts {
        floor: at,
        chosen: allowed == FloorOutcome::Chosen && at == floor,
        choosing: rate(&choosing, at, |answered| answered),
        held_out: rate(&held_out, at, |answered| answered),
        false_silences: rate(&silent, at, |answered| !answered),
    };
    let trade_off: Vec<FloorCosts> =
        shown_floors(&choosing, floor, answerable).into_iter().map(costs).collect();
    let held = (allowed == FloorOutcome::Chosen).then(|| {
        let other = rate(&held_out, floor, |answered| answered);
        if tail(other.events, other.queries, demand.false_answer) <= alpha {
            HeldOut::Shown
        } else if lower_limit(other.events, other.queries, alpha) > demand.false_answer {
            HeldOut::Broken
        } else {
            HeldOut::Open
        }
    });
    let all: Vec<Option<f64>> = unanswerable.iter().map(|one| one.score).collect();
    let gate = (allowed == FloorOutcome::Chosen).then(|| {
        let events = rate(&all, floor, |answered| answered).events;
        let upper = upper_limit(events, all.len(), demand.gates.tail());
        FloorGate { events, upper, passes: upper <= demand.false_answer }
    });
    let mut report = FloorReport {
        schema: FLOOR_SCHEMA,
        benchmark: benchmark.to_owned(),
        configuration: configuration.to_owned(),
        false_answer: demand.false_answer,
        confidence: demand.confidence,
        key: demand.key.clone(),
        answerable: answerable.len(),
        unanswerable: unanswerable.len(),
        choosing: choosing.len(),
        outcome: allowed,
        floor,
        held_out: held,
        trade_off,
        needed: needed(demand, unanswerable.len()),
        gate,
        cautions: Vec::new(),
    };
    report.cautions = cautions(&report);
    Ok(report)
}

/// Whether a query is answered at a floor.
fn is_answered(score: Option<f64>, floor: Option<f64>) -> bool {
    score.is_some_and(|score| floor.is_none_or(|floor| score >= floor))
}

/// The scores of the half that chooses, which is the larger one where the number is odd, and those of the other, in
/// ascending order; what is not answered comes first.
fn halves(key: &str, queries: &[QueryScore]) -> (Vec<Option<f64>>, Vec<Option<f64>>) {
    let order = by_hash(key, queries.iter().map(|one| one.query.as_str()));
    let (choosing, held_out) = order.split_at(order.len().div_ceil(2));
    let scores = |half: &[usize]| {
        let mut scores: Vec<Option<f64>> = half.iter().map(|at| queries[*at].score).collect();
        scores.sort_by(compare);
        scores
    };
    (scores(choosing), scores(held_out))
}

fn compare(a: &Option<f64>, b: &Option<f64>) -> std::cmp::Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.total_cmp(b),
        _ => a.is_some().cmp(&b.is_some()),
    }
}

/// The lowest floor at which at most so many of these are answered; `None` where that needs none.
fn lowest_above(ascending: &[Option<f64>], most: usize, answerable: &[QueryScore]) -> Option<f64> {
    let first_cut = ascending.len().checked_sub(most + 1)?;
    let cut = ascending[first_cut]?;
    Some(just_above(cut, ascending, answerable))
}

/// A short number above a score, in the lower half of what lies between it and the next score.
fn just_above(score: f64, ascending: &[Option<f64>], answerable: &[QueryScore]) -> f64 {
    let others = ascending.iter().copied().chain(answerable.iter().map(|one| one.score)).flatten();
    let next = others.filter(|other| *other > score).fold(f64::INFINITY, f64::min);
    let next = if next.is_finite() { next } else { score + score.abs().max(1e-3) / 10.0 };
    short_between(score, score + (next - score) / 2.0)
}

/// The number with the fewest decimals above `low` and at most `high`.
fn short_between(low: f64, high: f64) -> f64 {
    let width = high - low;
    if width > 0.0 && width.is_finite() {
        let first = width.log10().floor() as i32 + 1;
        let mut text = String::new();
        for exponent in (first - 17..=first).rev() {
            let step = 10f64.powi(exponent);
            let candidate = ((low / step).floor() + 1.0) * step;
            let decimals = usize::try_from(-exponent).unwrap_or(0);
            text.clear();
            // Writing to a String cannot fail.
            let _ = write!(text, "{candidate:.decimals$}");
            if let Ok(short) = text.parse::<f64>()
                && short > low
                && short <= high
            {
                return short;
            }
        }
    }
    high.max(low.next_up())
}

/// The floors of the trade-off, the lowest first: none, the chosen one, and some below and above it.
fn shown_floors(
    ascending: &[Option<f64>],
    chosen: Option<f64>,
    answerable: &[QueryScore],
) -> Vec<Option<f64>> {
    let all = ascending.len();
    let mut floors = vec![chosen];
    // Half, a quarter, an eighth and so on of the false answers, down to none.
    let mut most = all / 2;
    loop {
        floors.push(lowest_above(ascending, most, answerable));
        if most == 0 {
            break;
        }
        most /= 2;
    }
    floors.push(None);
    floors.sort_by(compare);
    floors.dedup();
    floors
}

fn needed(demand: &FloorDemand, there: usize) -> Vec<QueriesNeeded> {
    let mut shares: Vec<f64> = SHARES.into_iter().chain([demand.false_answer]).collect();
    shares.sort_by(|a, b| b.total_cmp(a));
    shares.dedup();
    let one = |false_answer| {
        // The half that chooses is the larger one.
        let queries = 2 * fewest_trials(false_answer, demand.alpha()) - 1;
        QueriesNeeded { false_answer, queries, more: queries.saturating_sub(there) }
    };
    shares.into_iter().map(one).collect()
}

fn cautions(report: &FloorReport) -> Vec<String> {
    let mut cautions = Vec::new();
    let chosen = report.trade_off.iter().find(|costs| costs.chosen);
    if let Some(costs) = chosen.filter(|costs| costs.false_silences.share() > 0.5) {
        let silent = costs.false_silences;
        cautions.push(format!(
            "at this floor {} of the {} queries that have an answer get none: its scores hardly tell what can be answered",
            silent.events, silent.queries
        ));
    }
    cautions
}

#[cfg(test)]
mod tests {
    use hmac_sha256::HMAC;
    use rand::TryRng;

    use super::*;
    use crate::health::stats::Stream;

    fn demand(false_answer: f64, confidence: f64) -> FloorDemand {
        FloorDemand { false_answer, confidence, key: "key".to_owned(), gates: Confidence::default() }
    }

    fn queries(name: &str, scores: impl IntoIterator<Item = Option<f64>>) -> Vec<QueryScore> {
        let one = |(at, score)| QueryScore { query: format!("{name}{at}"), score };
        scores.into_iter().enumerate().map(one).collect()
    }

    fn choose(demand: &FloorDemand, unanswerable: &[QueryScore]) -> FloorReport {
        let answerable = queries("a", (0..100).map(|at| Some(f64::from(at) / 10.0)));
        choose_floor(demand, ("toy", "mine"), unanswerable, &answerable).unwrap()
    }

    #[test]
    fn too_few_queries_show_nothing_whatever_they_score() {
        // 59 have to choose: 117 in all.
        for (count, outcome) in [(116, FloorOutcome::TooFewQueries), (117, FloorOutcome::Chosen)] {
            let report = choose(&demand(0.05, 0.95), &queries("n", (0..count).map(|at| Some(f64::from(at)))));
            assert_eq!(report.outcome, outcome, "{count}");
            let five = report.needed.iter().find(|one| one.false_answer == 0.05).unwrap();
            assert_eq!((five.queries, five.more), (117, 117 - count as usize));
        }
        let silent = choose(&demand(0.05, 0.95), &queries("n", vec![None; 200]));
        assert_eq!((silent.outcome, silent.floor), (FloorOutcome::NotNeeded, None));
    }

    #[test]
    fn the_floor_is_the_lowest_that_is_shown() {
        let unanswerable = queries("n", (0..200).map(|at| Some(f64::from(at) / 1000.0)));
        let report = choose(&demand(0.1, 0.9), &unanswerable);
        // SciPy 1.17: of 100 at 0.1 the tail is 0.0576 for 5 and 0.1172 for 6, so that five may be answered.
        let chosen = report.trade_off.iter().find(|costs| costs.chosen).unwrap();
        assert_eq!((chosen.choosing.events, chosen.choosing.queries), (5, 100));
        // The next lower score would be a sixth.
        let (choosing, _) = halves("key", &unanswerable);
        let sixth = choosing[100 - 6].unwrap();
        assert!(report.floor.unwrap() > sixth && report.floor.unwrap() < choosing[100 - 5].unwrap());
    }

    #[test]
    fn equal_scores_are_cut_together() {
        // 60 of 200 tie at 0.5, which is more than may be answered.
        let tied = (0..200).map(|at| Some(if at < 60 { 0.5 } else { 0.1 }));
        let report = choose(&demand(0.1, 0.9), &queries("n", tied));
        assert!(report.floor.unwrap() > 0.5, "{report:?}");
        let chosen = report.trade_off.iter().find(|costs| costs.chosen).unwrap();
        assert_eq!((chosen.choosing.events, chosen.held_out.events), (0, 0));
        assert_eq!(report.held_out, Some(HeldOut::Shown));
    }

    #[test]
    fn the_other_half_can_break_a_floor() {
        let unanswerable = queries("n", (0..200).map(|_| Some(0.0)));
        let mut planted = unanswerable.clone();
        let ids: Vec<String> = {
            let mut hashed: Vec<_> =
                unanswerable.iter().map(|one| (HMAC::mac(&one.query, "key"), &one.query)).collect();
            hashed.sort();
            hashed[100..].iter().map(|(_, id)| (*id).clone()).collect()
        };
        planted.iter_mut().filter(|one| ids.contains(&one.query)).for_each(|one| one.score = Some(9.0));
        let report = choose(&demand(0.05, 0.95), &planted);
        assert_eq!((report.outcome, report.held_out), (FloorOutcome::Chosen, Some(HeldOut::Broken)));
        assert!(!report.gate.unwrap().passes);
    }

    #[test]
    fn halves_depend_on_ids_and_the_key_alone() {
        let (mut forwards, mut backwards) = (Vec::new(), Vec::new());
        for at in 0..51 {
            forwards.push(QueryScore { query: format!("n{at}"), score: Some(f64::from(at)) });
        }
        backwards.extend(forwards.iter().rev().cloned());
        assert_eq!(halves("a", &forwards), halves("a", &backwards));
        assert_ne!(halves("a", &forwards), halves("b", &forwards));
        assert_eq!(halves("a", &forwards).0.len(), 26);
    }

    #[test]
    fn floors_are_short_numbers() {
        for (low, high, expected) in [
            (0.31234, 0.41, 0.4),
            (0.31234, 0.31235, 0.312_341),
            (7.2, 9.9, 8.0),
            (120.0, 180.0, 130.0),
            (-0.5, -0.2, -0.4),
            (0.0, 1e-7, 1e-8),
        ] {
            let short = short_between(low, high);
            assert!(short > low && short <= high, "{low} {high} {short}");
            assert!(
                (short - expected).abs() < 1e-12 || short.to_string().len() <= expected.to_string().len(),
                "{short}"
            );
        }
        let next = 0.1f64.next_up();
        assert_eq!(short_between(0.1, next), next);
    }

    #[test]
    fn what_cannot_be_demanded_is_an_error() {
        let some = queries("n", [Some(0.5)]);
        for (share, confidence) in [(0.0, 0.95), (1.0, 0.95), (f64::NAN, 0.95), (0.05, 1.0), (0.05, 0.0)] {
            assert!(choose_floor(&demand(share, confidence), ("b", "c"), &some, &some).is_err());
        }
        let error = choose_floor(&demand(0.05, 0.95), ("b", "c"), &[], &some).unwrap_err().to_string();
        assert!(error.contains("mark them with `answerable: false`"), "{error}");
        assert!(choose_floor(&demand(0.05, 0.95), ("b", "c"), &some, &[]).is_err());
    }

    /// Uniform scores, of which the share above a floor is known: 1 - floor. Coarse ones tie at every tenth.
    #[test]
    fn floor_keeps_its_rate() {
        const DRAWS: u64 = 400;
        let uniform = |rng: &mut crate::health::stats::StreamRng| {
            let Ok(bits) = rng.try_next_u64();
            (bits >> 11) as f64 / (1_u64 << 53) as f64
        };
        for (number, (count, share, confidence, is_coarse)) in
            [(80, 0.1, 0.9, false), (81, 0.1, 0.9, true), (130, 0.05, 0.95, false), (200, 0.2, 0.9, true)]
                .into_iter()
                .enumerate()
        {
            let mut broken = 0;
            for draw in 0..DRAWS {
                let mut rng = Stream::new(number as u64).rng(draw);
                let score = |_| {
                    let score = uniform(&mut rng);
                    Some(if is_coarse { (score * 10.0).floor() / 10.0 } else { score })
                };
                let report = choose(&demand(share, confidence), &queries("n", (0..count).map(score)));
                let floor = report.floor.unwrap();
                // A tenth is reached by what is drawn from that tenth on.
                let true_share = if is_coarse { 1.0 - (floor * 10.0).ceil() / 10.0 } else { 1.0 - floor };
                broken += u64::from(true_share > share + 1e-9);
            }
            let (rate, allowed) = (broken as f64 / DRAWS as f64, 1.0 - confidence);
            // Three standard errors of so many draws.
            let noise = 3.0 * (allowed * (1.0 - allowed) / DRAWS as f64).sqrt();
            assert!(rate <= allowed + noise, "{count} {share} {confidence}: {rate}");
        }
    }
}
