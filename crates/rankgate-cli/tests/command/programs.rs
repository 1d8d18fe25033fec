//! What is left of the programs of `command:` when the command has ended, in whatever way.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

const SPEC: &str = "version: 1
benchmark: toy
collection: {inline: {queries: [{id: q1, text: one, relevant: [d1]}]}}
configurations: {mine: {command: [python3, program.py]}}
thresholds: [{metric: R@10, min: 0.5}]
";

/// Hears no signal that can be ignored, and neither does its child. Each writes its id. It answers once both have.
const PROGRAM: &str = r#"
import os, signal, sys, time
for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(name, signal.SIG_IGN)
def note():
    with open('ids', 'a') as file:
        file.write('%d\n' % os.getpid())
def stay():
    for pipe in (0, 1, 2):
        os.close(pipe)
    note()
    time.sleep(1000)
if os.fork() == 0:
    stay()
note()
print('{"rankgate": 1}', flush=True)
sys.stdin.readline()
sys.stdin.readline()
while len(open('ids').readlines()) < 2:
    time.sleep(0.01)
print('{"id": "q1", "hits": ["d1"]}', flush=True)
"#;

/// Those that still run; what has ended and was not waited for yet does not.
fn running(ids: &[String]) -> Vec<&String> {
    let runs = |id: &&String| {
        let stat = fs::read_to_string(Path::new("/proc").join(id).join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    ids.iter().filter(runs).collect()
}

fn until(what: &str, mut there: impl FnMut() -> bool) {
    let start = Instant::now();
    while !there() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn what_a_program_started_ends_with_it_when_all_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("toy.yaml"), SPEC).unwrap();
    fs::write(folder.path().join("program.py"), PROGRAM).unwrap();
    let output = crate::cli::run(folder.path(), &["run", "--quiet", "toy.yaml"], "");
    assert_eq!(output.status, Some(0), "{}{}", output.stdout, output.stderr);
    let ids = fs::read_to_string(folder.path().join("ids")).unwrap();
    let ids: Vec<String> = ids.lines().map(str::to_owned).collect();
    assert_eq!(ids.len(), 2);
    until("all ended", || running(&ids).is_empty());
}

#[test]
fn a_filter_that_leaves_deterministic_out_asks_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("toy.yaml"), format!("{SPEC}deterministic: true\n")).unwrap();
    let program = "import json, sys\nsys.stdin.readline()\nprint('{\"rankgate\": 1}', flush=True)\n\
                   for line in sys.stdin:\n    open('asked', 'a').write('x')\n    \
                   print(json.dumps({'id': json.loads(line)['id'], 'hits': ['d1']}), flush=True)\n";
    fs::write(folder.path().join("program.py"), program).unwrap();
    let asked = |arguments: &[&str]| {
        let output =
            crate::cli::run(folder.path(), &[&["run", "--quiet", "toy.yaml"], arguments].concat(), "");
        assert_eq!(output.status, Some(0), "{}{}", output.stdout, output.stderr);
        let asked = fs::read(folder.path().join("asked")).unwrap().len();
        fs::remove_file(folder.path().join("asked")).unwrap();
        asked
    };
    assert_eq!(asked(&["--filter", "R@10"]), 1);
    // Twice, and once more of a second program.
    assert!(asked(&[]) >= 3);
}
