//! Where chunks lie: from their ids to passages.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use foldhash::fast::RandomState;
use serde_json::Value;

use super::JudgedPassages;
use crate::collection::line_format::LineFormat;
use crate::collection::{Document, Passage};
use crate::error::Quoted;
use crate::input::{Lines, Source};
use crate::passage::HitPlace;
use crate::{Error, Result};

/// Where the chunks of a retriever lie in the documents that spans are of.
#[derive(Clone, Debug)]
pub struct Chunks {
    passages: JudgedPassages,
    /// Passages of chunks by id, and the file that says so.
    listed: Option<(HashMap<String, Passage, RandomState>, String)>,
}

impl Chunks {
    /// Of hits that say themselves where they lie, or are documents.
    pub fn from_hits(passages: &JudgedPassages) -> Self {
        Self { passages: passages.clone(), listed: None }
    }

    /// Of a file of chunks, a corpus whose documents have `document`, `start` and `end` among their metadata. They may lack a
    /// text.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; a chunk without a place, or with another text than its place; an id that comes twice.
    pub fn read(passages: &JudgedPassages, path: &Path) -> Result<Self> {
        let mut listed: HashMap<String, Passage, RandomState> = HashMap::default();
        let mut input = Source::from(path).open()?;
        let format = LineFormat::detect(&mut input)?;
        let mut lines = Lines::new(input);
        while let Some(line) = format.next(&mut lines)? {
            let chunk = format.chunk(line)?;
            let fail = |message: String| {
                Error::in_line(path, line.number, format!("chunk {}: {message}", Quoted(&chunk.id)))
            };
            let passage = passages.place(&chunk).map_err(|error| fail(error.to_string()))?;
            passages.check_chunk(&passage, &chunk.text).map_err(|error| fail(error.to_string()))?;
            if listed.insert(chunk.id.clone(), passage).is_some() {
                return Err(fail("its id comes twice".to_owned()));
            }
        }
        if listed.is_empty() {
            return Err(Error::in_file(path, "there are no chunks"));
        }
        Ok(Self { passages: passages.clone(), listed: Some((listed, path.display().to_string())) })
    }

    /// The passage that an id says.
    ///
    /// # Errors
    ///
    /// An id that says none.
    pub fn passage(&self, id: &str) -> Result<Passage> {
        let named = HitPlace::parse(id).map_or(id, |place| place.id);
        if let Some(passage) = self.listed.as_ref().and_then(|(listed, _)| listed.get(named)) {
            return Ok(passage.clone());
        }
        self.passages.passage(id).map_err(|error| match &self.listed {
            Some((_, name)) => Error::invalid(format!("{error}, nor is it a chunk of {name}")),
            None => Error::invalid(format!(
                "{error}; `parents: {{file: FILE}}`, without a spec `--chunks FILE`, says where chunks lie"
            )),
        })
    }

    /// The places of hits that stay, with the ids of their passages: of several hits in one place the first stays.
    ///
    /// # Errors
    ///
    /// An id that says no passage, and one that comes twice.
    pub fn locate(&self, ids: &[&str]) -> Result<Vec<(usize, String)>> {
        let (mut known, mut places) = (HashSet::with_capacity(ids.len()), HashSet::with_capacity(ids.len()));
        let mut located = Vec::with_capacity(ids.len());
        for (at, id) in ids.iter().enumerate() {
            if !known.insert(*id) {
                return Err(Error::invalid(format!("chunk {} comes twice", Quoted(id))));
            }
            let of_hit = |error| Error::invalid(format!("hit {}: {error}", at + 1));
            let passage = self.passage(id).map_err(of_hit)?.to_string();
            if places.insert(passage.clone()) {
                located.push((at, passage));
            }
        }
        Ok(located)
    }
}

impl JudgedPassages {
    /// The place of a chunk, by its metadata.
    fn place(&self, chunk: &Document) -> Result<Passage> {
        let of = |key: &str| {
            let missing = || {
                Error::invalid(format!("it has no `{key}`: a chunk has a `document`, a `start` and an `end`"))
            };
            chunk.metadata.get(key).ok_or_else(missing)
        };
        let document = match of("document")? {
            Value::String(document) => document.clone(),
            Value::Number(number) => number.to_string(),
            other => return Err(Error::invalid(format!("its `document` is no id: {other}"))),
        };
        let position = |key: &str| {
            let value = of(key)?;
            let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| Error::invalid(format!("its `{key}` is no whole number: {value}")))
        };
        let (start, end) = (position("start")?, position("end")?);
        if start >= end {
            return Err(Error::invalid(format!("it ends at {end} and starts at {start}")));
        }
        self.within(Passage::new(document, start..end))
    }
}
