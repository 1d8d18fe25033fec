//! `rankgate documents`: what there is to index.

use std::path::{Path, PathBuf};

use clap::Args;
use rankgate::{BoxError, Collection, Document, Query};
use serde_json::{Value as Json, json};

use crate::beir;
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
    /// The spec; with --queries also a folder in the layout of BEIR
    spec: PathBuf,

    /// Print the judged queries with their judgments in place of the documents
    #[arg(long)]
    queries: bool,
}

/// Bytes that are written together.
const TOGETHER: usize = 64 << 10;

impl Documents {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        if self.queries {
            return terminal.json(&queries(&collection(&self.spec)?)).map(|()| Exit::Passed);
        }
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

fn collection(path: &Path) -> Result<Collection, BoxError> {
    if !path.join("qrels").is_dir() {
        return Ok(specs::open(path)?.collection()?.clone());
    }
    Ok(Collection::beir(path, &beir::split(&beir::judgments(path)?))?)
}

fn queries(collection: &Collection) -> String {
    let line = |query: &Query| {
        let judged = collection.judgments(&query.id).into_iter().flat_map(|judged| judged.iter());
        let judged: serde_json::Map<_, _> = judged.map(|(id, grade)| (id.to_owned(), grade.into())).collect();
        let metadata: serde_json::Map<_, _> = query.metadata.clone().into_iter().collect();
        json!({"_id": query.id, "text": query.text, "metadata": metadata, "judgments": judged}).to_string()
            + "\n"
    };
    collection.queries().iter().map(line).collect()
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
