//! What the verdict on a comparison rests on: the claims and what the data say to them, what would
//! settle an open one, and the other numbers that a careful reader asks for.

use crate::model::{ClaimReport, ComparisonFinding, Conclusion, Expect, Verdict};
use crate::report::clean::shorten_name;
use crate::report::number::{MOST_LEGIBLE, counted, fixed, legible, p_against, p_number, queries};
use crate::report::page::{Block, Part};
use crate::report::polarity;
use crate::stats::{Direction, Evidence, Reason};

use super::{Context, NAME};

/// Decimals of a difference, a margin and a minimum detectable effect; more where they are small.
const DECIMALS: usize = 4;
/// Lines of one detail.
const DETAIL: usize = 4;

/// The verdict, and each deciding claim with its p-value and level.
pub fn verdict(finding: &ComparisonFinding, context: &Context) -> Part {
    let verdict = context.gate.verdict;
    let said = |text: &str| Block::paragraph(format!("{}: {text}", super::word(verdict)));
    if is_identical(finding) && matches!(verdict, Verdict::Passed | Verdict::Reported) {
        return vec![said("the rankings are identical on every query, so p-values do not matter")];
    }
    let mut part = vec![said(&reason(finding))];
    part.extend(claims(finding, context));
    part
}

/// Each deciding claim with its p-value and its level, and the test.
pub fn claims(finding: &ComparisonFinding, context: &Context) -> Part {
    let told = finding.deciding().into_iter().map(|claim| Block::Text {
        lead: format!("{}: ", claimed(finding, claim)),
        text: claim_words(finding, claim, 1.0 - context.report.confidence),
        nested: true,
        lines: DETAIL,
    });
    told.chain([Block::nested(finding.test.as_str())]).collect()
}

/// Whether both sides rank the same documents in the same order, which decides without a p-value.
fn is_identical(finding: &ComparisonFinding) -> bool {
    finding.reason == Reason::Identical
}

pub fn reason(finding: &ComparisonFinding) -> String {
    let limited = finding.limit.is_some();
    let said = match (finding.reason, finding.expectation_or_gain()) {
        (Reason::Significant, Expect::Improvement) if limited => "a significant gain of the required size",
        (Reason::Significant, Expect::Improvement) => "a significant gain",
        (Reason::Significant, Expect::NonInferiority) => "any drop is significantly smaller than the margin",
        (Reason::Significant, Expect::Equivalence) => {
            "any difference is significantly smaller than the margin"
        }
        (Reason::Refuted, Expect::NoRegression) if limited => "a significant drop, larger than the margin",
        (Reason::Refuted, Expect::NoRegression | Expect::Improvement) => "a significant drop",
        (Reason::Refuted, Expect::NonInferiority) => "a drop significantly larger than the margin",
        (Reason::Refuted, Expect::Equivalence) => "a difference significantly larger than the margin",
        (Reason::NothingSignificant, Expect::NoRegression) => "no significant drop",
        _ => return finding.reason_words(),
    };
    said.to_owned()
}

/// A claim in words.
fn claimed(finding: &ComparisonFinding, claim: &ClaimReport) -> String {
    let null = fixed(claim.null.abs(), legible(claim.null, 0.0, DECIMALS));
    let baseline = || shorten_name(&finding.baseline, NAME);
    let [fell, rose] = polarity::words(polarity::of_finding(finding));
    match (claim.direction == Direction::Greater, claim.null) {
        (true, 0.0) => format!("{rose} than {}", baseline()),
        (false, 0.0) => format!("{fell} than {}", baseline()),
        (true, below) if below < 0.0 => format!("less than {null} {fell}"),
        (true, _) => format!("more than {null} {rose}"),
        (false, below) if below < 0.0 => format!("more than {null} {fell}"),
        (false, _) => format!("less than {null} {rose}"),
    }
}

/// What the data say to a claim.
fn claim_words(finding: &ComparisonFinding, claim: &ClaimReport, level: f64) -> String {
    let evidence = match claim.evidence {
        Evidence::Significant => "significant",
        Evidence::NotSignificant => "not significant",
        Evidence::Disputed => "disputed",
        Evidence::Undecided => "too close to tell",
    };
    let mut text = format!("{evidence}, {}", p_against(claim.p_adjusted, level, claim.reached));
    let (alone, needed) = match claim.p_second {
        Some(second) => {
            let first = format!("test {}", p_number(claim.p));
            let second = format!("unseen query {}", p_number(second));
            match claim.by_unseen_query {
                true => (format!("{second}, {first}"), Some("the unseen query decides")),
                false => (format!("{first}, {second}"), Some("both are needed")),
            }
        }
        None => (p_number(claim.p), None),
    };
    if finding.is_adjusted() {
        text += &format!(" (adjusted for the other gates; {alone} alone)");
    } else if let Some(needed) = needed {
        text += &format!(" ({alone}; {needed})");
    }
    text
}

fn unit(finding: &ComparisonFinding) -> &'static str {
    if finding.is_grouped() { "group" } else { "query" }
}

/// What would settle an open verdict; of a drop that was not seen, how small it may have been.
pub fn settling(finding: &ComparisonFinding, context: &Context) -> Option<String> {
    let open = is_open(finding, context.gate.verdict);
    let passed = context.gate.verdict == Verdict::Passed && !is_identical(finding);
    if !(open || finding.expectation_or_gain() == Expect::NoRegression && passed) {
        return None;
    }
    let by_others = not_by_queries(finding).filter(|_| open);
    Some(by_others.map_or_else(|| detectable(finding), str::to_owned))
}

/// Whether a verdict left the expectation undecided; an advisory one does not say it.
fn is_open(finding: &ComparisonFinding, verdict: Verdict) -> bool {
    match verdict {
        Verdict::Inconclusive => true,
        Verdict::Advisory => !finding.is_refuted(),
        Verdict::Reported => finding.conclusion == Some(Conclusion::NotSignificant),
        Verdict::Passed | Verdict::Failed | Verdict::Error => false,
    }
}

/// The note where a larger number of queries would not help.
fn not_by_queries(finding: &ComparisonFinding) -> Option<&'static str> {
    match finding.reason {
        reason if reason.by_units() => None,
        Reason::Identical => Some("more queries cannot help: the rankings are identical"),
        _ => Some("the p-value is close to the level: more queries would decide, more resamples would not"),
    }
}

/// The minimum detectable difference.
fn detectable(finding: &ComparisonFinding) -> String {
    let units = finding.units();
    let few = if finding.is_grouped() { counted(units, "group", "groups") } else { queries(units) };
    let these = if units == 1 { format!("this one {}", unit(finding)) } else { format!("these {few}") };
    // What is reported without being expected may go either way.
    let kind = match finding.expect {
        Some(Expect::NoRegression) => "drop",
        Some(Expect::Improvement) => "gain",
        Some(Expect::NonInferiority | Expect::Equivalence) => "margin",
        Some(Expect::Identical | Expect::Overlap) | None => "difference",
    };
    let smallest = match kind {
        "margin" => format!("the smallest margin that {these} can confirm"),
        _ => format!("the minimum detectable {kind} with {these}"),
    };
    match finding.minimum_detectable_effect {
        Some(effect) if effect > polarity::widest(&finding.metric) => {
            format!("no {kind} is detectable with {these}")
        }
        Some(effect) => format!("{smallest} is about {}", effect_size(effect)),
        None => format!("{smallest} cannot be estimated"),
    }
}

/// An estimate with two significant digits: more would be made up.
fn effect_size(effect: f64) -> String {
    if !effect.is_finite() || effect <= 0.0 {
        return fixed(effect, DECIMALS);
    }
    let digits =
        (1..MOST_LEGIBLE).find(|&digits| effect * 10_f64.powi(i32::try_from(digits).unwrap_or(0)) >= 10.0);
    fixed(effect, digits.unwrap_or(MOST_LEGIBLE))
}
