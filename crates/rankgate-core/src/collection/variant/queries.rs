//! All queries of a variant, and whom their answers belong to.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::{VariantRule, file};
use crate::collection::{Collection, Query};
use crate::error::Quoted;
use crate::{Error, Result};

/// The query under a variant, `q1@typos` of query `q1`, and `q1@typos.2` where it has a second one.
#[derive(Clone, Debug)]
pub struct VariantQueries {
    name: String,
    /// The same documents, with other queries for them.
    asking: Collection,
    /// The collection with the texts that are asked, by whose ids answers are judged.
    judged: Collection,
    /// Of each query that is asked, the id that it stands for and which of its variants it is.
    of: Vec<(String, usize)>,
    /// How many variants each query has that has any.
    counts: HashMap<String, usize>,
}

/// Stands between the variants of a query where they are shown together.
const BETWEEN: &str = " | ";

impl VariantQueries {
    /// The variants that a rule makes of each query.
    ///
    /// # Errors
    ///
    /// Where there is not one.
    pub fn generate(name: &str, collection: &Collection, rule: &VariantRule) -> Result<Self> {
        let texts = |query: &Query| (query.id.clone(), rule.texts(query));
        let none = format!("`{}` changes nothing", rule.kind);
        Self::from_texts(name, collection, collection.queries().iter().map(texts).collect(), &none)
    }

    /// The variants of a file: JSON lines with `id` and `text`, or id, tab, text, `id` being that of the query.
    ///
    /// # Errors
    ///
    /// A file that cannot be read or is malformed, a query that is not there, a text that is there twice, no
    /// variant at all.
    pub fn read(name: &str, collection: &Collection, path: &Path) -> Result<Self> {
        let texts = file::read(&path.into(), collection)?;
        Self::from_texts(name, collection, texts, &format!("{} has no other text", path.display()))
    }

    fn from_texts(
        name: &str,
        collection: &Collection,
        texts: BTreeMap<String, Vec<String>>,
        none: &str,
    ) -> Result<Self> {
        let (mut asked, mut stands_for) = (Vec::new(), HashMap::new());
        let mut counts = HashMap::new();
        let texts_of = |query: &Query| texts.get(&query.id).filter(|texts| !texts.is_empty());
        for query in collection.queries_to_ask() {
            let Some(texts) = texts_of(query) else { continue };
            for (index, text) in texts.iter().enumerate() {
                let number = if index == 0 { String::new() } else { format!(".{}", index + 1) };
                let id = format!("{}@{name}{number}", query.id);
                stands_for.insert(id.clone(), (query.id.clone(), index));
                asked.push(Query { id, text: text.clone(), ..query.clone() });
            }
            counts.insert(query.id.clone(), texts.len());
        }
        if asked.is_empty() {
            let all = collection.queries().len();
            let message = format!("not one of the {all} queries has a variant {}: {none}", Quoted(name));
            return Err(Error::invalid(message));
        }
        let asking = collection.asking(asked)?;
        let of = asking.queries().iter().filter_map(|query| stands_for.remove(&query.id)).collect();
        let judged = collection.with_texts(|query| Some(texts_of(query)?.join(BETWEEN)));
        Ok(Self { name: name.to_owned(), asking, judged, of, counts })
    }

    /// What is asked, each with the id of the query that it stands for, by its own id.
    pub fn iter_queries(&self) -> impl Iterator<Item = (&Query, &str)> {
        self.asking.queries().iter().zip(self.of.iter().map(|(id, _)| id.as_str()))
    }

    /// How many queries of the collection have no variant, and are left out.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.judged.queries().len() - self.counts.len()
    }

    /// How many queries have one.
    #[must_use]
    pub fn queries(&self) -> usize {
        self.counts.len()
    }

    /// How many variants a query has.
    #[must_use]
    pub fn count(&self, query: &str) -> usize {
        self.counts.get(query).copied().unwrap_or(0)
    }
}

#[doc(hidden)]
impl VariantQueries {
    /// How many variants the query has that has most.
    pub fn most(&self) -> usize {
        self.counts.values().copied().max().unwrap_or(1)
    }

    /// The same documents with these queries.
    pub fn asking(&self) -> &Collection {
        &self.asking
    }

    /// The collection with the texts that are asked in place of its queries' own.
    pub fn judged(&self) -> &Collection {
        &self.judged
    }

    /// The variant's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Of each query that is asked, by its own id: the id that it stands for, and which of its variants it is.
    pub fn stand_for(&self) -> impl Iterator<Item = (&str, usize)> {
        self.of.iter().map(|(id, index)| (id.as_str(), *index))
    }
}
