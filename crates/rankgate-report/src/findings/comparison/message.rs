//! A candidate against a baseline on one metric.

use crate::metric::Polarity;
use crate::model::{ComparisonFinding, Conclusion, Expect, GateReport, Movers, Row, Verdict, Warning};
use crate::report::clean::{clean, shorten, shorten_name};
use crate::report::number::{
    DECIMALS, count, counted, fixed, interval, legible, p_value, percent, queries, signed,
};
use crate::report::page::{Block, Part, Table, whole};
use crate::report::phrases;

use crate::findings::Kind;
use crate::report::message::movers::Way;
use crate::report::message::{About, Context, NAME, REMARK, evidence, movers, warnings};
use crate::report::phrases::measure;
use crate::report::{polarity, suite};

/// Decimals of an interval in a list of gates.
const SEEN: usize = 3;
/// Warnings that a message shows; the JSON form has all of them.
const WARNINGS: usize = 6;

impl Kind for ComparisonFinding {
    fn movers(&self) -> Option<&Movers> {
        Some(&self.movers)
    }

    // A comparison takes more for better, unless it only asks whether something changed.
    fn says_better(&self) -> Option<(&str, Polarity)> {
        let says = match self.expect {
            Some(Expect::Equivalence | Expect::Identical | Expect::Overlap) => Polarity::Unknown,
            Some(Expect::NoRegression | Expect::Improvement | Expect::NonInferiority) | None => {
                Polarity::MoreIsBetter
            }
        };
        Some((&self.metric, says))
    }

    fn headline(&self, context: &Context) -> String {
        let [candidate, baseline] = [&self.candidate, &self.baseline].map(|name| clean(name));
        let measure = measure(&self.metric, self.segment.as_ref());
        let said = self.headline_words(context.gate.verdict).replace("{}", &baseline);
        let over = suite::over(&self.collections);
        format!("{candidate} {said} on {measure}{over}")
    }

    fn short(&self, least: usize) -> String {
        let finding = self;
        let limits = phrases::limits(finding, least.min(SEEN)).map(|limits| whole(&limits));
        let limits = limits.unwrap_or_else(|| "no interval".to_owned());
        let mut text = format!("{} {limits}", phrases::difference(finding, least));
        if let (Some(margin), Expect::NonInferiority | Expect::Equivalence) =
            (finding.limit, finding.expectation_or_gain())
        {
            text += &format!(" margin {}", short(margin));
        }
        // Its interval is not.
        let adjusted = if finding.is_adjusted() { "adjusted " } else { "" };
        text += &format!(" {}", whole(&format!("{adjusted}{}", p_value(finding.p()))));
        text
    }

    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn body(&self, context: &Context) -> Vec<Part> {
        let finding = self;
        let mut warnings = warnings::part(&self.warnings[..WARNINGS.min(self.warnings.len())]);
        if let more @ 1.. = finding.warnings.len().saturating_sub(WARNINGS) {
            warnings.push(Block::line(format!("and {} more in the JSON report", count(more))));
        }
        let mut numbers = vec![Block::Table(self.numbers(context))];
        let mut collections = Part::new();
        if !self.collections.is_empty() {
            numbers.extend(suite::speaks_of(context.report).map(Block::nested));
            collections.push(Block::Table(suite::by_collection(&self.collections)));
        }
        vec![numbers, self.grounds(context), collections, warnings, self.movers()]
    }

    fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn about(&self, _: &GateReport) -> About {
        let ComparisonFinding { candidate, baseline, metric, .. } = self;
        let metric = Some(metric.to_string());
        About { candidate: candidate.clone(), baseline: baseline.clone(), metric }
    }

    fn grounds(&self, context: &Context) -> Part {
        let settling = evidence::settling(self, context).map(Block::nested);
        evidence::verdict(self, context).into_iter().chain(settling).collect()
    }
}

impl ComparisonFinding {
    /// The headline's words for a verdict, with `{}` for the baseline.
    fn headline_words(&self, verdict: Verdict) -> &'static str {
        let finding = self;
        let refuted = finding.is_refuted();
        let verdict = match verdict {
            // An advisory gate would have failed or would have been inconclusive.
            Verdict::Advisory if refuted => Verdict::Failed,
            Verdict::Advisory => Verdict::Inconclusive,
            verdict => verdict,
        };
        if let Some(conclusion) = finding.conclusion {
            return match conclusion {
                Conclusion::Better => "is better than {}",
                Conclusion::Worse => "is worse than {}",
                Conclusion::Higher => "is higher than {}",
                Conclusion::Lower => "is lower than {}",
                Conclusion::NotSignificant => "does not differ significantly from {}",
                Conclusion::Identical => "ranks exactly as {}",
            };
        }
        outcome(finding.expectation_or_gain(), verdict, finding.limit.is_some(), refuted)
    }

    /// Enough decimals to tell the means apart, and the difference from its limit.
    pub(crate) fn decimals(&self) -> usize {
        let finding = self;
        // The means of scores that sum up to the same may differ by rounding.
        let means = match finding.difference == 0.0 {
            true => DECIMALS,
            false => legible(finding.baseline_mean, finding.candidate_mean, DECIMALS),
        };
        finding.limit.map_or(means, |limit| legible(finding.difference.abs(), limit, means))
    }

    /// Both means, the difference with its interval, and the limit below it.
    pub(crate) fn numbers(&self, context: &Context) -> Table {
        let finding = self;
        let digits = self.decimals();
        let limit = finding.limit.map(|limit| match finding.expectation_or_gain() {
            Expect::Improvement => ("margin", signed(limit, digits)),
            Expect::Equivalence => ("margin", format!("+-{}", fixed(limit, digits))),
            Expect::NoRegression | Expect::NonInferiority | Expect::Identical | Expect::Overlap => {
                ("margin", signed(-limit, digits))
            }
        });
        let [before, after] = [finding.baseline_mean, finding.candidate_mean].map(|mean| fixed(mean, digits));

        let mut table = Table::default().right([1, 2]).rest(30, REMARK);
        table.row([shorten_name(&finding.baseline, NAME), before]);
        table.row([
            shorten_name(&finding.candidate, NAME),
            after,
            signed(finding.difference, digits),
            self.certainty(context, digits),
        ]);
        if let Some((name, number)) = limit {
            table.row([name.to_owned(), String::new(), number]);
        }
        table
    }

    /// How sure the difference is, and over what.
    fn certainty(&self, context: &Context, digits: usize) -> String {
        let finding = self;
        let mut text = match finding.interval {
            Some(limits) => {
                let adjusted = if finding.is_adjusted() { " (not adjusted)" } else { "" };
                let limits = interval(limits, digits);
                format!("{} CI {limits}{adjusted}", percent(context.report.confidence))
            }
            None => "no interval".to_owned(),
        };
        text += &format!("   {}", queries(finding.queries));
        if finding.is_grouped() {
            text += &format!(" in {}", counted(finding.units(), "group", "groups"));
        }
        text
    }

    /// Losses explain a drop, gains an improvement; where it failed or is open both are of interest.
    fn movers(&self) -> Part {
        let finding = self;
        let up = finding.difference > 0.0;
        let ways: &[Way] = match finding.expectation_or_gain() {
            Expect::Improvement if up => &[Way::Rises, Way::Falls],
            Expect::Improvement => &[Way::Falls, Way::Rises],
            Expect::Equivalence if up => &[Way::Rises],
            Expect::Equivalence | Expect::NoRegression | Expect::NonInferiority => &[Way::Falls],
            Expect::Identical | Expect::Overlap => &[Way::Falls],
        };
        let [fell, rose] = polarity::words(polarity::of_finding(finding));
        if finding.movers.against.is_some() {
            return movers::part(&finding.movers, finding.queries, polarity::of_finding(finding), ways);
        }
        let said = format!(
            "{} {fell}, {} {rose}, {} unchanged",
            if finding.is_grouped() {
                counted(finding.losses, "group", "groups")
            } else {
                queries(finding.losses)
            },
            count(finding.wins),
            count(finding.ties)
        );
        vec![Block::paragraph(said)]
    }
}

/// What a verdict says of a comparison of which something is expected, with `{}` for the baseline.
pub(crate) fn outcome(asked: Expect, verdict: Verdict, is_limited: bool, refuted: bool) -> &'static str {
    use Verdict::{Advisory, Error, Failed, Inconclusive, Passed, Reported};
    match (asked, verdict) {
        (_, Error) => "could not be compared with {}",
        (Expect::NoRegression, Passed) if refuted => "is within its margin of {}",
        (Expect::NoRegression, Passed) => "has no significant drop against {}",
        (Expect::NoRegression, Failed) => "has regressed against {}",
        (Expect::NoRegression, Inconclusive | Advisory | Reported) => "may have regressed against {}",
        (Expect::Improvement, Passed) => "improves on {}",
        (Expect::Improvement, Failed) => "is worse than {}",
        (Expect::Improvement, Inconclusive | Advisory | Reported) if is_limited => {
            "has no significant gain of the required size over {}"
        }
        (Expect::Improvement, Inconclusive | Advisory | Reported) => "has no significant gain over {}",
        (Expect::NonInferiority, Passed) => "is not worse than {} by more than the margin",
        (Expect::NonInferiority, Failed) => "is worse than {} by more than the margin",
        (Expect::NonInferiority, Inconclusive | Advisory | Reported) => {
            "is not significantly within the margin of {}"
        }
        (Expect::Equivalence, Passed) => "is equivalent to {} within the margin",
        (Expect::Equivalence, Failed) => "differs from {} by more than the margin",
        (Expect::Equivalence, Inconclusive | Advisory | Reported) => "is not significantly equivalent to {}",
        (Expect::Identical | Expect::Overlap, Passed) => "is as expected against {}",
        (Expect::Identical | Expect::Overlap, Failed | Inconclusive | Advisory | Reported) => {
            "is not as expected against {}"
        }
    }
}

/// A limit as a team wrote it.
pub(crate) fn short(limit: f64) -> String {
    shorten(&limit.to_string(), 12)
}
