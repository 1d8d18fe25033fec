//! Processes that are killed, disks that are full, databases that go away.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use crate::client::send;
use crate::cluster::Cluster;
use crate::running::Running;
use crate::sample::{base, id, lower, push, report, step};

const REPORTS: &str = "/v1/projects/search/reports";

/// The program itself.
pub(crate) fn start(folder: &Path, more: &[&str]) -> (Child, SocketAddr) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rankgate-serve"))
        .arg("--data")
        .arg(folder)
        .args(["--open", "--listen", "127.0.0.1:0"])
        .args(more)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().rsplit('/').next().unwrap().parse().unwrap_or_else(|_| panic!("{line}"));
    (child, address)
}

/// Pushes from several sides, kills it meanwhile, and returns what was acknowledged.
fn kill_during_pushes(folder: &Path, round: usize) -> Vec<(i64, usize)> {
    let (mut child, address) = start(folder, &[]);
    let acknowledged = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for side in 0..4 {
            let acknowledged = &acknowledged;
            scope.spawn(move || {
                for number in 0.. {
                    let commit = 1 + round * 100_000 + side * 10_000 + number;
                    let values = lower(&base(), 1e-6 * commit as f64);
                    let body = report("helpdesk", commit, &values, &base()).to_string();
                    match send(address, ("POST", REPORTS), &[], body.as_bytes()) {
                        Ok(answer) if answer.status == 201 && !answer.body.is_empty() => {
                            if let Ok(answer) = serde_json::from_slice::<serde_json::Value>(&answer.body) {
                                acknowledged
                                    .lock()
                                    .unwrap()
                                    .push((answer["report"].as_i64().unwrap(), commit));
                            }
                        }
                        Ok(answer) => panic!("{}", answer.text()),
                        Err(_) => return,
                    }
                }
            });
        }
        let begun = Instant::now();
        while acknowledged.lock().unwrap().is_empty() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        // At another moment in each round.
        std::thread::sleep(Duration::from_millis(round as u64 * 37 % 150));
        child.kill().unwrap();
        child.wait().unwrap();
    });
    acknowledged.into_inner().unwrap()
}

fn what_was_acknowledged_is_there(rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for round in 0..rounds {
        all.extend(kill_during_pushes(folder.path(), round));
    }
    assert!(all.len() >= rounds, "{} pushes in {rounds} rounds", all.len());
    let (mut child, address) = start(folder.path(), &[]);
    for (number, commit) in &all {
        let found =
            send(address, ("GET", &format!("{REPORTS}/{number}")), &[], b"").unwrap().expect(200).json();
        assert_eq!(found["history"]["commit"], id(*commit));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Nothing is torn: each report has its bytes, its measurement and its scores.
    let database = rankgate_serve::store::Database::new(folder.path(), None);
    let store =
        rankgate_serve::store::Store::open(database, folder.path(), rankgate_serve::store::Holding::Shortly)
            .unwrap();
    let torn = "SELECT COUNT(*) FROM report \
                LEFT JOIN blob ON blob.project = report.project AND blob.sha256 = report.sha256 \
                LEFT JOIN measured ON measured.report = report.id LEFT JOIN scoring ON scoring.id = measured.scoring \
                WHERE blob.sha256 IS NULL OR scoring.id IS NULL";
    let count = |sql: &'static str| store.read(move |session| session.query(sql, &[])).unwrap()[0].int(0);
    assert_eq!(count(torn), 0);
    assert!(count("SELECT COUNT(*) FROM report") >= all.len() as i64);
}

#[test]
fn what_was_acknowledged_survives_being_killed() {
    what_was_acknowledged_is_there(4);
}

#[cfg(unix)]
#[test]
fn a_server_that_is_told_to_stop_leaves_one_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, address) = start(folder.path(), &[]);
    let body = report("helpdesk", 1, &base(), &base()).to_string();
    send(address, ("POST", REPORTS), &[], body.as_bytes()).unwrap().expect(201);
    send(address, ("GET", REPORTS), &[], b"").unwrap().expect(200);
    let told = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(told.success() && child.wait().unwrap().success());
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["lock", "rankgate.db"]);
    // Whole: a copy of that file alone is the service.
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(folder.path().join("rankgate.db"), copy.path().join("rankgate.db")).unwrap();
    let (mut child, address) = start(copy.path(), &[]);
    let listed = send(address, ("GET", REPORTS), &[], b"").unwrap().expect(200).json();
    assert_eq!(listed["reports"].as_array().unwrap().len(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The same a hundred times.
#[test]
#[ignore = "takes a minute"]
fn what_was_acknowledged_survives_being_killed_a_hundred_times() {
    what_was_acknowledged_is_there(100);
}

#[test]
fn a_full_database_refuses_and_goes_on() {
    let server = Running::on_sqlite();
    let push = |number: usize| {
        let values = lower(&base(), 1e-6 * number as f64);
        server.post_json(REPORTS, &report("helpdesk", number, &values, &base()))
    };
    push(1).expect(201);
    // As many pages as there are: what a full disk says, without filling one.
    server.app.store().write(|session| session.script("PRAGMA max_page_count = 1")).unwrap();
    let refused = (2..60).map(push).find(|answer| answer.status != 201).expect("it is never full");
    assert_eq!(refused.status, 507, "{}", refused.text());
    assert!(refused.text().contains("full"), "{}", refused.text());
    server.get(&format!("{REPORTS}/1")).expect(200);
    server.app.store().write(|session| session.script("PRAGMA max_page_count = 1000000")).unwrap();
    let kept = server.get(REPORTS).json()["reports"].as_array().unwrap().len();
    push(99).expect(201);
    assert_eq!(server.get(REPORTS).json()["reports"].as_array().unwrap().len(), kept + 1);
}

#[test]
fn a_database_that_is_restarted_loses_nothing_that_was_acknowledged() {
    let mut cluster = Cluster::own();
    let address = cluster.create();
    let server = Running::with(|settings| rankgate_serve::Settings { database: Some(address), ..settings });
    let mut acknowledged = Vec::new();
    let mut refused = 0;
    for number in 1..=60 {
        if number % 20 == 0 {
            cluster.restart();
        }
        let values = lower(&base(), 1e-6 * number as f64);
        let body = report("helpdesk", number, &values, &base()).to_string();
        // As a client does it: again after a moment.
        let sent = (0..200).find_map(|_| {
            let answer = server.post(REPORTS, body.as_bytes());
            if answer.status == 503 {
                refused += 1;
                std::thread::sleep(Duration::from_millis(50));
                return None;
            }
            assert!(matches!(answer.status, 200 | 201), "{} {}", answer.status, answer.text());
            Some(answer.json()["report"].as_i64().unwrap())
        });
        acknowledged.push((sent.expect("it never comes back"), number));
    }
    assert!(refused > 0, "nothing was asked while it was away");
    for (report, commit) in acknowledged {
        let found = server.get(&format!("{REPORTS}/{report}")).expect(200).json();
        assert_eq!(found["history"]["commit"], id(commit));
    }
    assert_eq!(server.get(REPORTS).json()["reports"].as_array().unwrap().len(), 60);
}

#[test]
fn a_database_that_cannot_be_written_is_still_read() {
    let server = Running::on_sqlite();
    let body = |number: usize| report("helpdesk", number, &base(), &base());
    server.post_json(REPORTS, &body(1)).expect(201);
    server.app.store().write(|session| session.script("PRAGMA query_only = ON")).unwrap();
    let refused = server.post_json(REPORTS, &body(2)).expect(507);
    assert!(refused.text().contains("readonly"), "{}", refused.text());
    server.get("/ready").expect(200);
    assert_eq!(server.get(REPORTS).expect(200).json()["reports"].as_array().unwrap().len(), 1);
}

#[test]
fn a_clock_that_jumps_changes_nothing() {
    static READ: AtomicI64 = AtomicI64::new(0);
    fn jumping() -> i64 {
        let number = READ.fetch_add(1, Ordering::Relaxed);
        if number % 2 == 0 { 1_000_000 * number } else { 1_000 - number }
    }
    let told = |server: &Running| {
        let states = step();
        push(server, &states, &(0..states.len()).collect::<Vec<_>>());
        let path = "/v1/projects/search/alarms";
        let alarm = server.get(path).json()["alarms"][0]["id"].as_str().unwrap().to_owned();
        server.post(&format!("{path}/{alarm}/acknowledge"), br#"{"note": "known"}"#).expect(200);
        (server.get("/v1/projects/search/trends").text(), server.get(path).text())
    };
    let jumps = Running::with(|settings| rankgate_serve::Settings { clock: jumping, ..settings });
    assert_eq!(told(&jumps), told(&Running::on_sqlite()));
    assert!(READ.load(Ordering::Relaxed) > 40);
}

#[test]
fn who_reads_no_more_of_its_help_sees_no_panic() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rankgate-serve"))
        .arg("--help")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Nobody reads, before it has begun to write.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}
