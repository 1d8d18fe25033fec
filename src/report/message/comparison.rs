//! A candidate against a baseline on one metric.

use crate::benchmark::model::{ComparisonFinding, Conclusion, Verdict};
use crate::report::clean::{clean, hang, shorten, shorten_name, wrap};
use crate::report::number::{
    DECIMALS, apart, count, counted, fixed, interval, p_value, percent, queries, signed,
};
use crate::report::phrases;
use crate::report::table::Table;

use super::movers::Way;
use super::{Block, Context, NAME, Tell, evidence, left_out, measure, movers};

/// Decimals that a small difference may take.
const MOST_DECIMALS: usize = 6;
/// Decimals of an interval in a list of gates.
const SEEN: usize = 3;
/// Lines of one caution, and cautions that a message shows; the JSON form has all of them.
const CAUTION: usize = 4;
const CAUTIONS: usize = 6;

/// A comparison's finding.
pub(super) struct Comparison<'a>(pub(super) &'a ComparisonFinding);

impl Tell for Comparison<'_> {
    fn headline(&self, context: &Context) -> String {
        let [candidate, baseline] = [&self.0.candidate, &self.0.baseline].map(|name| clean(name));
        let measure = measure(&self.0.metric, self.0.segment.as_ref());
        format!("{candidate} {} on {measure}", self.said(context.gate.verdict).replace("{}", &baseline))
    }

    fn seen(&self, least: usize) -> String {
        let finding = self.0;
        let limits = phrases::limits(finding, least.min(SEEN)).unwrap_or_else(|| "no interval".to_owned());
        let mut text = format!("{} {limits}", phrases::difference(finding, least));
        if let (Some(margin), Some(_)) = (finding.limit, finding.p_margin) {
            text += &format!(" margin {}", short(margin));
        }
        text += &format!(" {}{}", p_value(finding.p()), left_out(finding.unpaired));
        if finding.unanswered > 0 {
            text += &format!(", {} left unanswered", queries(finding.unanswered));
        }
        text
    }

    fn body(&self, context: &Context) -> Vec<Block> {
        let finding = self.0;
        let mut verdict = evidence::verdict(finding, context);
        verdict.extend(evidence::settling(finding, context));
        let cautions = finding.cautions.iter().take(CAUTIONS);
        let mut cautions: Block =
            cautions.flat_map(|caution| hang("caution: ", caution, context.width, CAUTION)).collect();
        if let more @ 1.. = finding.cautions.len().saturating_sub(CAUTIONS) {
            cautions.push(format!("and {} more in the JSON report", count(more)));
        }
        vec![
            self.numbers(context),
            verdict,
            cautions,
            self.movers(context),
            evidence::details(finding, context, self.decimals()),
        ]
    }
}

impl Comparison<'_> {
    /// The headline's words for a verdict, with `{}` for the baseline.
    fn said(&self, verdict: Verdict) -> &'static str {
        let finding = self.0;
        let refuted = evidence::refuted(finding);
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
                Conclusion::NotShown => "is not shown to differ from {}",
                Conclusion::Identical => "ranks exactly as {}",
            };
        }
        match (finding.expect.as_str(), verdict) {
            (_, Verdict::Errored) => "could not be compared with {}",
            ("no-regression", Verdict::Passed) if refuted => "is within its tolerance of {}",
            ("no-regression", Verdict::Passed) => "is not shown to have regressed against {}",
            ("no-regression", Verdict::Failed) => "has regressed against {}",
            ("no-regression", _) => "may have regressed against {}",
            ("improvement", Verdict::Passed) => "improves on {}",
            ("improvement", Verdict::Failed) => "is worse than {}",
            ("improvement", _) if self.too_small() => "improves on {} by less than asked for",
            ("improvement", _) => "is not shown to improve on {}",
            ("non-inferiority", Verdict::Passed) => "is not worse than {} by more than the margin",
            ("non-inferiority", Verdict::Failed) => "is worse than {} by more than the margin",
            ("non-inferiority", _) => "is not shown to be within the margin of {}",
            ("equivalence", Verdict::Passed) => "is equivalent to {} within the margin",
            ("equivalence", Verdict::Failed) => "differs from {} by more than the margin",
            ("equivalence", _) => "is not shown to be equivalent to {}",
            (_, Verdict::Passed) => "is as expected against {}",
            (_, _) => "is not as expected against {}",
        }
    }

    /// A gain that is shown, and smaller than asked for.
    fn too_small(&self) -> bool {
        self.0.reason == "a gain is shown, smaller than the smallest worth having"
    }

    /// Enough decimals to tell the means apart, and the difference from its limit.
    fn decimals(&self) -> usize {
        let finding = self.0;
        // The means of scores that sum up to the same may differ by rounding.
        let means = match finding.difference == 0.0 {
            true => DECIMALS,
            false => apart(finding.baseline_mean, finding.candidate_mean, DECIMALS),
        };
        let limit = finding.limit.map_or(means, |limit| apart(finding.difference.abs(), limit, means));
        limit.min(MOST_DECIMALS)
    }

    /// Both means, the difference with its interval, and the limit below it.
    fn numbers(&self, context: &Context) -> Block {
        let finding = self.0;
        let digits = self.decimals();
        let baseline = shorten_name(&finding.baseline, NAME);
        let candidate = shorten_name(&finding.candidate, NAME);
        let limit = finding.limit.map(|limit| match finding.expect.as_str() {
            "improvement" => ("smallest gain", signed(limit, digits)),
            "equivalence" => ("margin", format!("+-{}", fixed(limit, digits))),
            "no-regression" => ("tolerance", signed(-limit, digits)),
            _ => ("margin", signed(-limit, digits)),
        });
        let difference = signed(finding.difference, digits);
        let means = [finding.baseline_mean, finding.candidate_mean].map(|mean| fixed(mean, digits));

        let longest = |texts: &[&str]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        let (name, number) = limit.as_ref().map_or(("", ""), |(name, number)| (*name, number.as_str()));
        let [before, after] = means.each_ref().map(String::as_str);
        let used = longest(&[&baseline, &candidate, name])
            + longest(&[before, after])
            + longest(&[&difference, number]);
        let room = context.width.saturating_sub(used + 6).max(30);
        let mut remark = wrap(&self.certainty(context, digits), room, 9).into_iter();

        let mut table = Table::right([1, 2]);
        table.row([baseline, before.to_owned()]);
        table.row([candidate, after.to_owned(), difference.clone(), remark.next().unwrap_or_default()]);
        for line in remark {
            table.row([String::new(), String::new(), String::new(), line]);
        }
        if let Some((name, number)) = limit {
            table.row([name.to_owned(), String::new(), number]);
        }
        table.lines()
    }

    /// How sure the difference is, and over what.
    fn certainty(&self, context: &Context, digits: usize) -> String {
        let finding = self.0;
        let kind = clean(&finding.interval_kind);
        let mut text = match finding.interval {
            Some(limits) => {
                let adjusted = if evidence::corrected(finding) { ", not adjusted" } else { "" };
                let limits = interval(limits, digits);
                format!("{} CI {limits} ({kind}{adjusted})", percent(context.report.confidence))
            }
            None => format!("no interval ({kind})"),
        };
        text += &format!("   {}", queries(finding.queries));
        if finding.units != finding.queries {
            text += &format!(" in {}", counted(finding.units, "group", "groups"));
        }
        if finding.unpaired > 0 {
            text += &format!(", {} left out (on one side only)", count(finding.unpaired));
        }
        if finding.unanswered > 0 {
            text += &format!(", {} left unanswered", count(finding.unanswered));
        }
        text
    }

    /// Losses explain a drop, gains an improvement; where it failed or is open both are of interest.
    fn movers(&self, context: &Context) -> Block {
        let finding = self.0;
        let up = finding.difference > 0.0;
        let ways: &[Way] = match finding.expect.as_str() {
            "improvement" | "nothing" if up => &[Way::Gains, Way::Losses],
            "improvement" | "nothing" => &[Way::Losses, Way::Gains],
            "equivalence" if up => &[Way::Gains],
            _ => &[Way::Losses],
        };
        if finding.movers.against.is_some() {
            return movers::told(&finding.movers, finding.queries, ways, context);
        }
        let said = format!(
            "{} worse, {} better, {} unchanged",
            if finding.units == finding.queries {
                queries(finding.losses)
            } else {
                counted(finding.losses, "group", "groups")
            },
            count(finding.wins),
            count(finding.ties)
        );
        context.paragraph(&said)
    }
}

/// A limit as a team wrote it.
fn short(limit: f64) -> String {
    shorten(&limit.to_string(), 12)
}
