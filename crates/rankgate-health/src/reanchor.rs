//! Judgments of documents whose ids changed, moved to the ids that these texts have now.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use foldhash::fast::RandomState;
use hmac_sha256::Hash as Sha256;

use crate::collection::{Corpus, Document, Qrels};
use crate::error::Quoted;
use crate::json::record;
use crate::model::SCHEMA;
use crate::shingles::{NEAR, Words, jaccard, shingles};
use crate::words::{agree, counted};
use crate::{Error, Result};

/// The smallest Jaccard index of shingles at which a text counts as the same one, edited.
const SAME: f64 = 0.9;
/// The smallest share of the shingles of a part that its whole has.
const PART: f64 = 0.9;
/// Words of a shingle. Texts of fewer words are the same or not.
const SHINGLE: usize = 4;
/// Documents of a kind that are named in text.
const NAMED: usize = 20;

type Map<K, V> = HashMap<K, V, RandomState>;

record! {
    /// What became of a judged document.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub enum Fate {
        /// Its text has this id alone, or its own id still.
        Moved {
            /// The id.
            to: String,
        } = "moved",
        /// No text is the same, and one alone is nearly the same; nor is that one nearly the same as another old text.
        Edited {
            /// The id.
            to: String,
            /// The Jaccard index of their shingles, from 0.9 to 1: of words without case and punctuation.
            likeness: f64,
        } = "edited",
        /// Its text was cut into these, or is a part of them: which of them have what was judged, people have to say.
        Split {
            /// The ids.
            into: Vec<String>,
        } = "split",
        /// No text is like it.
        Gone = "gone",
        /// Several texts are the same or nearly the same.
        Ambiguous {
            /// The ids.
            among: Vec<String>,
        } = "ambiguous",
    }
}

record! {
    /// What became of judgments, for programs.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    write pub struct ReanchorReport {
        /// The version of this form.
        pub schema: u32,
        /// How many judgments there were.
        pub judgments: usize,
        /// How many were moved, those under an id that stayed included.
        pub moved: usize,
        /// What became of each judged document, by its old id.
        pub documents: BTreeMap<String, Fate>,
        /// How many judgments each query lost, of those that lost any.
        pub lost: BTreeMap<String, usize>,
    }
}

/// Judgments moved from the documents of one corpus to those of another, by the texts.
///
/// ```
/// use rankgate::{Corpus, Document, Qrels};
/// use rankgate_health::{Fate, reanchor};
///
/// let old = Corpus::in_memory([Document::new("a1", "how to get a refund"), Document::new("a2", "fees")]);
/// let new = Corpus::in_memory([Document::new("x7", "How to get\na refund").with_title(""), Document::new("x8", "fees")]);
/// let mut judged = Qrels::new();
/// judged.insert("q1", "a2", 2)?;
/// judged.insert("q1", "a1", 1)?;
/// let moved = reanchor(&old, &new, &judged)?;
/// assert_eq!(moved.fates["a2"], Fate::Moved { to: "x8".to_owned() });
/// assert_eq!(moved.qrels.grade("q1", "x8"), Some(2));
/// // Only upper case and white space differ.
/// assert_eq!(moved.fates["a1"], Fate::Edited { to: "x7".to_owned(), likeness: 1.0 });
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reanchored {
    /// The judgments of documents that were found, under their new ids.
    pub qrels: Qrels,
    /// What became of each judged document, by its old id.
    pub fates: BTreeMap<String, Fate>,
    /// How many judgments there were; of a document that was judged by subtopic one for each.
    pub judgments: usize,
    /// Queries that lost judgments, and how many.
    pub lost: BTreeMap<String, usize>,
}

/// Moves judgments to the ids that the judged documents have in another corpus. Nothing is guessed: what could be several
/// documents, or parts of some, is left out and listed.
///
/// A document is found by its text, title included, white space apart; else by its shingles of four words, if one text alone
/// is nearly the same and that is nearly the same as no other old text.
///
/// # Errors
///
/// A corpus that cannot be read; a judged document that the old corpus does not have.
pub fn reanchor(old: &Corpus, new: &Corpus, judged: &Qrels) -> Result<Reanchored> {
    let wanted: BTreeSet<&str> =
        judged.iter().flat_map(|(_, all)| all.unordered().map(|(id, _)| id)).collect();
    let mut texts: BTreeMap<String, Text> = BTreeMap::new();
    let mut old_hashes: Map<[u8; 32], Vec<String>> = Map::default();
    each(old, |id, text| {
        old_hashes.entry(text.hash()).or_default().push(id.clone());
        if wanted.contains(id.as_str()) {
            texts.insert(id, text);
        }
    })?;
    if let Some(missing) = wanted.iter().find(|id| !texts.contains_key(**id)) {
        let message = format!(
            "{} is judged, and the old documents do not have it: name those that were judged, or take its judgments out",
            Quoted(missing)
        );
        return Err(Error::invalid(message));
    }
    let mut hashes: Map<[u8; 32], Vec<String>> = Map::default();
    each(new, |id, text| hashes.entry(text.hash()).or_default().push(id))?;

    let mut fates: BTreeMap<String, Fate> = BTreeMap::new();
    for (id, text) in &texts {
        if let Some(same) = hashes.get(&text.hash()) {
            let mut among = same.clone();
            among.sort_unstable();
            let to = if among.contains(id) { Some(id) } else { among.first().filter(|_| among.len() == 1) };
            let fate = to.map(|to| Fate::Moved { to: to.clone() });
            fates.insert(id.clone(), fate.unwrap_or(Fate::Ambiguous { among }));
        }
    }
    let rest: Vec<(&str, Vec<u64>)> = texts
        .iter()
        .filter(|(id, _)| !fates.contains_key(*id))
        .map(|(id, text)| (id.as_str(), text.shingles()))
        .collect();
    // What has the text of an old document is that document, and no other one edited.
    let is_taken = |text: &Text| old_hashes.contains_key(&text.hash());
    let similar = Similar::find(&rest, old, new, is_taken)?;
    fates.extend(rest.iter().enumerate().map(|(at, (id, _))| ((*id).to_owned(), similar.fate(at))));
    moved(judged, fates)
}

/// A text with its white space squeezed.
struct Text(String);

impl Text {
    fn new(document: &Document) -> Self {
        let parts = [document.title.as_deref().unwrap_or_default(), &document.text];
        let words = parts.into_iter().flat_map(str::split_whitespace);
        Self(words.collect::<Vec<_>>().join(" "))
    }

    fn hash(&self) -> [u8; 32] {
        Sha256::hash(self.0.as_bytes())
    }

    fn shingles(&self) -> Vec<u64> {
        shingles(&Words::new([self.0.as_str()]), SHINGLE)
    }
}

fn each(corpus: &Corpus, mut take: impl FnMut(String, Text)) -> Result<()> {
    for document in corpus.documents()? {
        let document = document?;
        let text = Text::new(&document);
        take(document.id, text);
    }
    Ok(())
}

/// New documents that are like old ones whose text is in none.
struct Similar {
    /// For each of the old ones: new ones that are nearly the same, with the Jaccard index.
    near: Vec<Vec<(String, f64)>>,
    /// New ones that are parts of it, or that it is a part of.
    parts: Vec<Vec<String>>,
    /// Old documents, by the new ones that are nearly the same.
    rivals: BTreeMap<String, BTreeSet<String>>,
}

impl Similar {
    fn find(
        rest: &[(&str, Vec<u64>)],
        old: &Corpus,
        new: &Corpus,
        is_taken: impl Fn(&Text) -> bool,
    ) -> Result<Self> {
        let mut similar = Self {
            near: vec![Vec::new(); rest.len()],
            parts: vec![Vec::new(); rest.len()],
            rivals: BTreeMap::new(),
        };
        let sets = Shingles::new(rest.iter().map(|(_, shingles)| shingles.as_slice()));
        let mut candidates: Vec<(String, Vec<u64>)> = Vec::new();
        each(new, |id, text| {
            let own = text.shingles();
            let shared = sets.shared(&own);
            let mut is_near = false;
            for (at, shared) in shared {
                let (mine, other) = (rest[at].1.len(), own.len());
                let likeness = shared as f64 / (mine + other - shared) as f64;
                if likeness >= NEAR {
                    is_near = true;
                    similar.near[at].push((id.clone(), if is_taken(&text) { 0.0 } else { likeness }));
                } else if shared as f64 >= PART * mine.min(other) as f64 {
                    similar.parts[at].push(id.clone());
                }
            }
            if is_near {
                candidates.push((id, own));
            }
        })?;
        let sets = Shingles::new(candidates.iter().map(|(_, shingles)| shingles.as_slice()));
        each(old, |id, text| {
            let own = text.shingles();
            for (at, _) in sets.shared(&own) {
                let (candidate, shingles) = &candidates[at];
                if jaccard(&own, shingles) >= NEAR {
                    similar.rivals.entry(candidate.clone()).or_default().insert(id.clone());
                }
            }
        })?;
        Ok(similar)
    }

    fn fate(&self, at: usize) -> Fate {
        let mut among: Vec<String> = self.near[at].iter().map(|(id, _)| id.clone()).collect();
        among.sort_unstable();
        if let [(to, likeness)] = &self.near[at][..] {
            let alone = self.rivals.get(to).is_some_and(|rivals| rivals.len() == 1);
            if alone && *likeness >= SAME {
                return Fate::Edited { to: to.clone(), likeness: *likeness };
            }
        }
        if !among.is_empty() {
            return Fate::Ambiguous { among };
        }
        let mut into = self.parts[at].clone();
        into.sort_unstable();
        if into.is_empty() { Fate::Gone } else { Fate::Split { into } }
    }
}

/// Which of some sets each shingle is in.
struct Shingles(Map<u64, Vec<usize>>);

impl Shingles {
    fn new<'a>(sets: impl Iterator<Item = &'a [u64]>) -> Self {
        let mut places: Map<u64, Vec<usize>> = Map::default();
        for (at, set) in sets.enumerate() {
            set.iter().for_each(|shingle| places.entry(*shingle).or_default().push(at));
        }
        Self(places)
    }

    /// How many shingles each of the sets shares with another one, of those that share any; in order.
    fn shared(&self, own: &[u64]) -> BTreeMap<usize, usize> {
        let mut shared = BTreeMap::new();
        for at in own.iter().filter_map(|shingle| self.0.get(shingle)).flatten() {
            *shared.entry(*at).or_default() += 1;
        }
        shared
    }
}

/// Query, document, subtopic where there are any, and grade.
type Judgment<'a> = (&'a str, &'a str, Option<&'a str>, i32);

/// Each judgment; those by subtopic one by one.
fn judgments(judged: &Qrels) -> Vec<Judgment<'_>> {
    if judged.has_subtopics() {
        let by_subtopic = judged.by_subtopic();
        return by_subtopic.map(|(query, id, subtopic, grade)| (query, id, Some(subtopic), grade)).collect();
    }
    let each = judged.iter();
    each.flat_map(|(query, all)| all.iter().map(move |(id, grade)| (query, id, None, grade))).collect()
}

/// The judgments under their new ids. Two grades of one query for what is one document now are left out.
fn moved(judged: &Qrels, mut fates: BTreeMap<String, Fate>) -> Result<Reanchored> {
    let judgments = judgments(judged);
    let mut grades: BTreeMap<(&str, Option<&str>, String), BTreeSet<i32>> = BTreeMap::new();
    for (query, id, subtopic, grade) in &judgments {
        if let Some(to) = fates.get(*id).and_then(Fate::target) {
            grades.entry((query, *subtopic, to.to_owned())).or_default().insert(*grade);
        }
    }
    let several = grades.iter().filter(|(_, grades)| grades.len() > 1).map(|((.., to), _)| to.as_str());
    let several: HashSet<&str> = several.collect();
    for fate in fates.values_mut() {
        if let Fate::Moved { to } | Fate::Edited { to, .. } = fate
            && several.contains(to.as_str())
        {
            *fate = Fate::Ambiguous { among: vec![to.clone()] };
        }
    }
    let (mut qrels, mut lost) = (Qrels::new(), BTreeMap::new());
    let mut known: HashSet<(&str, Option<&str>, &str)> = HashSet::new();
    for (query, id, subtopic, grade) in &judgments {
        match (fates.get(*id).and_then(Fate::target), subtopic) {
            (None, _) => *lost.entry((*query).to_owned()).or_default() += 1,
            (Some(to), _) if !known.insert((query, *subtopic, to)) => {}
            (Some(to), Some(subtopic)) => qrels.insert_by_subtopic((query, subtopic), to, *grade)?,
            (Some(to), None) => qrels.insert(query, to, *grade)?,
        }
    }
    let judgments = judgments.len();
    Ok(Reanchored { qrels, fates, judgments, lost })
}

impl Fate {
    /// The id that its judgments have now.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        match self {
            Self::Moved { to } | Self::Edited { to, .. } => Some(to),
            _ => None,
        }
    }
}

impl Reanchored {
    /// Whether every judgment was moved.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.lost.is_empty()
    }

    /// What became of the judgments, for programs.
    #[must_use]
    pub fn report(&self) -> ReanchorReport {
        ReanchorReport {
            schema: SCHEMA,
            judgments: self.judgments,
            moved: self.judgments - self.lost.values().sum::<usize>(),
            documents: self.fates.clone(),
            lost: self.lost.clone(),
        }
    }

    /// What became of the judgments, for people.
    #[must_use]
    pub fn text(&self) -> String {
        let left_out: usize = self.lost.values().sum();
        let is_found = |fate: &&Fate| matches!(fate, Fate::Moved { .. } | Fate::Edited { .. });
        let found = self.fates.values().filter(is_found).count();
        let (kept, all) = (self.judgments - left_out, counted(self.judgments, "judgment", "judgments"));
        let documents = counted(self.fates.len(), "judged document", "judged documents");
        let mut text = format!("{kept} of {all} moved; {found} of {documents} found\n");
        for (title, line) in KINDS {
            let lines: Vec<String> = self
                .fates
                .iter()
                .filter_map(|(id, fate)| Some(format!("  {}{}\n", Quoted(id), line(fate)?)))
                .collect();
            if lines.is_empty() {
                continue;
            }
            text += &format!("\n{title}: {}\n", lines.len());
            text.extend(lines.iter().take(NAMED).map(String::as_str));
            if lines.len() > NAMED {
                text += "  ...\n";
            }
        }
        if left_out > 0 {
            let queries = counted(self.lost.len(), "query", "queries");
            let verb = agree(self.lost.len(), "has", "have");
            text += &format!("\n{queries} {verb} fewer judgments:");
            for (query, lost) in self.lost.iter().take(NAMED) {
                text += &format!(" {} (-{lost})", Quoted(query));
            }
            text += if self.lost.len() > NAMED { " ...\n" } else { "\n" };
        }
        text
    }
}

/// What is listed of a document under a title, if it stands there.
type Line = fn(&Fate) -> Option<String>;

const KINDS: [(&str, Line); 4] = [
    ("edited, moved as the same text", |fate| match fate {
        Fate::Edited { to, likeness } => Some(format!(" -> {} (likeness {likeness:.2})", Quoted(to))),
        _ => None,
    }),
    ("split or joined, left out", |fate| match fate {
        Fate::Split { into } => Some(format!(" -> {}", list(into))),
        _ => None,
    }),
    ("ambiguous, left out", |fate| match fate {
        Fate::Ambiguous { among } => Some(format!(" -> {}", list(among))),
        _ => None,
    }),
    ("gone, left out", |fate| matches!(fate, Fate::Gone).then(String::new)),
];

fn list(ids: &[String]) -> String {
    let named: Vec<String> = ids.iter().take(5).map(|id| Quoted(id).to_string()).collect();
    named.join(", ") + if ids.len() > 5 { ", ..." } else { "" }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand::SeedableRng;

    use super::*;

    /// A text of words drawn from a vocabulary.
    fn text(random: &mut impl RngExt, words: usize) -> String {
        let word = |_| format!("w{}", random.random_range(0..800));
        (0..words).map(word).collect::<Vec<_>>().join(" ")
    }

    /// 2,000 old documents, of which 1,200 stay as they are under new ids. Of the others 200 are edited in one word of 60 to
    /// 90, 150 are cut in two, 150 are gone, 100 are there twice now, and 200 are templates that differ in one word, of which
    /// half are gone.
    #[test]
    fn reanchor_never_guesses() {
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(7);
        let (mut old, mut new, mut truth) = (Vec::new(), Vec::new(), BTreeMap::new());
        let template = text(&mut random, 60);
        for at in 0..2000 {
            let id = format!("old-{at}");
            let length = random.random_range(60..90);
            let own = match at {
                1800.. => format!("branch{at} {template}"),
                _ => text(&mut random, length),
            };
            old.push(Document::new(id.as_str(), own.as_str()));
            let words: Vec<&str> = own.split(' ').collect();
            let fresh = format!("new-{}", (at * 7919) % 10007);
            match at {
                0..1200 => {
                    truth.insert(id, fresh.clone());
                    new.push(Document::new(fresh, words.join("\n ")));
                }
                1200..1400 => {
                    truth.insert(id, fresh.clone());
                    let mut words = words.clone();
                    words[0] = "edited";
                    new.push(Document::new(fresh, words.join(" ")));
                }
                1400..1550 => {
                    let (head, tail) = words.split_at(words.len() / 2);
                    new.push(Document::new(format!("{fresh}a"), head.join(" ")));
                    new.push(Document::new(format!("{fresh}b"), tail.join(" ")));
                }
                1550..1700 => {}
                1700..1800 => {
                    new.push(Document::new(format!("{fresh}a"), own.as_str()));
                    new.push(Document::new(format!("{fresh}b"), own.as_str()));
                }
                _ if at % 2 == 0 => {
                    truth.insert(id, fresh.clone());
                    new.push(Document::new(fresh, own.as_str()));
                }
                _ => {}
            }
        }
        let mut judged = Qrels::new();
        for at in 0..2000 {
            judged.insert(&format!("q{}", at % 50), &format!("old-{at}"), 1 + at % 2).unwrap();
        }
        let moved = reanchor(&Corpus::in_memory(old), &Corpus::in_memory(new), &judged).unwrap();
        let target = |fate: &Fate| match fate {
            Fate::Moved { to } | Fate::Edited { to, .. } => Some(to.clone()),
            _ => None,
        };
        let wrong: Vec<_> = moved
            .fates
            .iter()
            .filter(|(id, fate)| target(fate).is_some_and(|to| truth.get(*id) != Some(&to)))
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        let place = |id: &str| id[4..].parse::<usize>().unwrap();
        let found = |range: std::ops::Range<usize>| {
            moved
                .fates
                .iter()
                .filter(|(id, fate)| range.contains(&place(id)) && target(fate).is_some())
                .count()
        };
        assert_eq!(found(0..1200), 1200, "unchanged passages");
        assert_eq!(found(1200..1400), 200, "edited ones");
        let kinds = |range: std::ops::Range<usize>, is: fn(&Fate) -> bool| {
            moved.fates.iter().filter(|(id, fate)| range.contains(&place(id)) && is(fate)).count()
        };
        assert_eq!(kinds(1400..1550, |fate| matches!(fate, Fate::Split { into } if into.len() == 2)), 150);
        assert_eq!(kinds(1550..1700, |fate| *fate == Fate::Gone), 150);
        assert_eq!(kinds(1700..1800, |fate| matches!(fate, Fate::Ambiguous { .. })), 100);
        assert_eq!(found(1800..2000), 100, "the templates that are there");
        assert_eq!(
            kinds(1800..2000, |fate| matches!(fate, Fate::Ambiguous { .. })),
            100,
            "and those that are not"
        );
        // Nothing is lost without being counted.
        let lost: usize = moved.lost.values().sum();
        assert_eq!((moved.judgments, moved.qrels.len() + lost), (2000, 2000));
        for (query, judgments) in moved.qrels.iter() {
            for (id, grade) in judgments.iter() {
                let from = truth.iter().find(|(_, to)| *to == id).unwrap().0;
                assert_eq!(judged.grade(query, from), Some(grade));
            }
        }
        let text = moved.text();
        assert!(
            text.starts_with("1500 of 2000 judgments moved; 1500 of 2000 judged documents found\n"),
            "{text}"
        );
    }

    /// A document has a grade for each subtopic of its query, and two old documents that are one now have to agree on each.
    #[test]
    fn judgments_by_subtopic_are_moved_one_by_one() {
        let corpus = |documents: &[(&str, &str)]| {
            Corpus::in_memory(
                documents.iter().map(|(id, text)| Document::new(*id, *text)).collect::<Vec<_>>(),
            )
        };
        let old = corpus(&[("o1", "x y"), ("o2", "x  y"), ("o3", "other")]);
        let new = corpus(&[("n1", "x y"), ("n3", "other")]);
        let moved =
            |text: &str| reanchor(&old, &new, &Qrels::parse("a.qrels", text.as_bytes()).unwrap()).unwrap();
        let rows = |moved: &Reanchored| -> Vec<(String, String, i32)> {
            let each = moved.qrels.by_subtopic();
            each.map(|(_, id, subtopic, grade)| (id.to_owned(), subtopic.to_owned(), grade)).collect()
        };
        let one = moved("q1 1 o1 1\nq1 2 o1 2\nq1 1 o3 1\n");
        let row = |id: &str, subtopic: &str, grade| (id.to_owned(), subtopic.to_owned(), grade);
        assert_eq!(rows(&one), [row("n1", "1", 1), row("n1", "2", 2), row("n3", "1", 1)]);
        assert_eq!((one.judgments, one.is_complete(), one.qrels.grade("q1", "n1")), (3, true, Some(2)));
        // Other subtopics are no contradiction, another grade for the same subtopic is one.
        let both = moved("q1 1 o1 1\nq1 2 o2 2\nq1 1 o2 1\n");
        assert_eq!((rows(&both), both.is_complete()), (vec![row("n1", "1", 1), row("n1", "2", 2)], true));
        let differ = moved("q1 1 o1 1\nq1 1 o2 2\nq1 2 o3 1\nq1 1 o3 0\n");
        assert_eq!((rows(&differ), differ.lost["q1"]), (vec![row("n3", "1", 0), row("n3", "2", 1)], 2));
    }

    #[test]
    fn what_cannot_be_told_apart_is_left_out_and_named() {
        let corpus = |documents: &[(&str, &str)]| {
            Corpus::in_memory(
                documents.iter().map(|(id, text)| Document::new(*id, *text)).collect::<Vec<_>>(),
            )
        };
        let judged = |judgments: &[(&str, &str, i32)]| {
            let mut qrels = Qrels::new();
            judgments.iter().for_each(|(query, id, grade)| qrels.insert(query, id, *grade).unwrap());
            qrels
        };
        // Two old texts are one now, with two grades of one query.
        let old = corpus(&[("a", "x y"), ("b", "x  y"), ("c", "other")]);
        let grades = judged(&[("q1", "a", 1), ("q1", "b", 2), ("q2", "c", 1)]);
        let moved = reanchor(&old, &corpus(&[("n", "x y"), ("c", "other")]), &grades).unwrap();
        assert_eq!(moved.fates["a"], Fate::Ambiguous { among: vec!["n".to_owned()] });
        assert_eq!((moved.qrels.len(), moved.lost["q1"], moved.is_complete()), (1, 2, false));
        assert_eq!(
            moved.text(),
            "1 of 3 judgments moved; 1 of 3 judged documents found\n\nambiguous, left out: 2\n  `a` -> `n`\n  `b` -> \
             `n`\n\n1 query has fewer judgments: `q1` (-2)\n"
        );
        let json = serde_json::to_string(&moved.report()).unwrap();
        assert_eq!(
            json,
            r#"{"schema":1,"judgments":3,"moved":1,"documents":{"a":{"ambiguous":{"among":["n"]}},"b":{"ambiguous":{"among":["n"]}},"c":{"moved":{"to":"c"}}},"lost":{"q1":2}}"#
        );
        // The same grade is one judgment.
        let same = judged(&[("q1", "a", 1), ("q1", "b", 1)]);
        let moved = reanchor(&old, &corpus(&[("n", "x y")]), &same).unwrap();
        assert_eq!((moved.qrels.len(), moved.is_complete()), (1, true));
        // Of several copies the one that has the id still is meant.
        let kept =
            reanchor(&old, &corpus(&[("c", "other"), ("d", "other")]), &judged(&[("q2", "c", 1)])).unwrap();
        assert_eq!(kept.fates["c"], Fate::Moved { to: "c".to_owned() });
        let missing = reanchor(&old, &old, &judged(&[("q1", "z", 1)])).unwrap_err().to_string();
        assert_eq!(
            missing,
            "`z` is judged, and the old documents do not have it: name those that were judged, or take its judgments out"
        );
    }
}
