//! `rankgate documents`: what there is to index.

use std::path::PathBuf;

use clap::Args;
use rankgate::{BoxError, Document};
use serde_json::Value as Json;

use crate::exit::Exit;
use crate::specs;
use crate::terminal::Terminal;

/// Print the documents of a spec's collection as JSON lines
///
/// In the form of BEIR, for collections of any form: `_id`, `title` where there is one, `text`, and everything
/// else that the collection says of the document under `metadata`. For retrievers in other languages, which need not
/// know where documents come from. They are written while they are read.
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate documents benchmarks/helpdesk.yaml | head -3
  rankgate documents benchmarks/helpdesk.yaml | python3 index.py")]
pub(crate) struct Documents {
    /// The spec
    spec: PathBuf,
}

/// Bytes that are written together.
const TOGETHER: usize = 64 << 10;

impl Documents {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let benchmark = specs::open(&self.spec)?;
        let mut text = String::new();
        for document in benchmark.collection()?.corpus()?.documents()? {
            text += &line(document?);
            if text.len() >= TOGETHER {
                terminal.json(&text)?;
                text.clear();
            }
        }
        terminal.json(&text)?;
        Ok(Exit::Passed)
    }
}

fn line(document: Document) -> String {
    let mut fields = serde_json::Map::new();
    fields.insert("_id".to_owned(), document.id.into());
    fields.extend(document.title.map(|title| ("title".to_owned(), title.into())));
    fields.insert("text".to_owned(), document.text.into());
    if !document.metadata.is_empty() {
        fields.insert("metadata".to_owned(), document.metadata.into_iter().collect());
    }
    Json::Object(fields).to_string() + "\n"
}
