//! The queries that explain a value, and where their judged documents went.

use crate::metric::Polarity;
use crate::model::{Disagreement, DocumentMove, Mover, Movers};
use crate::report::clean::shorten_name;
use crate::report::number::{count, counted, fixed, legible, queries, score};
use crate::report::page::{Block, Detail, Part, Queries, Query};
use crate::report::polarity;

use super::NAME;

/// Queries that a message shows.
const QUERIES: usize = 5;
/// Documents that it shows of each.
const DOCUMENTS: usize = 3;
/// Queries with two answers that a message shows.
pub const PARTED: usize = 5;
/// Decimals of a query's score; more to show a small change.
const DECIMALS: usize = 3;
/// Decimals of what a retriever scored a document.
const SCORE: usize = 4;

/// The meaning of scores and documents where a side ran several times.
const REPEATED: &str = "scores are means over repeats; documents are those of the repeat that explains most";

/// Queries that a message shows of a second list.
const SECOND: usize = 2;
/// A list of queries that moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Those that lower the value; without another side, the lowest scores.
    Falls,
    /// Those that raise it, which is what breaks an upper limit.
    Rises,
}

impl Way {
    /// What the first of the list are.
    fn largest(self, polarity: Polarity) -> &'static str {
        match (self, polarity) {
            (Self::Falls, Polarity::MoreIsBetter) => "the largest losses:",
            (Self::Rises, Polarity::MoreIsBetter) => "the largest gains:",
            (Self::Falls, _) => "the largest falls:",
            (Self::Rises, _) => "the largest rises:",
        }
    }
}

/// The queries that moved, against the other side where there is one, and unjudged documents.
///
/// `of` is the number of queries the value is taken over, and `polarity` says which values are better; `ways` are the lists
/// to show, the one that matters most first. A list without a query is left out, and where that leaves none, falls are shown.
pub fn part(movers: &Movers, of: usize, polarity: Polarity, ways: &[Way]) -> Part {
    told_up_to([QUERIES, SECOND], movers, of, (polarity, ways))
}

/// The same with at most so many queries of the first list and of the second.
pub fn told_up_to(
    most: [usize; 2],
    movers: &Movers,
    of: usize,
    (polarity, ways): (Polarity, &[Way]),
) -> Part {
    let list = |way| match way {
        Way::Falls => (&movers.losses, movers.worse),
        Way::Rises => (&movers.gains, movers.better),
    };
    let ways: Vec<Way> = ways.iter().copied().filter(|&way| !list(way).0.is_empty()).collect();
    let ways = if ways.is_empty() { &[Way::Falls] } else { ways.as_slice() };
    let mut part = Part::new();
    for (index, &way) in ways.iter().enumerate() {
        let (shown, all) = list(way);
        let largest = way.largest(polarity);
        match &movers.against {
            Some(against) if index == 0 => {
                let mut heading = counts(movers, against, polarity);
                if !shown.is_empty() {
                    heading += &format!("; {largest}");
                }
                part.push(Block::paragraph(heading));
            }
            Some(_) => part.push(Block::line(largest)),
            None if shown.is_empty() => {}
            None => {
                let which = if way == Way::Rises { "highest" } else { "lowest" };
                part.push(Block::line(format!("the {which} scores of {}:", queries(of))));
            }
        }
        let rows = rows(shown, [most[index.min(1)], DOCUMENTS], movers);
        let is_told = movers.against.is_some() && !rows.is_empty();
        let more = if is_told { all.saturating_sub(rows.len()) } else { 0 };
        part.push(Block::Queries(Queries { rows, more }));
    }
    if movers.repeated && ways.iter().any(|&way| !list(way).0.is_empty()) {
        part.push(Block::paragraph(REPEATED));
    }
    part.extend(unjudged(movers).map(Block::paragraph));
    part
}

/// How many queries are worse, better and unchanged, or lower and higher where nothing says which of that is better.
fn counts(movers: &Movers, against: &str, polarity: Polarity) -> String {
    let [fell, rose] = polarity::words(polarity);
    let (fell, rose) = ((movers.worse, fell), (movers.better, rose));
    let [(first, word), (second, other)] = match polarity {
        Polarity::LessIsBetter => [rose, fell],
        Polarity::MoreIsBetter | Polarity::Unknown => [fell, rose],
    };
    format!(
        "{} {word} than {}, {} {other}, {} unchanged",
        queries(first),
        shorten_name(against, NAME),
        count(second),
        count(movers.unchanged)
    )
}

/// Queries with two answers: their overlap where a gate limits it, the rank at which they first part, and the documents there; and how many of
/// `all` there are beside them.
pub fn parted(differing: &[Disagreement], all: usize) -> Block {
    let detail = |id: &Option<String>, said: &str| match id {
        Some(id) => Detail { document: id.clone(), said: said.to_owned(), ..Detail::default() },
        None => Detail::from(format!("no document{said}")),
    };
    let row = |one: &Disagreement| {
        let [first, second] = &one.documents;
        let details = vec![detail(first, ""), detail(second, " instead")];
        let overlap = one.overlap.map_or_else(String::new, |overlap| fixed(overlap, DECIMALS) + ", ");
        Query::new(&one.query, &one.text, format!("{overlap}rank {}", one.rank), details)
    };
    let rows: Vec<Query> = differing.iter().take(PARTED).map(row).collect();
    let more = all.saturating_sub(rows.len());
    Block::Queries(Queries { rows, more })
}

/// The first queries of a list, each with its first documents, at most so many.
fn rows(list: &[Mover], [most, documents]: [usize; 2], movers: &Movers) -> Vec<Query> {
    let shown = &list[..most.min(list.len())];
    // A cost of .0002 is not 0.
    let digits = shown.iter().map(|one| legible(one.before.unwrap_or_default(), one.after, DECIMALS));
    let digits = digits.max().unwrap_or(DECIMALS);
    let row = |mover: &Mover| {
        let details = self::documents(mover, documents, movers);
        Query::new(&mover.query, &mover.text, scores(mover, digits), details)
    };
    shown.iter().map(row).collect()
}

/// `1.000 -> 0.387`: the second number tells which way.
fn scores(mover: &Mover, digits: usize) -> String {
    let before = mover.before.map_or_else(String::new, |before| fixed(before, digits) + " -> ");
    before + &fixed(mover.after, digits)
}

/// Queries, all of them, each with all its documents.
pub fn whole(list: &[Mover]) -> Part {
    let rows = rows(list, [list.len(), usize::MAX], &Movers::default());
    if rows.is_empty() { Part::new() } else { vec![Block::Queries(Queries { rows, more: 0 })] }
}

fn documents(mover: &Mover, most: usize, movers: &Movers) -> Vec<Detail> {
    let shown = mover.documents.iter().take(most);
    let mut details: Vec<Detail> = shown.map(|document| detail(document, movers)).collect();
    if let more @ 1.. = mover.documents.len().saturating_sub(most) {
        details.push(format!("and {}", counted(more, "more document", "more documents")).into());
    }
    details
}

fn detail(document: &DocumentMove, movers: &Movers) -> Detail {
    let grade = match document.grade {
        Some(grade) => format!("grade {grade}"),
        None => "unjudged".to_owned(),
    };
    // Where results count by their scores, no judgment says that one is unwanted.
    let grade = match (document.score, document.grade) {
        (Some(score), None) => format!("score {}", fixed(score, SCORE)),
        (Some(score), Some(_)) => format!("{grade}, score {}", fixed(score, SCORE)),
        (None, _) => grade,
    };
    let way = match movers.against {
        _ if document.excluded == Some(true) => "excluded, since it has the query's id".to_owned(),
        Some(_) => moved(document, movers.cutoff),
        None => at(document.to, movers.cutoff),
    };
    Detail { document: document.document.clone(), said: format!(" ({grade}) {way}"), ..Detail::default() }
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

/// Unjudged documents may be good ones: a loss may be an artefact.
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
