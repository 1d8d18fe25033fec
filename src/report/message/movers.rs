//! The queries that explain a value, and where their judged documents went.

use crate::benchmark::model::{DocumentMove, Mover, Movers};
use crate::report::clean::shorten_name;
use crate::report::number::{apart, count, counted, fixed, queries, score};

use super::rows::{self, Layout, Row};
use super::{Block, Context, NAME};

/// Queries that a message shows.
const QUERIES: usize = 5;
/// Documents that it shows of each.
const DOCUMENTS: usize = 3;
/// Characters of a document's id, where there is room: those of a UUID and some more.
const DOCUMENT: usize = 40;
/// Decimals of a query's score, and the most that it takes to show a small change.
const DECIMALS: usize = 3;
const MOST_DECIMALS: usize = 6;

/// What scores and documents are where a side was asked several times.
const REPEATED: &str = "scores are means over repeats; documents are those of the repeat that explains most";

/// Queries that a message shows of a second list.
const SECOND: usize = 2;

/// A list of queries that moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Those that lower the value; without another side, the lowest scores.
    Losses,
    /// Those that raise it, which is what breaks an upper limit.
    Gains,
}

/// The queries that moved, against the other side where there is one, and unjudged documents.
///
/// `of` is the number of queries the value is taken over; `ways` are the lists to show, the one that
/// matters most first. A list without a query is left out, and where that leaves none, losses are shown.
pub(super) fn told(movers: &Movers, of: usize, ways: &[Way], context: &Context) -> Block {
    told_up_to([QUERIES, SECOND], movers, of, ways, context)
}

/// The same with at most so many queries of the first list and of the second.
pub(super) fn told_up_to(
    most: [usize; 2],
    movers: &Movers,
    of: usize,
    ways: &[Way],
    context: &Context,
) -> Block {
    let list = |way| match way {
        Way::Losses => &movers.losses,
        Way::Gains => &movers.gains,
    };
    let ways: Vec<Way> = ways.iter().copied().filter(|&way| !list(way).is_empty()).collect();
    let ways = if ways.is_empty() { &[Way::Losses] } else { ways.as_slice() };
    let rows = |(index, &way): (usize, &Way)| rows_of(list(way), most[index.min(1)], movers, context);
    let lists: Vec<Vec<Row>> = ways.iter().enumerate().map(rows).collect();
    // Both lists in the same columns.
    let layout = Layout::of(lists.iter().flatten(), context.width);
    let mut block = Block::new();
    for (index, (&way, rows)) in ways.iter().zip(&lists).enumerate() {
        let shown = list(way);
        let largest = if way == Way::Gains { "the largest gains:" } else { "the largest losses:" };
        match &movers.against {
            Some(against) if index == 0 => {
                let mut heading = format!(
                    "{} worse than {}, {} better, {} unchanged",
                    queries(movers.worse),
                    shorten_name(against, NAME),
                    count(movers.better),
                    count(movers.unchanged)
                );
                if !shown.is_empty() {
                    heading += &format!("; {largest}");
                }
                block.extend(context.paragraph(&heading));
            }
            Some(_) => block.push(largest.to_owned()),
            None if shown.is_empty() => {}
            None => {
                let which = if way == Way::Gains { "highest" } else { "lowest" };
                block.push(format!("the {which} scores of {}:", queries(of)));
            }
        }
        block.extend(layout.lines(rows));
        let all = if way == Way::Gains { movers.better } else { movers.worse };
        if let more @ 1.. = all.saturating_sub(rows.len())
            && movers.against.is_some()
            && !rows.is_empty()
        {
            block.push(format!("  and {} more", count(more)));
        }
    }
    if movers.repeated && ways.iter().any(|&way| !list(way).is_empty()) {
        block.extend(context.paragraph(REPEATED));
    }
    if let Some(unjudged) = unjudged(movers) {
        block.extend(context.paragraph(&unjudged));
    }
    block
}

/// The first `most` queries of a list.
fn rows_of(list: &[Mover], most: usize, movers: &Movers, context: &Context) -> Vec<Row> {
    let shown = &list[..most.min(list.len())];
    let digits = shown.iter().map(digits_of).max().unwrap_or(DECIMALS);
    let row = |mover: &Mover| {
        Row::new(&mover.query, &mover.text, scores(mover, digits), documents(mover, movers, context.width))
    };
    shown.iter().map(row).collect()
}

fn digits_of(mover: &Mover) -> usize {
    mover.before.map_or(DECIMALS, |before| apart(before, mover.after, DECIMALS).min(MOST_DECIMALS))
}

fn scores(mover: &Mover, digits: usize) -> String {
    match mover.before {
        Some(before) => format!("{} -> {}", fixed(before, digits), fixed(mover.after, digits)),
        None => fixed(mover.after, digits),
    }
}

fn documents(mover: &Mover, movers: &Movers, width: usize) -> Vec<String> {
    let mut lines: Vec<String> =
        mover.documents.iter().take(DOCUMENTS).map(|document| told_of(document, movers, width)).collect();
    if let more @ 1.. = mover.documents.len().saturating_sub(DOCUMENTS) {
        lines.push(format!("and {}", counted(more, "more document", "more documents")));
    }
    lines
}

fn told_of(document: &DocumentMove, movers: &Movers, width: usize) -> String {
    let grade = document.grade.map_or("unjudged".to_owned(), |grade| format!("grade {grade}"));
    let way = match movers.against {
        Some(_) => moved(document, movers.cutoff),
        None => at(document.to, movers.cutoff),
    };
    let said = format!(" ({grade}) {way}");
    let room = width.saturating_sub(rows::DETAILS + said.chars().count()).clamp(16, DOCUMENT);
    format!("{}{said}", shorten_name(&document.document, room))
}

/// Where a document came from and went to.
fn moved(document: &DocumentMove, cutoff: usize) -> String {
    let inside = |rank: usize| cutoff == 0 || rank <= cutoff;
    match (document.from, document.to) {
        (Some(from), Some(to)) if inside(from) && !inside(to) => {
            format!("rank {from} -> {to} (left top {cutoff})")
        }
        (Some(from), Some(to)) if !inside(from) && inside(to) => {
            format!("rank {from} -> {to} (entered top {cutoff})")
        }
        (Some(from), Some(to)) => format!("rank {from} -> {to}"),
        (Some(from), None) => format!("rank {from} -> not retrieved"),
        (None, Some(to)) => format!("not retrieved -> rank {to}"),
        (None, None) => "not retrieved by either".to_owned(),
    }
}

/// Where a document is.
fn at(rank: Option<usize>, cutoff: usize) -> String {
    match rank {
        None => "not retrieved".to_owned(),
        Some(rank) if cutoff > 0 && rank > cutoff => format!("rank {rank} (outside top {cutoff})"),
        Some(rank) => format!("rank {rank}"),
    }
}

/// Documents that nobody judged may be good ones: a loss may be an artefact.
fn unjudged(movers: &Movers) -> Option<String> {
    let against = movers.against_unjudged.filter(|_| movers.against.is_some());
    if movers.unjudged == 0 && against.unwrap_or(0) == 0 {
        return None;
    }
    let place = if movers.cutoff == 0 { "results".to_owned() } else { format!("top {}", movers.cutoff) };
    let mut text = match movers.unjudged {
        1 => format!("1 document in the {place} is unjudged"),
        many => format!("{} in the {place} are unjudged", counted(many, "document", "documents")),
    };
    if let (Some(unjudged), Some(name)) = (against, &movers.against) {
        text += &format!(" ({}: {})", shorten_name(name, NAME), count(unjudged));
    }
    if let Some(judged) = movers.judged.filter(|_| movers.cutoff > 0) {
        let name = format!("Judged@{}", movers.cutoff);
        text += &format!("; {name} is {}", score(&name, judged));
    }
    Some(text)
}
