//! Blessed runs: what a configuration answered when somebody last looked at it and agreed.

use std::collections::BTreeSet;
use std::path::Path;

use crate::collection::Collection;
use crate::output::Written;
use crate::run::{Order, Run, RunReader, RunWriter};
use crate::{Error, Result};

use super::bless::write_atomically;

/// The first line of every blessed run.
const TITLE: &str = "rankgate golden run, version 1";

/// A blessed run and what it was blessed on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GoldenRun {
    /// The rankings, in the order in which they were answered.
    pub(crate) run: Run,
    /// The inputs of that day.
    pub(crate) inputs: Inputs,
    /// Queries that were asked and had no answer.
    pub(crate) unanswered: Vec<String>,
}

/// What a run depends on beside the retriever: a difference is no regression of the retriever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// Results asked for per query.
    pub(crate) depth: usize,
    /// SHA-256 of the parameters.
    pub(crate) params: String,
    /// SHA-256 of the queries.
    pub(crate) queries: String,
    /// SHA-256 of the judgments.
    pub(crate) judgments: String,
    /// SHA-256 of the documents; empty where there is no corpus.
    pub(crate) corpus: String,
}

impl Inputs {
    /// What changed since `blessed`, in words.
    pub(crate) fn changed_since(&self, blessed: &Self) -> Vec<&'static str> {
        [
            (self.depth != blessed.depth, "depth"),
            (self.params != blessed.params, "parameters"),
            (self.queries != blessed.queries, "queries"),
            (self.judgments != blessed.judgments, "judgments"),
            (self.corpus != blessed.corpus, "documents"),
        ]
        .into_iter()
        .filter_map(|(changed, what)| changed.then_some(what))
        .collect()
    }
}

impl GoldenRun {
    /// What is to be blessed: the answers to the judged queries.
    pub(crate) fn new(run: &Run, inputs: Inputs, collection: &Collection) -> Result<Self> {
        let mut rankings = Vec::new();
        let mut unanswered = Vec::new();
        for query in collection.queries() {
            match run.ranking(&query.id) {
                Some(hits) if !hits.is_empty() => {
                    rankings.push((query.id.as_str(), hits.iter().take(inputs.depth).cloned().collect()));
                }
                _ => unanswered.push(query.id.clone()),
            }
        }
        Ok(Self { run: Run::from_rankings(rankings)?, inputs, unanswered })
    }

    /// The queries that were asked when this was blessed, answered or not.
    pub(crate) fn asked(&self) -> BTreeSet<String> {
        self.run.queries().map(str::to_owned).chain(self.unanswered.iter().cloned()).collect()
    }

    /// Writes the file, if it changed; says what came of it.
    pub(crate) fn write(&self, path: &Path) -> Result<Written> {
        let mut writer = RunWriter::new("golden").percent_encoded_ids(true).comment(TITLE);
        for (name, value) in self.header() {
            writer = writer.comment(format!("{name}: {value}").trim_end());
        }
        let mut text = Vec::new();
        writer.write_to(&self.run, &mut text)?;
        write_atomically(path, &text)
    }

    fn header(&self) -> [(&'static str, String); 6] {
        let unanswered: Vec<_> = self.unanswered.iter().map(|id| crate::run::encode_id(id)).collect();
        [
            ("depth", self.inputs.depth.to_string()),
            ("parameters", self.inputs.params.clone()),
            ("queries", self.inputs.queries.clone()),
            ("judgments", self.inputs.judgments.clone()),
            ("corpus", self.inputs.corpus.clone()),
            ("unanswered", unanswered.join(" ")),
        ]
    }

    /// Reads the file; `None` where nothing was blessed.
    ///
    /// # Errors
    /// A file that cannot be read, is no run, or was not written by `rankgate`.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        if !path.try_exists().map_err(|e| Error::io("cannot read", path, e))? {
            return Ok(None);
        }
        let run = RunReader::new().order(Order::Rank).percent_encoded_ids(true).read(path)?;
        let comments = run.comments();
        if comments.first().is_none_or(|line| line != TITLE) {
            return Err(Error::in_file(path, format!("no blessed run: its first line is not `# {TITLE}`")));
        }
        let field = |name: &str| {
            comments
                .iter()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .map(|value| value.trim().to_owned())
                .ok_or_else(|| Error::in_file(path, format!("its head has no line `# {name}: ...`")))
        };
        let depth = field("depth")?;
        let inputs = Inputs {
            depth: depth.parse().map_err(|_| Error::in_file(path, format!("its depth is `{depth}`")))?,
            params: field("parameters")?,
            queries: field("queries")?,
            judgments: field("judgments")?,
            corpus: field("corpus")?,
        };
        let unanswered = field("unanswered")?;
        let decode = |id: &str| crate::run::decode_id(id).map(std::borrow::Cow::into_owned);
        let unanswered = unanswered.split_whitespace().map(decode).collect::<Result<_>>()?;
        Ok(Some(Self { run, inputs, unanswered }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CollectionBuilder, Hit, Query};

    fn golden() -> GoldenRun {
        let mut builder = CollectionBuilder::new();
        for id in ["q1", "q 2", "q3%"] {
            builder.add_query(Query::new(id, "text"), [("d1", 1)]);
        }
        let hits =
            |scores: &[f64]| scores.iter().enumerate().map(|(i, &s)| Hit::new(format!("d {i}"), s)).collect();
        // The order is not that of the scores: it is the answer all the same.
        let run = Run::from_rankings([("q1", hits(&[1.0, 3.0, 2.0])), ("q 2", hits(&[0.1]))]).unwrap();
        let inputs = Inputs {
            depth: 2,
            params: "p".into(),
            queries: "q".into(),
            judgments: "j".into(),
            corpus: String::new(),
        };
        GoldenRun::new(&run, inputs, &builder.build().unwrap()).unwrap()
    }

    #[test]
    fn a_blessed_run_is_read_back_by_rank_cut_to_its_depth() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toy/mine.run");
        let golden = golden();
        assert_eq!(golden.write(&path).unwrap(), Written::New);
        assert_eq!(golden.write(&path).unwrap(), Written::Unchanged);
        let read = GoldenRun::read(&path).unwrap().unwrap();
        let ids = |golden: &GoldenRun| {
            golden.run.iter().map(|(q, hits)| (q.to_owned(), hits.to_vec())).collect::<Vec<_>>()
        };
        assert_eq!(ids(&read), ids(&golden));
        assert_eq!(read.run.ranking("q1").unwrap().len(), 2);
        assert_eq!(
            (read.inputs.clone(), read.unanswered.clone()),
            (golden.inputs.clone(), golden.unanswered.clone())
        );
        assert_eq!(Vec::from_iter(read.asked()), ["q 2", "q1", "q3%"]);
    }

    #[test]
    fn nothing_blessed_is_none_and_a_foreign_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.run");
        assert_eq!(GoldenRun::read(&path).unwrap(), None);
        std::fs::write(&path, "q1 Q0 d1 1 1.0 other\n").unwrap();
        assert!(GoldenRun::read(&path).unwrap_err().to_string().contains("no blessed run"));
    }

    #[test]
    fn changed_inputs_are_named() {
        let (blessed, now) = (golden().inputs, Inputs { depth: 3, corpus: "c".into(), ..golden().inputs });
        assert_eq!(now.changed_since(&blessed), ["depth", "documents"]);
        assert!(blessed.changed_since(&blessed).is_empty());
    }
}
