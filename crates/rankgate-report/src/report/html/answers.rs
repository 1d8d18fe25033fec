//! What was answered to the queries behind a gate: claims marked in the answers, and the contexts that decide them.

use std::ops::Range;

use crate::model::{ClaimSource, ClaimVerdict, GateReport, Mover, ShownAnswer, ShownClaim};
use crate::order;

use super::super::clean::{shorten, shorten_name};
use super::super::markup::{Element, el, fragment};
use super::super::number::{DECIMALS, count, counted, fixed};
use super::super::typography::minus;
use super::{CELL, NAME, note};

/// Characters of what the judge wrote with its verdicts.
const REASON: usize = 1000;

/// The answers to each query in a gate's message, folded except the first; nothing where the gate is not on answers.
pub(super) fn answers(gate: &GateReport) -> Element {
    let Some(movers) = gate.finding.kind().movers() else { return fragment() };
    let told = movers.losses.iter().chain(&movers.gains).filter(|mover| !mover.answers.is_empty());
    let list: Vec<Element> = told.enumerate().map(|(place, mover)| of_query(mover, place == 0)).collect();
    if list.is_empty() {
        return fragment();
    }
    let heading = el("h3").text("Answers");
    el("div").class("answers").child(heading).child(note("Verdicts are the judge's.")).children(list)
}

fn of_query(mover: &Mover, is_open: bool) -> Element {
    let score = |score: f64| minus(&fixed(score, DECIMALS));
    let scores = match mover.before {
        Some(before) => format!("{} \u{2192} {}", score(before), score(mover.after)),
        None => score(mover.after),
    };
    let summary = el("summary")
        .child(el("span").class("name data").text(&shorten_name(&mover.query, NAME)))
        .text(" ")
        .child(el("span").class("asked data").text(&shorten(&mover.text, CELL)))
        .text(" ")
        .child(el("span").class("whole").text(&scores));
    let details = el("details").class("answered");
    let details = if is_open { details.flag("open") } else { details };
    details.child(summary).child(el("div").class("sides").children(mover.answers.iter().map(side)))
}

/// One side: its answer with its claims, and what it was given.
fn side(answer: &ShownAnswer) -> Element {
    let title =
        el("p").class("side-title").child(el("strong").class("data").text(&shorten_name(&answer.of, NAME)));
    let mut part = el("div").class("side").child(title);
    match (answer.grade, &answer.criterion, &answer.word) {
        (_, Some(criterion), Some(word)) => {
            let graded = el("p").class("note").text(&format!("{}: ", shorten_name(criterion, NAME)));
            part = part.child(graded.child(el("strong").text(&shorten(word, NAME))));
        }
        (Some(grade), ..) => {
            part = part.child(note(&format!("graded {grade} of 3 as an answer to the query")))
        }
        (None, ..) => {}
    }
    let numbered: Vec<(usize, &ShownClaim)> = (1..).zip(&answer.claims).collect();
    let of_answer = numbered.iter().copied().filter(|(_, claim)| claim.source == ClaimSource::Answer);
    let (said, found) = marked(el("p").class("said data"), &answer.text, &of_answer.collect::<Vec<_>>());
    part = part.child(match answer.text.is_empty() {
        true => note("no answer"),
        false => said,
    });
    let listed = numbered.iter().filter(|(number, _)| !found.contains(number));
    part = part.child(claims(listed.copied()));
    if let Some(analysis) = &answer.analysis {
        let words = el("span").class("data").text(&shorten(analysis, REASON));
        part = part.child(el("p").class("note").text("The judge: ").child(words));
    }
    if answer.claims.is_empty() && answer.grade.is_none() {
        part = part.child(note("no claim that the judge has a verdict on"));
    }
    part.child(contexts(answer, &numbered))
}

/// Claims that are not in the answer's words, or not the answer's.
fn claims<'a>(listed: impl Iterator<Item = (usize, &'a ShownClaim)>) -> Element {
    let one = |(number, claim): (usize, &ShownClaim)| {
        let of = match claim.source {
            ClaimSource::Answer => "",
            ClaimSource::Reference => " of the reference",
            ClaimSource::Nugget => " (nugget)",
        };
        let by = claim.context.map_or(String::new(), |rank| format!(" by [{rank}]"));
        let words = format!("{} {}{by}{of}", sign(claim.verdict), claim.verdict);
        let label =
            el("span").class(&format!("claim {}", claim.verdict.as_str())).text(&format!("{number} {words}"));
        el("li").child(label).text(" ").child(el("span").class("data").text(&shorten(&claim.text, 4 * CELL)))
    };
    let list = el("ul").class("claims").children(listed.map(one));
    if list.is_empty() { fragment() } else { list }
}

/// What the model was given; those that decide a claim are open.
fn contexts(answer: &ShownAnswer, claims: &[(usize, &ShownClaim)]) -> Element {
    let one = |context: &crate::model::ShownContext| {
        let decided: Vec<(usize, &ShownClaim)> =
            claims.iter().copied().filter(|(_, claim)| claim.context == Some(context.rank)).collect();
        let label = |(number, claim): &(usize, &ShownClaim)| {
            let words = format!("{number} {} {}", sign(claim.verdict), claim.verdict);
            fragment()
                .text(" ")
                .child(el("span").class(&format!("claim {}", claim.verdict.as_str())).text(&words))
        };
        let summary = el("summary")
            .text(&format!("[{}] ", context.rank))
            .child(el("span").class("data").text(&shorten_name(&context.document, NAME)))
            .children(decided.iter().map(label));
        let (text, _) = marked(el("p").class("data"), &context.text, &decided);
        let details = el("details").class("context");
        let details = if decided.is_empty() { details } else { details.flag("open") };
        details.child(summary).child(text)
    };
    if answer.contexts.is_empty() {
        return note("no context");
    }
    let all = answer.contexts.len() + answer.more_contexts;
    let heading = el("p").class("note").text(&counted(all, "context", "contexts"));
    let list = fragment().child(heading).children(answer.contexts.iter().map(one));
    match answer.more_contexts {
        0 => list,
        more => list.child(note(&format!("and {} more, which decide no claim", count(more)))),
    }
}

/// A text in which those claims are marked that it makes in their own words, and the numbers of these.
fn marked(mut element: Element, text: &str, claims: &[(usize, &ShownClaim)]) -> (Element, Vec<usize>) {
    let mut places: Vec<(Range<usize>, usize, ClaimVerdict)> = Vec::new();
    for (number, claim) in claims {
        let is_free = |range: &Range<usize>| {
            places.iter().all(|(taken, ..)| range.end <= taken.start || taken.end <= range.start)
        };
        if let Some(range) = verbatim(text, &claim.text).find(is_free) {
            places.push((range, *number, claim.verdict));
        }
    }
    order::sort_by_key(&mut places, |(range, ..)| range.start);
    let mut done = 0;
    for (range, number, verdict) in &places {
        let label = el("b").text(&format!("{number} {} {verdict}", sign(*verdict)));
        let mark = el("mark").class(&format!("claim {}", verdict.as_str())).child(label).text(" ");
        element = element.lines(text[done..range.start].split('\n'));
        element = element.child(mark.lines(text[range.clone()].split('\n')));
        done = range.end;
    }
    (element.lines(text[done..].split('\n')), places.into_iter().map(|(_, number, _)| number).collect())
}

/// Where a text says exactly that: not as a part of longer words.
fn verbatim<'a>(text: &'a str, claim: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let is_apart = |range: &Range<usize>| {
        let joins = |c: Option<char>, own: Option<char>| {
            c.zip(own).is_some_and(|(c, own)| c.is_alphanumeric() && own.is_alphanumeric())
        };
        !joins(text[..range.start].chars().next_back(), claim.chars().next())
            && !joins(text[range.end..].chars().next(), claim.chars().next_back())
    };
    let found = text.match_indices(claim).filter(|_| !claim.is_empty());
    found.map(|(start, _)| start..start + claim.len()).filter(is_apart)
}

/// A sign for those who do not tell colours apart; a word always stands beside it.
fn sign(verdict: ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Supported => "\u{2713}",
        ClaimVerdict::Partial => "\u{bd}",
        ClaimVerdict::Unsupported => "\u{2205}",
        ClaimVerdict::Contradicted => "\u{2717}",
        ClaimVerdict::Noise => "\u{2260}",
        ClaimVerdict::NoVerdict => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ShownContext;

    fn claim(text: &str, verdict: ClaimVerdict, context: Option<usize>) -> ShownClaim {
        ShownClaim { text: text.into(), source: ClaimSource::Answer, verdict, context }
    }

    fn shown(text: &str, claims: Vec<ShownClaim>, contexts: &[&str]) -> String {
        let context = |(rank, text): (usize, &&str)| ShownContext {
            rank,
            document: format!("d{rank}"),
            text: (*text).to_owned(),
        };
        let contexts = (1..).zip(contexts).map(context).collect();
        side(&ShownAnswer { of: "new".into(), text: text.into(), claims, contexts, ..ShownAnswer::default() })
            .render()
    }

    #[test]
    fn claims_are_marked_where_they_stand_and_listed_where_not() {
        let page = shown(
            "The fee is 15 EUR. Pay it soon, or\nlater. The fee is 15 EUR.",
            vec![
                claim("The fee is 15 EUR.", ClaimVerdict::Supported, Some(2)),
                claim("It is to be paid soon.", ClaimVerdict::Contradicted, Some(1)),
                claim("5 EUR", ClaimVerdict::NoVerdict, None),
                claim("The fee is 15 EUR.", ClaimVerdict::Unsupported, None),
            ],
            &["Pay whenever.", "Of all: The fee is 15 EUR."],
        );
        for expected in [
            // One mark for each claim, though both say the same; 5 is no part of 15.
            "<p class=\"said data\"><mark class=\"claim supported\"><b>1 \u{2713} supported</b> The fee is 15 EUR.</mark> \
             Pay it soon, or\nlater. <mark class=\"claim unsupported\"><b>4 \u{2205} unsupported</b> The fee is 15 EUR.</mark></p>",
            "<ul class=\"claims\"><li><span class=\"claim contradicted\">2 \u{2717} contradicted by [1]</span> \
             <span class=\"data\">It is to be paid soon.</span></li>\n<li><span class=\"claim no-verdict\">3 ? no verdict</span> ",
            "<summary>[1] <span class=\"data\">d1</span> <span class=\"claim contradicted\">2 \u{2717} contradicted</span></summary><p class=\"data\">Pay whenever.</p>",
            "Of all: <mark class=\"claim supported\"><b>1 \u{2713} supported</b> The fee is 15 EUR.</mark></p>",
        ] {
            assert!(page.contains(expected), "{expected}\n{page}");
        }
        let page = shown("", Vec::new(), &[]);
        for told in ["no answer", "no claim that the judge has a verdict on", "no context"] {
            assert!(page.contains(told), "{page}");
        }
    }

    #[test]
    fn markup_in_answers_contexts_and_claims_is_text() {
        let odd = "<script>hacked()</script> & \u{202e}'\"";
        let claims =
            ["", " listed"].map(|more| claim(&format!("{odd}{more}"), ClaimVerdict::Supported, Some(1)));
        let page = shown(&format!("So: {odd}"), claims.into(), &[&format!("Given {odd}.")]);
        assert!(!page.contains("<script") && !page.contains('\u{202e}'), "{page}");
        let shown = "&lt;script&gt;hacked()&lt;/script&gt; &amp; \\u{202e}&#39;&quot;";
        assert_eq!(page.matches(shown).count(), 3, "{page}");
        assert!(page.contains(&format!("<b>1 \u{2713} supported</b> {shown}</mark>")), "{page}");
    }
}
