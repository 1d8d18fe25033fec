//! The data behind the table of queries: scores and rankings of each side, as small as may be.

use std::collections::{BTreeMap, HashMap};

use crate::json::write_json;
use crate::metric::Polarity;
use crate::model::{QueryReport, RankedDocument, RankingReport};

use super::super::clean::shorten;
use super::super::number::{fixed, is_count};
use super::super::side::Side;
use super::queries::{DECIMALS, Queries, Row, shown};
use super::{CELL, NAME};

/// Decimals of the scores that the script sorts by and shows.
const SCALE: f64 = 1e6;

struct Data {
    metrics: Vec<String>,
    /// Whether each metric is a count.
    counts: Vec<bool>,
    /// Of each metric 1 where more is better, -1 where less is, and 0 where nothing says it.
    better: Vec<i32>,
    sides: Vec<String>,
    /// Sides that always have a column.
    today: Vec<usize>,
    /// Columns before those, for sides that are compared and have none.
    others: usize,
    chosen: [usize; 2],
    /// Document ids, to which rankings point.
    documents: Vec<String>,
    /// The title of each, where it has one.
    titles: Vec<Option<String>>,
    queries: Vec<OneQuery>,
}

write_json!(struct Data { metrics, counts, better, sides, today, others, chosen, documents, titles, queries });

struct OneQuery {
    id: String,
    text: String,
    /// Places among the segments, in the order of the control that chooses one.
    tags: Vec<usize>,
    sides: Vec<Option<OneSide>>,
}

write_json!(struct OneQuery { id, text, tags, sides });

struct OneSide {
    scores: Vec<Option<f64>>,
    /// Document and grade, rank 1 first.
    ranking: Option<Vec<(usize, Option<i32>)>>,
    /// Relevant documents that are not in the ranking's top: document, grade, rank.
    missed: Vec<(usize, i32, Option<usize>)>,
}

write_json!(struct OneSide { scores, ranking?, missed? });

/// Everything that the script shows, fit to be shown.
pub(super) fn data(queries: &Queries<'_>) -> String {
    let mut documents =
        Documents { titles: queries.titles, ids: Vec::new(), names: Vec::new(), places: HashMap::new() };
    let tags: HashMap<&str, usize> =
        queries.tags().into_iter().enumerate().map(|(place, tag)| (tag, place)).collect();
    let mut one = |row: &Row<'_>| OneQuery {
        id: shown(row.id),
        text: shorten(row.text, CELL * 4),
        tags: row.tags.iter().filter_map(|tag| tags.get(tag.whole.as_str()).copied()).collect(),
        sides: (0..queries.sides.len()).map(|side| one_side(queries, row, side, &mut documents)).collect(),
    };
    let rows = queries.rows.iter().map(&mut one).collect();
    let data = Data {
        metrics: queries.metrics.iter().map(|metric| shorten(metric, NAME)).collect(),
        counts: queries.metrics.iter().map(|metric| is_count(metric)).collect(),
        better: queries.polarities.iter().copied().map(sign).collect(),
        sides: queries.sides.iter().map(|side| side.name(NAME)).collect(),
        today: queries.today(),
        others: queries.others(),
        chosen: queries.chosen,
        queries: rows,
        documents: documents.ids,
        titles: documents.names,
    };
    // A map or a number that JSON cannot hold does not occur: keys are ours, and NaN becomes null.
    serde_json::to_string(&data).unwrap_or_default()
}

fn sign(polarity: Polarity) -> i32 {
    match polarity {
        Polarity::MoreIsBetter => 1,
        Polarity::LessIsBetter => -1,
        Polarity::Unknown => 0,
    }
}

fn one_side(
    queries: &Queries<'_>,
    row: &Row<'_>,
    side: usize,
    documents: &mut Documents<'_>,
) -> Option<OneSide> {
    let query: &QueryReport = (*row.of.get(side)?)?;
    let of: &Side<'_> = queries.sides.get(side)?;
    let score = |metric: usize| {
        let score = queries.score(row, side, metric)?;
        let short = (score * SCALE).round() / SCALE;
        // What is rounded twice may be another number.
        let is_same = fixed(short, DECIMALS) == fixed(score, DECIMALS);
        Some(if score.abs() < 1e9 && is_same { short } else { score })
    };
    let ranking: Option<&RankingReport> = of.ranking(query);
    let top = ranking.map(|ranking| {
        let place = |ranked: &RankedDocument| {
            let document = documents.place(&ranked.document);
            (document, ranked.grade)
        };
        ranking.top.iter().map(place).collect()
    });
    let missed = ranking.map(|ranking| &ranking.missed[..]).unwrap_or_default();
    Some(OneSide {
        scores: (0..queries.metrics.len()).map(score).collect(),
        ranking: top,
        missed: missed.iter().map(|one| (documents.place(&one.document), one.grade, one.rank)).collect(),
    })
}

/// Document ids in the order of their first appearance, each once.
struct Documents<'a> {
    titles: &'a BTreeMap<String, String>,
    ids: Vec<String>,
    names: Vec<Option<String>>,
    places: HashMap<String, usize>,
}

impl Documents<'_> {
    fn place(&mut self, id: &str) -> usize {
        if let Some(place) = self.places.get(id) {
            return *place;
        }
        let place = self.ids.len();
        self.ids.push(shown(id));
        self.names.push(self.titles.get(id).map(|title| shorten(title, CELL)));
        self.places.insert(id.to_owned(), place);
        place
    }
}
