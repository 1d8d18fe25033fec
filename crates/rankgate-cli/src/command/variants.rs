//! `rankgate variants`: the texts that a spec's variants ask.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rankgate::BoxError;
use rankgate::benchmark::Benchmark;
use rankgate::report::plain;

use crate::exit::Exit;
use crate::specs;
use crate::terminal::Terminal;

/// Print what the variants of a spec ask in place of its queries
///
/// No configuration runs. Of each text its id, which is what retrievers see and what the run of a
/// `run:` configuration has to answer, and the text of its query.
#[derive(Args)]
#[command(after_help = "\
Examples:
  rankgate variants benchmarks/helpdesk.yaml
  rankgate variants benchmarks/helpdesk.yaml typos
  rankgate variants benchmarks/helpdesk.yaml typos --format jsonl > variants/typos.jsonl")]
pub(crate) struct Variants {
    /// The spec
    spec: PathBuf,

    /// Which variants [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people: the query, and its texts below
    #[default]
    Text,
    /// A line per text, to be edited and named as `{kind: file, queries: ...}`
    Jsonl,
}

impl Variants {
    pub(crate) fn run(self, terminal: &Terminal) -> Result<Exit, BoxError> {
        let benchmark = specs::open(&self.spec)?;
        let known: Vec<&str> = benchmark.spec().variants.iter().map(|one| one.name.as_str()).collect();
        if known.is_empty() {
            let spec = self.spec.display();
            return Err(format!(
                "{spec} has no `variants`: add some, as in `variants: {{typos: {{kind: typos}}}}`"
            )
            .into());
        }
        if let Some(unknown) = self.names.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("no variant is called `{unknown}`: there is {}", known.join(", ")).into());
        }
        let mut text = String::new();
        for name in known {
            if self.names.is_empty() || self.names.iter().any(|wanted| wanted == name) {
                text += &match self.format {
                    Format::Text => shown(&benchmark, name)?,
                    Format::Jsonl => lines(&benchmark, name)?,
                };
            }
        }
        match self.format {
            Format::Text => terminal.result(&text),
            Format::Jsonl => terminal.json(&text),
        }?;
        Ok(Exit::Passed)
    }
}

fn shown(benchmark: &Benchmark, name: &str) -> Result<String, BoxError> {
    let variant = benchmark.variant(name)?;
    let source =
        benchmark.spec().variants.iter().find(|one| one.name == name).map(|one| one.source.to_string());
    let left_out = match variant.left_out() {
        0 => String::new(),
        more => format!("; {} without one left out", queries(more)),
    };
    let mut text =
        format!("{name}: {}, {}{left_out}\n", plain(&source.unwrap_or_default()), queries(variant.queries()));
    let mut before = "";
    for (query, of) in variant.iter_queries() {
        if of != before {
            let original = benchmark.collection()?.query(of).map_or("", |query| query.text.as_str());
            text += &format!("  {}  {}\n", plain(of), plain(original));
            before = of;
        }
        text += &format!("    {}  {}\n", plain(&query.id), plain(&query.text));
    }
    Ok(text)
}

fn queries(count: usize) -> String {
    format!("{count} {}", if count == 1 { "query" } else { "queries" })
}

fn lines(benchmark: &Benchmark, name: &str) -> Result<String, BoxError> {
    let mut text = String::new();
    for (query, of) in benchmark.variant(name)?.iter_queries() {
        text += &serde_json::json!({"id": of, "asked-as": query.id, "text": query.text}).to_string();
        text.push('\n');
    }
    Ok(text)
}
