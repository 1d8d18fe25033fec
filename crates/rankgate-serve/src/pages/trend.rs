//! What became of a benchmark: its trend, alarms with suspects, references, commits.

use axum::extract::State;
use rankgate::report::site::{Block, Field, Form, page};

use super::projects::branches;
use super::{Served, Shown, Visitor, alarms, below, hidden, of, query};
use crate::api::{At, With, trends};
use crate::server::{App, computing};
use crate::told::Asked;

pub(crate) async fn get(
    State(app): State<App>,
    Visitor(caller): Visitor,
    At(name): At<String>,
    With(asked): With<Asked>,
) -> Shown {
    let served = computing(&app, move |app| {
        let told = trends::all(app, &caller, &name, &asked)?;
        let branches = branches(app, &caller, &name)?;
        let title = match (&asked.benchmark, &asked.configuration) {
            (Some(benchmark), Some(configuration)) => format!("{benchmark}, {configuration}"),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => "Trends".to_owned(),
        };
        let frame = below(&caller, &name, &title);
        let forms: Vec<_> =
            told.histories.iter().map(|one| alarms::form(&caller, &name, one, &asked, "trend")).collect();
        let mut blocks = Vec::new();
        for (one, form) in told.histories.iter().zip(&forms) {
            if told.histories.len() > 1 {
                blocks.push(Block::Heading(format!("{}, {}", one.benchmark, one.configuration)));
            }
            blocks.push(Block::History(one, form));
        }
        for refused in &told.refused {
            blocks.push(Block::Text(format!("Not placed: {}: {}", refused.what, refused.why)));
        }
        if blocks.is_empty() {
            blocks.push(Block::Text("Nothing was measured on this branch.".to_owned()));
        }
        if branches.len() > 1 {
            let own = asked.branch.clone().unwrap_or_default();
            let usual = ("main", "master");
            let chosen = if own.is_empty() {
                [usual.0, usual.1].into_iter().find(|name| branches.iter().any(|one| one == name))
            } else {
                Some(own.as_str())
            };
            let chosen = chosen.unwrap_or(&branches[0]).to_owned();
            let options = branches.into_iter().map(|name| (name.clone(), name)).collect();
            let kept = [("benchmark", &asked.benchmark), ("configuration", &asked.configuration)];
            let mut fields: Vec<Field> =
                kept.into_iter().filter_map(|(name, value)| hidden(name, value.as_deref())).collect();
            fields.push(Field::Choice("branch", "Branch".to_owned(), options, chosen));
            let action = of(&name, "/trend");
            blocks.push(Block::Form(Form { action, post: false, fields, button: "Show".to_owned() }));
        }
        Ok(Served::from(page(&frame, "Quality over commits", &blocks)))
    });
    Ok(served.await?)
}

/// What is asked for, behind the question mark.
pub(super) fn behind(asked: &Asked) -> String {
    query(&[
        ("benchmark", asked.benchmark.as_deref()),
        ("configuration", asked.configuration.as_deref()),
        ("branch", asked.branch.as_deref()),
        ("base", asked.base.as_deref()),
    ])
}
