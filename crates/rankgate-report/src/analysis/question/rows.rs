//! The numbers of a comparison that are printed and not decided by, for readers who check them.

use crate::gate::{Statistics, Unjudged};
use crate::model::{ComparisonFinding, Row};
use crate::report::clean::shorten_name;
use crate::report::number::{count, fixed, interval, legible, p_number, p_value, percent, signed};
use crate::stats::{self, Correction, Interval, NoInterval, UNSEEN_DRAWS};

/// How the bootstrap's interval is made.
pub(super) const PERCENTILE: &str = "percentile";

/// Decimals of a share; a small difference may take more.
const DECIMALS: usize = 4;
/// Characters of a name.
const NAME: usize = 24;

/// The other facts of a pair.
pub(super) struct Beside {
    /// Whether the difference is that of a judge's scores, corrected by people's.
    pub corrected: bool,
    /// The cutoff, and the shares of the baseline's and the candidate's documents down to it that were judged.
    pub judged: Option<(usize, [f64; 2])>,
    /// The difference on judged documents alone.
    pub judged_only: Option<f64>,
    pub unjudged: Unjudged,
    /// Largest difference between two repeats of one side: a difference within it may be the retriever's own noise.
    pub spread: Option<f64>,
    pub likeness: Option<Row>,
}

pub(super) fn rows(
    comparison: &stats::Comparison,
    [candidate, baseline]: [&str; 2],
    statistics: &Statistics,
    beside: Beside,
) -> Vec<Row> {
    let digits = legible(comparison.baseline_mean, comparison.candidate_mean, DECIMALS);
    let small = |value: f64| fixed(value, legible(value, 0.0, digits));
    let sure = percent(statistics.confidence.level());
    let shown = |(made, how): (Result<Interval, NoInterval>, &str)| match made {
        Ok(limits) => format!("{sure} CI {} ({how})", interval([limits.low, limits.high], digits)),
        Err(reason) => format!("no interval ({reason})"),
    };
    let test = comparison.permutation();
    let mut permutation = format!(
        "{}; two-sided {}, one-sided better {}, worse {}",
        engine(test),
        p_value(test.p_two_sided()),
        p_number(test.p_greater),
        p_number(test.p_less)
    );
    if test.resamples.is_some() {
        permutation += &format!("; standard error {}", p_number(test.monte_carlo_error()));
    }
    let bootstrap = &comparison.bootstrap;
    let mut resampled = shown((bootstrap.interval, PERCENTILE));
    if let Some(p) = bootstrap.p_two_sided {
        resampled += &format!(", {}", p_value(p));
    }
    resampled += &format!(
        "; ahead in {}% of {} resamples",
        fixed(100.0 * bootstrap.win_share, 1),
        big(bootstrap.resamples)
    );
    let mut rows = vec![
        Row::new("interval", shown(super::made(comparison, statistics, beside.corrected))),
        Row::new("permutation", format!("{permutation}; seed {}", statistics.seed)),
        Row::new("bootstrap", resampled),
    ];
    let mut add = |label: &str, value: Option<String>| rows.extend(value.map(|value| Row::new(label, value)));
    add(
        "adjusted",
        match statistics.correction {
            Correction::Holm if comparison.family > 1 => {
                Some(format!("Holm over {} gates", count(comparison.family)))
            }
            Correction::Holm | Correction::None => None,
        },
    );
    if let Some((cutoff, [before, after])) = beside.judged {
        let [before, after] = [(baseline, before), (candidate, after)]
            .map(|(name, share)| format!("{} {}", shorten_name(name, NAME), fixed(share, DECIMALS)));
        let alone = beside.judged_only.map_or(String::new(), |difference| {
            let digits = legible(difference, 0.0, digits);
            format!("; on judged documents alone the difference is {}", signed(difference, digits))
        });
        add(&format!("Judged@{cutoff}"), Some(format!("{before}, {after}{alone}")));
    }
    add("unjudged", (beside.unjudged == Unjudged::Worst).then(|| AT_WORST.to_owned()));
    add("repeats", beside.spread.map(|spread| format!("of one side differ by up to {}", small(spread))));
    rows.extend(beside.likeness);
    rows
}

/// The meaning of `unjudged: worst`.
const AT_WORST: &str = "at worst (`unjudged: worst`): an unjudged document has the highest grade if the baseline ranks it higher \
                        than the candidate, and is not relevant otherwise";

/// The deciding test in words: `by the permutation test, exact, and one unseen query beside these 30`.
pub(super) fn test_in_words(
    comparison: &stats::Comparison,
    finding: &ComparisonFinding,
    statistics: &Statistics,
    corrected: bool,
) -> String {
    let unit = if finding.is_grouped() { "group" } else { "query" };
    let (each, computed) = match finding.collections.len() {
        0 | 1 => (String::new(), "exact".to_owned()),
        many => (format!(" in each of the {many} collections"), format!("{} draws", big(UNSEEN_DRAWS))),
    };
    let one_more = format!("one unseen {unit}{each} beside these {}", count(comparison.units));
    // Where differences have no spread, the permutation test stands in for the bootstrap.
    let by_bootstrap = statistics.test.resamples() && comparison.bootstrap.p_two_sided.is_some();
    let by_test = match (corrected, by_bootstrap) {
        (true, _) => "by Student's t of the corrected mean".to_owned(),
        (_, true) => {
            format!("by the studentised bootstrap, {} resamples", big(comparison.bootstrap.resamples))
        }
        _ => format!("by the permutation test, {}", engine(comparison.permutation())),
    };
    let deciding = finding.deciding();
    let is_by =
        |alone: bool| deciding.iter().any(|claim| claim.p_second.is_some() && claim.by_unseen_query == alone);
    match (is_by(true), is_by(false)) {
        (true, false) => format!("by {one_more}, {computed}"),
        (_, true) => format!("{by_test}, and {one_more}"),
        (false, false) => by_test,
    }
}

/// How permutation p-values were computed.
fn engine(test: &stats::PermutationTest) -> String {
    match test.resamples {
        None => "exact".to_owned(),
        Some(resamples) => format!("Monte Carlo with {} resamples", big(resamples)),
    }
}

fn big(number: u64) -> String {
    usize::try_from(number).map_or_else(|_| number.to_string(), count)
}
