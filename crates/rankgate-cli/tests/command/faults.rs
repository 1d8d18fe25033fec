//! Processes that are killed, disks that are full, folders that nobody may write, links that lead
//! elsewhere, runs side by side: files are the old ones or the new ones, and errors say which file it is.

#![cfg(unix)]
#![expect(clippy::print_stdout, reason = "how often a fault was met, and what is skipped")]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::surroundings;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use tempfile::TempDir;

/// Queries of the benchmark that is killed: enough for a golden file that takes several writes.
const QUERIES: usize = 200;
/// Results of each.
const RESULTS: usize = 50;

/// A folder with a benchmark whose answers can be exchanged.
struct Bench(TempDir);

impl Bench {
    fn new() -> Self {
        let bench = Self(tempfile::tempdir().unwrap());
        let (mut topics, mut qrels) = (String::new(), String::new());
        for query in 0..QUERIES {
            writeln!(topics, "q{query}\tquestion {query}").unwrap();
            writeln!(qrels, "q{query} 0 d3 1").unwrap();
        }
        bench.write("topics.tsv", &topics);
        bench.write("qrels.txt", &qrels);
        bench.write("toy.yaml", SPEC);
        bench.write("plain.yaml", &SPEC.replace("snapshot: true\n", ""));
        bench.answer(true);
        bench
    }

    /// Exchanges the answers: what is found first, or last.
    fn answer(&self, first: bool) {
        let mut run = String::new();
        for query in 0..QUERIES {
            for rank in 1..=RESULTS {
                let document = if first { rank + 2 } else { RESULTS + 3 - rank };
                writeln!(run, "q{query} Q0 d{document} {rank} {} x", RESULTS - rank).unwrap();
            }
        }
        self.write("mine.run", &run);
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    fn write(&self, relative: &str, text: &str) {
        fs::write(self.path(relative), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        self.prepare(&mut command);
        command.args(arguments);
        command
    }

    /// The same through a shell that sets limits first.
    fn limited(&self, limits: &str, arguments: &str) -> Output {
        let mut command = Command::new("sh");
        self.prepare(&mut command);
        let line = format!("{limits}; exec {} {arguments}", env!("CARGO_BIN_EXE_rankgate"));
        command.args(["-c", &line]).output().unwrap()
    }

    fn prepare(&self, command: &mut Command) {
        surroundings::leave(command).current_dir(self.0.path()).stdin(Stdio::null());
    }

    #[track_caller]
    fn bless(&self) {
        self.ends(&["bless", "toy.yaml"], 0);
    }

    #[track_caller]
    fn ends(&self, arguments: &[&str], code: i32) -> String {
        ended(&self.command(arguments).output().unwrap(), code)
    }

    /// Every file below a folder by its path, but for temporary ones.
    fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.path(folder), "", &mut files);
        files.retain(|name, _| !is_temporary(name));
        files
    }
}

const SPEC: &str = "\
version: 1
benchmark: toy
collection: {trec: {queries: topics.tsv, qrels: qrels.txt}}
configurations:
  mine: {run: mine.run}
depth: 50
metrics: [RR@50]
thresholds:
  - {metric: RR@50, min: 0.01}
snapshot: true
";

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else if let Ok(bytes) = fs::read(entry.path()) {
            // What is gone by now was a temporary file.
            files.insert(name, bytes);
        }
    }
}

fn is_temporary(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|name| name.starts_with(".rankgate-") && name.ends_with(".tmp"))
}

#[track_caller]
fn ended(output: &Output, code: i32) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let all = format!("{}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{all}");
    assert!(!all.contains("panicked"), "{all}");
    all
}

/// Kills `arguments` `times` times, half of them at a random moment and half of them as soon as a
/// temporary file is there; `folder` holds what it writes.
///
/// The answers are exchanged from one time to the next. After each kill every file is one of the two
/// that uninterrupted processes write, and in the end one that is left alone writes the new ones.
fn kill(arguments: &[&str], folder: &str, times: u64) {
    let bench = Bench::new();
    let mut whole = Vec::new();
    let mut took = Duration::ZERO;
    for first in [true, false] {
        bench.answer(first);
        let start = Instant::now();
        bench.ends(arguments, 0);
        took = took.max(start.elapsed());
        whole.push(bench.files(folder));
    }
    assert_ne!(whole[0], whole[1], "the answers differ, and so do the files");
    assert_eq!(whole[0].keys().collect::<Vec<_>>(), whole[1].keys().collect::<Vec<_>>());
    let mut random = ChaCha8Rng::seed_from_u64(17);
    let (mut killed, mut within) = (0, 0);
    for time in 0..times {
        bench.answer(time % 2 == 0);
        let mut child = bench.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if time % 4 < 2 {
            let part = (random.next_u32() % 1000) as f64 / 1000.0;
            std::thread::sleep(took.mul_f64(part));
        } else if wait_for_temporary(&mut child, &bench.path(folder)) {
            within += 1;
        }
        child.kill().unwrap();
        let status = child.wait().unwrap();
        killed += u64::from(status.code().is_none());
        for (name, bytes) in bench.files(folder) {
            let one_of_them = whole.iter().any(|files| files.get(&name) == Some(&bytes));
            assert!(one_of_them, "after kill {time} {name} is torn: {} bytes", bytes.len());
        }
    }
    println!("{killed} of {times} processes were killed, {within} of them while they wrote a file");
    assert!(killed > times / 4 && within > 0, "{killed} of {times} were killed, {within} while writing");
    bench.answer(true);
    bench.ends(arguments, 0);
    assert_eq!(bench.files(folder), whole[0]);
}

/// Waits until the child writes a file anew; false where it ended before that was seen.
fn wait_for_temporary(child: &mut Child, folder: &Path) -> bool {
    let temporary = || {
        let mut files = BTreeMap::new();
        collect(folder, "", &mut files);
        files.into_keys().filter(|name| is_temporary(name)).count()
    };
    let before = temporary();
    while child.try_wait().unwrap().is_none() {
        if temporary() > before {
            return true;
        }
    }
    false
}

const BLESS: &[&str] = &["bless", "toy.yaml"];
/// Without a gate on golden files.
const REPORT: &[&str] = &["run", "plain.yaml", "--output", "out"];

#[test]
fn killed_while_blessing() {
    kill(BLESS, "golden", 20);
}

#[test]
fn killed_while_reporting() {
    kill(REPORT, "out", 20);
}

#[test]
#[ignore = "takes minutes"]
fn killed_while_blessing_100_times() {
    kill(BLESS, "golden", 100);
}

#[test]
#[ignore = "takes minutes"]
fn killed_while_reporting_100_times() {
    kill(REPORT, "out", 100);
}

#[test]
fn what_the_killed_leave_behind_is_in_nobodys_way_and_goes() {
    let bench = Bench::new();
    bench.bless();
    let left = bench.path("golden/toy/.rankgate-abc123.tmp");
    fs::write(&left, "half").unwrap();
    bench.answer(false);
    bench.bless();
    assert!(left.is_file(), "somebody may be writing it");
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(2 * 60 * 60);
    fs::File::options().write(true).open(&left).unwrap().set_modified(long_ago).unwrap();
    bench.answer(true);
    bench.bless();
    assert!(!left.exists());
}

#[test]
fn a_full_disk_leaves_the_old_files_and_says_which_is_not_written() {
    let bench = Bench::new();
    bench.ends(REPORT, 0);
    bench.bless();
    let old = (bench.files("golden"), bench.files("out"));
    bench.answer(false);
    // What `dash` counts in blocks of 512 bytes and others of 1024 is less than any of the files.
    let said = ended(&bench.limited("trap '' XFSZ; ulimit -f 4", "bless toy.yaml"), 2);
    assert!(said.contains("cannot write") && said.contains("golden/toy/mine.run"), "{said}");
    assert!(said.contains("too large"), "{said}");
    let said = ended(&bench.limited("trap '' XFSZ; ulimit -f 4", "run plain.yaml --output out"), 2);
    assert!(said.contains("cannot write") && said.contains("out/toy/"), "{said}");
    // Killed by the signal of the limit instead, where nobody ignores it.
    assert_eq!(bench.limited("ulimit -f 4", "bless toy.yaml").status.code(), None);
    assert_eq!((bench.files("golden"), bench.files("out")), old);
}

#[test]
fn standard_output_on_a_full_disk_is_an_error() {
    let bench = Bench::new();
    bench.bless();
    let full = fs::File::options().write(true).open("/dev/full");
    let Ok(full) = full else {
        eprintln!("SKIPPED: this system has no /dev/full");
        return;
    };
    let output = bench.command(&["run", "toy.yaml"]).stdout(full).output().unwrap();
    ended(&output, 2);
}

#[test]
fn folders_that_cannot_be_written_are_named() {
    let bench = Bench::new();
    // Whoever is root may write anywhere, so that somebody else has to try, with a program within reach.
    let root = fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0);
    let program = if root { bench.path("rankgate") } else { env!("CARGO_BIN_EXE_rankgate").into() };
    if root {
        // By another process: what other tests start of this one at that moment would hold the file open, and a program that
        // somebody may write to cannot be started.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_rankgate")).arg(&program).status();
        assert!(copied.unwrap().success());
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(bench.0.path(), mode).unwrap();
    }
    let mode = |folder: &str, mode: u32| {
        fs::set_permissions(bench.path(folder), fs::Permissions::from_mode(mode)).unwrap();
    };
    let bless = || {
        let mut command = Command::new(&program);
        bench.prepare(&mut command);
        if root {
            command.uid(65534).gid(65534);
        }
        command.args(["bless", "toy.yaml"]).output().unwrap()
    };
    fs::create_dir_all(bench.path("golden/toy")).unwrap();
    for folder in ["golden/toy", "golden"] {
        mode(folder, 0o555);
    }
    let said = ended(&bless(), 2);
    assert!(said.contains("cannot write golden/toy/mine.run") && said.contains("ermission"), "{said}");
    fs::remove_dir(bench.path("golden/toy")).unwrap_or_else(|_| {
        mode("golden", 0o755);
        fs::remove_dir(bench.path("golden/toy")).unwrap();
    });
    mode("golden", 0o555);
    let said = ended(&bless(), 2);
    assert!(said.contains("cannot make folder golden/toy") && said.contains("ermission"), "{said}");
    mode("golden", 0o755);
}

#[test]
fn a_file_in_place_of_a_folder_is_named() {
    let bench = Bench::new();
    bench.write("golden", "");
    let said = bench.ends(&["bless", "toy.yaml"], 2);
    assert!(said.contains("golden/toy"), "{said}");
    bench.write("out", "");
    let said = bench.ends(REPORT, 2);
    assert!(said.contains("out/toy"), "{said}");
    assert_eq!(fs::read(bench.path("golden")).unwrap(), b"");
}

#[test]
fn golden_files_are_never_written_through_a_link_that_leads_out() {
    let bench = Bench::new();
    bench.bless();
    let elsewhere = tempfile::tempdir().unwrap();
    let precious = elsewhere.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    for file in ["golden/toy/mine.run", "golden/toy/mine.snap"] {
        let kept = fs::read(bench.path(file)).unwrap();
        fs::remove_file(bench.path(file)).unwrap();
        symlink(&precious, bench.path(file)).unwrap();
        bench.answer(false);
        let said = bench.ends(&["bless", "toy.yaml"], 2);
        assert!(said.contains(file) && said.contains("leads out of the golden folder"), "{said}");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
        fs::remove_file(bench.path(file)).unwrap();
        fs::write(bench.path(file), kept).unwrap();
    }
    fs::rename(bench.path("golden/toy"), bench.path("kept")).unwrap();
    symlink(elsewhere.path(), bench.path("golden/toy")).unwrap();
    let said = bench.ends(&["bless", "toy.yaml"], 2);
    assert!(said.contains("golden/toy: is a link"), "{said}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    // The golden folder itself is wherever the user has put it.
    fs::remove_file(bench.path("golden/toy")).unwrap();
    fs::remove_dir_all(bench.path("golden")).unwrap();
    symlink(elsewhere.path(), bench.path("golden")).unwrap();
    bench.bless();
    assert!(elsewhere.path().join("toy/mine.run").is_file());
}

#[test]
fn names_cannot_lead_out_of_the_golden_folder() {
    let bench = Bench::new();
    for name in ["../toy", "/toy", "..", ".", "a/b", "a\\b", "C:a", ".hidden", "\"a\\0b\"", "con"] {
        bench.write("bad.yaml", &SPEC.replace("benchmark: toy", &format!("benchmark: {name}")));
        bench.ends(&["bless", "bad.yaml"], 2);
        bench.write("bad.yaml", &SPEC.replace("  mine:", &format!("  {name}:")));
        bench.ends(&["bless", "bad.yaml"], 2);
    }
    assert!(!bench.path("golden").exists());
}

#[test]
fn processes_side_by_side_leave_whole_files() {
    let bench = Bench::new();
    bench.bless();
    bench.ends(REPORT, 0);
    let whole = (bench.files("golden"), bench.files("out"));
    fs::remove_dir_all(bench.path("golden")).unwrap();
    fs::remove_dir_all(bench.path("out")).unwrap();
    let spawn = |arguments: &[&str]| bench.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
    for child in [BLESS; 4].map(spawn) {
        ended(&child.wait_with_output().unwrap(), 0);
    }
    for child in [REPORT; 4].map(spawn) {
        ended(&child.wait_with_output().unwrap(), 0);
    }
    assert_eq!((bench.files("golden"), bench.files("out")), whole);
    let mut files = BTreeMap::new();
    collect(bench.0.path(), "", &mut files);
    assert!(!files.keys().any(|name| is_temporary(name)), "{:?}", files.keys());
}
