//! The nuggets of queries as a committed file: a model proposes them, and people edit them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::file::text_of;
use super::item::{sha256, sorted};
use crate::collection::{Collection, Query};
use crate::error::Quoted;
use crate::{Error, Result};

/// A fact that a good answer to a query has: a line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nugget {
    /// The document that says it, where a model proposed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The query's id.
    pub query: String,
    /// What it says.
    pub text: String,
    /// Whether an answer without it is not a good one; true where the line does not say it.
    #[serde(default = "is_vital")]
    pub vital: bool,
}

fn is_vital() -> bool {
    true
}

/// That a model proposed the nuggets of a query: the line above them. It stays where people remove them all, so that they are not
/// proposed again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NuggetProposal {
    /// The judge that proposed them.
    pub judge: String,
    /// The hash of the nuggets as they were proposed.
    pub proposal: String,
    /// The query's id.
    pub query: String,
    /// The hash of the query's text; left out, the nuggets are of whatever text it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_sha256: Option<String>,
    /// Whether people say that they have read them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reviewed: bool,
}

/// A file of nuggets: JSON lines, a line for each nugget, and above those of a query that a model proposed a line that says so.
/// People edit lines, remove them and add others. No command changes a line that is there.
#[derive(Clone, Debug, Default)]
pub struct NuggetsFile {
    name: String,
    text: String,
    /// By query, with their lines.
    proposals: BTreeMap<String, (usize, NuggetProposal)>,
    nuggets: BTreeMap<String, Vec<(usize, Nugget)>>,
}

impl NuggetsFile {
    /// Reads a file's text.
    ///
    /// # Errors
    /// A line that is neither a nugget nor says who proposed nuggets; an empty text; the same twice of a query.
    ///
    /// ```
    /// use rankgate::judge::NuggetsFile;
    ///
    /// let text = r#"{"query": "q12", "text": "The fee is 5 EUR."}
    /// {"query": "q12", "text": "Cards are taken.", "vital": false}
    /// "#;
    /// let file = NuggetsFile::parse("nuggets.jsonl", text)?;
    /// assert_eq!(file.for_query("q12").map(|nugget| nugget.vital).collect::<Vec<_>>(), [true, false]);
    /// assert!(NuggetsFile::parse("nuggets.jsonl", "{}\n").is_err());
    /// # Ok::<(), rankgate::Error>(())
    /// ```
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let mut file = Self { name: name.to_owned(), text: text.to_owned(), ..Self::default() };
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let place = |message: String| Error::invalid(format!("{name}:{number}: {message}"));
            let no_nugget = |error: serde_json::Error| place(format!("no nugget: {error}: {}", Quoted(line)));
            let value: Value = serde_json::from_str(line).map_err(no_nugget)?;
            if value.get("proposal").is_some() {
                let proposal: NuggetProposal = serde_json::from_value(value).map_err(no_nugget)?;
                let query = proposal.query.clone();
                if let Some((above, _)) = file.proposals.insert(query.clone(), (number, proposal)) {
                    let message = format!(
                        "line {above} says already who proposed the nuggets of query {}",
                        Quoted(&query)
                    );
                    return Err(place(message));
                }
                continue;
            }
            let nugget: Nugget = serde_json::from_value(value).map_err(no_nugget)?;
            if nugget.text.trim().is_empty() {
                return Err(place(format!("a nugget of query {} has no text", Quoted(&nugget.query))));
            }
            let of_query = file.nuggets.entry(nugget.query.clone()).or_default();
            if let Some((above, _)) = of_query.iter().find(|(_, one)| one.text.trim() == nugget.text.trim()) {
                let message =
                    format!("the same nugget of query {} stands in line {above}", Quoted(&nugget.query));
                return Err(place(message));
            }
            of_query.push((number, nugget));
        }
        Ok(file)
    }

    /// Reads a file; one that is not there holds nothing yet.
    ///
    /// # Errors
    /// A file that cannot be read; as [`parse`](Self::parse).
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&path.display().to_string(), &text_of(path)?)
    }

    /// The nuggets of a query, in the order of the file.
    pub fn for_query(&self, query: &str) -> impl Iterator<Item = &Nugget> {
        self.nuggets.get(query).into_iter().flatten().map(|(_, nugget)| nugget)
    }

    /// The number of nuggets of all queries, and how many of them are vital.
    #[must_use]
    pub fn count(&self) -> [usize; 2] {
        let all = || self.nuggets.values().flatten();
        [all().count(), all().filter(|(_, nugget)| nugget.vital).count()]
    }

    /// Whether the file says anything of a query: nuggets, or that some were proposed.
    #[must_use]
    pub fn has(&self, query: &str) -> bool {
        self.nuggets.contains_key(query) || self.proposals.contains_key(query)
    }

    /// The queries whose nuggets are as a model proposed them, and which no one says to have reviewed.
    pub fn unreviewed(&self) -> impl Iterator<Item = &str> {
        let is_unreviewed = |(query, (_, proposal)): &(&String, &(usize, NuggetProposal))| {
            !proposal.reviewed && digest(self.for_query(query)) == proposal.proposal
        };
        self.proposals.iter().filter(is_unreviewed).map(|(query, _)| query.as_str())
    }

    /// Adds what a judge proposed for a query, below all that is there; nothing where the file says something of the query.
    pub fn propose(&mut self, judge: &str, query: &Query, nuggets: Vec<Nugget>) {
        if self.has(&query.id) {
            return;
        }
        let proposal = NuggetProposal {
            judge: judge.to_owned(),
            proposal: digest(nuggets.iter()),
            query: query.id.clone(),
            query_sha256: Some(sha256(query.in_conversation().as_bytes())),
            reviewed: false,
        };
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        let line = |value: Value| sorted(&value) + "\n";
        self.text += &line(json!(proposal));
        self.text.extend(nuggets.iter().map(|nugget| line(json!(nugget))));
        self.proposals.insert(query.id.clone(), (0, proposal));
        self.nuggets.insert(query.id.clone(), nuggets.into_iter().map(|nugget| (0, nugget)).collect());
    }

    /// The whole text: what was read, byte by byte, and what was added.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Checks that the nuggets are of these queries.
    ///
    /// # Errors
    /// A query that the collection does not have, that has nuggets of its own there, or that has another text than when they were
    /// proposed.
    pub fn check(&self, collection: &Collection) -> Result<()> {
        let lines = self.nuggets.iter().filter_map(|(query, all)| Some((query, all.first()?.0)));
        let lines = lines.chain(self.proposals.iter().map(|(query, (line, _))| (query, *line)));
        for (id, line) in lines {
            let place = |message: String| Error::invalid(format!("{}:{line}: {message}", self.name));
            let quoted = Quoted(id);
            let Some(query) = collection.query(id) else {
                return Err(place(format!("the collection has no query {quoted}")));
            };
            if query.metadata.get("nuggets").is_some_and(|own| !own.is_null()) {
                return Err(place(format!(
                    "query {quoted} has `nuggets` in the collection as well: only one of them can count"
                )));
            }
            let proposed_for = self.proposals.get(id).and_then(|(_, one)| one.query_sha256.as_ref());
            if proposed_for
                .is_some_and(|sha256_then| *sha256_then != sha256(query.in_conversation().as_bytes()))
            {
                return Err(place(format!(
                    "query {quoted} has another text than when its nuggets were proposed: take `query_sha256` out where they still \
                     hold, else the lines of this query, and `rankgate nuggets` proposes others"
                )));
            }
        }
        Ok(())
    }

    /// A query with its nuggets as a collection has them.
    pub(crate) fn complete(&self, query: &Query) -> Query {
        let nuggets: Vec<Value> = self
            .for_query(&query.id)
            .map(|one| json!({ "text": one.text.trim(), "vital": one.vital }))
            .collect();
        if nuggets.is_empty() { query.clone() } else { query.clone().with("nuggets", json!(nuggets)) }
    }
}

/// The hash of nuggets, whatever the form of their lines.
fn digest<'a>(nuggets: impl Iterator<Item = &'a Nugget>) -> String {
    let parts: Vec<(&str, bool)> = nuggets.map(|nugget| (nugget.text.trim(), nugget.vital)).collect();
    let mut digest = sha256(json!(parts).to_string().as_bytes());
    digest.truncate(16);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::CollectionBuilder;

    fn nugget(query: &str, text: &str, vital: bool) -> Nugget {
        Nugget { document: Some("d1".into()), query: query.into(), text: text.into(), vital }
    }

    fn proposed() -> NuggetsFile {
        let mut file = NuggetsFile::default();
        let query = Query::new("q1", "fee");
        file.propose(
            "nugget-creation-1a2b3c4d",
            &query,
            vec![nugget("q1", "5 EUR", true), nugget("q1", "a card", false)],
        );
        file
    }

    fn parse(text: &str) -> Result<NuggetsFile> {
        NuggetsFile::parse("n.jsonl", text)
    }

    #[test]
    fn what_people_edit_stays_byte_by_byte() {
        let written = proposed().text().to_owned();
        assert_eq!(parse(&written).unwrap().unreviewed().collect::<Vec<_>>(), ["q1"]);
        let removed: String = written.lines().take(1).map(|line| format!("{line}\n")).collect();
        for edited in [
            written.replace("5 EUR", "6 EUR"),
            written.replace("\"vital\":false", "\"vital\":true"),
            format!("{written}  {{\"text\": \"by noon\", \"query\": \"q1\"}}"),
            written.replace(
                "\"query\":\"q1\",\"query_sha256\"",
                "\"reviewed\":true,\"query\":\"q1\",\"query_sha256\"",
            ),
            removed,
        ] {
            let mut file = parse(&edited).unwrap();
            assert_eq!(file.unreviewed().count(), 0, "{edited}");
            file.propose("another", &Query::new("q1", "fee"), vec![nugget("q1", "7 EUR", true)]);
            assert_eq!(file.text(), edited);
            file.propose("another", &Query::new("q2", "card"), vec![nugget("q2", "7 EUR", true)]);
            let (before, added) = file.text().split_at(edited.len());
            assert_eq!((before, parse(added.trim_start()).unwrap().count()), (&*edited, [1, 1]));
            assert_eq!(parse(file.text()).unwrap().unreviewed().collect::<Vec<_>>(), ["q2"]);
        }
    }

    #[test]
    fn a_wrong_line_is_named() {
        let good = "{\"query\": \"q1\", \"text\": \"a\"}\n";
        for (text, expected) in [
            ("{}", "n.jsonl:2: no nugget: missing field `query`"),
            ("{\"query\": \"q1\"}", "n.jsonl:2: no nugget: missing field `text`"),
            ("[]", "n.jsonl:2: no nugget: "),
            (
                "{\"query\": \"q1\", \"text\": \"b\", \"vitl\": true}",
                "n.jsonl:2: no nugget: unknown field `vitl`",
            ),
            ("{\"query\": \"q1\", \"text\": \" \"}", "n.jsonl:2: a nugget of query `q1` has no text"),
            (
                "{\"query\": \"q1\", \"text\": \"a \"}",
                "n.jsonl:2: the same nugget of query `q1` stands in line 1",
            ),
        ] {
            let error = parse(&format!("{good}{text}\n")).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        let twice = proposed().text().lines().next().unwrap().to_owned() + "\n";
        let error = parse(&twice.repeat(2)).unwrap_err().to_string();
        assert_eq!(error, "n.jsonl:2: line 1 says already who proposed the nuggets of query `q1`");
    }

    #[test]
    fn nuggets_are_of_the_collection_s_queries_as_they_are_asked() {
        let collection = |query: Query| {
            let mut builder = CollectionBuilder::new();
            builder.add_query(query, [("d1", 1)]);
            builder.build().unwrap()
        };
        let file = parse(proposed().text()).unwrap();
        let asked = Query::new("q1", "fee");
        file.check(&collection(asked.clone())).unwrap();
        let complete = file.complete(&asked);
        let expected = json!([{"text": "5 EUR", "vital": true}, {"text": "a card", "vital": false}]);
        assert_eq!(complete.metadata["nuggets"], expected);
        for (query, expected) in [
            (Query::new("q2", "fee"), "n.jsonl:2: the collection has no query `q1`"),
            (
                asked.clone().with("nuggets", json!(["6 EUR"])),
                "n.jsonl:2: query `q1` has `nuggets` in the collection as well",
            ),
            (
                Query::new("q1", "fees"),
                "n.jsonl:2: query `q1` has another text than when its nuggets were proposed",
            ),
        ] {
            let error = file.check(&collection(query)).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
