//! `rankgate fetch` against a server on loopback: archives, checksums, files of one's own.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::fetch_server::{Does, Server};
use crate::surroundings;

/// A small collection in the layout of BEIR: three documents, two queries, of which q1 is also a document's id.
pub(crate) fn tiny(more: &[(&str, &str)]) -> Vec<u8> {
    let documents = "{\"_id\": \"d1\", \"title\": \"\", \"text\": \"one\"}\n{\"_id\": \"d2\", \"title\": \"\", \"text\": \
                     \"two\"}\n{\"_id\": \"q1\", \"title\": \"\", \"text\": \"first\"}\n";
    let queries = "{\"_id\": \"q1\", \"text\": \"first\"}\n{\"_id\": \"q2\", \"text\": \"second\"}\n";
    let judged = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1\nq2\td2\t2\n";
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let files = [
        ("tiny/corpus.jsonl", documents),
        ("tiny/queries.jsonl", queries),
        ("tiny/qrels/test.tsv", judged),
        ("tiny/about.txt", "not needed"),
    ];
    for (name, text) in files.iter().chain(more) {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub(crate) struct Place {
    folder: TempDir,
    pub(crate) server: Server,
}

impl Place {
    /// A catalogue with `ours/tiny`, whose archive is served as `/tiny.zip`; `more` goes into its entry.
    pub(crate) fn new(file: &str, more: &str) -> Self {
        let (folder, server) = (tempfile::tempdir().unwrap(), Server::start());
        let entry = format!(
            "ours/tiny:\n  about: three documents\n  documents: 3\n  queries: 2\n  licence: ours alone\n  home: \
             https://example.org\n  files:\n    - url: {}/tiny.zip\n      folder: tiny\n{file}{more}",
            server.url
        );
        fs::write(folder.path().join("catalogue.yaml"), entry).unwrap();
        Self { folder, server }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command).args(arguments).current_dir(self.folder.path());
        command.env("RANKGATE_DATA", "data").env("RANKGATE_CATALOGUE", "catalogue.yaml");
        command.env_remove("ALL_PROXY").env_remove("HTTP_PROXY").env_remove("http_proxy");
        command
    }

    #[track_caller]
    pub(crate) fn ends_with(&self, code: i32, arguments: &[&str]) -> String {
        text_of(&self.command(arguments).output().unwrap(), code)
    }

    pub(crate) fn fetch(&self, code: i32) -> String {
        self.ends_with(code, &["fetch", "ours/tiny", "--accept-licence"])
    }

    /// What is left in the folder of data, apart from locks and notes of checksums.
    pub(crate) fn left(&self) -> Vec<String> {
        let mut left = Vec::new();
        let mut folders = vec![self.path("data")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.to_string_lossy().ends_with(".lock") {
                    let below = path.strip_prefix(self.path("data")).unwrap();
                    left.push(below.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        left.sort();
        left
    }
}

#[track_caller]
fn text_of(output: &Output, code: i32) -> String {
    let text = String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

#[track_caller]
pub(crate) fn says(text: &str, parts: &[&str]) {
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(joined(text).contains(&joined(part)), "{part}\n--\n{text}");
    }
}

pub(crate) const WHOLE: [&str; 4] = [
    "ours/tiny/corpus.jsonl",
    "ours/tiny/qrels/test.tsv",
    "ours/tiny/queries.jsonl",
    "ours/tiny/rankgate.json",
];

#[test]
fn a_benchmark_is_fetched_and_its_spec_has_its_conventions() {
    let place = Place::new(
        "",
        "  relevant-from: 2\n  exclude-identical-ids: true\n  bm25: {R@10: 0.75}\n  bm25-source: us\n",
    );
    place.server.put("/tiny.zip", Does::Serve(tiny(&[])));
    let run = "q1 Q0 q1 1 9 x\nq1 Q0 d2 2 8 x\nq1 Q0 d1 3 7 x\nq2 Q0 d1 1 9 x\nq2 Q0 d2 2 8 x\n";
    fs::write(place.path("mine.run"), run).unwrap();
    let text = place.ends_with(2, &["fetch", "ours/tiny"]);
    says(&text, &["read them (https://example.org), then say --accept-licence"]);
    assert_eq!(place.server.take_requests(), []);
    let text = place.fetch(0);
    says(
        &text,
        &["3 documents, 2 judged queries", "no checksum is published of tiny.zip", "is in data/ours/tiny"],
    );
    assert_eq!((place.server.take_requests().len(), place.left()), (1, WHOLE.map(str::to_owned).to_vec()));
    // Grade 1 is not relevant, and q1 is not its own answer: ranks 2 and 2.
    let collection = text.split_once("in a spec: ").unwrap().1.lines().next().unwrap();
    assert!(
        collection.ends_with("/data/ours/tiny\", relevant-from: 2, exclude-identical-ids: true}"),
        "{collection}"
    );
    let spec = format!(
        "version: 1\nbenchmark: toy\n{collection}\nconfigurations: {{mine: {{run: mine.run}}}}\n\
         thresholds: [{{metric: RR@2, min: 0.5, max: 0.5}}]\n"
    );
    fs::write(place.path("toy.yaml"), spec).unwrap();
    place.ends_with(0, &["run", "toy.yaml"]);
    let text = place.ends_with(1, &["fetch", "ours/tiny", "--verify", "mine.run"]);
    says(
        &text,
        &[
            "ours/tiny, 2 queries, 0 of them unanswered",
            "R@10         1.0000     0.7500  +0.2500  far",
            "published: us",
            "a figure is far from the published one",
        ],
    );
    fs::write(place.path("half.run"), &run[..run.find("q2 Q0").unwrap()]).unwrap();
    let text = place.ends_with(1, &["fetch", "ours/tiny", "--verify", "half.run"]);
    says(&text, &["1 of them unanswered", "0.5000     0.7500  -0.2500  far"]);
    says(&place.ends_with(0, &["fetch", "--list"]), &["ours/tiny", "yes", "beir/scifact", "2.8 MB"]);
    says(&place.fetch(0), &["ours/tiny is in data/ours/tiny"]);
    assert_eq!(place.server.take_requests(), []);
    // A name that there is not.
    let text = place.ends_with(2, &["fetch", "ours/tinny"]);
    says(&text, &["there is no benchmark `ours/tinny`; did you mean `ours/tiny`?"]);
}

#[test]
fn a_file_that_was_dropped_into_the_folder_is_taken_without_a_network() {
    let place = Place::new("", "");
    fs::create_dir_all(place.path("data/downloads")).unwrap();
    fs::write(place.path("data/downloads/tiny.zip"), tiny(&[])).unwrap();
    place.fetch(0);
    assert_eq!(place.server.take_requests(), []);
    // It is the user's, and stays.
    assert!(place.path("data/downloads/tiny.zip").is_file());
}

#[test]
fn a_file_that_was_changed_is_no_benchmark_any_more() {
    let place = Place::new("", "");
    place.server.put("/tiny.zip", Does::Serve(tiny(&[])));
    place.fetch(0);
    says(
        &place.ends_with(0, &["fetch", "ours/tiny", "--check"]),
        &["ours/tiny: 3 files are as they were fetched"],
    );
    fs::remove_file(place.path("data/ours/tiny/corpus.jsonl")).unwrap();
    for arguments in [&["fetch", "ours/tiny"][..], &["fetch", "ours/tiny", "--check"]] {
        let text = place.ends_with(2, arguments);
        says(
            &text,
            &[
                "the benchmark ours/tiny is not as it was fetched: corpus.jsonl is missing",
                "`rankgate fetch ours/tiny --again` fetches it again",
            ],
        );
    }
    says(&place.ends_with(0, &["fetch", "--list", "ours"]), &["damaged"]);
    place.ends_with(0, &["fetch", "ours/tiny", "--accept-licence", "--again"]);
    let path = place.path("data/ours/tiny/qrels/test.tsv");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("q2\td2\t2", "q2\td1\t2")).unwrap();
    let text = place.ends_with(2, &["fetch", "ours/tiny", "--check"]);
    says(&text, &["qrels/test.tsv: its sha256 is ", " when it was fetched"]);
    fs::write(&path, "q1\td1\t1\n").unwrap();
    let text = place.ends_with(2, &["fetch", "ours/tiny"]);
    says(
        &text,
        &["qrels/test.tsv has 8 bytes and had ", "`rankgate fetch ours/tiny --again` fetches it again"],
    );
    place.ends_with(0, &["fetch", "ours/tiny", "--accept-licence", "--again"]);
    place.ends_with(0, &["fetch", "ours/tiny", "--check"]);
}

#[test]
fn two_at_once_fetch_once() {
    let place = Place::new("", "");
    place.server.put("/tiny.zip", Does::Serve(tiny(&[])));
    let start = || {
        let mut command = place.command(&["fetch", "ours/tiny", "--accept-licence"]);
        std::thread::spawn(move || command.output().unwrap())
    };
    for one in [start(), start(), start()] {
        text_of(&one.join().unwrap(), 0);
    }
    assert_eq!(place.server.take_requests().len(), 1);
    assert_eq!(place.left(), WHOLE);
}

#[test]
fn judgments_of_ones_own_over_the_documents_of_another_are_files_beside_them() {
    let place = Place::new("", "");
    let url = place.server.url.clone();
    let deep = format!(
        "\nours/deep:\n  about: other questions\n  documents: 3\n  queries: 1\n  licence: ours alone\n  home: \
         https://example.org\n  corpus-of: ours/tiny\n  relevant-from: 2\n  files:\n    - url: {url}/q.tsv\n      \
         name: queries.tsv\n    - url: {url}/judged\n      name: qrels.txt\n"
    );
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text + &deep).unwrap();
    place.server.put("/tiny.zip", Does::Serve(tiny(&[])));
    place.server.put("/q.tsv", Does::Serve(b"q7\twhich one\n".to_vec()));
    place.server.put("/judged", Does::Serve(b"q7 0 d1 1\nq7 0 d2 2\n".to_vec()));
    // Grade 1 is not relevant: the first relevant one is second.
    fs::write(place.path("mine.run"), "q7 Q0 d1 1 9 x\nq7 Q0 d2 2 8 x\n").unwrap();
    let text = place.ends_with(0, &["fetch", "ours/deep", "--accept-licence"]);
    says(&text, &["no checksum is published of q.tsv, judged"]);
    let paths: Vec<String> = place.server.take_requests().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["/tiny.zip", "/q.tsv", "/judged"]);
    let collection = text.rsplit_once("in a spec: ").unwrap().1.lines().next().unwrap();
    assert!(
        collection.starts_with("collection: {trec: {queries: ")
            && collection.ends_with(", relevant-from: 2}")
    );
    let spec = format!(
        "version: 1\nbenchmark: toy\n{collection}\nconfigurations: {{words: {{builtin: bm25}}, mine: {{run: mine.run}}}}\n\
         thresholds: [{{metric: RR@2, min: 0.5, max: 0.5, for: [mine]}}]\n"
    );
    fs::write(place.path("toy.yaml"), spec).unwrap();
    place.ends_with(0, &["run", "toy.yaml"]);
    let text = place.ends_with(0, &["fetch", "--list", "ours"]);
    says(&text, &["ours/deep 3 1 - yes", "ours/tiny"]);
    assert!(!text.contains("beir/"), "{text}");
}

/// Two collections in one archive, of which each is a benchmark.
fn pair(place: &Place) -> Vec<u8> {
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    let both = ["one", "two"].map(|name| {
        text.replace("ours/tiny:", &format!("ours/{name}:"))
            .replace("folder: tiny", &format!("folder: {name}"))
    });
    fs::write(place.path("catalogue.yaml"), both.join("\n")).unwrap();
    let tiny = tiny(&[]);
    let mut from = zip::ZipArchive::new(Cursor::new(tiny)).unwrap();
    let mut to = ZipWriter::new(Cursor::new(Vec::new()));
    for folder in ["one", "two"] {
        for index in 0..from.len() {
            let mut entry = from.by_index(index).unwrap();
            let name = entry.name().unwrap().replace("tiny/", &format!("{folder}/"));
            to.start_file(name, SimpleFileOptions::default()).unwrap();
            std::io::copy(&mut entry, &mut to).unwrap();
        }
    }
    to.finish().unwrap().into_inner()
}

#[test]
fn an_archive_of_several_benchmarks_is_downloaded_once() {
    let place = Place::new("", "");
    place.server.put("/tiny.zip", Does::Serve(pair(&place)));
    let text = place.ends_with(0, &["fetch", "ours", "--accept-licence"]);
    says(&text, &["ours/one is in data/ours/one", "ours/two is in data/ours/two"]);
    assert_eq!(place.server.take_requests(), [("/tiny.zip".to_owned(), 0)]);
    let left = place.left();
    assert!(!left.iter().any(|name| name.ends_with(".part")), "{left:?}");
    place.ends_with(0, &["fetch", "ours", "--check"]);
}

#[test]
fn files_without_a_checksum_that_cannot_be_read_are_refused() {
    let place = Place::new("", "");
    let url = place.server.url.clone();
    let deep = format!(
        "\nours/deep:\n  about: other questions\n  documents: 3\n  queries: 1\n  licence: ours alone\n  home: \
         https://example.org\n  corpus-of: ours/tiny\n  files:\n    - url: {url}/q.tsv\n      name: queries.tsv\n    - \
         url: {url}/judged\n      name: qrels.txt\n"
    );
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text + &deep).unwrap();
    place.server.put("/tiny.zip", Does::Serve(tiny(&[])));
    place.server.put("/q.tsv", Does::Serve(b"q7\twhich one\n".to_vec()));
    for (judged, part) in [
        ("<!doctype html>\n<title>Sign in</title>", "are refused, and none is kept: qrels.txt:1"),
        ("q8 0 d1 1\n", "does not have: `q8`"),
    ] {
        place.server.put("/judged", Does::Serve(judged.as_bytes().to_vec()));
        says(&place.ends_with(2, &["fetch", "ours/deep", "--accept-licence"]), &[part]);
        let left = place.left();
        assert!(!left.iter().any(|name| name.contains("deep") || name.contains("judged")), "{left:?}");
    }
    place.server.put("/judged", Does::Serve(b"q7 0 d1 1\n".to_vec()));
    place.ends_with(0, &["fetch", "ours/deep", "--accept-licence"]);
}
