//! Sizes that the documentation promises, and files that are made to exhaust memory.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::surroundings;

use std::fmt::Write;
use std::fs;
use std::io::{BufRead, Write as _};
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.path().join(name), bytes).unwrap();
    }

    /// Runs the command with so much address space, in KiB.
    fn within(&self, kib: u64, arguments: &str) -> Output {
        let line = format!("ulimit -v {kib}; exec {} {arguments}", env!("CARGO_BIN_EXE_rankgate"));
        let mut command = Command::new("sh");
        surroundings::leave(&mut command).args(["-c", &line]).env("RANKGATE_THREADS", "2");
        command.current_dir(self.0.path()).output().unwrap()
    }
}

/// Address space that any of these may take: threads reserve some that they never use.
const MEMORY: u64 = 2 << 20;

#[track_caller]
fn ends(output: &Output, code: i32) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let begin = |text: &str| text.chars().take(3000).collect::<String>();
    assert_eq!(output.status.code(), Some(code), "{}\n{}\n{}", output.status, begin(&out), begin(&err));
    (out, err)
}

fn spec(rest: &str) -> String {
    format!(
        "version: 1\nbenchmark: toy\ncollection: {{json: toy.json}}\n\
         configurations:\n  mine: {{run: mine.run}}\n{rest}\n"
    )
}

#[test]
fn a_thousand_gates() {
    let folder = Folder::new();
    let (mut queries, mut run) = (Vec::new(), String::new());
    for query in 0..200 {
        let text = format!("question {query}");
        queries.push(serde_json::json!({
            "id": format!("q{query}"), "text": text, "relevant": {"d": 1}, "metadata": {"kind": format!("k{}", query % 100)}
        }));
        writeln!(run, "q{query} Q0 d 1 1 x").unwrap();
    }
    folder.write("toy.json", serde_json::json!({ "queries": queries }).to_string());
    folder.write("mine.run", run);
    let mut gates = String::from("metrics: [RR@10]\nthresholds:\n");
    for kind in 0..100 {
        for metric in 1..=10 {
            writeln!(gates, "  - {{metric: RR@{metric}, min: 0.5, segment: {{kind: k{kind}}}}}").unwrap();
        }
    }
    folder.write("toy.yaml", spec(&gates));
    let (_, said) = ends(&folder.within(MEMORY, "run toy.yaml --format json > report.json"), 0);
    assert!(!said.contains("error"), "{said}");
    let report = fs::read_to_string(folder.0.path().join("report.json")).unwrap();
    let report: rankgate::benchmark::model::Report = serde_json::from_str(&report).unwrap();
    assert_eq!((report.gates.len(), report.gates_in_spec), (1000, 1000));
}

#[test]
fn ids_of_256_kib() {
    let folder = Folder::new();
    let id = "x".repeat(1 << 18);
    let queries = serde_json::json!([{"id": id, "text": id, "relevant": {&*id: 1}}, {"id": "q", "text": "q", "relevant": {"d": 1}}]);
    folder.write("toy.json", serde_json::json!({ "queries": queries }).to_string());
    folder.write("mine.run", format!("{id} Q0 d 1 1 x\nq Q0 {id} 1 2 x\nq Q0 d 2 1 x\n"));
    folder.write("toy.yaml", spec("metrics: [RR@10]\nthresholds: [{metric: RR@10, min: 0.5}]"));
    let (out, said) = ends(&folder.within(MEMORY, "run toy.yaml"), 1);
    // What people read is of a size that people read.
    assert!(out.len() < 100_000 && said.len() < 100_000, "{} and {} bytes", out.len(), said.len());
    assert!(out.contains("xxx..."), "{out}");
    let (markdown, _) = ends(&folder.within(MEMORY, "report --format markdown"), 1);
    assert!(markdown.len() < 1 << 20, "{} bytes of Markdown", markdown.len());
}

#[test]
fn a_hundred_thousand_results() {
    let folder = Folder::new();
    let queries = serde_json::json!([{"id": "q", "text": "q", "relevant": {"d99999": 1, "d0": 1}}]);
    folder.write("toy.json", serde_json::json!({ "queries": queries }).to_string());
    let mut run = String::new();
    for rank in 0..100_000 {
        writeln!(run, "q Q0 d{rank} {rank} {} x", 100_000 - rank).unwrap();
    }
    folder.write("mine.run", run);
    let gate = "depth: 100000\nmetrics: [R@100000]\nthresholds: [{metric: R@100000, min: 1.0}]";
    folder.write("toy.yaml", spec(gate));
    ends(&folder.within(MEMORY, "run toy.yaml"), 0);
}

/// Ten GiB in ten MB: members of a gzip file follow each other.
fn bomb() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    std::io::copy(&mut std::io::Read::take(std::io::repeat(b'x'), 8 << 20), &mut encoder).unwrap();
    encoder.finish().unwrap().repeat(1280)
}

#[test]
fn a_service_that_answers_with_a_bomb_is_an_error_within_bounded_memory() {
    let bomb = bomb();
    for (status, headers, expected) in [
        (200, "Content-Length: LENGTH", "answered with more than 64 MiB"),
        (200, "Connection: close", "answered with more than 64 MiB"),
        (500, "Content-Length: LENGTH", "more than 16384 bytes"),
    ] {
        let headers = headers.replace("LENGTH", &bomb.len().to_string());
        let head = format!("HTTP/1.1 {status} X\r\nContent-Encoding: gzip\r\n{headers}\r\n\r\n");
        let answer = [head.as_bytes(), &bomb].concat();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        // It ends with the test.
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let answer = answer.clone();
                std::thread::spawn(move || {
                    let head = std::io::BufReader::new(stream.try_clone().unwrap()).lines();
                    let _: Vec<String> =
                        head.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
                    // The other side goes in the middle of it.
                    drop(stream.write_all(&answer));
                });
            }
        });
        let folder = Folder::new();
        let queries: Vec<_> = (0..4)
            .map(|n| serde_json::json!({"id": format!("q{n}"), "text": "x", "relevant": {"d": 1}}))
            .collect();
        folder.write("toy.json", serde_json::json!({ "queries": queries }).to_string());
        let http =
            format!("{{http: {{url: 'http://{address}/', body: {{q: '{{text}}'}}, hits: /hits, id: /id}}}}");
        let spec = spec("thresholds: [{metric: R@10, min: 0.5}]");
        folder.write("toy.yaml", spec.replace("{run: mine.run}", &http));
        let (out, said) = ends(&folder.within(MEMORY, "run toy.yaml"), 2);
        assert!(out.contains(expected), "{out}\n{said}");
    }
}

/// A folder with a benchmark and its files, one of which, or a copy of it, is a named pipe.
fn piped(name: &str) -> Folder {
    let folder = Folder::new();
    folder.write("toy.json", r#"{"queries": [{"id": "q", "text": "x", "relevant": {"d": 1}}]}"#);
    folder.write("mine.run", "q Q0 d 1 1 x\n");
    folder.write("good.qrels", "q 0 d 1\n");
    folder.write("toy.yaml", spec("thresholds: [{metric: R@10, min: 0.5}]"));
    if !name.is_empty() {
        let path = folder.0.path().join(name);
        drop(fs::remove_file(&path));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }
    folder
}

#[test]
fn a_named_pipe_in_place_of_a_file_is_an_error_and_is_not_waited_for() {
    let golden = "comparisons: [{candidate: mine, baseline: golden, expect: overlap, cutoff: 1, min: 0.5}]";
    for (name, more, arguments) in [
        ("toy.yaml", "", "run toy.yaml"),
        ("more/toy.yaml", "", "run more"),
        ("toy.json", "", "run toy.yaml"),
        ("mine.run", "", "run toy.yaml"),
        ("golden/toy/mine.run", golden, "run toy.yaml"),
        ("golden/toy/mine.snap", "snapshot: true", "run toy.yaml"),
        ("mine.run", "", "eval good.qrels mine.run"),
        ("good.qrels", "", "eval good.qrels mine.run"),
        ("toy.json", "", "lint toy.json"),
    ] {
        let folder = piped(name);
        if name != "toy.yaml" {
            // What a spec names itself is looked at when it is read.
            let spec = spec(&format!("thresholds: [{{metric: R@10, min: 0.5}}]\n{more}"));
            let spec = spec.replace("toy.json", "\"${T}toy.json\"").replace("mine.run", "\"${T}mine.run\"");
            folder.write("toy.yaml", spec);
        }
        let line = format!("T=./ exec timeout 60 {} {arguments}", env!("CARGO_BIN_EXE_rankgate"));
        let output = Command::new("sh").args(["-c", &line]).current_dir(folder.0.path()).output().unwrap();
        let (out, said) = ends(&output, 2);
        let words: Vec<&str> = out.split_whitespace().chain(said.split_whitespace()).collect();
        assert!(
            words.join(" ").contains("it is a named pipe, which is not waited for"),
            "{name}: {out}\n{said}"
        );
    }
}

#[test]
fn the_pipes_of_a_shell_are_read() {
    let rankgate = env!("CARGO_BIN_EXE_rankgate");
    for line in [
        format!("{rankgate} eval <(cat good.qrels) <(cat mine.run)"),
        format!("cat mine.run | {rankgate} eval good.qrels /dev/stdin"),
        format!("{rankgate} eval good.qrels /dev/stdin < mine.run"),
    ] {
        let folder = piped("");
        let output = Command::new("bash").args(["-c", &line]).current_dir(folder.0.path()).output().unwrap();
        assert!(ends(&output, 0).0.contains("1.0000"), "{line}");
    }
}

/// Runs the command as a user who may start no more processes and threads. What root may is not limited.
const ALONE: &str = "import os, resource, sys
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
os.execv(sys.argv[1], sys.argv[1:])";

#[test]
fn threads_that_cannot_be_started_are_done_without() {
    let folder = piped("");
    fs::copy(folder.0.path().join("mine.run"), folder.0.path().join("other.run")).unwrap();
    // Whoever it is run as can reach it there.
    let copy = folder.0.path().join("rankgate");
    fs::copy(env!("CARGO_BIN_EXE_rankgate"), &copy).unwrap();
    fs::set_permissions(folder.0.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    for arguments in
        ["eval good.qrels mine.run", "run toy.yaml", "compare good.qrels mine.run other.run", "lint toy.json"]
    {
        let ran = |begin: &[&str]| {
            let mut command = Command::new("python3");
            command.args(begin).arg(&copy).args(arguments.split(' ')).env("RANKGATE_THREADS", "2");
            // Where a report would go that somebody else may have written.
            command.env_remove("CARGO_TARGET_DIR");
            command.current_dir(folder.0.path()).output().unwrap()
        };
        let free = ran(&["-c", &ALONE.replace("(1, 1)", "(999, 999)")]);
        let (out, said) = ends(&ran(&["-c", ALONE]), 0);
        assert_eq!(
            (out.as_str(), said.as_str()),
            (&*String::from_utf8_lossy(&free.stdout), &*String::from_utf8_lossy(&free.stderr))
        );
    }
}

#[test]
fn a_number_of_threads_that_is_none_is_an_error() {
    let folder = piped("");
    for value in ["0", "two", "-1", ""] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        command.args(["eval", "good.qrels", "mine.run"]).env("RANKGATE_THREADS", value);
        let (out, said) = ends(&command.current_dir(folder.0.path()).output().unwrap(), 2);
        let told = format!("error: RANKGATE_THREADS is `{value}`; it takes a number of threads, 1 or more\n");
        assert_eq!((out.as_str(), said), ("", told));
    }
}

/// A thousand queries with a thousand results each.
fn million(documents: &str) -> String {
    let mut run = String::new();
    for (query, rank) in (0..1000).flat_map(|query| (0..1000).map(move |rank| (query, rank))) {
        writeln!(run, "q{query} Q0 {documents}{rank} {rank} -{rank}.0 x").unwrap();
    }
    run
}

/// Address space in which a million results whose ids are strings of their own do not fit, and in which
/// the command itself does.
const LITTLE: u64 = 256 << 10;

#[test]
fn a_comparison_holds_no_more_than_the_ids_of_its_baseline() {
    let folder = Folder::new();
    folder.write("a.run", million("a"));
    folder.write("b.run", million("b"));
    folder.write(
        "good.qrels",
        (0..1000).fold(String::new(), |text, query| text + &format!("q{query} 0 a7 0\nq{query} 0 b7 1\n")),
    );
    let (out, _) = ends(&folder.within(LITTLE, "compare good.qrels a.run b.run --format json"), 0);
    assert!(out.contains("\"wins\": 1000"), "{out}");
}

#[test]
fn a_spec_holds_no_more_of_a_run_than_its_depth() {
    let (folder, long) = (Folder::new(), "d".repeat(100));
    let query = |query| serde_json::json!({"id": format!("q{query}"), "text": "text", "relevant": {format!("{long}7"): 1}});
    folder.write(
        "toy.json",
        serde_json::json!({"queries": (0..1000).map(query).collect::<Vec<_>>()}).to_string(),
    );
    folder.write("mine.run", million(&long));
    folder.write("toy.yaml", spec("depth: 10\nmetrics: [RR@10]\nthresholds: [{metric: RR@10, min: 0.125}]"));
    ends(&folder.within(LITTLE, "run toy.yaml"), 0);
}

#[test]
fn bombs_end_in_an_error_within_bounded_memory() {
    let folder = Folder::new();
    let bomb = bomb();
    for (name, arguments) in [
        ("bomb.run.gz", "eval good.qrels bomb.run.gz"),
        ("bomb.json.gz", "eval good.qrels bomb.json.gz"),
        ("bomb.qrels.gz", "eval bomb.qrels.gz good.run"),
        ("corpus.jsonl.gz", "lint --queries topics.tsv --qrels good.qrels --corpus corpus.jsonl.gz"),
    ] {
        folder.write(name, &bomb);
        folder.write("good.qrels", "q 0 d 1\n");
        folder.write("good.run", "q Q0 d 1 1 x\n");
        folder.write("topics.tsv", "q\ttext\n");
        let (_, said) = ends(&folder.within(MEMORY, arguments), 2);
        assert!(said.contains(name) && !said.contains("allocation"), "{said}");
    }
    let levels: String = (1..60).fold(String::from("a0: &a0 [x, x]\n"), |mut text, level| {
        let below = level - 1;
        writeln!(text, "a{level}: &a{level} [*a{below}, *a{below}, *a{below}, *a{below}]").unwrap();
        text
    });
    let deep = "[".repeat(200_000);
    let json = "[".repeat(5_000_000);
    for (name, text, arguments) in [
        ("aliases.yaml", levels, "run aliases.yaml"),
        ("deep.yaml", format!("a: {deep}"), "run deep.yaml"),
        ("deep.json", json, "eval good.qrels deep.json"),
    ] {
        folder.write(name, text);
        let (_, said) = ends(&folder.within(MEMORY, arguments), 2);
        assert!(said.contains(name) && said.len() < 10_000, "{} bytes: {said}", said.len());
    }
}
