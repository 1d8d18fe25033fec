//! Blessed runs: what a configuration answered when somebody last looked at it and agreed.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::Source;
use crate::collection::Collection;
use crate::content_hash::Content;
use crate::error::Quoted;
use crate::evaluation::Evaluation;
use crate::output::Output;
use crate::run::{GoldenForm, Hit, Run, RunReader, RunWriter, with_digest, write_rankings};
use crate::{Error, Result};

/// The line of a golden run out of which documents with the id of their query were taken.
const IDENTICAL: &str = "identical-ids";
const EXCLUDED: &str = "excluded";
/// The line that counts the judged queries with a relevant document.
const JUDGEABLE: &str = "judgeable";
/// The line of the queries that a run file lacked when it was blessed.
const ABSENT: &str = "absent";

/// The line of a golden run whose loss was accepted with it.
const LOSS: &str = "loss";
const ACCEPTED: &str = "accepted";

const MOST: usize = 1000;

/// A blessed run and what it was blessed on.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldenRun {
    /// The configuration that answered: a file that is copied or merged over another's is not that one's.
    pub configuration: String,
    /// The rankings, one run for each time that all queries were asked; at least one.
    pub runs: Vec<Arc<Run>>,
    /// The inputs of that day.
    pub inputs: Inputs,
    /// Queries that were asked and never had an answer.
    pub unanswered: Vec<String>,
    /// Queries that a run file had no ranking for, so that nobody knows whether they were asked.
    pub absent: Vec<String>,
    /// Whether what was lost with it was accepted: histories raise no alarm of it.
    pub loss_accepted: bool,
}

/// What a run depends on beside the retriever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Results asked for per query.
    pub depth: usize,
    /// SHA-256 of the parameters.
    pub params: String,
    /// SHA-256 of the queries.
    pub queries: String,
    /// SHA-256 of the judgments.
    pub judgments: String,
    /// SHA-256 of the documents; empty where there is no corpus.
    pub corpus: String,
    /// Whether documents with the id of their query were taken out.
    pub excluded: bool,
    /// Judged queries with a document of grade 1 or more; `None` in files that do not say it.
    pub judgeable: Option<usize>,
}

impl Inputs {
    /// The word for results asked for per query.
    pub const DEPTH: &str = "depth";
    /// The word for the judged queries.
    pub const QUERIES: &str = "queries";
    /// The word for their judgments.
    pub const JUDGMENTS: &str = "judgments";

    /// What changed since `blessed`.
    pub fn changed_since(&self, blessed: &Self) -> Vec<String> {
        [
            (self.depth != blessed.depth, Self::DEPTH),
            (self.params != blessed.params, "parameters"),
            (self.queries != blessed.queries, Self::QUERIES),
            (self.judgments != blessed.judgments, Self::JUDGMENTS),
            (self.corpus != blessed.corpus, "documents"),
            (self.excluded != blessed.excluded, IDENTICAL),
        ]
        .into_iter()
        .filter(|(changed, _)| *changed)
        .map(|(_, what)| what.to_owned())
        .collect()
    }
}

impl GoldenRun {
    /// What is to be blessed: the answers to the judged queries, each time that they were asked.
    ///
    /// # Errors
    /// Rankings that are not held.
    pub fn new(
        configuration: &str,
        evaluation: &Evaluation,
        inputs: Inputs,
        collection: &Collection,
    ) -> Result<Self> {
        let nothing = || Error::invalid("nothing was answered, so there is nothing to bless");
        let runs: Option<Vec<&Arc<Run>>> =
            (0..evaluation.passes()).map(|pass| evaluation.shared_run(pass)).collect();
        let runs = runs.filter(|runs| !runs.is_empty()).ok_or_else(nothing)?;
        let answered = |id: &str| runs.iter().any(|run| run.ranking(id).is_some_and(|hits| !hits.is_empty()));
        let unanswered = collection.queries_to_ask().iter().map(|query| &query.id).filter(|id| !answered(id));
        let unanswered = unanswered.cloned().collect();
        let judged = |(query, hits): &(&str, &[Hit])| !hits.is_empty() && collection.query(query).is_some();
        let kept = |run: &Arc<Run>| match run
            .iter()
            .all(|ranking| judged(&ranking) && ranking.1.len() <= inputs.depth)
        {
            true => Ok(Arc::clone(run)),
            false => {
                let cut = |(query, hits): (&str, &[Hit])| {
                    (query.to_owned(), hits.iter().take(inputs.depth).cloned().collect())
                };
                Run::from_rankings(run.iter().filter(judged).map(cut)).map(Arc::new)
            }
        };
        let never_asked = |id: &&str| runs.iter().any(|run| run.ranking(id).is_none());
        let unanswerable =
            collection.unanswerable().iter().map(|query| query.id.as_str()).filter(never_asked);
        let absent = evaluation.absent().into_iter().chain(unanswerable).map(str::to_owned).collect();
        let runs = runs.into_iter().map(kept).collect::<Result<_>>()?;
        let configuration = configuration.to_owned();
        Ok(Self { configuration, runs, inputs, unanswered, absent, loss_accepted: false })
    }

    /// The rankings, with an empty one for each query of the collection that was asked and answered with nothing.
    pub fn into_runs(self, collection: &Collection) -> Vec<Run> {
        let asked = self.all_queries();
        let mut runs: Vec<Run> = self.runs.into_iter().map(Arc::unwrap_or_clone).collect();
        // A run that answers other queries alone belongs to another collection, whatever was left unanswered.
        if runs.iter().flat_map(Run::queries).any(|id| collection.query(id).is_some()) {
            let absent: BTreeSet<&String> = self.absent.iter().collect();
            let given = |id: &&String| !absent.contains(id) && collection.query(id).is_some();
            for run in &mut runs {
                run.answer_with_nothing(asked.iter().filter(given).map(String::as_str));
            }
        }
        runs
    }

    /// Whether both answer the same queries with the same documents in the same order.
    pub fn answers_as(&self, other: &Self) -> bool {
        self.all_queries() == other.all_queries()
            && self.runs.len() == other.runs.len()
            && self.runs.iter().zip(&other.runs).all(|(own, other)| same_rankings(own, other))
    }

    /// The queries that were asked when this was blessed, answered or not.
    pub fn all_queries(&self) -> BTreeSet<String> {
        let answered = self.runs.iter().flat_map(|run| run.queries()).map(str::to_owned);
        answered.chain(self.unanswered.iter().cloned()).collect()
    }

    /// The file as it is blessed: a line a query, without scores, so that a diff shows the rankings that changed.
    ///
    /// # Errors
    /// A ranking that no run file holds.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.file(true)
    }

    /// The file with a document a line and its score, in the columns of TREC: for what is kept of a run, which other tools
    /// may read.
    ///
    /// # Errors
    /// As [`to_bytes`](Self::to_bytes).
    pub fn to_trec(&self) -> Result<Vec<u8>> {
        self.file(false)
    }

    fn file(&self, ranking_a_line: bool) -> Result<Vec<u8>> {
        let form = GoldenForm::new(ranking_a_line, self.runs.len() > 1);
        let mut rankings = Vec::new();
        for (place, run) in self.runs.iter().enumerate() {
            let tag = self.tag(place);
            if ranking_a_line {
                let tag = form.several.then_some(tag.as_str());
                write_rankings(run, tag, &mut Output::new(Path::new("the golden run"), &mut rankings))?;
            } else {
                RunWriter::new(tag).percent_encoded_ids(true).write_to(run, &mut rankings)?;
            }
        }
        with_digest(form, &self.head(), &rankings)
    }

    /// What a line of a run has where several are in one file, and the last column in any case.
    fn tag(&self, place: usize) -> String {
        match self.runs.len() {
            1 => "golden".to_owned(),
            _ => format!("repeat-{}", place + 1),
        }
    }

    /// The lines at the head of the file, between its title and its digest.
    fn head(&self) -> Vec<String> {
        let encoded =
            |ids: &[String]| ids.iter().map(|id| crate::run::encode_id(id)).collect::<Vec<_>>().join(" ");
        let mut head = vec![
            ("configuration", self.configuration.clone()),
            ("depth", self.inputs.depth.to_string()),
            ("parameters", self.inputs.params.clone()),
            ("queries", self.inputs.queries.clone()),
            ("judgments", self.inputs.judgments.clone()),
            ("corpus", self.inputs.corpus.clone()),
            ("unanswered", encoded(&self.unanswered)),
        ];
        if let Some(judgeable) = self.inputs.judgeable {
            head.push((JUDGEABLE, judgeable.to_string()));
        }
        if !self.absent.is_empty() {
            head.push((ABSENT, encoded(&self.absent)));
        }
        if self.inputs.excluded {
            head.push((IDENTICAL, EXCLUDED.to_owned()));
        }
        if self.loss_accepted {
            head.push((LOSS, ACCEPTED.to_owned()));
        }
        if self.runs.len() > 1 {
            head.push(("times", self.runs.len().to_string()));
        }
        head.push(("asked", self.all_queries().len().to_string()));
        head.into_iter().map(|(name, value)| format!("{name}: {value}")).collect()
    }

    /// SHA-256 of which documents stand in which order for which query, each time that all were asked: whatever they
    /// scored, and whatever else changed. Several rankings that are all the same are one.
    pub fn fingerprint(&self) -> String {
        let mut content = Content::new("rankings");
        let runs = if self.varies() { &self.runs[..] } else { &self.runs[..self.runs.len().min(1)] };
        for run in runs {
            content.count(run.len());
            for (query, hits) in run.iter() {
                content.text(query);
                content.count(hits.len());
                hits.iter().for_each(|hit| content.text(&hit.id));
            }
        }
        content.finish()
    }

    /// Whether what was asked several times was answered in several ways.
    pub fn varies(&self) -> bool {
        self.runs.windows(2).any(|pair| !same_rankings(&pair[0], &pair[1]))
    }

    /// Reads the file; `None` where nothing was blessed.
    ///
    /// # Errors
    /// A file that cannot be read, is no run, was not written by `rankgate`, or has been changed since.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        let exists = path.try_exists().map_err(|e| Error::io("cannot read", path, e))?;
        exists.then(|| Self::read_from(&path.into())).transpose()
    }

    /// Reads what was blessed, wherever it comes from.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_from(source: &Source<'_>) -> Result<Self> {
        let path = source.path();
        let run = RunReader::new().by_tag().read_source(source)?;
        let comments = run.comments();
        let form = match comments.first().and_then(|line| GoldenForm::from_title(line)) {
            Some(form) => form.map_err(|error| Error::in_file(path, error.to_string()))?,
            None => {
                let written = GoldenForm::new(true, false).title();
                return Err(Error::in_file(
                    path,
                    format!("no blessed run: its first line is not `# {written}`"),
                ));
            }
        };
        let field = |name: &str| {
            comments
                .iter()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .map(|value| value.trim().to_owned())
                .ok_or_else(|| Error::in_file(path, format!("its head has no line `# {name}: ...`")))
        };
        let number = |name: &str| {
            let value = field(name)?;
            value.parse().map_err(|_| Error::in_file(path, format!("its {name} is {}", Quoted(&value))))
        };
        let configuration = field("configuration")?;
        let inputs = Inputs {
            depth: number("depth")?,
            params: field("parameters")?,
            queries: field("queries")?,
            judgments: field("judgments")?,
            corpus: field("corpus")?,
            // Files without the line are of collections where nothing is taken out.
            excluded: field(IDENTICAL).is_ok_and(|value| value == EXCLUDED),
            // As are those of the versions before this was counted.
            judgeable: field(JUDGEABLE).ok().map(|_| number(JUDGEABLE)).transpose()?,
        };
        let unanswered = field("unanswered")?;
        let decode = |id: &str| crate::run::decode_id(id).map(std::borrow::Cow::into_owned);
        let unanswered = unanswered.split_whitespace().map(decode).collect::<Result<_>>()?;
        // Most files have no such line: retrievers are asked for every query.
        let absent = field(ABSENT).unwrap_or_default();
        let absent = absent.split_whitespace().map(decode).collect::<Result<_>>()?;
        let loss_accepted = field(LOSS).is_ok_and(|value| value == ACCEPTED);
        let runs = Vec::new();
        let mut golden = Self { configuration, runs, inputs, unanswered, absent, loss_accepted };
        if form.several {
            // More are a mistake, or an attack.
            let times = number("times")?.min(MOST);
            golden.runs = vec![Arc::default(); times];
            golden.runs = (0..times)
                .map(|place| of_tag(&run, &golden.tag(place)).map(Arc::new))
                .collect::<Result<_>>()?;
        } else {
            golden.runs.push(Arc::new(run));
        }
        Ok(golden)
    }
}

/// Whether the same documents stand in the same order for the same queries.
fn same_rankings(own: &Run, other: &Run) -> bool {
    own.len() == other.len()
        && own.iter().zip(other.iter()).all(|((query, hits), (other, others))| {
            query == other && hits.iter().map(|hit| &hit.id).eq(others.iter().map(|hit| &hit.id))
        })
}

/// Of rankings that stand under their tag and query those of one tag.
fn of_tag(all: &Run, tag: &str) -> Result<Run> {
    let own = |(key, hits): (&str, &[Hit])| {
        Some((key.strip_prefix(tag)?.strip_prefix(' ')?.to_owned(), hits.to_vec()))
    };
    Run::from_rankings(all.iter().filter_map(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{CollectionBuilder, Query};
    use crate::output::{Written, write_whole};

    fn write(golden: &GoldenRun, path: &Path) -> Written {
        write_whole(path, &golden.to_bytes().unwrap()).unwrap()
    }

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
            excluded: false,
            judgeable: None,
        };
        let collection = builder.build().unwrap();
        let evaluation = Evaluation::of_run(&collection, run).unwrap();
        GoldenRun::new("mine", &evaluation, inputs, &collection).unwrap()
    }

    #[test]
    fn a_blessed_run_is_read_from_what_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.run");
        write(&golden(), &path);
        let golden = GoldenRun::read(&path).unwrap().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let read = |bytes: &[u8]| GoldenRun::read_from(&Source::stream("the request", bytes));
        assert_eq!(read(&bytes).unwrap(), golden);
        // What is kept of a run has its scores, and reads the same.
        let kept = read(&golden.to_trec().unwrap()).unwrap();
        assert!(kept.answers_as(&golden));
        assert_eq!((kept.inputs, kept.unanswered), (golden.inputs, golden.unanswered));
        let cut = &bytes[..bytes.len() - 20];
        assert!(read(cut).unwrap_err().to_string().starts_with("the request"));
    }

    #[test]
    fn a_blessed_run_is_read_back_in_its_order_cut_to_its_depth() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toy/mine.run");
        let golden = golden();
        assert_eq!(write(&golden, &path), Written::New);
        assert_eq!(write(&golden, &path), Written::Unchanged);
        let read = GoldenRun::read(&path).unwrap().unwrap();
        assert!(read.answers_as(&golden));
        assert_eq!(read.fingerprint(), golden.fingerprint());
        assert_eq!(read.runs[0].ranking("q1").unwrap().len(), 2);
        assert_eq!(
            (read.inputs.clone(), read.unanswered.clone()),
            (golden.inputs.clone(), golden.unanswered.clone())
        );
        assert_eq!(Vec::from_iter(read.all_queries()), ["q 2", "q1", "q3%"]);
    }

    /// Three repeats: the first as [`golden`], the second without one of the queries, the third without any.
    fn repeated() -> GoldenRun {
        let golden = golden();
        let second = Run::from_rankings([("q1", vec![Hit::new("d 9", 1.0), Hit::new("d 0", 0.5)])]).unwrap();
        let runs = vec![Arc::clone(&golden.runs[0]), Arc::new(second), Arc::default()];
        GoldenRun { runs, ..golden }
    }

    #[test]
    fn every_repeat_is_read_back_from_one_file_that_is_never_read_as_one_ranking() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toy/mine.run");
        for tag in ["repeat-1"] {
            let golden = repeated();
            write(&golden, &path);
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.starts_with("# rankgate golden run, version 9\n"), "{text}");
            assert!(text.contains(&format!("{tag} q1 d%200 d%201\n")), "{text}");
            let read = GoldenRun::read(&path).unwrap().unwrap();
            assert!(read.answers_as(&golden) && !read.answers_as(&super::tests::golden()));
            assert_eq!((read.runs.len(), &read.unanswered), (3, &golden.unanswered));
            assert_eq!(read.runs[2].len(), 0);
            let error = RunReader::new().read(&path).unwrap_err().to_string();
            assert!(error.contains("several repeats") && !error.contains("again"), "{error}");
            // Whoever loses a line of any repeat, or whose line it is, has another file.
            let first = text.lines().find(|line| line.starts_with(tag)).unwrap();
            for (old, new) in [
                (format!("{first}\n"), String::new()),
                (tag.to_owned(), tag.replace('1', "4")),
                (tag.to_owned(), "golden".to_owned()),
                ("# times: 3".to_owned(), "# times: 2".to_owned()),
                (first.to_owned(), format!("<<<<<<< HEAD\n{first}")),
                (first.to_owned(), format!("{first}\n{first}")),
                ("version 9".to_owned(), "version 8".to_owned()),
                ("version 9".to_owned(), "version 5".to_owned()),
            ] {
                assert!(text.contains(&old), "{old}");
                std::fs::write(&path, text.replacen(&old, &new, 1)).unwrap();
                assert!(GoldenRun::read(&path).is_err(), "{old} -> {new}");
            }
            std::fs::write(&path, golden.to_trec().unwrap()).unwrap();
            assert!(GoldenRun::read(&path).unwrap().unwrap().answers_as(&golden));
        }
    }

    #[test]
    fn nothing_blessed_is_none_and_a_foreign_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.run");
        assert_eq!(GoldenRun::read(&path).unwrap(), None);
        std::fs::write(&path, "q1 Q0 d1 1 1.0 other\n").unwrap();
        assert!(GoldenRun::read(&path).unwrap_err().to_string().contains("no blessed run"));
    }

    /// What is said of the blessed run after its text was changed; empty where it is read all the same.
    fn read_error(change: impl FnOnce(String) -> Vec<u8>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toy/mine.run");
        write(&golden(), &path);
        std::fs::write(&path, change(std::fs::read_to_string(&path).unwrap())).unwrap();
        let said = match GoldenRun::read(&path) {
            Ok(read) => {
                assert!(read.unwrap().answers_as(&golden()));
                String::new()
            }
            Err(error) => error.to_string(),
        };
        said.replace(&format!("{}: ", path.display()), "")
    }

    #[test]
    fn a_blessed_run_that_lost_queries_or_was_changed_by_hand_or_a_merge_is_an_error() {
        let without = |text: String, part: &str| {
            let kept = text.lines().filter(|line| !line.starts_with(part)).map(|line| format!("{line}\n"));
            kept.collect::<String>().into_bytes()
        };
        let changed = "changed since it was written, by hand or in a merge: ";
        for (error, count) in [
            (read_error(|text| without(text, "q1 ")), 2),
            (read_error(|text| without(text, "q")), 1),
            (read_error(|text| (text + "q9 d\n").into_bytes()), 4),
        ] {
            let counted = format!("{changed}3 queries were written and it holds {count}; its digest is `");
            assert!(error.starts_with(&counted), "{error}");
        }
        for (old, new) in [
            ("# configuration: mine", "# configuration: other"),
            ("# depth: 2", "# depth: 3"),
            ("# queries: q", "# queries: x"),
            ("# queries: q", "# absent: q"),
            ("# queries: q\n# judgments: j", "# judgments: j\n# queries: q"),
            ("# unanswered: q3%25", "# unanswered: q4"),
            ("# unanswered: q3%25", "# unanswered: q3%25\n# identical-ids: excluded"),
            ("q1 d%200", "q1 d%209"),
            ("q1 d%200 d%201", "q1 d%200 =d%201"),
            ("q1 d%200 d%201", "q1 d%201 d%200"),
            ("q1 d%200 d%201", "q1 d%200"),
            ("q%202 d%200\nq1 d%200 d%201", "q1 d%200 d%201\nq%202 d%200"),
            ("# digest: ", "# digest: 0"),
        ] {
            let change = |text: String| {
                assert!(text.contains(old), "{old} in {text}");
                text.replace(old, new).into_bytes()
            };
            let error = read_error(change);
            assert!(error.starts_with(&format!("{changed}its digest is `")), "{old} -> {new}: {error}");
            assert!(error.ends_with(". Restore it with `git checkout`, or bless again"), "{error}");
        }
        for name in
            ["configuration", "depth", "parameters", "queries", "judgments", "corpus", "unanswered", "asked"]
        {
            let gone = read_error(|text| without(text, &format!("# {name}:")));
            assert!(gone.starts_with(&format!("{changed}its digest is `")), "{name}: {gone}");
        }
        let end = format!("{changed}its head does not end in `# digest: ...`");
        assert!(read_error(|text| without(text, "# digest:")).starts_with(&end));
        assert_eq!(
            read_error(|text| text.replace("version 8", "version 1").into_bytes()),
            "a golden run of version `1`, and this reads 6, 7, 8, 9"
        );
        let conflict = read_error(|text| text.replacen("q1 ", "<<<<<<< HEAD\nq1 ", 1).into_bytes());
        assert!(conflict.contains("a merge left its conflict here: `<<<<<<< HEAD`"), "{conflict}");
        assert!(read_error(|_| Vec::new()).contains("no blessed run: its first line is not"));
    }

    #[test]
    fn a_blessed_run_cut_anywhere_is_an_error() {
        let text = golden().to_bytes().unwrap();
        // Without the end of the last line it is whole.
        for length in 0..text.len() - 1 {
            let cut = Source::bytes("cut.run", &text[..length]);
            assert!(GoldenRun::read_from(&cut).is_err(), "{:?}", String::from_utf8_lossy(&text[..length]));
        }
    }

    #[test]
    fn a_blessed_run_with_other_line_ends_or_compression_reads_the_same() {
        assert_eq!(read_error(String::into_bytes), "");
        assert_eq!(read_error(|text| text.replace('\n', "\r\n").into_bytes()), "");
        assert_eq!(read_error(|text| text.trim_end().as_bytes().to_vec()), "");
        let compressed = |text: String| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut gzip, text.as_bytes()).unwrap();
            gzip.finish().unwrap()
        };
        assert_eq!(read_error(compressed), "");
    }

    #[test]
    fn the_digest_is_that_of_all_other_lines() {
        let text = String::from_utf8(golden().to_bytes().unwrap()).unwrap();
        let (digest, others): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with("# digest: "));
        // Python's xxhash 4.1.0: xxh3_128_hexdigest of the other lines.
        assert_eq!(others.len(), 12);
        assert_eq!(digest, ["# digest: 5c260f60414750ddbaf560891ee41051"]);
    }

    #[test]
    fn changed_inputs_are_named() {
        let (blessed, now) = (golden().inputs, Inputs { depth: 3, corpus: "c".into(), ..golden().inputs });
        assert_eq!(now.changed_since(&blessed), ["depth", "documents"]);
        assert!(blessed.changed_since(&blessed).is_empty());
        let excluded = Inputs { excluded: true, ..golden().inputs };
        assert_eq!(excluded.changed_since(&blessed), ["identical-ids"]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.run");
        write(&GoldenRun { inputs: excluded.clone(), ..golden() }, &path);
        assert_eq!(GoldenRun::read(&path).unwrap().unwrap().inputs, excluded);
        // Without the line the digest is another.
        let text = std::fs::read_to_string(&path).unwrap().replace("# identical-ids: excluded\n", "");
        std::fs::write(&path, text).unwrap();
        assert!(GoldenRun::read(&path).unwrap_err().to_string().contains("digest"));
    }
}
