//! A handle on the documents of a collection; one reader for each format they come in.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Result;
use crate::collection::Document;
use crate::collection::line_format::LineFormat;
use crate::input::{Line, Lines, Source};
use crate::passage::Passage;
use crate::threads;

/// Bytes of lines that all threads share between them, and documents that one of them takes at a time.
const BLOCK: usize = 4 << 20;
const TOGETHER: usize = 64;

/// The documents of a collection, read on demand.
///
/// A corpus is a handle: cloning it is cheap, and a corpus in a file is streamed from there at
/// each call of [`documents`](Self::documents), so that nothing here holds a million documents.
#[derive(Clone, Debug)]
pub struct Corpus(Place);

#[derive(Clone, Debug)]
enum Place {
    Memory(Arc<[Document]>),
    File(PathBuf, LineFormat),
}

impl Corpus {
    /// A corpus that is in memory already.
    ///
    /// ```
    /// # fn main() -> rankgate::Result<()> {
    /// use rankgate::{Corpus, Document};
    ///
    /// let corpus = Corpus::in_memory([Document::new("d1", "alpha"), Document::new("d2", "beta")]);
    /// for document in corpus.documents()? {
    ///     assert!(!document?.text.is_empty());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_memory(documents: impl IntoIterator<Item = Document>) -> Self {
        Self(Place::Memory(documents.into_iter().collect()))
    }

    /// The documents with these ids, by id, as far as it has them; it is read until all are found. An id of a
    /// [passage](crate::collection::Passage) finds that part of its document's text.
    ///
    /// ```
    /// # fn main() -> rankgate::Result<()> {
    /// use rankgate::{Corpus, Document};
    ///
    /// let corpus = Corpus::in_memory([Document::new("d1", "alpha"), Document::new("d2", "beta")]);
    /// let found = corpus.find(["d2", "d3"].into_iter())?;
    /// assert_eq!((found.len(), found["d2"].text.as_str()), (1, "beta"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn find<'a>(&self, ids: impl Iterator<Item = &'a str>) -> Result<HashMap<String, Document>> {
        let mut missing: HashSet<&str> = ids.collect();
        // Several passages may be of one document.
        let mut passages: HashMap<&str, Vec<&str>> = HashMap::new();
        for id in missing.iter().copied().filter(|id| Passage::document_of(id) != *id) {
            passages.entry(Passage::document_of(id)).or_default().push(id);
        }
        let (mut found, mut parts) = (HashMap::with_capacity(missing.len()), HashMap::new());
        for document in self.documents()? {
            if missing.is_empty() {
                break;
            }
            let document = document?;
            for id in passages.get(document.id.as_str()).into_iter().flatten() {
                if let Some(text) = Passage::parse(id).and_then(|passage| passage.text_in(&document.text)) {
                    let (id, text) = ((*id).to_owned(), text.to_owned());
                    parts.insert(id.clone(), Document { id, text, ..document.clone() });
                }
            }
            if missing.remove(document.id.as_str()) {
                found.insert(document.id.clone(), document);
            }
        }
        // A document may have an id that looks like a passage, and stand behind the document that this would be of.
        for (id, part) in parts {
            found.entry(id).or_insert(part);
        }
        Ok(found)
    }

    /// A corpus in a file, plain or gzipped: JSON lines as in BEIR (`_id`, `title`, `text`, other
    /// keys are metadata), or lines of id, tab, text. A name in `.jsonl`, `.ndjson`, `.json` or
    /// `.tsv` says which; otherwise a file that begins with `{` holds JSON lines.
    ///
    /// # Errors
    ///
    /// A file that cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let format = LineFormat::detect(&mut Source::from(path).open()?)?;
        Ok(Self(Place::File(path.to_owned(), format)))
    }

    /// A corpus that is read into memory, in the formats of [`open`](Self::open): for sources other than files, such as
    /// the body of a request.
    ///
    /// # Errors
    ///
    /// What cannot be read, or a line that is not a document.
    pub fn read<'a>(from: impl Into<Source<'a>>) -> Result<Self> {
        let mut input = from.into().open()?;
        let format = LineFormat::detect(&mut input)?;
        let (mut lines, mut documents) = (Lines::new(input), Vec::new());
        while let Some(line) = format.next(&mut lines)? {
            documents.push(format.document(line)?);
        }
        Ok(Self::in_memory(documents))
    }

    /// Starts reading the documents, in the order of their file.
    ///
    /// # Errors
    ///
    /// A file that cannot be opened. An item is an error where the file cannot be read further or
    /// a line is not a document; iteration ends there. That two documents have one id is found by
    /// [`check`](Self::check).
    pub fn documents(&self) -> Result<Documents> {
        Ok(Documents(match &self.0 {
            Place::Memory(documents) => Reading::Memory { documents: Arc::clone(documents), next: 0 },
            Place::File(path, format) => {
                Reading::File { lines: Box::new(Source::from(path).lines()?), format: *format, line: 0 }
            }
        }))
    }

    /// The file that the corpus is in, if it is in one.
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            Place::Memory(_) => None,
            Place::File(path, _) => Some(path),
        }
    }
}

#[doc(hidden)]
impl Corpus {
    /// Gives `take` what `work` makes of each document, in the order of their file, as long as it wants more.
    /// Documents are parsed and worked on by all threads.
    ///
    /// # Errors
    ///
    /// As [`documents`](Self::documents).
    pub fn each<T: Send>(
        &self,
        work: impl Fn(Document) -> T + Sync,
        mut take: impl FnMut(T) -> bool,
    ) -> Result<()> {
        match &self.0 {
            Place::Memory(documents) => {
                let done = threads::map(documents.len(), |at| work(documents[at].clone()));
                done.into_iter().all(&mut take);
                Ok(())
            }
            Place::File(path, format) => {
                let mut lines = Source::from(path).lines()?;
                let mut block = Block::default();
                loop {
                    let filled = block.fill(&mut lines, *format);
                    let parse = |line: Line<'_>| format.document(line).map(&work);
                    for one in block.map(lines.path(), parse) {
                        if !take(one?) {
                            return Ok(());
                        }
                    }
                    if !filled? {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// Lines of a file, and where in `text` each of them ends.
#[derive(Default)]
struct Block {
    text: String,
    /// With the numbers of the lines.
    ends: Vec<(u64, usize)>,
}

impl Block {
    /// Reads the lines that follow, as many as go into a block, and says whether there may be more.
    fn fill(&mut self, lines: &mut Lines<'_>, format: LineFormat) -> Result<bool> {
        self.text.clear();
        self.ends.clear();
        while self.text.len() < BLOCK {
            let Some(line) = format.next(lines)? else { return Ok(false) };
            self.text += line.text;
            self.ends.push((line.number, self.text.len()));
        }
        Ok(true)
    }

    /// What all threads make of the lines.
    fn map<T: Send>(&self, path: &Path, work: impl Fn(Line<'_>) -> T + Sync) -> impl Iterator<Item = T> {
        let begin = |at: usize| at.checked_sub(1).map_or(0, |before| self.ends[before].1);
        let done = threads::map(self.ends.len().div_ceil(TOGETHER), |chunk| {
            let chunk = chunk * TOGETHER..self.ends.len().min((chunk + 1) * TOGETHER);
            let line = |at: usize| {
                let (number, end) = self.ends[at];
                work(Line { path, number, text: &self.text[begin(at)..end], is_cut: false })
            };
            chunk.map(line).collect::<Vec<_>>()
        });
        done.into_iter().flatten()
    }
}

/// The documents of a [`Corpus`], one after the other.
pub struct Documents(Reading);

enum Reading {
    Memory { documents: Arc<[Document]>, next: usize },
    File { lines: Box<Lines<'static>>, format: LineFormat, line: u64 },
    Ended,
}

impl Documents {
    /// Where the last document was: its line in a file, its number in memory; counted from 1.
    pub(super) fn position(&self) -> u64 {
        match &self.0 {
            Reading::Memory { next, .. } => *next as u64,
            Reading::File { line, .. } => *line,
            Reading::Ended => 0,
        }
    }
}

impl fmt::Debug for Documents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Documents").field("position", &self.position()).finish_non_exhaustive()
    }
}

impl Iterator for Documents {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = match &mut self.0 {
            Reading::Ended => None,
            Reading::Memory { documents, next } => {
                let document = documents.get(*next).cloned();
                *next += usize::from(document.is_some());
                document.map(Ok)
            }
            Reading::File { lines, format, line } => next_in_file(lines, *format, line).transpose(),
        };
        if matches!(found, Some(Err(_))) {
            self.0 = Reading::Ended;
        }
        found
    }
}

fn next_in_file(lines: &mut Lines<'_>, format: LineFormat, number: &mut u64) -> Result<Option<Document>> {
    let Some(line) = format.next(lines)? else { return Ok(None) };
    *number = line.number;
    format.document(line).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Vec<Result<Document, String>> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        let here = format!("{}/", dir.path().display());
        let found = Corpus::open(&path).unwrap().documents().unwrap();
        found.map(|document| document.map_err(|error| error.to_string().replace(&here, ""))).collect()
    }

    #[test]
    fn documents_are_read_in_every_format() {
        let both = vec![Ok(Document::new("d1", "alpha")), Ok(Document::new("d2", "beta\tgamma"))];
        let json =
            "{\"_id\": \"d1\", \"text\": \"alpha\"}\n\n{\"id\": \"d2\", \"contents\": \"beta\\tgamma\"}";
        let tsv = "d1\talpha\r\nd2\tbeta\tgamma\n";
        for (name, text) in [("c.jsonl", json), ("c", json), ("c.tsv", tsv), ("c.txt", tsv)] {
            assert_eq!(read(name, text), both, "{name}");
        }
    }

    #[test]
    fn passages_are_found_in_their_documents() {
        let corpus = Corpus::in_memory([
            Document::new("a", "one two").with_title("Numbers"),
            Document::new("b", "three"),
            Document::new("a#char=0,1", "a document of its own"),
        ]);
        let found = corpus.find(["b", "a#char=4,7", "a#char=0,1", "a#char=4,8", "c#char=0,1"].into_iter());
        let found = found.unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(found["b"].text, "three");
        assert_eq!(found["a#char=4,7"], Document::new("a#char=4,7", "two").with_title("Numbers"));
        assert_eq!(found["a#char=0,1"].text, "a document of its own");
    }

    #[test]
    fn reading_ends_at_the_first_line_that_is_no_document() {
        let found =
            read("c.jsonl", "{\"_id\": \"d1\", \"text\": \"a\"}\n[]\n{\"_id\": \"d2\", \"text\": \"b\"}\n");
        let error = "c.jsonl:2: invalid type: sequence, expected an object: `[]`".to_owned();
        assert_eq!(found, [Ok(Document::new("d1", "a")), Err(error)]);
        assert_eq!(read("c.tsv", "\ttext"), [Err("c.tsv:1: the id is empty: `\\ttext`".to_owned())]);
        let error = "c.tsv:1: expected an id, a tab and a text: `d1`".to_owned();
        assert_eq!(read("c.tsv", "d1"), [Err(error)]);
    }

    #[test]
    fn all_threads_give_what_one_gives_and_stop_where_it_stops() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.tsv");
        // More than one block, of which the last is not full.
        let text = "word ".repeat(4000);
        let mut lines: String = (0..500).map(|number| format!("d{number}\t{number} {text}\n")).collect();
        assert!(lines.len() > 2 * BLOCK);
        let each = |corpus: &Corpus, most: usize| {
            let mut seen = Vec::new();
            let took = corpus.each(
                |document| (document.id, document.text.len()),
                |one| {
                    seen.push(one);
                    seen.len() < most
                },
            );
            (seen, took.map_err(|error| error.to_string()))
        };
        let one_by_one = |corpus: &Corpus| -> Vec<(String, usize)> {
            let documents = corpus.documents().unwrap().map_while(Result::ok);
            documents.map(|document| (document.id, document.text.len())).collect()
        };
        std::fs::write(&path, &lines).unwrap();
        let corpus = Corpus::open(&path).unwrap();
        for threads in [1, 3] {
            let (seen, took) = threads::within(threads, || each(&corpus, usize::MAX));
            assert_eq!((&seen, took), (&one_by_one(&corpus), Ok(())));
            assert_eq!(each(&corpus, 70), (seen[..70].to_vec(), Ok(())));
        }
        let memory = Corpus::read(path.as_path()).unwrap();
        assert_eq!(each(&memory, 70), (one_by_one(&memory)[..70].to_vec(), Ok(())));
        // The first line that is no document ends it, though more are wrong, in this block and the next.
        lines = lines.replace("d70\t", "").replace("d80\t", "").replace("d499\t", "");
        std::fs::write(&path, &lines).unwrap();
        let (seen, took) = each(&Corpus::open(&path).unwrap(), usize::MAX);
        assert_eq!(seen.len(), 70);
        assert!(took.unwrap_err().contains("c.tsv:71: expected an id"));
    }

    #[test]
    fn a_corpus_that_is_not_there_is_an_error_at_once() {
        assert!(Corpus::open("no/such/corpus.jsonl").is_err());
    }
}
