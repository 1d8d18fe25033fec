//! A value that rests on a model's judgments: what it says alone, what people make of it, what would settle it.

use crate::model::{CorrectedOpen, CorrectedReport, JudgeDisagreement, SegmentLeniency, UnjudgedDocument};
use crate::report::clean::{shorten, shorten_name};
use crate::report::number::{DECIMALS, count, counted, fixed, interval, p_value, signed};
use crate::report::page::{Block, Part};
use crate::stats;

use super::NAME;

/// Documents to judge that a message shows, and of those that people and the judge do not agree on; characters of a claim.
const DOCUMENTS: usize = 5;
const DISAGREEING: usize = 5;
const CLAIM: usize = 80;
/// Where people and the judge differ on fewer drawn queries than this, so may they on queries that no sample shows.
const FEW_DIFFER: usize = 5;
/// Decimals of leniency, and of weights.
const LENIENCY: usize = 3;
const WEIGHT: usize = 2;

/// What units are called: queries, or groups of them.
pub fn units(grouped: bool) -> [&'static str; 2] {
    if grouped { ["group of queries", "groups of queries"] } else { ["query", "queries"] }
}

/// What the judge says alone, how far from people it is, what keeps the verdict open; `candidate` is who is compared,
/// where somebody is, and `grouped` whether groups of queries are drawn as a whole.
pub fn part(report: &CorrectedReport, candidate: Option<&str>, claims: bool, grouped: bool) -> Part {
    let value = |value: f64| match candidate {
        Some(_) => signed(value, DECIMALS),
        None => fixed(value, DECIMALS),
    };
    let judge = shorten_name(&report.judge, NAME);
    let what = if claims { ["claim", "claims"] } else { ["pair", "pairs"] };
    let [one, many] = units(grouped);
    let mut part = vec![Block::paragraph(format!(
        "judged {} by {judge}; corrected by people's judgments of {} of {}",
        value(report.uncorrected),
        count(report.drawn),
        counted(report.units, one, many)
    ))];
    if report.until {
        let until =
            "people judge until the verdict is there: intervals hold at every look, and are wider for it";
        part.push(Block::nested(until));
    }
    part.push(Block::nested(leniency(report, candidate)));
    part.extend(rarely_wrong(report, many).map(Block::nested));
    part.extend(disagreeing(report, claims));
    let limits = report.people_interval.map_or(String::new(), |[low, high]| {
        // As wide as this without a judge.
        format!(" [{}, {}]", value(low), value(high))
    });
    // A test of a sample of fixed size says nothing where people stop as it pleases them.
    let test =
        if report.until { String::new() } else { format!(", permutation test {}", p_value(report.p_people)) };
    part.push(Block::nested(format!(
        "by people alone, on the drawn ones: {}{limits}{test}",
        value(report.people)
    )));
    // Where they agree on all that both judged, what the judge counts for is no share of anything seen.
    let weight = report.weight.filter(|_| report.differing != Some(0));
    part.extend(weight.map(|weight| Block::nested(weighed(weight))));
    if report.abstained > 0 {
        let (abstained, pairs) = (count(report.abstained), counted(report.pairs, what[0], what[1]));
        part.push(Block::nested(match claims {
            true => format!("{abstained} of {pairs} without a verdict"),
            false => format!("{judge} gave no grade to {abstained} of {pairs}"),
        }));
    }
    if report.unjudged > 0 {
        // The value is the same whatever they are.
        let [item, items] = if claims { what } else { ["document", "documents"] };
        let unjudged = counted(report.unjudged, item, items);
        part.push(Block::nested(format!(
            "of drawn queries, {unjudged} without a person's grade: for any grade the value is the same"
        )));
    }
    let open = report.open.and_then(|open| keeps_open(open, report.drawn, claims, grouped));
    part.extend(open.map(Block::nested));
    if let Some(needed) = report.needed {
        part.push(Block::nested(match grouped {
            true => format!("people's judgments of about {} {many} would settle it", count(needed)),
            false => format!("about {} human queries would settle it", count(needed)),
        }));
    } else if report.by_nobody {
        let all = counted(report.units, one, many);
        part.push(Block::nested(format!(
            "people's judgments of all {all} would not settle it: it takes more {many}"
        )));
    }
    part
}

/// The first of the documents that people have to judge.
pub fn listed(documents: &[UnjudgedDocument]) -> Part {
    let listed = documents.iter().take(DOCUMENTS).map(|one| {
        let (document, query) = (shorten_name(&one.document, 40), shorten_name(&one.query, 40));
        Block::nested(format!("document {document} of query {query}"))
    });
    listed.collect()
}

/// What people and the judge do not agree on, those first that people grade lower.
fn disagreeing(report: &CorrectedReport, claims: bool) -> Part {
    let [one, many] = if claims { ["claim", "claims"] } else { ["document", "documents"] };
    let Some(first) = report.disagreeing.first() else { return Part::new() };
    // Answers that are graded as a whole are no claims.
    let [one, many] = if claims && first.verdicts.is_none() { ["answer", "answers"] } else { [one, many] };
    let of = counted(report.disagreements, one, many);
    let heading =
        Block::nested(format!("on {of} of the drawn queries people say something else than the judge:"));
    let listed = report.disagreeing.iter().take(DISAGREEING).map(disagreement);
    std::iter::once(heading).chain(listed.map(Block::nested)).collect()
}

/// `q12 "The fee is 5 EUR." (new): people unsupported, the judge supported`
fn disagreement(one: &JudgeDisagreement) -> String {
    let what = match &one.text {
        Some(text) => format!("\"{}\"", shorten(text, CLAIM)),
        None => shorten_name(&one.document, 40),
    };
    let side = one.side.as_ref().map_or_else(String::new, |side| format!(" ({})", shorten_name(side, NAME)));
    let [people, judge] = match (&one.verdicts, &one.words) {
        (Some(verdicts), _) => verdicts.map(|verdict| verdict.to_string()),
        (None, Some(words)) => words.each_ref().map(|word| format!("\"{}\"", shorten(word, NAME))),
        (None, None) => [one.people, one.model].map(|grade| format!("grade {grade}")),
    };
    format!("{} {what}{side}: people {people}, the judge {judge}", shorten_name(&one.query, 40))
}

/// What the judge's scores count for.
fn weighed(weight: f64) -> String {
    let weight = fixed(weight, WEIGHT);
    format!("the judge's scores count with a weight of {weight} beside people's (1 as much, 0 not at all)")
}

/// How far from people the judge is.
fn leniency(report: &CorrectedReport, candidate: Option<&str>) -> String {
    // What holds 0 is on neither side.
    let shown = report.leniency_interval.is_none_or(|[low, high]| low > 0.0 || high < 0.0);
    let candidate = candidate.map(|name| shorten_name(name, NAME));
    let people = if candidate.is_some() { "people" } else { "people's" };
    // Grades that are too high may make a value lower: ideal rankings are made of them as well.
    let apart = fixed(report.leniency.abs(), LENIENCY);
    let said = match (candidate, shown && report.leniency != 0.0) {
        (None, true) if report.leniency > 0.0 => format!("the judge's values are {apart} higher"),
        (None, true) => format!("the judge's values are {apart} lower"),
        (None, false) => "the judge's values are not shown to be higher or lower".to_owned(),
        (Some(name), true) if report.leniency > 0.0 => format!("the judge favours {name}"),
        (Some(name), true) => format!("the judge is unfair to {name}"),
        (Some(name), false) => format!("the judge is not shown to favour or to wrong {name}"),
    };
    let mut text = format!("{said}: {}", signed(report.leniency, LENIENCY));
    if let Some([low, high]) = report.leniency_interval {
        text += &format!(" [{}, {}]", signed(low, LENIENCY), signed(high, LENIENCY));
    }
    text += &format!(" against {people}");
    if let Some(SegmentLeniency { key, value, leniency, drawn }) = &report.worst_segment {
        let segment = format!("{}={}", shorten(key, 40), shorten_name(value, 40));
        let (leniency, drawn) = (signed(*leniency, LENIENCY), counted(*drawn, "query", "queries"));
        text += &format!(", most in {segment} ({leniency}, {drawn})");
    }
    text
}

/// The note that a judge which is seldom wrong may be wrong where people did not look.
fn rarely_wrong(report: &CorrectedReport, units: &str) -> Option<String> {
    let differing = report.differing.filter(|differing| *differing < FEW_DIFFER)?;
    let on = match differing {
        0 => "on none".to_owned(),
        some => format!("on {some} alone"),
    };
    Some(format!(
        "they differ {on} of the drawn ones: where it is wrong in up to {}% of {units} like these, a sample like this \
         may hold none of them",
        fixed(100.0 * stats::unseen_share(report.drawn), 1)
    ))
}

/// Why a verdict is open that its interval does not leave open, in a few words behind a headline or a value.
pub fn reason(open: CorrectedOpen, drawn: usize, grouped: bool) -> String {
    match open {
        CorrectedOpen::FewDrawn => {
            let [one, many] = if grouped { ["group", "groups"] } else { units(false) };
            return format!("people judged {}, fewer than 30", counted(drawn, one, many));
        }
        CorrectedOpen::OtherJudge => "the sample was drawn for another judge",
        CorrectedOpen::Abstentions => "what the judge gave no grade decides it",
        CorrectedOpen::Unjudged => "what no person judged decides it",
        CorrectedOpen::UnseenClass => "the judge's errors are unknown",
        CorrectedOpen::ErrorsChanged => "the judge's errors are others here",
    }
    .to_owned()
}

/// What keeps a verdict open; nothing of what people have to judge, which stands with the bounds of the value.
pub fn keeps_open(open: CorrectedOpen, drawn: usize, claims: bool, grouped: bool) -> Option<String> {
    let either = if claims { "supported or not" } else { "not relevant or highly relevant" };
    Some(match open {
        CorrectedOpen::FewDrawn => {
            let [_, many] = units(grouped);
            format!("people judged {} of these {many}: fewer than 30 decide nothing", count(drawn))
        }
        CorrectedOpen::OtherJudge => {
            "the sample was drawn for another judge, and this one may have been fitted to it: draw another with \
             another seed"
                .to_owned()
        }
        CorrectedOpen::Abstentions => {
            format!("{either}, what it gave no grade makes another verdict")
        }
        CorrectedOpen::UnseenClass => {
            let what = if claims { "supported, or none that is not" } else { "relevant, or none that is not" };
            format!("people found nothing {what}: the judge's errors on such are unknown, and cannot be carried over")
        }
        CorrectedOpen::ErrorsChanged => {
            "people's grades show that the judge does not err alike everywhere: its errors cannot be carried over".to_owned()
        }
        CorrectedOpen::Unjudged => return None,
    })
}

/// The value and its interval in a list of gates.
pub fn value_and_interval(value: f64, limits: Option<[f64; 2]>, digits: usize) -> String {
    let limits = limits.map(|limits| format!(" {}", interval(limits, digits)));
    format!("{}{}", fixed(value, digits), limits.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Finding, ThresholdFinding, Verdict};
    use crate::report::sample::{empty, gate, metric, threshold};
    use crate::report::text;

    fn corrected(drawn: usize, units: usize, open: Option<CorrectedOpen>) -> CorrectedReport {
        CorrectedReport {
            judge: "relevance-1".to_owned(),
            model: "m".to_owned(),
            uncorrected: 0.9,
            weight: Some(0.0),
            until: false,
            people: 0.9,
            people_interval: None,
            p_people: 0.5,
            drawn,
            units,
            differing: Some(0),
            people_moves: None,
            disagreements: 0,
            disagreeing: Vec::new(),
            leniency: -0.098,
            leniency_interval: Some([-0.15, -0.05]),
            worst_segment: None,
            needed: None,
            by_nobody: true,
            pairs: 4,
            abstained: 0,
            unjudged: 0,
            to_judge: Vec::new(),
            open,
        }
    }

    /// What a reader sees of a gate that is not decided, on one line.
    fn shown(
        verdict: Verdict,
        interval: [f64; 2],
        groups: Option<usize>,
        corrected: CorrectedReport,
    ) -> String {
        let mut measured = metric("nDCG@10", f64::midpoint(interval[0], interval[1]), interval);
        measured.groups = groups;
        let finding = ThresholdFinding { corrected: Some(corrected), ..threshold(measured, 0.3) };
        let finding = Finding::Threshold(Box::new(finding.against_limits()));
        let mut report = empty();
        report.gates = vec![gate("new::nDCG@10", verdict, finding)];
        text(&report).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_open_gate_says_what_keeps_it_open() {
        let far = [0.8, 1.0];
        for (interval, groups, corrected, expected) in [
            (
                [0.2, 0.4],
                None,
                corrected(40, 60, None),
                &["new is too close to its threshold to decide on nDCG@10"][..],
            ),
            (
                far,
                None,
                corrected(23, 60, Some(CorrectedOpen::FewDrawn)),
                &[
                    "new is undecided against its threshold on nDCG@10: people judged 23 queries, fewer than 30",
                    "limit 0.3000, people judged 23 queries, fewer than 30",
                    "people judged 23 of these queries: fewer than 30 decide nothing",
                ],
            ),
            (
                far,
                None,
                corrected(40, 60, Some(CorrectedOpen::OtherJudge)),
                &[
                    "new is undecided against its threshold on nDCG@10: the sample was drawn for another judge",
                    "limit 0.3000, the sample was drawn for another judge",
                ],
            ),
            (
                far,
                Some(12),
                corrected(12, 12, Some(CorrectedOpen::FewDrawn)),
                &[
                    "on nDCG@10: people judged 12 groups, fewer than 30",
                    "corrected by people's judgments of 12 of 12 groups of queries",
                    "in up to 22.1% of groups of queries like these",
                    "people judged 12 of these groups of queries: fewer than 30",
                    "people's judgments of all 12 groups of queries would not settle it: it takes more groups of queries",
                ],
            ),
        ] {
            let shown = shown(Verdict::Inconclusive, interval, groups, corrected);
            for expected in expected {
                assert!(shown.contains(expected), "{expected}\n{shown}");
            }
        }
    }

    #[test]
    fn of_a_judge_its_values_are_told_and_not_its_grades() {
        let all = shown(Verdict::Inconclusive, [0.2, 0.4], None, corrected(40, 60, None));
        let expected = "the judge's values are 0.098 lower: -0.098 [-0.150, -0.050] against people's";
        assert!(all.contains(expected), "{all}");
        // They agree on all that both judged: a weight is a share of nothing.
        assert!(!all.contains("with a weight of"), "{all}");
        let some = CorrectedReport { differing: Some(7), ..corrected(40, 60, None) };
        let some = shown(Verdict::Inconclusive, [0.2, 0.4], None, some);
        assert!(some.contains("with a weight of 0.00 beside people's"), "{some}");
    }
}
