//! `rankgate fetch` against a server on loopback, with every way in which a download fails.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::collections::HashMap;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
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
    /// Sends so many bytes and then nothing, as often as is said, and then serves.
    Stall(usize, usize, Vec<u8>),
    /// Closes the connection after so many bytes, and sends this version from the next request on.
    Version(&'static str, usize, Vec<u8>),
    /// Waits until it is let go, and serves.
    Hold(Arc<Mutex<()>>, Vec<u8>),
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

    fn take_requests(&self) -> Vec<(String, usize)> {
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
        Some(Does::Stall(_, 0, bytes)) => part(&bytes, usize::MAX),
        Some(Does::Stall(most, times, bytes)) => {
            paths.lock().unwrap().insert(path, Does::Stall(most, times - 1, bytes.clone()));
            part(&bytes, most);
            // Open until the other side goes.
            drop(stream.read(&mut [0; 1]));
        }
        Some(Does::Version(version, most, bytes)) => {
            let same =
                head.lines().any(|line| line.to_ascii_lowercase() == format!("if-range: \"{version}\""));
            let (status, from) = if from > 0 && same { ("206 Partial Content", from) } else { ("200 OK", 0) };
            let rest = &bytes[from..];
            let range = format!("ETag: \"{version}\"\r\nContent-Range: bytes {from}-/{}\r\n", bytes.len());
            send(status, &range, rest.len(), &rest[..most.min(rest.len())]);
        }
        Some(Does::Hold(gate, bytes)) => {
            part(&bytes, bytes.len() / 2);
            drop(gate.lock());
            drop(stream.write_all(&bytes[bytes.len() / 2..]));
        }
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
        text_of(&self.command(arguments).output().unwrap(), code)
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
fn text_of(output: &Output, code: i32) -> String {
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
    "downloads/ours/tiny/tiny.zip.sha256",
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
    assert_eq!(place.server.take_requests(), []);
    let text = place.fetch(0);
    says(
        &text,
        &["3 documents, 2 judged queries", "no checksum is published for tiny.zip", "is in data/ours/tiny"],
    );
    assert_eq!((place.server.take_requests().len(), place.left()), (1, WHOLE.map(str::to_owned).to_vec()));
    // Grade 1 is not relevant, and q1 is not its own answer: ranks 2 and 2.
    place.ends_with(0, &["run", "toy.yaml"]);
    let text = place.ends_with(1, &["fetch", "ours/tiny", "--verify", "mine.run"]);
    says(
        &text,
        &[
            "ours/tiny, 2 queries",
            "R@10         1.0000     0.7500  +0.2500  far",
            "published: us",
            "a figure is more than 0.03 from the published one",
        ],
    );
    let text = place.ends_with(0, &["fetch", "ours/tiny", "--verify", "mine.run", "--within", ".25"]);
    assert!(!text.contains("far") && !text.contains("without an answer"), "{text}");
    fs::write(place.path("half.run"), &run[..run.find("q2 Q0").unwrap()]).unwrap();
    let text = place.ends_with(1, &["fetch", "ours/tiny", "--verify", "half.run"]);
    says(
        &text,
        &["1 of them without an answer in the run, which count as 0: q2", "0.5000     0.7500  -0.2500  far"],
    );
    says(&place.ends_with(0, &["fetch", "--list"]), &["ours/tiny", "yes", "beir/scifact", "2.8 MB"]);
    says(&place.fetch(0), &["ours/tiny is in data/ours/tiny"]);
    assert_eq!(place.server.take_requests(), []);
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
    let from: Vec<usize> = place.server.take_requests().into_iter().map(|(_, from)| from).collect();
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
    let published = format!("      bytes: {}\n", zip.len());
    for (file, more, served, parts) in [
        (
            &*published,
            "",
            [&b"<!DOCTYPE html>"[..], &vec![b' '; zip.len() - 15]].concat(),
            &["answered with a web page, perhaps of a network that wants a sign-in"][..],
        ),
        ("      bytes: 17\n", "", zip.clone(), &["and 17 were published: it is another file"]),
        (
            "      md5: 00000000000000000000000000000000\n",
            "",
            zip.clone(),
            &["its md5 is ", "that published is 00000000000000000000000000000000: it is another file"],
        ),
        ("", "", b"no archive".to_vec(), &["it is no zip archive but text: it begins with `no archive`"]),
        ("", "", zip[..zip.len() - 30].to_vec(), &["it cannot be unpacked"]),
        ("", "", tiny(&[("../evil", "e")]), &["its entry `../evil` leads out of the archive's folder"]),
        ("", "  split: dev\n", zip.clone(), &["dev"]),
    ] {
        let place = Place::new(file, more);
        place.server.put("/tiny.zip", Does::Serve(served));
        let text = place.fetch(2);
        says(&text, parts);
        let left = place.left();
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
    place.server.take_requests();
    place.server.put("/tiny.zip", Does::Status(403));
    place.server.put("/mirror/a.zip", Does::Redirect("b.zip".into()));
    place.server.put("/mirror/b.zip", Does::Serve(zip.clone()));
    place.fetch(0);
    let paths: Vec<String> = place.server.take_requests().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["/tiny.zip", "/mirror/a.zip", "/mirror/b.zip"]);
    place.server.put("/mine/tiny.zip", Does::Serve(zip));
    let mirror = format!("{url}/mine/");
    place.ends_with(0, &["fetch", "ours/tiny", "--accept-licence", "--again", "--mirror", &mirror]);
    assert_eq!(place.server.take_requests(), [("/mine/tiny.zip".to_owned(), 0)]);
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
    let spec = "version: 1\nbenchmark: toy\ncollection: {benchmark: ours/tiny}\nconfigurations: {mine: {run: mine.run}}\n\
                thresholds: [{metric: RR@2, min: 0}]\n";
    fs::write(place.path("toy.yaml"), spec).unwrap();
    fs::write(place.path("mine.run"), "q1 Q0 d1 1 9 x\n").unwrap();
    let text = place.ends_with(2, &["run", "toy.yaml"]);
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
    says(&text, &["no checksum is published for q.tsv", "no checksum is published for judged"]);
    let paths: Vec<String> = place.server.take_requests().into_iter().map(|(path, _)| path).collect();
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
    assert!(!left.iter().any(|name| name.ends_with(".whole") || name.ends_with(".part")), "{left:?}");
    place.ends_with(0, &["fetch", "ours", "--check"]);
    // A part that is asked for alone needs it again.
    fs::remove_dir_all(place.path("data/ours/two")).unwrap();
    place.ends_with(0, &["fetch", "ours", "--accept-licence", "--keep"]);
    assert_eq!(place.server.take_requests().len(), 1);
    assert!(place.path("data/downloads/tiny.zip").is_file());
}

#[test]
fn who_fetches_another_part_of_an_archive_at_the_same_time_shares_it_and_outlives_the_other() {
    let place = Place::new("", "");
    let zip = pair(&place);
    let gate = Arc::new(Mutex::new(()));
    let held = gate.lock().unwrap();
    place.server.put("/tiny.zip", Does::Hold(Arc::clone(&gate), zip.clone()));
    let start = |name: &str| {
        let mut command = place.command(&["fetch", name, "--accept-licence"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let until = |what: &str, there: &dyn Fn() -> bool| {
        let begin = std::time::Instant::now();
        while !there() {
            assert!(begin.elapsed().as_secs() < 60, "{what}");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    let has = |end: &str| place.left().iter().any(|name| name.ends_with(end));
    let mut first = start("ours/one");
    until("a half", &|| has(".part") && has_bytes(&place, zip.len() / 2));
    let second = start("ours/two");
    until("the folder of the second", &|| place.path("data/ours/.rankgate-new-two").exists());
    // One that is killed breaks nothing: the other goes on from where it was.
    place.server.put("/tiny.zip", Does::Serve(zip.clone()));
    first.kill().unwrap();
    first.wait().unwrap();
    text_of(&second.wait_with_output().unwrap(), 0);
    drop(held);
    assert!(place.path("data/ours/.rankgate-new-one").exists(), "it was killed within");
    place.ends_with(0, &["fetch", "ours/two"]);
    assert!(!place.path("data/ours/.rankgate-new-one").exists());
    // Both whole: one download, and neither takes it away from the other.
    fs::remove_dir_all(place.path("data")).unwrap();
    place.server.take_requests();
    let both = [start("ours/one"), start("ours/two")];
    for one in both {
        text_of(&one.wait_with_output().unwrap(), 0);
    }
    place.ends_with(0, &["fetch", "ours", "--check"]);
    assert!(!has(".whole") && !has(".part"), "{:?}", place.left());
}

/// Whether a part of so many bytes is there.
fn has_bytes(place: &Place, bytes: usize) -> bool {
    let parts = place.left().into_iter().filter(|name| name.ends_with(".part"));
    parts
        .filter_map(|name| fs::metadata(place.path("data").join(name)).ok())
        .any(|part| part.len() == bytes as u64)
}

#[test]
fn what_nobody_published_a_checksum_of_is_looked_at_before_it_is_noted() {
    let place = Place::new("", "");
    let url = place.server.url.clone();
    let deep = |name: &str| {
        format!(
            "\nours/{name}:\n  about: other questions\n  documents: 3\n  queries: 1\n  licence: ours alone\n  home: \
             https://example.org\n  corpus-of: ours/tiny\n  files:\n    - url: {url}/{name}/q.tsv.gz\n      \
             name: queries.tsv.gz\n    - url: {url}/{name}/judged\n      name: qrels.txt\n"
        )
    };
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text + &deep("deep") + &deep("other")).unwrap();
    let gzip = |text: &str| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gz.write_all(text.as_bytes()).unwrap();
        gz.finish().unwrap()
    };
    let page = b"\n<!doctype html>\n<title>Sign in</title>".to_vec();
    let right = gzip("q7\twhich one\n");
    place.server.put("/tiny.zip", Does::Serve(tiny(&[])));
    place.server.put("/deep/judged", Does::Serve(b"q7 0 d1 1\n".to_vec()));
    let fetch = |code: i32, name: &str| place.ends_with(code, &["fetch", name, "--accept-licence"]);
    let clean = || {
        let left = place.left();
        assert!(!left.iter().any(|name| name.contains("deep") || name.contains("q.tsv")), "{left:?}");
    };
    for (served, parts) in [
        (
            page.clone(),
            &["web page, perhaps of a network that wants a sign-in", "it begins with `<!doctype html>`"][..],
        ),
        (
            b"{\"error\": \"no\"}".to_vec(),
            &["it is no gzip file but text: it begins with `{\"error\": \"no\"}`"],
        ),
        (
            right[..right.len() - 4].to_vec(),
            &["what came of ours/deep is refused, and nothing of it stays: "],
        ),
        // What is right by its form, and is of other queries.
        (
            gzip("q8\twhich one\n"),
            &[
                "is refused, and nothing of it stays: qrels.txt:1: judgment of a query that",
                "does not have: `q7`",
            ],
        ),
    ] {
        place.server.put("/deep/q.tsv.gz", Does::Serve(served));
        says(&fetch(2, "ours/deep"), parts);
        clean();
    }
    place.server.put("/deep/q.tsv.gz", Does::Serve(right.clone()));
    place.server.put("/deep/judged", Does::Serve(page));
    says(&fetch(2, "ours/deep"), &["web page"]);
    place.server.put("/deep/judged", Does::Serve(b"q7 0 d1 1\nq9 0 d1 1\n".to_vec()));
    says(&fetch(2, "ours/deep"), &["does not have: `q9`"]);
    place.server.put("/deep/judged", Does::Serve(b"q7 0 d1 1\n".to_vec()));
    fetch(0, "ours/deep");
    // Files of one name of another benchmark are others.
    place.server.put("/other/q.tsv.gz", Does::Serve(gzip("q5\tanother\n")));
    place.server.put("/other/judged", Does::Serve(b"q5 0 d2 1\n".to_vec()));
    fetch(0, "ours/other");
    // The first one is noted.
    place.server.put("/deep/q.tsv.gz", Does::Serve(gzip("q7\tchanged\n")));
    let text = place.ends_with(2, &["fetch", "ours/deep", "--accept-licence", "--again"]);
    says(&text, &["that of the one that came first, as ", "(remove the note to take the new one)"]);
    place.ends_with(0, &["fetch", "ours/deep", "--check"]);
}

#[test]
fn a_published_checksum_counts_and_a_note_beside_it_does_not() {
    let zip = tiny(&[]);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("zip"), &zip).unwrap();
    let sum = rankgate::collection::file_sha256(folder.path().join("zip")).unwrap();
    let place = Place::new(&format!("      sha256: {sum}\n"), "");
    for note in ["data/downloads/tiny.zip.sha256", "data/downloads/ours/tiny/tiny.zip.sha256"] {
        fs::create_dir_all(place.path(note).parent().unwrap()).unwrap();
        fs::write(place.path(note), format!("{}  tiny.zip\n", "0".repeat(64))).unwrap();
    }
    place.server.put("/tiny.zip", Does::Serve(zip));
    let text = place.fetch(0);
    assert!(!text.contains("nobody published"), "{text}");
}

#[test]
fn a_mirror_that_answers_with_a_page_or_another_file_is_passed_over() {
    let zip = tiny(&[]);
    let md5 = {
        use md5::{Digest, Md5};
        Md5::digest(&zip).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let place = Place::new(&format!("      mirrors: [MIRROR/a.zip, MIRROR/b.zip]\n      md5: {md5}\n"), "");
    let url = place.server.url.clone();
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text.replace("MIRROR", &url)).unwrap();
    place.server.put("/tiny.zip", Does::Serve(b"<html><body>moved</body></html>".to_vec()));
    place.server.put("/a.zip", Does::Serve(tiny(&[("tiny/more.txt", "m")])));
    let text = place.fetch(2);
    says(
        &text,
        &[
            "/tiny.zip: answered with a web page",
            "/a.zip: what it has is refused: its md5 is ",
            "/b.zip: answered 404",
        ],
    );
    // What is here of another file is not gone on with for ever.
    place.server.put("/tiny.zip", Does::CutAfter(90, 0, zip.clone()));
    let part = place.left().into_iter().find(|name| name.ends_with(".part"));
    assert_eq!(part, None);
    place.server.put("/a.zip", Does::CutAfter(100, 100, tiny(&[("tiny/more.txt", "m")])));
    place.server.put("/tiny.zip", Does::Status(403));
    place.fetch(2);
    place.server.put("/tiny.zip", Does::Serve(zip));
    place.fetch(0);
    place.ends_with(0, &["fetch", "ours/tiny", "--check"]);
}

#[test]
fn a_server_that_sends_nothing_is_asked_again_from_where_it_was() {
    let place = Place::new("", "");
    place.server.put("/tiny.zip", Does::Stall(100, 2, tiny(&[])));
    place.ends_with(0, &["fetch", "ours/tiny", "--accept-licence", "--stall", "1"]);
    let from: Vec<usize> = place.server.take_requests().into_iter().map(|(_, from)| from).collect();
    assert_eq!(from, [0, 100, 200]);
    says(&place.ends_with(2, &["fetch", "ours/tiny", "--stall", "0"]), &["--stall <SECONDS>"]);
}

#[test]
fn a_file_that_changed_on_the_server_is_not_sewn_to_the_part_that_is_here() {
    let place = Place::new("", "");
    let (old, new) = (tiny(&[("tiny/more.txt", "before")]), tiny(&[]));
    let spoil = |version| {
        place.server.put("/tiny.zip", Does::Version(version, 100, old.clone()));
        let mut command = place.command(&["fetch", "ours/tiny", "--accept-licence"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.unwrap();
        while !has_bytes(&place, 100) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        drop(child.kill());
        drop(child.wait());
        place.server.take_requests();
    };
    spoil("a");
    place.server.put("/tiny.zip", Does::Version("b", usize::MAX, new.clone()));
    place.fetch(0);
    assert_eq!(place.left(), WHOLE);
    assert!(place.server.take_requests().iter().all(|(_, from)| *from > 0));
    // The same version is gone on with.
    fs::remove_dir_all(place.path("data")).unwrap();
    spoil("c");
    place.server.put("/tiny.zip", Does::Version("c", usize::MAX, old.clone()));
    place.fetch(0);
    place.ends_with(0, &["fetch", "ours/tiny", "--check"]);
}

#[test]
fn relative_redirections_lead_where_browsers_go() {
    let place = Place::new("", "");
    place.server.put("/files/v1/tiny.zip", Does::Redirect("../v2/tiny.zip?from=http://a/b".into()));
    place.server.put("/files/v2/tiny.zip?from=http://a/b", Does::Redirect("./x/../last.zip".into()));
    place.server.put("/files/v2/last.zip", Does::Serve(tiny(&[])));
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text.replace("/tiny.zip", "/files/v1/tiny.zip")).unwrap();
    place.fetch(0);
    assert_eq!(place.server.take_requests().len(), 3);
}

#[test]
fn a_broken_catalogue_is_named_with_its_line_wherever_it_is_read() {
    let place = Place::new("      size: 3\n", "");
    let text = place.ends_with(2, &["fetch", "--list"]);
    says(&text, &["unknown key `size` in a file", "--> catalogue.yaml:10:7", "10 |       size: 3"]);
    let spec = "version: 1\nbenchmark: toy\ncollection: {benchmark: ours/tiny}\nconfigurations: {mine: {run: mine.run}}\n\
                thresholds: [{metric: RR, min: 0.5}]\n";
    fs::write(place.path("toy.yaml"), spec).unwrap();
    let text = place.ends_with(2, &["run", "toy.yaml"]);
    says(
        &text,
        &[
            "the catalogue that `RANKGATE_CATALOGUE` names has an error in line 10: unknown key `size` in a file",
            "--> toy.yaml:3:25",
        ],
    );
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
        text_of(&command.output().unwrap(), 0)
    };
    ends_well(&["fetch", "beir/scifact", "--accept-licence", "--keep"]);
    ends_well(&["fetch", "beir/scifact", "--check"]);
    ends_well(&["run", "scifact.yaml"]);
    let text = ends_well(&["fetch", "beir/scifact", "--verify", "target/rankgate/scifact/bm25.run"]);
    says(&text, &["beir/scifact, 300 queries", "nDCG@10"]);
}
