//! Documents that people grade, and what they said: lists as `rankgate sample` prints them, grades as `--merge` takes them.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use rankgate::report::{LabelPair, label_order};
use serde::{Deserialize, Serialize};

use super::{PathParams, QueryParams, json_of, project, sent_to};
use crate::access::Caller;
use crate::app::App;
use crate::audit;
use crate::column::{from_json, to_json};
use crate::compute::{computing_body, computing_read};
use crate::names::{checked_name, checked_text, checked_who};
use crate::problem::{Answer, Problem};
use crate::records;
use crate::store::{Row, Session, Stored};
use crate::trail;

/// Documents of a list.
const MOST: usize = 20_000;
/// The highest grade.
pub(crate) const HIGHEST: u8 = 3;
/// What orders the documents of a list: the same for all people.
const SEED: u64 = 1;

#[derive(Serialize)]
struct StoredList {
    name: String,
    pairs: usize,
    /// Whether there was none of its name.
    new: bool,
}

/// Keeps a list, in place of the one before; grades of texts that are the same stay.
pub(crate) async fn put(
    State(app): State<App>,
    caller: Caller,
    PathParams((project, name)): PathParams<(String, String)>,
    request: Request,
) -> Answer<Response> {
    checked_name("list", &name)?;
    let body = sent_to(&app, &caller, &project, request).await?;
    let kept = computing_body(&app, caller.key(), body, move |app, body| {
        let mut pairs = read(&body.into_decoded()?)?;
        label_order(&mut pairs, SEED);
        let (number, now, text, actor) = (pairs.len(), app.now(), to_json(&pairs), caller.actor());
        app.store
            .write(move |session| {
                let id = records::project_or_new(session, &project, now)?;
                let of = [id.into(), (&name).into()];
                let new = session.one("SELECT 1 FROM label WHERE project = $1 AND name = $2", &of)?.is_none();
                let sql = "INSERT INTO label (project, name, pairs) VALUES ($1, $2, $3) \
                       ON CONFLICT (project, name) DO UPDATE SET pairs = excluded.pairs";
                let about = trail::label(&name, &text);
                session.execute(sql, &[&of[..], &[text.into()]].concat())?;
                audit::add(session, (id, now), &actor, "label", &about)?;
                Ok(StoredList { name, pairs: number, new })
            })
            .map_err(Problem::from)
    });
    let kept = kept.await?;
    json_of(if kept.new { StatusCode::CREATED } else { StatusCode::OK }, &kept)
}

/// The documents of a list, as JSON lines.
pub(crate) fn read(body: &[u8]) -> Answer<Vec<LabelPair>> {
    let (mut pairs, mut seen) = (Vec::new(), BTreeSet::new());
    for (number, line) in (1..).zip(body.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let at = |problem: Problem| problem.for_name(&format!("line {number}"));
        let pair: LabelPair = serde_json::from_slice(line).map_err(|error| at(Problem::json(&error)))?;
        for text in [&pair.query, &pair.query_text, &pair.document, &pair.document_text] {
            checked_text("", text, usize::MAX).map_err(at)?;
        }
        if !seen.insert((pair.query.clone(), pair.document.clone())) {
            let detail = format!("document {:?} of query {:?} comes twice", pair.document, pair.query);
            return Err(at(Problem::invalid(detail)));
        }
        pairs.push(pair);
    }
    match pairs.len() {
        1..=MOST => Ok(pairs),
        number => Err(Problem::invalid(format!("{number} documents: 1 to {MOST} make a list"))),
    }
}

/// What somebody said of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Grade {
    document: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    document_sha256: Option<String>,
    /// None where they cannot tell.
    pub(crate) grade: Option<i64>,
    query: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    query_sha256: Option<String>,
    who: String,
}

/// A list, and what was said of its documents: by person, by the document's place.
pub(crate) struct List {
    pub(crate) pairs: Vec<LabelPair>,
    pub(crate) said: BTreeMap<String, BTreeMap<usize, Grade>>,
}

/// The lists of a project, by name.
pub(crate) fn names(session: &mut dyn Session, project: i64) -> Stored<Vec<String>> {
    let rows = session.query("SELECT name FROM label WHERE project = $1", &[project.into()])?;
    let mut names: Vec<String> = rows.iter().map(|row| row.text(0).to_owned()).collect();
    names.sort_unstable();
    Ok(names)
}

impl List {
    pub(crate) fn load(session: &mut dyn Session, project: i64, name: &str) -> Stored<Option<Self>> {
        let of = [project.into(), name.into()];
        let row = session.one("SELECT pairs FROM label WHERE project = $1 AND name = $2", &of)?;
        let Some(pairs) = row.map(|row| from_json::<Vec<LabelPair>>(row.text(0))).transpose()? else {
            return Ok(None);
        };
        let sql = "SELECT who, query, document, grade, query_sha256, document_sha256 FROM grade \
                   WHERE project = $1 AND name = $2";
        let rows = session.query(sql, &of)?;
        let places: BTreeMap<(&str, &str), usize> = pairs
            .iter()
            .enumerate()
            .map(|(place, pair)| ((pair.query.as_str(), pair.document.as_str()), place))
            .collect();
        let mut said: BTreeMap<String, BTreeMap<usize, Grade>> = BTreeMap::new();
        for row in &rows {
            let Some(place) = places.get(&(row.text(1), row.text(2))).copied() else { continue };
            let grade = grade_of(row);
            // What was said of another text is not said of this one.
            let pair = &pairs[place];
            if grade.query_sha256 == pair.query_sha256 && grade.document_sha256 == pair.document_sha256 {
                said.entry(grade.who.clone()).or_default().insert(place, grade);
            }
        }
        Ok(Some(Self { pairs, said }))
    }

    /// What somebody said, in the order of queries and documents.
    fn by(&self, who: &str) -> Vec<&Grade> {
        let mut all: Vec<&Grade> = self.said.get(who).into_iter().flat_map(BTreeMap::values).collect();
        all.sort_by_key(|grade| (&grade.query, &grade.document));
        all
    }

    /// The first document from a place on, then from the beginning, that somebody has not graded.
    pub(crate) fn next(&self, who: &str, from: usize) -> Option<usize> {
        let is_open = |place: &usize| self.said.get(who).is_none_or(|said| !said.contains_key(place));
        (from..self.pairs.len()).chain(0..from.min(self.pairs.len())).find(is_open)
    }
}

fn grade_of(row: &Row) -> Grade {
    let some = |column: usize| row.has(column).then(|| row.text(column).to_owned());
    Grade {
        document: row.text(2).to_owned(),
        document_sha256: some(5),
        grade: row.has(3).then(|| row.int(3)),
        query: row.text(1).to_owned(),
        query_sha256: some(4),
        who: row.text(0).to_owned(),
    }
}

/// A list of a project, if the caller may read it.
pub(crate) fn list(app: &App, caller: &Caller, of: &str, name: &str) -> Answer<(i64, List)> {
    let own = project(app, caller, of)?;
    let found = app.store.read(|session| List::load(session, own.id, name))?;
    let list = found.ok_or_else(|| Problem::missing(format!("there is no list {name} in this project")))?;
    Ok((own.id, list))
}

/// Keeps what somebody said of the document at a place.
pub(crate) fn store_grade(
    app: &App,
    (project, name): (i64, &str),
    (list, place): (&List, usize),
    (caller, who): (&Caller, &str),
    grade: Option<u8>,
) -> Answer<()> {
    let gone = || Problem::new(StatusCode::CONFLICT, "this document is not in the list any more");
    let pair = list.pairs.get(place).ok_or_else(gone)?;
    let who = checked_who(who)?;
    let grade = grade.map(i64::from);
    let values = [
        project.into(),
        name.into(),
        who.into(),
        (&pair.query).into(),
        (&pair.document).into(),
        grade.into(),
        pair.query_sha256.as_ref().into(),
        pair.document_sha256.as_ref().into(),
    ];
    let about = trail::grade([name, &pair.query, &pair.document, who], grade);
    let (now, actor) = (app.now(), caller.actor());
    Ok(app.store.write(move |session| {
        audit::add(session, (project, now), &actor, "grade", &about)?;
        let sql = "INSERT INTO grade (project, name, who, query, document, grade, query_sha256, document_sha256) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (project, name, who, query, document) \
                   DO UPDATE SET grade = excluded.grade, query_sha256 = excluded.query_sha256, \
                   document_sha256 = excluded.document_sha256";
        session.execute(sql, &values).map(drop)
    })?)
}

#[derive(Serialize)]
struct Lists {
    labels: Vec<Progress>,
}

#[derive(Serialize)]
struct Progress {
    name: String,
    pairs: usize,
    people: Vec<Person>,
}

#[derive(Serialize)]
struct Person {
    who: String,
    graded: usize,
}

/// The lists of a project, and how far people are.
pub(crate) async fn lists(
    State(app): State<App>,
    caller: Caller,
    PathParams(of): PathParams<String>,
) -> Answer<Response> {
    let labels = computing_read(&app, caller.key(), move |app| {
        let own = project(app, &caller, &of)?;
        let progress = |(name, list): (String, List)| Progress {
            name,
            pairs: list.pairs.len(),
            people: list
                .said
                .iter()
                .map(|(who, said)| Person { who: who.clone(), graded: said.len() })
                .collect(),
        };
        // One after the other: each may be large.
        let all = app.store.read(|session| {
            let names = names(session, own.id)?;
            let list =
                |name: String| Ok(List::load(session, own.id, &name)?.map(|list| progress((name, list))));
            names.into_iter().map(list).collect::<Stored<Vec<_>>>()
        })?;
        Ok(Lists { labels: all.into_iter().flatten().collect() })
    });
    json_of(StatusCode::OK, &labels.await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraderQuery {
    who: String,
}

/// What somebody said, as JSON lines that `rankgate sample --merge` takes.
pub(crate) async fn grades(
    State(app): State<App>,
    caller: Caller,
    PathParams((of, name)): PathParams<(String, String)>,
    QueryParams(GraderQuery { who }): QueryParams<GraderQuery>,
) -> Answer<Response> {
    let lines = computing_read(&app, caller.key(), move |app| {
        let (_, list) = list(app, &caller, &of, &name)?;
        Ok(list.by(&who).into_iter().map(|grade| to_json(grade) + "\n").collect::<String>())
    });
    let headers = [
        (header::CONTENT_TYPE, "application/jsonl"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"grades.jsonl\""),
    ];
    Ok((StatusCode::OK, headers, Bytes::from(lines.await?)).into_response())
}
