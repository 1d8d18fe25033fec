//! `rankgate run --list`: the gates of specs by their names, for programs that run them one by one.

use std::path::Path;

use rankgate::BoxError;
use rankgate::benchmark::Registry;
use rankgate::gate::Level;
use rankgate::standalone::{Opened, Refusal, Standalone, Subject};
use serde_json::{Value as Json, json};

use crate::exit::Exit;
use crate::results::{Format, Results};
use crate::selection::{Selection, retrievers};
use crate::terminal::Terminal;

/// Prints them; no retriever runs.
pub(crate) fn list(
    selection: &Selection,
    registry: &Registry,
    format: Format,
    terminal: &Terminal,
) -> Result<Exit, BoxError> {
    let mut results = Results::new(terminal, Format::Text);
    let standalone = |_: &Path| Standalone::new().registry(registry.clone());
    let all = selection.open(&mut results, standalone);
    if let Some(text) = selection.unmatched(&all) {
        return Err(format!(
            "no gate has `{text}` in its name; `rankgate run --list` without --filter shows their names"
        )
        .into());
    }
    for Opened { file, subject } in all {
        match subject {
            Ok(subject) => match format {
                Format::Json => terminal.json(&(line(&file, &subject, selection).to_string() + "\n"))?,
                Format::Text | Format::Markdown => terminal.result(&names(&subject, selection))?,
            },
            Err(refusal) => {
                let message = match refusal {
                    Refusal::Broken(error) => {
                        results.add_broken(&file, &error);
                        error.to_string()
                    }
                    Refusal::Twin(other) => results.add_twin(&file, &other),
                };
                if let Format::Json = format {
                    terminal.json(&(json!({"spec": file, "error": message}).to_string() + "\n"))?;
                }
            }
        }
    }
    Ok(results.end_without_verdicts())
}

fn names(subject: &Subject, selection: &Selection) -> String {
    let gates = subject.gates().iter().filter(|gate| selection.names(gate));
    gates.map(|gate| format!("{}\n", gate.name)).collect()
}

fn line(file: &Path, subject: &Subject, selection: &Selection) -> Json {
    let gates = subject.gates().iter().filter(|gate| selection.names(gate)).map(|gate| {
        json!({
            "name": gate.name,
            "line": gate.line,
            "advisory": gate.level == Level::Advisory,
        })
    });
    json!({
        "spec": file,
        "kind": subject.kind(),
        "name": subject.name(),
        "retrievers": retrievers(subject),
        "gates": gates.collect::<Vec<_>>(),
    })
}
