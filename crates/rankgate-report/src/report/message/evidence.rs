//! What the verdict on a comparison rests on: the claims and what the data say to them, what would
//! settle an open one, and the other numbers that a careful reader asks for.

use crate::gate::Unjudged;
use crate::model::{ClaimReport, ComparisonFinding, Conclusion, Expect, JudgedOnly, Likeness, Verdict};
use crate::report::clean::shorten_name;
use crate::report::number::{
    apart, change, count, counted, fixed, interval, p_against, p_number, p_value, percent, queries,
};
use crate::report::page::{Block, Part, Text};
use crate::report::polarity;
use crate::stats::{Basis, DecidingTest, Direction, Evidence, Reason, UNSEEN_DRAWS};

use super::{Context, NAME, word};

/// Decimals of a difference, a margin and a minimum detectable effect; more where they are small.
const DECIMALS: usize = 4;
const MOST_DECIMALS: usize = 6;
/// Lines of one detail.
const DETAIL: usize = 4;

/// The verdict, and each deciding claim with its p-value and level.
pub fn verdict(finding: &ComparisonFinding, context: &Context) -> Part {
    let verdict = context.gate.verdict;
    let said = |text: &str| Block::paragraph(super::verdict(verdict).and(": ").and(text));
    if is_identical(finding) && matches!(verdict, Verdict::Passed | Verdict::Reported) {
        return vec![said("the rankings are identical on every query, so p-values do not matter")];
    }
    let mut part = vec![said(&reason(finding))];
    part.extend(claims(finding, 1));
    if finding.unjudged_as == Unjudged::Worst {
        part.push(Block::nested(AT_WORST));
    }
    if let Some(judged) = &finding.judged_only
        && !agrees(judged.verdict, verdict)
    {
        part.push(Block::nested(on_judged(judged, DECIMALS)));
    }
    part
}

/// Each deciding claim with its p-value, its level, and its test; `collections` is of how many the queries are.
pub fn claims(finding: &ComparisonFinding, collections: usize) -> Part {
    let told = finding.deciding().into_iter().map(|claim| Block::Hanging {
        lead: format!("{}: ", claimed(finding, claim)).into(),
        text: claim_words(finding, claim).into(),
        nested: true,
        lines: DETAIL,
    });
    told.chain([Block::nested(test(finding, collections))]).collect()
}

/// Whether both sides rank the same documents in the same order, which decides without a p-value.
fn is_identical(finding: &ComparisonFinding) -> bool {
    finding.reason == Reason::Identical
}

/// What unjudged documents are taken for under `unjudged: worst`.
const AT_WORST: &str = "at worst (`unjudged: worst`): an unjudged document has the highest grade if the baseline ranks it higher \
                        than the candidate, and is not relevant otherwise";

/// What comes of judged documents alone.
fn on_judged(only: &JudgedOnly, digits: usize) -> Text {
    let digits = apart(only.difference, 0.0, digits).min(MOST_DECIMALS);
    let said =
        Text::from("on judged documents alone the difference is ").and(change(only.difference, digits));
    match only.verdict {
        Verdict::Reported => said,
        verdict => said.and(format!(" and the verdict {}", word(verdict))),
    }
}

/// Whether two verdicts say the same; an advisory one hides whether it failed or was inconclusive.
pub fn agrees(one: Verdict, other: Verdict) -> bool {
    match (one, other) {
        (one, Verdict::Advisory) | (Verdict::Advisory, one) => one != Verdict::Passed,
        // What is said beside it is whether a gain is shown.
        (_, Verdict::Reported) | (Verdict::Reported, _) => true,
        (one, other) => one == other,
    }
}

pub fn reason(finding: &ComparisonFinding) -> String {
    let limited = finding.limit.is_some();
    let said = match (finding.reason, finding.expectation_or_gain()) {
        (Reason::Shown, Expect::Improvement) if limited => "a gain is shown, as large as asked for",
        (Reason::Shown, Expect::Improvement) => "a gain is shown",
        (Reason::Shown, Expect::NonInferiority) => "any drop is shown to be smaller than the margin",
        (Reason::Shown, Expect::Equivalence) => "any difference is shown to be smaller than the margin",
        (Reason::Refuted, Expect::NoRegression) if limited => "a drop is shown, larger than the margin",
        (Reason::Refuted, Expect::NoRegression | Expect::Improvement) => "a drop is shown",
        (Reason::Refuted, Expect::NonInferiority) => "a drop larger than the margin is shown",
        (Reason::Refuted, Expect::Equivalence) => "a difference larger than the margin is shown",
        (Reason::NothingShown, Expect::NoRegression) => "no drop is shown",
        _ => return finding.reason_words(),
    };
    said.to_owned()
}

/// A claim in words.
fn claimed(finding: &ComparisonFinding, claim: &ClaimReport) -> String {
    let null = fixed(claim.null.abs(), apart(claim.null, 0.0, DECIMALS).min(MOST_DECIMALS));
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
fn claim_words(finding: &ComparisonFinding, claim: &ClaimReport) -> String {
    let evidence = match claim.evidence {
        Evidence::Shown => "shown",
        Evidence::NotShown => "not shown",
        Evidence::Disputed => "disputed",
        Evidence::Undecided => "too close to tell",
        Evidence::FewBuilds => "shown by queries, and by too few builds",
    };
    let mut text = format!("{evidence}, {}", p_against(claim.p_adjusted, claim.level, claim.reached));
    let (alone, needed) = match claim.p_second {
        Some(second) => {
            let first = format!("{} {}", finding.test.name(), p_number(claim.p));
            let second = format!("unseen query {}", p_number(second));
            match claim.basis {
                Basis::UnseenQuery => (format!("{second}, {first}"), Some("the unseen query decides")),
                _ => (format!("{first}, {second}"), Some("both are needed")),
            }
        }
        None => (p_number(claim.p), None),
    };
    let (alone, needed) = match claim.p_builds {
        Some(p) => (format!("queries {alone}, builds {}", p_number(p)), Some("all are needed")),
        None => (alone, needed),
    };
    if finding.is_adjusted() {
        text += &format!(" (Holm over {} gates; {alone} alone)", count(finding.family));
    } else if let Some(needed) = needed {
        text += &format!(" ({alone}; {needed})");
    }
    text
}

/// The deciding test in words.
fn test(finding: &ComparisonFinding, collections: usize) -> String {
    let how = match finding.test.resamples() {
        true => format!("{} resamples", big(finding.bootstrap.resamples)),
        false => engine(finding),
    };
    let (each, computed) = match collections {
        0 | 1 => (String::new(), "exact".to_owned()),
        _ => (format!(" in each of the {collections} collections"), format!("{} draws", big(UNSEEN_DRAWS))),
    };
    let one_more = format!("one unseen {}{each} beside these {}", unit(finding), count(finding.units));
    let by_test = format!("by the {}, {how}", finding.test.name());
    let counts = |basis| finding.deciding().iter().any(|claim| claim.basis == basis);
    match (counts(Basis::UnseenQuery), counts(Basis::Both)) {
        (true, false) => format!("by {one_more}, {computed}"),
        (_, true) => format!("{by_test}, and {one_more}"),
        (false, false) => by_test,
    }
}

fn unit(finding: &ComparisonFinding) -> &'static str {
    if finding.units == finding.queries { "query" } else { "group" }
}

/// How the permutation p-values were computed.
fn engine(finding: &ComparisonFinding) -> String {
    if finding.engine.is_exact() {
        return "exact".to_owned();
    }
    let with = |resamples| format!(" with {} resamples", big(resamples));
    format!("Monte Carlo{}", finding.permutation_resamples.map_or(String::new(), with))
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
        Verdict::Reported => finding.conclusion == Some(Conclusion::NotShown),
        Verdict::Passed | Verdict::Failed | Verdict::Errored | Verdict::Skipped => false,
    }
}

/// The note where a larger number of queries would not help.
fn not_by_queries(finding: &ComparisonFinding) -> Option<&'static str> {
    match finding.reason {
        reason if reason.by_units() => None,
        Reason::Identical => Some("no number of queries shows a gain between identical rankings"),
        Reason::TooFewBuilds => Some("no number of queries makes up for builds"),
        _ => Some("it lies so close that more resamples are unlikely to tell them apart; more queries would"),
    }
}

/// The smallest difference that could have been shown.
fn detectable(finding: &ComparisonFinding) -> String {
    let few = if finding.units == finding.queries {
        queries(finding.queries)
    } else {
        counted(finding.units, "group", "groups")
    };
    let these =
        if finding.units == 1 { format!("this one {}", unit(finding)) } else { format!("these {few}") };
    // What is reported without being expected may go either way.
    let kind = match finding.expect {
        Some(Expect::NoRegression) => "drop",
        Some(Expect::Improvement) => "gain",
        Some(Expect::NonInferiority | Expect::Equivalence) => "margin",
        Some(Expect::Identical | Expect::Overlap) | None => "difference",
    };
    let done = if kind == "margin" { "shown to be kept" } else { "shown" };
    match finding.minimum_detectable_effect {
        Some(effect) => {
            format!("the smallest {kind} {these} could have {done} is about {}", effect_size(effect))
        }
        None => format!("how small a {kind} {these} could have {done} cannot be estimated"),
    }
}

/// An estimate with two significant digits: more would be made up.
fn effect_size(effect: f64) -> String {
    if !effect.is_finite() || effect <= 0.0 {
        return fixed(effect, DECIMALS);
    }
    let digits =
        (1..MOST_DECIMALS).find(|&digits| effect * 10_f64.powi(i32::try_from(digits).unwrap_or(0)) >= 10.0);
    fixed(effect, digits.unwrap_or(MOST_DECIMALS))
}

/// The other numbers, for readers who check them.
pub fn details(finding: &ComparisonFinding, context: &Context, digits: usize) -> Vec<(String, Text)> {
    let sure = percent(context.report.confidence);
    let mut facts: Vec<(String, Text)> = Vec::new();
    let mut add = |label: &str, text: Text| facts.push((label.to_owned(), text));

    let mut text = format!(
        "two-sided {}, one-sided better {}, worse {}",
        p_value(finding.p_two_sided),
        p_number(finding.p_greater),
        p_number(finding.p_less)
    );
    // Where it decides, the verdict has said how it was computed.
    if finding.test != DecidingTest::Permutation {
        text = format!("{}; {text}", engine(finding));
    }
    if let Some(error) = finding.p_error {
        text += &format!("; standard error {}", p_number(error));
    }
    add("permutation", format!("{text}; seed {}", finding.seed).into());

    let bootstrap = &finding.bootstrap;
    let kind = bootstrap.kind;
    let mut text = match bootstrap.interval {
        Some(limits) => format!("{sure} CI {} ({kind})", interval(limits, digits)),
        None => format!("no interval ({kind})"),
    };
    if let Some(p) = bootstrap.p_value {
        text += &format!(", {}", p_value(p));
    }
    let share = fixed(100.0 * bootstrap.win_share, 1);
    text += &format!("; ahead in {share}% of {} resamples", big(bootstrap.resamples));
    add("bootstrap", text.into());

    if let Some(limits) = finding.t_interval {
        add("t interval", format!("{sure} CI {}", interval(limits, digits)).into());
    }
    if let Some(effect) = finding.effect_dz {
        add("effect size", Text::from("d_z ").and(change(effect, 2)));
    }
    // Elsewhere it has been said with what would settle the verdict.
    if let Some(effect) = finding.minimum_detectable_effect
        && (settling(finding, context).is_none() || not_by_queries(finding).is_some())
    {
        add("detectable", format!("about {} with power 0.8", effect_size(effect)).into());
    }
    if finding.units != finding.queries {
        let [losses, wins, ties] = [finding.losses, finding.wins, finding.ties].map(count);
        add("groups", format!("{losses} worse, {wins} better, {ties} unchanged").into());
    }
    if let Some(judged) = &finding.judged {
        let [baseline, candidate] =
            [&finding.baseline, &finding.candidate].map(|name| shorten_name(name, NAME));
        let [before, after] = [judged.baseline, judged.candidate].map(|share| fixed(share, DECIMALS));
        let mut text = Text::from(format!("{baseline} {before}, {candidate} {after}"));
        if let Some(only) = &finding.judged_only
            && agrees(only.verdict, context.gate.verdict)
        {
            text = text.and("; ").and(on_judged(only, digits));
        }
        add(&format!("Judged@{}", judged.cutoff), text);
    }
    if let Some(spread) = finding.spread {
        let within = if finding.difference.abs() <= spread {
            "the difference is within it"
        } else {
            "the difference is larger"
        };
        let spread = fixed(spread, apart(spread, 0.0, digits).min(MOST_DECIMALS));
        add("repeats", format!("of one side differ by up to {spread}; {within}").into());
    }
    if let Some(likeness) = &finding.likeness {
        add("rankings", alike(likeness).into());
    }
    facts
}

/// How alike two sets of rankings are.
fn alike(likeness: &Likeness) -> String {
    format!(
        "overlap@{} {}, rank-biased overlap {}; {} of {} identical",
        likeness.cutoff,
        fixed(likeness.overlap, DECIMALS),
        fixed(likeness.rbo, DECIMALS),
        count(likeness.identical),
        queries(likeness.queries)
    )
}

/// A count with a comma between thousands.
fn big(number: u64) -> String {
    usize::try_from(number).map_or_else(|_| number.to_string(), count)
}
