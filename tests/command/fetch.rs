//! `rankgate fetch` against a server on loopback, with every way in which a download fails.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::collections::HashMap;
use std::fs;
use std::io::{Cursor, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::loopback::request;
use crate::surroundings;

/// What the server does with a path.
#[derive(Clone)]
enum Does {
    Serve(Vec<u8>),
    /// Closes the connection after so many bytes, as often as is said, and then serves.
    CutAfter(usize, usize, Vec<u8>),
    /// Knows nothing of ranges, and cuts once.
    CutWhole(usize, Vec<u8>),
    Redirect(String),
    Status(u16),
}

struct Server {
    url: String,
    paths: Arc<Mutex<HashMap<String, Does>>>,
    /// Each request: its path, and the byte that it asks for first.
    asked: Arc<Mutex<Vec<(String, usize)>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (paths, asked) = (Arc::new(Mutex::new(HashMap::new())), Arc::new(Mutex::new(Vec::new())));
        let (known, noted) = (Arc::clone(&paths), Arc::clone(&asked));
        // It ends with the test.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (known, noted) = (Arc::clone(&known), Arc::clone(&noted));
                std::thread::spawn(move || answer(stream, &known, &noted));
            }
        });
        Self { url, paths, asked }
    }

    fn put(&self, path: &str, does: Does) {
        self.paths.lock().unwrap().insert(path.to_owned(), does);
    }

    fn asked(&self) -> Vec<(String, usize)> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

fn answer(mut stream: TcpStream, paths: &Mutex<HashMap<String, Does>>, asked: &Mutex<Vec<(String, usize)>>) {
    let Ok(Some((head, _))) = request(&stream) else { return };
    let path = head.split(' ').nth(1).unwrap().to_owned();
    let range = head.lines().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("range: bytes=")?.trim_end_matches('-').parse().ok()
    });
    let from = range.unwrap_or(0);
    asked.lock().unwrap().push((path.clone(), from));
    let does = paths.lock().unwrap().get(&path).cloned();
    let mut send = |status: &str, more: &str, length: usize, body: &[u8]| {
        let head =
            format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{more}\r\n");
        // The other side may be gone.
        drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)));
    };
    let mut part = |bytes: &[u8], most: usize| {
        let rest = &bytes[from.min(bytes.len())..];
        let range = format!("Content-Range: bytes {from}-{}/{}\r\n", bytes.len() - 1, bytes.len());
        let status = if from > 0 { "206 Partial Content" } else { "200 OK" };
        send(status, if from > 0 { &range } else { "" }, rest.len(), &rest[..most.min(rest.len())]);
    };
    match does {
        None => send("404 Not Found", "", 0, b""),
        Some(Does::Serve(bytes) | Does::CutAfter(_, 0, bytes)) => part(&bytes, usize::MAX),
        Some(Does::CutAfter(most, times, bytes)) => {
            paths.lock().unwrap().insert(path, Does::CutAfter(most, times - 1, bytes.clone()));
            part(&bytes, most);
        }
        Some(Does::CutWhole(most, bytes)) => {
            paths.lock().unwrap().insert(path, Does::CutWhole(usize::MAX, bytes.clone()));
            send("200 OK", "", bytes.len(), &bytes[..most.min(bytes.len())]);
        }
        Some(Does::Redirect(to)) => send("302 Found", &format!("Location: {to}\r\n"), 0, b""),
        Some(Does::Status(status)) => send(&format!("{status} No"), "", 0, b""),
    }
}

/// A small collection in the layout of BEIR: three documents, two queries, of which q1 is also a document's id.
fn tiny(more: &[(&str, &str)]) -> Vec<u8> {
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

struct Place {
    folder: TempDir,
    server: Server,
}

impl Place {
    /// A catalogue with `ours/tiny`, whose archive is served as `/tiny.zip`; `more` goes into its entry.
    fn new(file: &str, more: &str) -> Self {
        let (folder, server) = (tempfile::tempdir().unwrap(), Server::start());
        let entry = format!(
            "ours/tiny:\n  about: three documents\n  documents: 3\n  queries: 2\n  licence: ours alone\n  home: \
             https://example.org\n  files:\n    - url: {}/tiny.zip\n      folder: tiny\n{file}{more}",
            server.url
        );
        fs::write(folder.path().join("catalogue.yaml"), entry).unwrap();
        Self { folder, server }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command).args(arguments).current_dir(self.folder.path());
        command.env("RANKGATE_DATA", "data").env("RANKGATE_CATALOGUE", "catalogue.yaml");
        command.env_remove("ALL_PROXY").env_remove("HTTP_PROXY").env_remove("http_proxy");
        command
    }

    #[track_caller]
    fn ends_with(&self, code: i32, arguments: &[&str]) -> String {
        told(&self.command(arguments).output().unwrap(), code)
    }

    fn fetch(&self, code: i32) -> String {
        self.ends_with(code, &["fetch", "ours/tiny", "--accept-licence"])
    }

    /// What is left in the folder of data, apart from locks and notes of checksums.
    fn left(&self) -> Vec<String> {
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
fn told(output: &Output, code: i32) -> String {
    let text = String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(joined(text).contains(&joined(part)), "{part}\n--\n{text}");
    }
}

const WHOLE: [&str; 5] = [
    "downloads/tiny.zip.sha256",
    "ours/tiny/corpus.jsonl",
    "ours/tiny/qrels/test.tsv",
    "ours/tiny/queries.jsonl",
    "ours/tiny/rankgate.json",
];

#[test]
fn a_benchmark_is_fetched_and_found_by_its_name_with_its_conventions() {
    let place = Place::new(
        "",
        "  relevant-from: 2\n  exclude-identical-ids: true\n  bm25: {R@10: 0.75}\n  bm25-source: us\n",
    );
    place.server.put("/tiny.zip", Does::Serve(tiny(&[])));
    let run = "q1 Q0 q1 1 9 x\nq1 Q0 d2 2 8 x\nq1 Q0 d1 3 7 x\nq2 Q0 d1 1 9 x\nq2 Q0 d2 2 8 x\n";
    fs::write(place.path("mine.run"), run).unwrap();
    let spec = "version: 1\nbenchmark: toy\ncollection: {benchmark: ours/tiny}\nconfigurations: {mine: {run: mine.run}}\n\
                thresholds: [{metric: RR@2, min: 0.5, max: 0.5}]\n";
    fs::write(place.path("toy.yaml"), spec).unwrap();
    // A gate fetches nothing: it says what is missing and what to do.
    let text = place.ends_with(2, &["run", "toy.yaml"]);
    says(
        &text,
        &[
            "the benchmark ours/tiny is not on this machine",
            "`rankgate fetch ours/tiny` gets it (tiny.zip",
            "licence: ours alone",
            "files fetched by other means go into",
        ],
    );
    let text = place.ends_with(2, &["fetch", "ours/tiny"]);
    says(&text, &["read them (https://example.org), then say --accept-licence"]);
    assert_eq!(place.server.asked(), []);
    let text = place.fetch(0);
    says(
        &text,
        &["3 documents, 2 judged queries", "nobody published a checksum of tiny.zip", "is in data/ours/tiny"],
    );
    assert_eq!((place.server.asked().len(), place.left()), (1, WHOLE.map(str::to_owned).to_vec()));
    // Grade 1 is not relevant, and q1 is not its own answer: ranks 2 and 2.
    place.ends_with(0, &["run", "toy.yaml"]);
    let text = place.ends_with(0, &["fetch", "ours/tiny", "--verify", "mine.run"]);
    says(&text, &["ours/tiny, 2 queries", "R@10         1.0000     0.7500  +0.2500", "published: us"]);
    says(&place.ends_with(0, &["fetch", "--list"]), &["ours/tiny", "yes", "beir/scifact", "2.8 MB"]);
    says(&place.fetch(0), &["ours/tiny is in data/ours/tiny"]);
    assert_eq!(place.server.asked(), []);
    // A name that there is not.
    fs::write(place.path("toy.yaml"), spec.replace("ours/tiny", "ours/tinny")).unwrap();
    let text = place.ends_with(2, &["run", "toy.yaml"]);
    says(&text, &["toy.yaml:3:", "there is no benchmark `ours/tinny`; did you mean `ours/tiny`?"]);
}

#[test]
fn a_download_that_is_cut_off_goes_on_from_there() {
    let place = Place::new("", "");
    let zip = tiny(&[]);
    place.server.put("/tiny.zip", Does::CutAfter(100, 3, zip.clone()));
    place.fetch(0);
    let from: Vec<usize> = place.server.asked().into_iter().map(|(_, from)| from).collect();
    assert_eq!(from, [0, 100, 200, 300]);
    // A server that knows no ranges sends all of it again.
    place.server.put("/tiny.zip", Does::CutWhole(100, zip.clone()));
    place.ends_with(0, &["fetch", "ours/tiny", "--accept-licence", "--again"]);
    assert_eq!(place.left(), WHOLE);
    // One that always cuts at the same byte is given up, and what came is kept.
    fs::remove_dir_all(place.path("data")).unwrap();
    place.server.put("/tiny.zip", Does::CutAfter(0, 100, zip.clone()));
    let text = place.fetch(2);
    says(&text, &["tiny.zip cannot be had", "/tiny.zip: was cut off after 0"]);
    place.server.put("/tiny.zip", Does::CutAfter(200, 1, zip.clone()));
    place.fetch(0);
    assert_eq!(place.left(), WHOLE);
}

#[test]
fn what_is_not_what_was_published_is_refused_and_nothing_of_it_stays() {
    let zip = tiny(&[]);
    for (file, more, served, parts) in [
        ("      bytes: 17\n", "", zip.clone(), &["and 17 were published: it is another file"][..]),
        (
            "      md5: 00000000000000000000000000000000\n",
            "",
            zip.clone(),
            &["its md5 is ", "that published is 00000000000000000000000000000000: it is another file"],
        ),
        ("", "", b"no archive".to_vec(), &["it cannot be unpacked"]),
        ("", "", zip[..zip.len() - 30].to_vec(), &["it cannot be unpacked"]),
        ("", "", tiny(&[("../evil", "e")]), &["its entry `../evil` leads out of the archive's folder"]),
        ("", "  split: dev\n", zip.clone(), &["dev"]),
    ] {
        let place = Place::new(file, more);
        place.server.put("/tiny.zip", Does::Serve(served));
        let text = place.fetch(2);
        says(&text, parts);
        let left: Vec<String> =
            place.left().into_iter().filter(|name| !name.starts_with("downloads/")).collect();
        assert!(left.is_empty() && !place.path("evil").exists(), "{left:?}");
        place.ends_with(2, &["fetch", "ours/tiny", "--check"]);
    }
    // Counts are those published.
    let place = Place::new("", "");
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text.replace("documents: 3", "documents: 4")).unwrap();
    place.server.put("/tiny.zip", Does::Serve(zip));
    says(&place.fetch(2), &["it holds 3 documents, and should hold 4"]);
}

#[test]
fn addresses_that_have_nothing_are_told_and_mirrors_tried() {
    let place = Place::new("      mirrors: [MIRROR]\n", "");
    let (zip, url) = (tiny(&[]), place.server.url.clone());
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text.replace("MIRROR", &format!("{url}/mirror/a.zip"))).unwrap();
    let text = place.fetch(2);
    says(&text, &["/tiny.zip: answered 404 Not Found", "/mirror/a.zip: answered 404 Not Found"]);
    place.server.put("/tiny.zip", Does::Redirect("/again".into()));
    place.server.put("/again", Does::Redirect("/tiny.zip".into()));
    says(&place.fetch(2), &["leads on and on"]);
    place.server.put("/tiny.zip", Does::Status(503));
    let text = place.fetch(2);
    says(&text, &["/tiny.zip: answered 503"]);
    place.server.asked();
    place.server.put("/tiny.zip", Does::Status(403));
    place.server.put("/mirror/a.zip", Does::Redirect("b.zip".into()));
    place.server.put("/mirror/b.zip", Does::Serve(zip.clone()));
    place.fetch(0);
    let paths: Vec<String> = place.server.asked().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["/tiny.zip", "/mirror/a.zip", "/mirror/b.zip"]);
    place.server.put("/mine/tiny.zip", Does::Serve(zip));
    let mirror = format!("{url}/mine/");
    place.ends_with(0, &["fetch", "ours/tiny", "--accept-licence", "--again", "--mirror", &mirror]);
    assert_eq!(place.server.asked(), [("/mine/tiny.zip".to_owned(), 0)]);
}

#[test]
fn a_file_that_was_dropped_into_the_folder_is_taken_without_a_network() {
    let place = Place::new("", "");
    fs::create_dir_all(place.path("data/downloads")).unwrap();
    fs::write(place.path("data/downloads/tiny.zip"), tiny(&[])).unwrap();
    place.fetch(0);
    assert_eq!(place.server.asked(), []);
    // It is the user's, and stays.
    assert!(place.path("data/downloads/tiny.zip").is_file());
    // Another one under its name is noticed.
    fs::write(place.path("data/downloads/tiny.zip"), tiny(&[("tiny/more.txt", "m")])).unwrap();
    let text = place.ends_with(2, &["fetch", "ours/tiny", "--accept-licence", "--again"]);
    says(
        &text,
        &["downloads/tiny.zip: its sha256 is ", "that of the one that came first, as ", "it is another file"],
    );
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
    let path = place.path("data/ours/tiny/qrels/test.tsv");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("q2\td2\t2", "q2\td1\t2")).unwrap();
    let text = place.ends_with(2, &["fetch", "ours/tiny", "--check"]);
    says(&text, &["qrels/test.tsv: its sha256 is ", " when it was fetched"]);
    fs::write(&path, "q1\td1\t1\n").unwrap();
    let spec = "version: 1\nbenchmark: toy\ncollection: {benchmark: ours/tiny}\nconfigurations: {mine: {run: mine.run}}\n\
                thresholds: [{metric: RR@2, min: 0}]\n";
    fs::write(place.path("toy.yaml"), spec).unwrap();
    fs::write(place.path("mine.run"), "q1 Q0 d1 1 9 x\n").unwrap();
    let text = place.ends_with(2, &["run", "toy.yaml"]);
    says(&text, &["it has 8 bytes and had ", "`rankgate fetch ours/tiny --again` gets it anew"]);
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
        told(&one.join().unwrap(), 0);
    }
    assert_eq!(place.server.asked().len(), 1);
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
    let spec = |more: &str| {
        let spec = format!(
            "version: 1\nbenchmark: toy\ncollection: {{benchmark: ours/deep{more}}}\nconfigurations: {{words: {{builtin: \
             bm25}}, mine: {{run: mine.run}}}}\nthresholds: [{{metric: RR@2, min: 0.5, max: 0.5, for: [mine]}}]\n"
        );
        fs::write(place.path("toy.yaml"), spec).unwrap();
    };
    // Grade 1 is not relevant: the first relevant one is second.
    fs::write(place.path("mine.run"), "q7 Q0 d1 1 9 x\nq7 Q0 d2 2 8 x\n").unwrap();
    spec("");
    let text = place.ends_with(0, &["fetch", "ours/deep", "--accept-licence"]);
    says(&text, &["nobody published a checksum of q.tsv", "nobody published a checksum of judged"]);
    let paths: Vec<String> = place.server.asked().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["/tiny.zip", "/q.tsv", "/judged"]);
    place.ends_with(0, &["run", "toy.yaml"]);
    // It has no splits to choose from.
    spec(", split: dev");
    let text = place.ends_with(2, &["run", "toy.yaml"]);
    says(&text, &["toy.yaml:3:", "`ours/deep` has one set of judgments, and no `split`"]);
    let text = place.ends_with(0, &["fetch", "--list", "ours"]);
    says(&text, &["ours/deep 3 1 - yes", "ours/tiny"]);
    assert!(!text.contains("beir/"), "{text}");
}

/// The real one, where a network is: `cargo test --all-features --test command -- --ignored scifact`. A file in the folder that
/// `RANKGATE_DATA` names is taken where it has come by other means.
#[test]
#[ignore = "fetches 2.8 MB"]
#[cfg(feature = "bm25")]
fn bm25_on_scifact_is_near_the_published_figure() {
    let folder = tempfile::tempdir().unwrap();
    let spec = "version: 1\nbenchmark: scifact\ncollection: {benchmark: beir/scifact}\nconfigurations: {bm25: {builtin: bm25, \
                params: {stemmer: english, stop-words: english}}}\nmetrics: [nDCG@10, R@100]\ndepth: 100\nthresholds: [{metric: \
                nDCG@10, min: 0.65, max: 0.70}]\n";
    fs::write(folder.path().join("scifact.yaml"), spec).unwrap();
    let ends_well = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        let data = std::env::var_os("RANKGATE_DATA").unwrap_or_else(|| "data".into());
        surroundings::leave(&mut command)
            .args(arguments)
            .current_dir(folder.path())
            .env("RANKGATE_DATA", data);
        told(&command.output().unwrap(), 0)
    };
    ends_well(&["fetch", "beir/scifact", "--accept-licence", "--keep"]);
    ends_well(&["fetch", "beir/scifact", "--check"]);
    ends_well(&["run", "scifact.yaml"]);
    let text = ends_well(&["fetch", "beir/scifact", "--verify", "target/rankgate/scifact/bm25.run"]);
    says(&text, &["beir/scifact, 300 queries", "nDCG@10"]);
}
