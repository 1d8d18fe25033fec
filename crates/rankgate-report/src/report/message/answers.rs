//! Counts of answers and their claims.

use crate::model::{AnswersReport, ClaimMove, DocumentMove, Half, ToldApart};
use crate::report::clean::{shorten, shorten_name};
use crate::report::number::{DECIMALS, count, counted, fixed, queries, signed};
use crate::report::page::{Block, Detail};

use super::NAME;

/// Characters of a claim, and of what the judge wrote with its verdicts.
const CLAIM: usize = 80;
const REASON: usize = 200;

/// `new: 61 claims, 52 supported, 7 unsupported, 2 contradicted; not in the mean: 3 declined`.
pub fn counts(report: &AnswersReport) -> Block {
    let AnswersReport { configuration, claims, supported, partial, unsupported, contradicted, .. } = report;
    let parts = [
        (*supported, "supported"),
        (*partial, "in part"),
        (*unsupported, "unsupported"),
        (*contradicted, "contradicted"),
        (report.noise, "wrong and from a context"),
        (report.abstained, "without a verdict"),
        (report.not_retrieved, "of a document that was not retrieved"),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts.map(|(number, what)| format!("{} {what}", count(*number))).collect();
    let items = counted(*claims, "judged item", "judged items");
    let mut text = format!("{}: {items}", shorten_name(configuration, NAME));
    if !parts.is_empty() {
        text += &format!(": {}", parts.join(", "));
    }
    if report.without_claims > 0 {
        text += &format!("; {} without a claim, taken for 0 and for 1", count(report.without_claims));
        let claimless = report.claimless_text.as_ref().map(|text| {
            format!(
                " (such as \"{}\": mark answers that decline with `\"declined\": true`)",
                shorten(text, CLAIM)
            )
        });
        text += &claimless.unwrap_or_default();
    }
    if report.uncited > 0 {
        let sentences = counted(report.uncited, "sentence cites", "sentences cite");
        text += &format!("; {sentences} nothing");
    }
    if let Some(out) = left_out(report) {
        text += &format!("; not in the mean: {out}");
    }
    Block::nested(text)
}

/// `19 declined, 2 without a reference`; nothing where every query counts.
fn left_out(report: &AnswersReport) -> Option<String> {
    let out = [
        (report.declined, "declined"),
        (report.without_reference, "without a reference"),
        (report.without_nuggets, "without nuggets that count"),
        (report.asked_once, "answered once"),
        (report.nothing_to_use, "whose contexts support no claim of the reference"),
    ];
    let out = out.iter().filter(|(number, _)| *number > 0);
    let out: Vec<String> = out.map(|(number, what)| format!("{} {what}", count(*number))).collect();
    (!out.is_empty()).then(|| out.join(", "))
}

/// That a verdict rests on fewer queries than were asked: a gate that passed has no message with the counts.
/// `the value rests on 1 query: left out of new are 19 declined`.
pub fn caution<'a>(rest: usize, sides: impl IntoIterator<Item = &'a AnswersReport>) -> Option<String> {
    let of = |side: &AnswersReport| {
        Some(format!("left out of {} are {}", shorten_name(&side.configuration, NAME), left_out(side)?))
    };
    let out: Vec<String> = sides.into_iter().filter_map(of).collect();
    (!out.is_empty()).then(|| format!("the value rests on {}: {}", queries(rest), out.join("; ")))
}

/// `"The fee is 5 EUR." supported -> unsupported, lost its context: fees-2 rank 2 -> 14`.
pub fn claim(claim: &ClaimMove) -> Detail {
    let said = match (&claim.before, &claim.after) {
        (Some(before), Some(after)) => format!("{before} -> {after}"),
        (Some(before), None) => format!("{before} -> not said"),
        (None, Some(after)) => after.clone(),
        (None, None) => String::new(),
    };
    let lost = claim.after.as_deref() != Some("supported");
    let context =
        claim.context.as_ref().filter(|_| lost).map(|DocumentMove { document, from, to, .. }| {
            let rank =
                |rank: &Option<usize>| rank.map_or("not retrieved".to_owned(), |rank| rank.to_string());
            let document = shorten_name(document, NAME);
            match from == to {
                true => format!(", its context {document} is still at rank {}", rank(to)),
                false => format!(", lost its context: {document} rank {} -> {}", rank(from), rank(to)),
            }
        });
    format!("\"{}\" {said}{}", shorten(&claim.text, CLAIM), context.unwrap_or_default()).into()
}

/// `the judge: The second claim is in no context.`
pub fn reason(analysis: &str) -> Detail {
    format!("the judge: {}", shorten(analysis, REASON)).into()
}

/// `retrieval regressed: with the blessed contexts the answers score 0.9120 (retrieval -0.2100, generation -0.0030)`.
pub fn apart(apart: ToldApart) -> Block {
    if apart.missing > 0 {
        return Block::paragraph(format!(
            "retrieval or generation? asked again with the blessed contexts, {} of the answers {} not judged yet",
            counted(apart.missing, "claim", "claims"),
            if apart.missing == 1 { "is" } else { "are" }
        ));
    }
    let what = match apart.half {
        Half::Retrieval => "retrieval regressed",
        Half::Generation if apart.prompt_changed => "the prompt regressed",
        Half::Generation => "generation regressed",
        Half::Citation => "citation regressed",
        Half::Both if apart.prompt_changed => "retrieval and the prompt regressed",
        Half::Both => "retrieval and generation regressed",
        Half::Neither => "neither retrieval nor generation regressed by itself",
        Half::Unknown => {
            return Block::paragraph(
                "retrieval or generation? answers of a file or of replies cannot be asked again with the blessed contexts; an `answerer` can",
            );
        }
    };
    let prompt = match (apart.prompt_changed, apart.half) {
        (true, Half::Generation | Half::Citation | Half::Both) => {
            "; the prompt is another than when answers were blessed"
        }
        _ => "",
    };
    let (scores, half) = match apart.half {
        Half::Citation => ("the answers have the blessed words and other citations, which score", "citation"),
        _ => ("the answers score", "generation"),
    };
    Block::paragraph(format!(
        "{what}: asked again with the blessed contexts, {scores} {} by the judge (retrieval {}, {half} {}){prompt}",
        fixed(apart.again, DECIMALS),
        signed(apart.retrieval, DECIMALS),
        signed(apart.generation, DECIMALS)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Finding, Verdict};
    use crate::report::sample::gate;
    use crate::report::sample_comparison::{comparing, dropped};
    use crate::report::{annotations, junit, markdown, text};

    fn declining(configuration: &str, declined: usize, without_reference: usize) -> AnswersReport {
        let configuration = configuration.to_owned();
        AnswersReport {
            configuration,
            claims: 2,
            supported: 1,
            declined,
            without_reference,
            ..AnswersReport::default()
        }
    }

    #[test]
    fn a_caution_names_what_each_side_leaves_out() {
        let (all, some, both) = (declining("old", 0, 0), declining("new", 19, 0), declining("old", 1, 2));
        assert_eq!(caution(20, [&all]), None);
        assert_eq!(
            caution(1, [&some]).unwrap(),
            "the value rests on 1 query: left out of new are 19 declined"
        );
        assert_eq!(
            caution(7, [&some, &both]).unwrap(),
            "the value rests on 7 queries: left out of new are 19 declined; left out of old are 1 declined, \
             2 without a reference"
        );
        let nuggets = AnswersReport { without_nuggets: 30, ..declining("new", 0, 0) };
        assert_eq!(
            caution(30, [&nuggets]).unwrap(),
            "the value rests on 30 queries: left out of new are 30 without nuggets that count"
        );
    }

    /// A gate that passed has no message, in which the counts stand.
    #[test]
    fn what_a_mean_leaves_out_stands_beside_a_gate_that_passed() {
        let mut report = comparing();
        let mut finding = dropped();
        (finding.queries, finding.answers) = (1, vec![declining("new", 19, 0), declining("old", 0, 0)]);
        report.gates = vec![gate("one", Verdict::Passed, Finding::Comparison(Box::new(finding)))];
        report.gates[0].inputs_changed.clear();
        let all = std::slice::from_ref(&report);
        let joined = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('*', "");
        for shown in [text(&report), markdown(&report), annotations(all, &[], "")] {
            let shown = joined(shown);
            assert!(shown.contains("the value rests on 1 query: left out of new are 19 declined"), "{shown}");
        }
        // JUnit has the message, and in it the counts.
        let shown = joined(junit(all, &[]));
        assert!(shown.contains("not in the mean: 19 declined"), "{shown}");
    }
}
