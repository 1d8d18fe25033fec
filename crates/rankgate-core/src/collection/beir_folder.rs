//! A collection in the layout of BEIR: a folder of `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::collection::beir;
use crate::collection::line_format::LineFormat;
use crate::collection::parts::Parts;
use crate::collection::{Collection, Corpus, Document, Metadata, Qrels, Query};
use crate::error::Quoted;
use crate::input::{ENDING, Source, uncompressed};
use crate::order;
use crate::output::replace_file;
use crate::{Error, ErrorKind, Result};

/// The files of a directory, each with its compressed form in its place where only that exists.
pub(super) struct Files {
    pub(super) queries: PathBuf,
    pub(super) qrels: PathBuf,
    pub(super) corpus: Option<PathBuf>,
}

impl Files {
    pub(super) fn find(dir: &Path, split: &str) -> Result<Self> {
        if !dir.is_dir() {
            let said = if dir.exists() { "it is a file, not a folder" } else { "there is no such folder" };
            let kind = if dir.exists() { ErrorKind::BadInput } else { ErrorKind::Missing };
            return Err(Error::of_file(kind, dir, said));
        }
        let find = |name: &str| {
            let [plain, compressed] = [dir.join(name), dir.join(format!("{name}{ENDING}"))];
            match (plain.exists(), compressed.exists()) {
                (true, true) => {
                    let message = format!("{name}{ENDING} stands beside it: delete the one that is old");
                    Err(Error::in_file(&plain, message))
                }
                (is_plain, false) => Ok(is_plain.then_some(plain)),
                (false, true) => Ok(Some(compressed)),
            }
        };
        let queries = find("queries.jsonl")?;
        let qrels = find(&format!("qrels/{split}.tsv"))?;
        let corpus = find("corpus.jsonl")?;
        let Some(queries) = queries else {
            return Err(Error::in_file(
                dir,
                "there is no queries.jsonl (or queries.jsonl.gz) in this folder",
            ));
        };
        let Some(qrels) = qrels else { return Err(unknown_split(dir, split)) };
        Ok(Self { queries, qrels, corpus })
    }
}

/// The names of the splits that a directory has, sorted.
fn splits(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir.join("qrels")).into_iter().flatten().flatten();
    let mut splits: Vec<String> = names
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            uncompressed(&name).strip_suffix(".tsv").map(str::to_owned)
        })
        .collect();
    order::sort(&mut splits);
    splits.dedup();
    splits
}

/// The queries without judgments that no other split judges either: `queries.jsonl` has those of all splits.
///
/// A split that cannot be read judges nothing: the error is for the caller that requests it.
fn judged_by_no_split(dir: &Path, split: &str, queries: &[Query], qrels: &Qrels) -> HashSet<String> {
    let unjudged = queries.iter().filter(|query| qrels.judgments(&query.id).is_none());
    let mut unjudged: HashSet<String> = unjudged.map(|query| query.id.clone()).collect();
    for other in splits(dir).iter().filter(|other| *other != split) {
        if unjudged.is_empty() {
            break;
        }
        let others = Files::find(dir, other).and_then(|files| read_qrels(&files.qrels));
        for id in others.iter().flat_map(Qrels::queries) {
            unjudged.remove(id);
        }
    }
    unjudged
}

fn unknown_split(dir: &Path, split: &str) -> Error {
    let folder = dir.join("qrels");
    if !folder.is_dir() {
        return Error::of_file(
            ErrorKind::Missing,
            &folder,
            "there is no such folder; it holds the judgments",
        );
    }
    let splits = splits(dir);
    let known = if splits.is_empty() { "none".to_owned() } else { splits.join(", ") };
    Error::of_file(
        ErrorKind::Missing,
        &folder,
        format!("there is no split {} (there: {known})", Quoted(split)),
    )
}

/// The judgments of a file.
fn read_qrels(path: &Path) -> Result<Qrels> {
    beir::read_qrels(Source::from(path).lines()?)
}

/// The judgments of a split, in a folder that has all its files.
///
/// # Errors
/// A file that is not there, a split that the folder does not have.
pub fn beir_judgments(dir: &Path, split: &str) -> Result<PathBuf> {
    Files::find(dir, split).map(|files| files.qrels)
}

pub(super) fn read(dir: &Path, split: &str) -> Result<Parts> {
    let files = Files::find(dir, split)?;
    let queries = LineFormat::Json.queries(Source::from(&files.queries).open()?)?;
    let qrels = read_qrels(&files.qrels)?;
    // A header alone says that nothing is judged yet; a file without a line may have lost some.
    let nothing_yet = qrels.is_empty() && Source::from(&files.qrels).lines()?.next_data()?.is_some();
    let mut parts = match nothing_yet {
        true => Parts { queries, qrels, ..Parts::default() },
        false => Parts::judged(&files.queries, queries, &files.qrels, qrels)?,
    };
    parts.expected = judged_by_no_split(dir, split, &parts.queries, &parts.qrels);
    parts.corpus = files.corpus.map(Corpus::open).transpose()?;
    parts.add_corpus = format!("put a corpus.jsonl into {}", dir.display());
    Ok(parts)
}

/// A document or a query.
#[derive(Serialize)]
struct BeirLine<'a> {
    #[serde(rename = "_id")]
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    text: &'a str,
    metadata: &'a Metadata,
}

/// Writes the files of one split, the corpus only where there is one. Metadata goes into an object of its own, so that no
/// key of it can be taken for another.
pub(super) fn save(collection: &Collection, dir: &Path, split: &str) -> Result<()> {
    let qrels_dir = dir.join("qrels");
    fs::create_dir_all(&qrels_dir).map_err(|error| Error::output("cannot create", &qrels_dir, error))?;
    if let Ok(corpus) = collection.corpus() {
        replace_file(&dir.join("corpus.jsonl"), |output| {
            for document in corpus.documents()? {
                let Document { id, title, text, metadata } = &document?;
                output.json_line(&BeirLine {
                    id,
                    title: Some(title.as_deref().unwrap_or_default()),
                    text,
                    metadata,
                })?;
            }
            Ok(())
        })?;
    }
    replace_file(&dir.join("queries.jsonl"), |output| {
        for query in collection.queries_to_ask() {
            let Query { id, text, metadata, .. } = query;
            output.json_line(&BeirLine { id, title: None, text, metadata })?;
        }
        Ok(())
    })?;
    replace_file(&qrels_dir.join(format!("{split}.tsv")), |output| {
        beir::write_qrels(collection.qrels(), output)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::CollectionBuilder;

    fn written(dir: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(dir.join("qrels")).unwrap();
        for (name, text) in files {
            fs::write(dir.join(name), text).unwrap();
        }
    }

    const QUERIES: (&str, &str) = (
        "queries.jsonl",
        "{\"_id\": \"q1\", \"text\": \"one\"}\n{\"_id\": \"q2\", \"text\": \"two\", \"metadata\": {\"kind\": \"x\"}}\n",
    );

    #[test]
    fn a_split_takes_the_queries_that_it_judges() {
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), &[QUERIES, ("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq2\td1\t1\n")]);
        let collection = Collection::beir(dir.path(), "test").unwrap();
        assert_eq!(collection.queries(), [Query::new("q2", "two").with("kind", "x")]);
        assert_eq!(collection.unjudged_queries(), 1);
        let message = collection.corpus().unwrap_err().to_string();
        assert!(message.contains("put a corpus.jsonl into"), "{message}");
    }

    #[test]
    fn a_query_that_no_split_judges_lacks_judgments() {
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), &[QUERIES, ("qrels/test.tsv", "q2\td1\t1\n")]);
        let lacking = || {
            let collection = Collection::beir(dir.path(), "test").unwrap();
            collection.lacking_judgments().map(|query| query.id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(lacking(), ["q1"]);
        for (split, text, expected) in
            [("dev", "q2\td1\t1\n", &["q1"][..]), ("broken", "q1 q2", &["q1"]), ("train", "q1\td1\t1\n", &[])]
        {
            written(dir.path(), &[(&format!("qrels/{split}.tsv"), text)]);
            assert_eq!(lacking(), expected, "{split}");
        }
        // Where nothing is judged yet, all are asked, and none is missing.
        written(dir.path(), &[("qrels/test.tsv", "query-id\tcorpus-id\tscore\n")]);
        assert_eq!(lacking(), [""; 0]);
    }

    #[test]
    fn a_header_alone_leaves_every_query_to_be_judged() {
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), &[QUERIES, ("qrels/test.tsv", "query-id\tcorpus-id\tscore\n")]);
        let collection = Collection::beir(dir.path(), "test").unwrap();
        assert_eq!((collection.queries().len(), collection.qrels().len()), (2, 0));
    }

    #[test]
    fn a_folder_that_is_absent_is_said_to_be_absent() {
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), &[QUERIES]);
        std::fs::create_dir(dir.path().join("empty")).unwrap();
        std::fs::remove_dir(dir.path().join("qrels")).unwrap();
        for (path, message) in [
            ("nosuch", "nosuch: there is no such folder"),
            ("empty/../nosuch", "nosuch: there is no such folder"),
            ("queries.jsonl", "queries.jsonl: it is a file, not a folder"),
            ("", "qrels: there is no such folder; it holds the judgments"),
            ("empty", "empty: there is no queries.jsonl (or queries.jsonl.gz) in this folder"),
        ] {
            let error = Collection::beir(dir.path().join(path), "test").unwrap_err().to_string();
            assert_eq!(error, format!("{}/{message}", dir.path().display()), "{path}");
        }
    }

    #[test]
    fn what_does_not_fit_together_is_an_error() {
        let again = "{\"_id\": \"q\", \"text\": \"\"}\n\n{\"_id\": \"q\", \"text\": \"\"}\n";
        let cases: [(&[(&str, &str)], &str); 5] = [
            (&[], "there is no queries.jsonl"),
            (
                &[QUERIES, ("qrels/dev.tsv", ""), ("qrels/train.tsv.gz", "")],
                "no split `test` (there: dev, train)",
            ),
            (&[QUERIES, ("qrels/test.tsv", "")], "test.tsv: there are no judgments"),
            (
                &[QUERIES, ("qrels/test.tsv", "q1\td\t1\nq9\td\t1\nq8\td\t1\n")],
                "test.tsv:2: judgment of a query that",
            ),
            (
                &[("queries.jsonl", again), ("qrels/test.tsv", "q\td\t1\n")],
                "queries.jsonl:3: query id `q` again (first in line 1)",
            ),
        ];
        for (files, message) in cases {
            let dir = tempfile::tempdir().unwrap();
            written(dir.path(), files);
            let error = Collection::beir(dir.path(), "test").unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_saved_collection_is_read_back_as_it_was() {
        let mut builder = CollectionBuilder::new();
        builder
            .add_document(Document::new("d 1", "text\nwith lines").with_title("T").with("text", "metadata"));
        builder.add_document(Document::new("d2", "").with("metadata", serde_json::json!({"a": 1})));
        builder.add_query(Query::new("q1", "one").with("_id", 5), [("d 1", 2), ("d2", -1)]);
        let collection = builder.build().unwrap();

        let dir = tempfile::tempdir().unwrap();
        save(&collection, dir.path(), "dev").unwrap();
        let back = Collection::beir(dir.path(), "dev").unwrap();
        assert_eq!((back.queries(), back.qrels()), (collection.queries(), collection.qrels()));
        let documents = |collection: &Collection| -> Vec<Document> {
            collection.corpus().unwrap().documents().unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(documents(&back), documents(&collection));
        assert_eq!(back.check_corpus().unwrap(), collection.check_corpus().unwrap());
    }

    #[test]
    fn of_a_plain_and_a_compressed_file_nobody_knows_which_is_meant() {
        let dir = tempfile::tempdir().unwrap();
        written(dir.path(), &[QUERIES, ("queries.jsonl.gz", ""), ("qrels/test.tsv", "q1\td1\t1\n")]);
        let error = Collection::beir(dir.path(), "test").unwrap_err().to_string();
        assert!(error.contains("queries.jsonl: queries.jsonl.gz stands beside it"), "{error}");
    }

    #[test]
    fn an_id_with_a_tab_cannot_be_saved() {
        let mut builder = CollectionBuilder::new();
        builder.add_query(Query::new("q1", "one"), [("d\t1", 2)]);
        let dir = tempfile::tempdir().unwrap();
        let error = save(&builder.build().unwrap(), dir.path(), "dev").unwrap_err().to_string();
        assert!(error.contains("does not fit into a column"), "{error}");
    }
}
