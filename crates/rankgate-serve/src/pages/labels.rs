//! Documents that people grade, one after the other, and how far they agree.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use rankgate::benchmark::model::Verdict;
use rankgate::service::in_address;
use rankgate::stats::{Agreement, Coefficient, Confidence};
use rankgate_history::report::site::{Block, Cell, Field, Form, Grading, Table, page};
use serde::Deserialize;

use super::forms::{FormData, proof};
use super::{
    Fault, PagePath, PageQuery, PageResult, Served, Visitor, below, counted, go, project_path, query,
};
use crate::access::Caller;
use crate::api::labels::{HIGHEST, List, list, store_grade};
use crate::app::App;
use crate::compute::{computing, computing_read};
use crate::names::checked_who;
use crate::problem::{Answer, Problem};
use crate::records::Right;

/// Documents on which people do not agree that are listed.
const LISTED: usize = 100;
/// Characters of a text.
const TEXT: usize = 80;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LabelQuery {
    who: Option<String>,
    /// The document's place, from 1 on: by default the first that is left.
    at: Option<usize>,
}

pub(crate) async fn get(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath((project, name)): PagePath<(String, String)>,
    PageQuery(asked): PageQuery<LabelQuery>,
) -> PageResult {
    let served = computing_read(&app, caller.key(), move |app| {
        let (_, list) = list(app, &caller, &project, &name)?;
        let mut frame = below(&caller, &project, &name);
        let who = asked.who.as_deref().map(str::trim).filter(|who| !who.is_empty());
        let blocks = match who {
            None => overview(&caller, (&project, &name), &list)?,
            Some(who) => {
                caller.may(&project, Right::Grade)?;
                let who = own_name(&caller, who)?;
                frame.above.push((name.clone(), at(&project, &name, None, None)));
                frame.here = who.to_owned();
                one(&caller, (&project, &name), &list, who, asked.at)
            }
        };
        Ok(Served::from(page(&frame, "Documents to grade", &blocks)))
    });
    Ok(served.await?)
}

/// The message where a token names no person.
const NAMELESS: &str = "Grades are of somebody: this token was made without a name. `rankgate-serve token add --name NAME` makes one \
                        with it.";

/// The name under which a caller grades: their own, independent of the form.
fn own_name<'a>(caller: &'a Caller, sent: &'a str) -> Answer<&'a str> {
    match caller.name() {
        None => checked_who(sent),
        Some("") => Err(Problem::new(StatusCode::FORBIDDEN, NAMELESS)),
        Some(own) if own == sent => checked_who(own),
        Some(own) => {
            let detail = format!("{sent:?} is not who you are: your token is that of {own:?}");
            Err(Problem::new(StatusCode::FORBIDDEN, detail))
        }
    }
}

/// The address of a list, for somebody, at a document.
fn at(project: &str, name: &str, who: Option<&str>, place: Option<usize>) -> String {
    let place = place.map(|place| (place + 1).to_string());
    project_path(project, &format!("/labels/{name}{}", query(&[("who", who), ("at", place.as_deref())])))
}

/// How far people are, and how far they agree.
fn overview<'a>(caller: &Caller, (project, name): (&str, &str), list: &List) -> Answer<Vec<Block<'a>>> {
    let number = list.pairs.len();
    let mut blocks = vec![Block::Text(format!(
        "{}. Nothing here says which configuration returned a document, or what a model made of it.",
        counted(number, "document to grade", "documents to grade")
    ))];
    if caller.may(project, Right::Grade).is_ok() {
        // Whoever signed in grades under the name of their token.
        let who = match caller.name() {
            None => Some(Field::Line("who", "Your name".to_owned(), false)),
            Some("") => None,
            Some(own) => Some(Field::Hidden("who", own.to_owned())),
        };
        blocks.push(match who {
            Some(who) => Block::Form(Form {
                action: project_path(project, &format!("/labels/{name}")),
                post: false,
                fields: vec![who],
                button: "Grade".to_owned(),
            }),
            None => Block::Text(NAMELESS.to_owned()),
        });
    }
    if list.said.is_empty() {
        return Ok(blocks);
    }
    let row = |(who, said): (&String, &BTreeMap<usize, _>)| {
        let file = format!("/v1/projects/{project}/labels/{name}/grades?who={}", in_address(who));
        vec![
            Cell::link(who, at(project, name, Some(who), None)),
            format!("{} of {number}", said.len()).into(),
            Cell::link("grades.jsonl", file),
        ]
    };
    blocks.push(Block::Heading("People".to_owned()));
    blocks.push(Block::Table(Table {
        name: "People".to_owned(),
        titles: vec!["who", "graded", "file for rankgate sample --merge"],
        right: vec![1],
        rows: list.said.iter().map(row).collect(),
    }));
    let people: Vec<(&String, &BTreeMap<usize, _>)> = list.said.iter().collect();
    let (mut rows, mut differing) = (Vec::new(), BTreeSet::new());
    for (first, (who, said)) in people.iter().enumerate() {
        for (other, others) in &people[first + 1..] {
            let both = said.iter().filter_map(|(place, grade)| {
                let [one, two] = [grade.grade, others.get(place)?.grade]
                    .map(|grade| grade.and_then(|grade| u8::try_from(grade).ok()));
                Some((*place, one, two))
            });
            let both: Vec<(usize, Option<u8>, Option<u8>)> = both.collect();
            differing.extend(both.iter().filter(|(_, one, two)| one != two).map(|(place, ..)| *place));
            // How far they agree is known where both can tell.
            let graded: Vec<_> = both
                .iter()
                .filter_map(|(place, one, two)| Some((&list.pairs[*place].query, (*one)?, (*two)?)))
                .collect();
            let number = graded.len();
            let Ok(agreement) = Agreement::new(graded, HIGHEST) else { continue };
            let shown = |which| {
                let agreed = agreement.coefficient(which, Confidence::default());
                agreed.map_or_else(|| "none".to_owned(), |one| format!("{:.2}", one.value))
            };
            rows.push(vec![
                format!("{who}, {other}").into(),
                number.to_string().into(),
                (both.len() - number).to_string().into(),
                shown(Coefficient::Exact).into(),
                shown(Coefficient::QuadraticKappa).into(),
                shown(Coefficient::Ac2).into(),
            ]);
        }
    }
    if !rows.is_empty() {
        blocks.push(Block::Heading("Agreement".to_owned()));
        blocks.push(Block::Table(Table {
            name: "Agreement".to_owned(),
            titles: vec!["people", "both graded", "one cannot tell", "equal", "quadratic kappa", "AC2"],
            right: vec![1, 2, 3, 4, 5],
            rows,
        }));
    }
    if !differing.is_empty() {
        blocks.push(Block::Heading("Not agreed on".to_owned()));
        blocks.push(Block::Table(differences(list, &differing)));
    }
    Ok(blocks)
}

fn differences(list: &List, places: &BTreeSet<usize>) -> Table {
    let row = |place: &usize| {
        let pair = &list.pairs[*place];
        let said = list.said.iter().filter_map(|(who, said)| {
            let grade = said.get(place)?.grade;
            Some(format!(
                "{who} {}",
                grade.map_or_else(|| "cannot tell".to_owned(), |grade| grade.to_string())
            ))
        });
        let text: String = pair.query_text.chars().take(TEXT).collect();
        vec![
            Cell::from(format!("{}, {}", pair.query, pair.document)),
            text.into(),
            said.collect::<Vec<_>>().join(", ").into(),
        ]
    };
    Table {
        name: "Not agreed on".to_owned(),
        titles: vec!["document", "asked", "grades"],
        right: Vec::new(),
        rows: places.iter().take(LISTED).map(row).collect(),
    }
}

/// One document for somebody.
fn one<'a>(
    caller: &Caller,
    (project, name): (&str, &str),
    list: &List,
    who: &str,
    asked: Option<usize>,
) -> Vec<Block<'a>> {
    let number = list.pairs.len();
    let said = list.said.get(who);
    let done = said.map_or(0, BTreeMap::len);
    let place = asked.map(|at| at.clamp(1, number) - 1).or_else(|| list.next(who, 0));
    let state = format!("{done} of {number} graded");
    // What is not done yet is no failure.
    let state =
        if done == number { Block::States(vec![(Verdict::Passed, state)]) } else { Block::Text(state) };
    let Some(place) = place else {
        let file = format!("/v1/projects/{project}/labels/{name}/grades?who={}", in_address(who));
        let rows = vec![
            vec![Cell::link("grades.jsonl", file), "for rankgate sample --merge".into()],
            vec![
                Cell::link("From the beginning", at(project, name, Some(who), Some(0))),
                "to look at them again".into(),
            ],
        ];
        let table = Table {
            name: "What now".to_owned(),
            titles: vec!["all are graded", "what for"],
            right: Vec::new(),
            rows,
        };
        return vec![state, Block::Table(table)];
    };
    let pair = &list.pairs[place];
    let step = |to: Option<usize>| to.map(|to| at(project, name, Some(who), Some(to)));
    let grading = Grading {
        action: project_path(project, &format!("/labels/{name}")),
        fields: vec![
            proof(Some(caller)),
            Field::Hidden("who", who.to_owned()),
            Field::Hidden("at", (place + 1).to_string()),
            // A browser makes other line breaks of those that an id may have; of these characters it makes no others.
            Field::Hidden("query", in_address(&pair.query)),
            Field::Hidden("document", in_address(&pair.document)),
        ],
        asked: if pair.query_text.is_empty() { pair.query.clone() } else { pair.query_text.clone() },
        document: pair.document_text.clone(),
        chosen: said.and_then(|said| said.get(&place)).map(|grade| grade.grade),
        back: step(place.checked_sub(1)),
        on: step(Some(place + 1).filter(|next| *next < number)),
    };
    vec![state, Block::Grading(grading)]
}

/// Keeps a grade, and goes on with the next document.
pub(crate) async fn post(
    State(app): State<App>,
    Visitor(caller): Visitor,
    PagePath((project, name)): PagePath<(String, String)>,
    request: Request,
) -> Result<Response, Fault> {
    caller.may(&project, Right::Grade)?;
    let sent = FormData::receive(request, &app, Some(&caller)).await?;
    let to = computing(&app, caller.key(), move |app| {
        let (id, list) = list(app, &caller, &project, &name)?;
        let who = own_name(&caller, sent.get("who").unwrap_or_default().trim())?;
        let is_own = |pair: &rankgate::report::LabelPair| {
            Some(&*in_address(&pair.query)) == sent.get("query")
                && Some(&*in_address(&pair.document)) == sent.get("document")
        };
        // The list may be another one by now: the document is known by its names.
        let place = list.pairs.iter().position(is_own).unwrap_or(usize::MAX);
        let grade = match sent.get("grade") {
            Some("") => None,
            Some(text) => Some(
                text.parse()
                    .ok()
                    .filter(|grade| *grade <= HIGHEST)
                    .ok_or_else(|| Problem::at("/grade", format!("{text:?} is no grade: 0 to {HIGHEST}")))?,
            ),
            None => return Err(Problem::at("/grade", "there is none")),
        };
        store_grade(app, (id, &name), (&list, place), (&caller, who), grade)?;
        let (_, list) = self::list(app, &caller, &project, &name)?;
        Ok(at(&project, &name, Some(who), list.next(who, place + 1)))
    });
    Ok(go(&to.await?)?)
}
