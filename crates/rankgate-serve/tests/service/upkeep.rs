//! What is run, kept, checked and deleted.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::read::GzEncoder;
use rankgate_serve::hash::sha256;
use rankgate_serve::maintenance::{
    Removed, Retention, add_token, check, rebuild, remove, retain, revoke_token,
};
use rankgate_serve::store::Session;
use rankgate_serve::{App, Right, Settings};
use serde_json::json;

use crate::client::send;
use crate::cluster::Cluster;
use crate::pages::{filled, form, post_form};
use crate::running::{Running, noon, settings};
use crate::sample::{base, lower, push, report, step, summarize};

const DAY: i64 = 24 * 60 * 60;

#[test]
fn a_posted_spec_starts_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let (specs, marker) = (folder.path().join("specs"), folder.path().join("started"));
    fs::create_dir(&specs).unwrap();
    fs::write(specs.join("queries.tsv"), "q1\tone\n").unwrap();
    fs::write(specs.join("qrels.txt"), "q1 0 d1 1\n").unwrap();
    fs::write(specs.join("mine.run"), "q1 Q0 d1 1 1.0 t\n").unwrap();
    let spec = |name: &str, configuration: &str| {
        format!(
            "version: 1\nbenchmark: {name}\ncollection: {{trec: {{queries: queries.tsv, qrels: qrels.txt}}}}\n\
             configurations: {{mine: {configuration}}}\nthresholds: [{{metric: RR, min: 0.5}}]\n"
        )
    };
    let starts = spec("starts", &format!("{{command: [touch, {}]}}", marker.display()));
    fs::write(specs.join("frozen.yaml"), spec("frozen", "{run: mine.run}")).unwrap();
    fs::write(specs.join("starts.yml"), &starts).unwrap();
    // Beside the folder, where a name could lead.
    fs::write(folder.path().join("outside.yaml"), &starts).unwrap();
    let server = Running::with(|settings| Settings { benchmarks: Some(specs.clone()), ..settings });
    let known = server.get("/v1/benchmarks").expect(200).json();
    assert_eq!(known, json!({"benchmarks": [{"name": "frozen"}, {"name": "starts"}]}));
    let as_json = json!({"version": 1, "benchmark": "x", "spec": starts, "collection": {"trec": {"queries": "queries.tsv", "qrels": "qrels.txt"}},
        "configurations": {"mine": {"command": ["touch", marker]}}, "thresholds": [{"metric": "RR", "min": 0.5}]});
    let document: serde_json::Value = server.get("/v1/openapi.json").json();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let names = ["outside", "..%2Foutside", "..", "frozen.yaml", "%2Fetc%2Fpasswd", "new", "frozen"];
        for name in names {
            let at =
                path.replace("{project}", "p").replace("{sha256}", &"0".repeat(64)).replace("{report}", "1");
            let at = at.replace("{alarm}", "a").replace("{list}", "l").replace("{name}", name);
            for method in methods.as_object().unwrap().keys().filter(|method| *method != "get") {
                for body in [starts.clone(), as_json.to_string()] {
                    let answer =
                        send(server.address, (&method.to_uppercase(), &at), &[], body.as_bytes()).unwrap();
                    assert!((400..500).contains(&answer.status), "{method} {at}: {}", answer.text());
                }
            }
        }
    }
    assert!(!marker.exists(), "a program was started");
    // What lies in the folder is carried out, and is what would have shown it.
    let run = |name: &str| server.post(&format!("/v1/benchmarks/{name}/run"), b"");
    assert_eq!(run("frozen").expect(200).json()["gates"][0]["verdict"], "passed");
    run("outside").expect(404);
    assert_eq!(run("starts").expect(200).json()["gates"][0]["verdict"], "errored");
    assert!(marker.exists());
}

#[test]
fn what_is_old_is_deleted_and_its_numbers_are_not_used_again() {
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        let states: Vec<Vec<f64>> = (0..6).map(|number| lower(&base(), 0.001 * number as f64)).collect();
        push(&server, &states, &[0, 1, 2, 3, 4, 5]);
        let other = report("other", 0, &base(), &base());
        server.post_json("/v1/projects/search/reports", &other).expect(201);
        let store = server.app.store();
        let keep =
            |days, reports, at| retain(store, Retention { days, reports, nearly_all: false }, at).unwrap();
        assert_eq!(keep(Some(1), Some(100), noon()), Removed::default());
        // The last two of each benchmark.
        assert_eq!(keep(None, Some(2), noon()), Removed { reports: 4, blobs: 4 });
        let told = server.get("/v1/projects/search/trends?benchmark=helpdesk").expect(200).json();
        assert_eq!(told["histories"][0]["commits"].as_array().unwrap().len(), 2);
        server.get("/v1/projects/search/reports/1").expect(404);
        let rows = |session: &mut dyn Session| {
            let counts = "SELECT (SELECT COUNT(*) FROM report), (SELECT COUNT(*) FROM measured), \
                          (SELECT COUNT(*) FROM scoring), (SELECT COUNT(*) FROM blob)";
            let row = session.query(counts, &[])?.remove(0);
            Ok([0, 1, 2, 3].map(|column| row.int(column)))
        };
        assert_eq!(store.read(rows).unwrap(), [3, 3, 3, 3]);
        assert_eq!(keep(Some(1), None, noon() + 2 * DAY), Removed { reports: 3, blobs: 3 });
        assert_eq!(store.read(rows).unwrap(), [0; 4]);
        let next = server.post_json("/v1/projects/search/reports", &other).expect(201).json();
        assert_eq!(next["report"], 8);
        assert!(remove(store, "search").unwrap() && !remove(store, "search").unwrap());
        server.get("/v1/projects/search/reports").expect(404);
        assert_eq!(server.post_json("/v1/projects/search/reports", &other).expect(201).json()["report"], 9);
    }
}

#[test]
fn what_was_deleted_can_be_given_back_to_the_disk() {
    let server = Running::on_sqlite();
    let states: Vec<Vec<f64>> = (0..12).map(|number| lower(&base(), 0.001 * number as f64)).collect();
    push(&server, &states, &(0..12).collect::<Vec<_>>());
    let store = server.app.store();
    retain(store, Retention { days: None, reports: Some(1), nearly_all: true }, noon()).unwrap();
    let (before, free) = store.space().unwrap().unwrap();
    assert!(free > 0, "{before}");
    store.compact().unwrap();
    let (after, free) = store.space().unwrap().unwrap();
    assert!(after < before && free == 0, "{before} {after} {free}");
    assert_eq!(server.get("/v1/projects/search/reports").json()["reports"].as_array().unwrap().len(), 1);
    assert_eq!(Running::on_postgres().app.store().space().unwrap(), None);
}

#[test]
fn a_database_that_is_not_there_yet_is_waited_for() {
    let mut cluster = Cluster::own();
    let database = cluster.create();
    cluster.restart();
    let begun = Instant::now();
    while cluster.ask("SELECT 1") && begun.elapsed() < Duration::from_secs(5) {}
    let folder = tempfile::tempdir().unwrap();
    let serve = |database: &str, seconds: &str| {
        let mut serve = Command::new(env!("CARGO_BIN_EXE_rankgate-serve"));
        serve.args([
            "--database",
            database,
            "--database-seconds",
            seconds,
            "--listen",
            "127.0.0.1:0",
            "--data",
        ]);
        serve.arg(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        serve.spawn().unwrap()
    };
    let mut server = serve(&database, "60");
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(line.starts_with("rankgate-serve listens on "), "{line}");
    // One that does not come.
    let gone = serve("postgres://nobody@%2Fno-such-folder/x", "1").wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&gone.stderr).into_owned();
    assert_eq!(gone.status.code(), Some(2), "{said}");
    assert!(said.contains("; trying again for 1 s\n") && said.contains("\nerror: PostgreSQL: "), "{said}");
}

#[test]
fn deletion_leaves_nothing_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(settings(&folder)).unwrap();
    let secret = "a word that stands nowhere else";
    app.store()
        .write(move |session| {
            let sql = "INSERT INTO project (id, name, created, changed) VALUES (1, $1, 0, 0)";
            session.execute(sql, &[secret.into()]).map(drop)
        })
        .unwrap();
    let holds = || {
        let files =
            fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().path()).filter(|path| path.is_file());
        files
            .filter(|path| {
                fs::read(path).unwrap().windows(secret.len()).any(|part| part == secret.as_bytes())
            })
            .count()
    };
    assert!(holds() > 0);
    assert!(remove(app.store(), secret).unwrap());
    assert_eq!(holds(), 0);
}

#[test]
fn what_was_read_of_reports_is_checked_and_read_anew() {
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        let states = step();
        push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
        let store = server.app.store();
        let told = || server.get("/v1/projects/search/trends").expect(200).text();
        let before = told();
        assert_eq!(check(store).unwrap(), Vec::<String>::new());
        assert_eq!(rebuild(store).unwrap(), 21);
        assert_eq!((told(), check(store).unwrap()), (before.clone(), Vec::new()));
        // Somebody was in the database.
        let harm =
            ["UPDATE scoring SET state = 'other' WHERE id = 3", "DELETE FROM measured WHERE report = 5"];
        store.write(move |session| harm.iter().try_for_each(|sql| session.script(sql))).unwrap();
        let wrong = check(store).unwrap();
        assert!(wrong.iter().any(|one| one.starts_with("report 5: what is kept of it")), "{wrong:?}");
        rebuild(store).unwrap();
        assert_eq!((told(), check(store).unwrap()), (before, Vec::new()));
        // A report that an earlier version took, and that no page can show.
        let mut unreadable = server.get("/v1/projects/search/reports/7").expect(200).json();
        unreadable["gates"][0]["message"] = json!(0.15);
        let unreadable = unreadable.to_string();
        let (name, mut gzip) = (sha256(unreadable.as_bytes()), Vec::new());
        let mut packed = GzEncoder::new(unreadable.as_bytes(), Compression::fast());
        packed.read_to_end(&mut gzip).unwrap();
        let replaced = move |session: &mut dyn Session| {
            let sql = "INSERT INTO blob (project, sha256, size, gzip, received) SELECT project, $1, $2, $3, 0 \
                       FROM report WHERE id = 7";
            session.execute(sql, &[name.clone().into(), (unreadable.len() as i64).into(), gzip.into()])?;
            session.execute("UPDATE report SET sha256 = $1 WHERE id = 7", &[name.into()])
        };
        store.write(replaced).unwrap();
        let said = "report 7: it cannot be shown: ";
        assert!(check(store).unwrap().iter().any(|one| one.starts_with(said)), "{:?}", check(store));
        // Bytes that are others than their name.
        let harm = "UPDATE blob SET base = NULL, gzip = (SELECT gzip FROM blob AS other \
                    WHERE other.sha256 <> blob.sha256 AND other.base IS NULL LIMIT 1) WHERE sha256 = (SELECT sha256 FROM report WHERE id = 2)";
        store.write(move |session| session.script(harm)).unwrap();
        assert!(check(store).unwrap().iter().any(|one| one.ends_with("its bytes are others")));
    }
}

#[test]
fn nearly_everything_is_deleted_only_where_that_is_said() {
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        let states: Vec<Vec<f64>> = (0..12).map(|number| lower(&base(), 0.001 * number as f64)).collect();
        push(&server, &states, &(0..12).collect::<Vec<_>>());
        let store = server.app.store();
        let keep = |days, reports, nearly_all, at| retain(store, Retention { days, reports, nearly_all }, at);
        let number = || server.get("/v1/projects/search/reports").json()["reports"].as_array().unwrap().len();
        // A clock that is years ahead makes everything old.
        let why = keep(Some(400), None, false, noon() + 15 * 365 * DAY).unwrap_err().message;
        assert!(
            why.contains("12 of 12 reports would go, which is nearly everything; the clock says 2038-"),
            "{why}"
        );
        // One that is behind what was received says nothing of age.
        let behind = noon() - 30 * DAY;
        assert_eq!(keep(Some(400), None, false, behind).unwrap(), Removed::default());
        let why = keep(Some(400), Some(6), false, behind).unwrap_err().message;
        assert!(why.contains("the clock says 2023-10-15, and a report was received on 2023-11-14"), "{why}");
        assert!(keep(None, Some(1), false, noon()).unwrap_err().message.contains("11 of 12"));
        assert_eq!(number(), 12);
        assert_eq!(keep(None, Some(2), false, noon()).unwrap().reports, 10, "less than nine of ten");
        assert_eq!(keep(Some(1), None, true, noon() + 2 * DAY).unwrap().reports, 2);
        assert_eq!(number(), 0);
    }
}

#[test]
fn scores_of_a_ranking_are_those_of_every_report_of_it() {
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        const REPORTS: &str = "/v1/projects/search/reports";
        let honest = |commit: usize| report("helpdesk", commit, &base(), &base());
        server.post_json(REPORTS, &honest(1)).expect(201);
        server.post_json(REPORTS, &honest(2)).expect(201);
        // The same fingerprint with another score is refused, and nothing of it is kept.
        let mut forged = honest(3);
        forged["configurations"][0]["outcome"]["measured"]["queries"][7]["scores"]["nDCG@10"] = json!(0.99);
        summarize(&mut forged);
        let refused = server.post_json(REPORTS, &forged).expect(409);
        let said = "it contradicts report 1 on the ranking of bm25: nDCG@10 of q007 is ";
        assert!(
            refused.text().contains(said) && refused.text().contains("0.99 in the other"),
            "{}",
            refused.text()
        );
        assert_eq!(server.get(REPORTS).json()["reports"].as_array().unwrap().len(), 2);
        let mut golden = report("helpdesk", 4, &base(), &lower(&base(), 0.1));
        server.post_json(REPORTS, &golden).expect(201);
        golden["history"]["commit"] = json!(crate::sample::id(5));
        golden["configurations"][0]["outcome"]["measured"]["queries"][7]["golden"]["scores"]["nDCG@10"] =
            json!(0.1);
        summarize(&mut golden);
        assert!(server.post_json(REPORTS, &golden).expect(409).text().contains("q007 of the golden run"));
        // Rounding on another machine is no contradiction.
        let mut rounded = honest(6);
        rounded["configurations"][0]["outcome"]["measured"]["queries"][7]["scores"]["nDCG@10"] =
            json!(base()[7] + 1e-15);
        summarize(&mut rounded);
        server.post_json(REPORTS, &rounded).expect(201);
        // Whoever measured a ranking first does not say which metrics it has.
        let mut more = honest(7);
        more["metrics"] = json!(["nDCG@10", "RR"]);
        let queries = more["configurations"][0]["outcome"]["measured"]["queries"].as_array_mut().unwrap();
        queries.iter_mut().for_each(|query| query["scores"]["RR"] = json!(0.5));
        summarize(&mut more);
        server.post_json(REPORTS, &more).expect(201);
        let commits = crate::sample::commits(0, 7);
        server.post_json("/v1/projects/search/commits", &commits).expect(200);
        let told = server.get("/v1/projects/search/trends").json();
        assert_eq!(told["histories"][0]["metrics"], json!(["nDCG@10", "RR"]));
        // What was refused is in the audit, and what is kept says the same everywhere.
        let store = server.app.store();
        let count = "SELECT COUNT(*) FROM audit WHERE action = 'contradiction'";
        assert_eq!(store.read(|session| session.query(count, &[])).unwrap()[0].int(0), 2);
        assert_eq!(check(store).unwrap(), Vec::<String>::new());
        let before = server.get("/v1/projects/search/trends").text();
        rebuild(store).unwrap();
        assert_eq!(
            (server.get("/v1/projects/search/trends").text(), check(store).unwrap()),
            (before, Vec::new())
        );
        // Somebody was in the database.
        let harm = "UPDATE scoring SET scores = REPLACE(scores, '0.4,', '0.9,') WHERE id = (SELECT MIN(id) FROM scoring)";
        store.write(move |session| session.script(harm)).unwrap();
        let wrong = check(store).unwrap();
        assert!(
            wrong
                .iter()
                .any(|one| one
                    .starts_with("report 1: scores of bm25 are others than those kept since report 1: ")),
            "{wrong:?}"
        );
    }
}

#[test]
fn a_file_that_is_damaged_is_found_by_the_check() {
    let folder = tempfile::tempdir().unwrap();
    let app = App::open(settings(&folder)).unwrap();
    let rows = |session: &mut dyn Session| {
        for number in 0..200 {
            let sql = "INSERT INTO project (id, name, created, changed) VALUES ($1, $2, 0, 0)";
            session.execute(sql, &[(100 + number).into(), format!("project-{number}").into()])?;
        }
        Ok(())
    };
    app.store().write(rows).unwrap();
    assert_eq!(check(app.store()).unwrap(), Vec::<String>::new());
    // A row that refers to nothing, past the database's own guard.
    let harm = "PRAGMA foreign_keys = OFF";
    app.store().write(move |session| session.script(harm)).ok();
    drop(app);
    let file = folder.path().join("rankgate.db");
    let mut bytes = fs::read(&file).unwrap();
    // Names of projects stand in the table and in its index; now they differ.
    let name = b"project-150";
    let at = bytes.windows(name.len()).position(|part| part == name).unwrap();
    bytes[at..at + name.len()].copy_from_slice(b"project-xyz");
    fs::write(&file, bytes).unwrap();
    let app = App::open(settings(&folder)).unwrap();
    let wrong = check(app.store()).unwrap();
    assert!(wrong.iter().any(|one| one.starts_with("SQLite: ") && one.contains("index")), "{wrong:?}");
}

#[test]
fn an_empty_file_is_no_new_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rankgate.db");
    fs::write(&file, b"").unwrap();
    let refused = App::open(settings(&folder)).err().unwrap();
    assert!(refused.message.starts_with(&format!("{} is empty", file.display())), "{refused}");
    // Nothing was put into it.
    assert_eq!(fs::metadata(&file).unwrap().len(), 0);
    fs::remove_file(&file).unwrap();
    assert!(App::open(settings(&folder)).is_ok());
    assert!(App::open(settings(&folder)).is_ok());
}

#[cfg(unix)]
#[test]
fn files_are_their_owners_alone_and_a_clean_stop_leaves_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let settings = || Settings { clock: noon, ..Settings::new(&data) };
    let mode = |name: &str| fs::metadata(data.join(name)).unwrap().permissions().mode() & 0o777;
    let names = || {
        let mut names: Vec<String> =
            fs::read_dir(&data).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let app = App::open(settings()).unwrap();
    app.store().read(|session| session.query("SELECT COUNT(*) FROM report", &[])).unwrap();
    let while_it_runs = names();
    assert!(while_it_runs.contains(&"rankgate.db-wal".to_owned()), "{while_it_runs:?}");
    for name in &while_it_runs {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    assert_eq!(fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
    rankgate_serve::maintenance::backup(app.store(), &data.join("backups/one.db")).unwrap();
    assert_eq!((mode("backups"), mode("backups/one.db")), (0o700, 0o600));
    drop(app);
    assert_eq!(names(), ["backups", "lock", "rankgate.db"]);
    // What an earlier version left open to others is closed.
    fs::set_permissions(data.join("rankgate.db"), fs::Permissions::from_mode(0o644)).unwrap();
    drop(App::open(settings()).unwrap());
    assert_eq!(mode("rankgate.db"), 0o600);
}

#[test]
fn no_answer_holds_statements_of_the_database() {
    let harms = ["DROP TABLE acknowledged", "ALTER TABLE measured RENAME COLUMN about TO gone"];
    for start in [Running::on_sqlite, Running::on_postgres] {
        for harm in harms {
            let server = start();
            push(&server, &step(), &[0, 20]);
            server.app.store().write(move |session| session.script(harm)).unwrap();
            let body = report("helpdesk", 3, &lower(&base(), 0.2), &base());
            let answers = [
                server.get("/v1/projects/search/alarms"),
                server.get("/v1/projects/search/trends"),
                server.get("/projects/search/alarms"),
                server.post_json("/v1/projects/search/reports", &body),
            ];
            let mut failed = 0;
            for answer in answers {
                failed += usize::from(answer.status >= 500);
                let text = answer.text();
                let words = [
                    "SELECT ",
                    "INSERT ",
                    "UPDATE ",
                    " FROM ",
                    "no such ",
                    "relation \\\"",
                    "does not exist",
                ];
                let words = words.iter().filter(|_| answer.status >= 500);
                for word in words {
                    assert!(!text.contains(word), "{harm}: {word}: {text}");
                }
            }
            assert!(failed > 0, "{harm}");
        }
    }
}

#[test]
fn a_folder_has_one_server() {
    let folder = tempfile::tempdir().unwrap();
    let first = App::open(settings(&folder)).unwrap();
    let refused = App::open(settings(&folder)).err().unwrap();
    assert!(refused.message.contains("another rankgate-serve serves"), "{refused}");
    drop(first);
    App::open(settings(&folder)).unwrap();
    let address = crate::cluster::database();
    let on = |folder: &tempfile::TempDir| Settings { database: Some(address.clone()), ..settings(folder) };
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let _first = App::open(on(&one)).unwrap();
    assert!(App::open(on(&other)).err().unwrap().message.contains("another rankgate-serve writes"));
}

const RUN: &[u8] = include_bytes!("../../../../golden/helpdesk/words.run");

/// What somebody does to the database beside the server, and how the check calls it.
const HARMS: &[(&[&str], &str)] = &[
    (
        &["DELETE FROM measured WHERE report = 1", "DELETE FROM report WHERE id = 1"],
        "of the audit says push, report 1 of helpdesk at 0000000000000000000000000000000000000000, ",
    ),
    (
        &["UPDATE report SET verdicts = REPLACE(verdicts, '\"failed\":', '\"reported\":')"],
        "report 1: what is kept of it is not what it says; `rebuild` reads it anew",
    ),
    (&["UPDATE report SET benchmark = 'other' WHERE id = 1"], "report 1 is in no entry of the audit"),
    (
        &["UPDATE measured SET about = REPLACE(about, '[\"nDCG@10\"]', '[]')"],
        "report 1: what is kept of it is not",
    ),
    (&["UPDATE measured SET commit_id = '0' WHERE report = 1"], "report 1: what is kept of it is not"),
    (&["UPDATE measured SET latency = NULL WHERE report = 1"], "report 1: what is kept of it is not"),
    (
        &["INSERT INTO acknowledged (project, benchmark, configuration, alarm, note, made) \
           VALUES (1, 'helpdesk', 'bm25', 'feed', '', 0)"],
        "the acknowledgement of alarm feed of helpdesk, bm25 is in no entry of the audit",
    ),
    (&["UPDATE acknowledged SET note = 'fine'"], " of helpdesk, bm25 is not what entry "),
    (&["UPDATE acknowledged SET configuration = 'other'"], " of helpdesk, other is in no entry of the audit"),
    (&["DELETE FROM acknowledged"], "of the audit says acknowledge, alarm "),
    (
        &["UPDATE scoring SET scores = REPLACE(scores, 'nDCG@10', 'RR')"],
        "are of other metrics than its reports have, RR among them",
    ),
    (
        &[
            "DELETE FROM rejudged",
            "INSERT INTO rescored (scoring, project, scores) SELECT id, project, scores FROM scoring",
        ],
        "scores 1 are kept under other judgments, and its benchmark has none",
    ),
    (&["UPDATE rejudged SET benchmark = 'other'"], "what other is judged by is in no entry of the audit"),
    (&["UPDATE label SET pairs = REPLACE(pairs, 'd1', 'd9')"], "the list people is not what entry "),
    (&["DELETE FROM label"], "of the audit says label, people: "),
    (
        &["UPDATE grade SET grade = 0"],
        "the grade of document \"d1\" of query \"q1\" in people by anna is not what entry ",
    ),
    (&["UPDATE grade SET who = 'ben'"], "in people by ben is in no entry of the audit"),
    (
        &["DELETE FROM grade"],
        "of the audit says grade, people: document \"d1\" of query \"q1\" by \"anna\": 3, and that is gone",
    ),
    (
        &["UPDATE token SET rights = 'push,acknowledge,grade' WHERE id = 1"],
        "token 1 is not what entry 1 of the audit says",
    ),
    (
        &["UPDATE token SET sha256 = 'of another' WHERE id = 1"],
        "token 1 is not what entry 1 of the audit says",
    ),
    (
        &["UPDATE token SET expires = 4000000000 WHERE id = 1"],
        "token 1 is not what entry 1 of the audit says",
    ),
    (
        &["UPDATE token SET revoked = NULL WHERE id = 2"],
        "token 2 was taken back by entry 3 of the audit, and is valid",
    ),
    (
        &["INSERT INTO token (id, project, sha256, name, rights, created, expires) \
           VALUES (9, 1, 'mine', '', 'push', 0, 4000000000)"],
        "token 9 is in no entry of the audit",
    ),
    (
        &["UPDATE blob SET ranking = 'other' WHERE ranking IS NOT NULL"],
        "it is not the run of the ranking other",
    ),
];

#[test]
fn what_was_done_beside_the_server_is_found_by_the_check() {
    for start in [Running::on_sqlite, Running::on_postgres] {
        let server = start();
        let store = server.app.store();
        let token = |name| add_token(store, "search", name, Right::Read, (noon(), noon() + DAY)).unwrap();
        let (_, _) = (token("one"), token("two"));
        assert!(revoke_token(store, 2, noon()).unwrap());
        push(&server, &step(), &[0, 20]);
        let alarms = server.get("/v1/projects/search/alarms").json();
        let alarm = alarms["alarms"][0]["id"].as_str().unwrap();
        let accept = |note: &str| {
            let path = format!("/v1/projects/search/alarms/{alarm}/acknowledge");
            server.post_json(&path, &json!({"note": note})).expect(200);
        };
        accept("first thought");
        accept("second thought");
        server.post("/v1/projects/search/runs", RUN).expect(201);
        let judgments = json!({"benchmark": "helpdesk", "judgments": "q001 0 d 1\n"});
        server.post_json("/v1/projects/search/rescore", &judgments).expect(200);
        let pair =
            json!({"query": "q1", "query_text": "", "document": "d1", "document_text": ""}).to_string();
        let list = |body: &str| {
            send(server.address, ("PUT", "/v1/projects/search/labels/people"), &[], body.as_bytes())
        };
        assert_eq!(list(&pair.replace("d1", "d0")).unwrap().status, 201);
        assert_eq!(list(&pair).unwrap().status, 200);
        for grade in ["1", "3"] {
            let page = server.get("/projects/search/labels/people?who=anna&at=1").expect(200).text();
            let begins = page.find("<form class=\"grading\"").unwrap();
            let (action, fields) = form(&page[begins..], "</span>");
            assert_eq!(post_form(&server, &action, &[], &filled(&fields, &[("grade", grade)])).status, 303);
        }
        assert_eq!(check(store).unwrap(), Vec::<String>::new());
        // Each harm in a copy of its own.
        for (harm, said) in HARMS {
            let folder = tempfile::tempdir().unwrap();
            rankgate_serve::maintenance::backup(store, &folder.path().join("rankgate.db")).unwrap();
            let app = App::open(settings(&folder)).unwrap();
            app.store().write(move |session| harm.iter().try_for_each(|sql| session.script(sql))).unwrap();
            let wrong = check(app.store()).unwrap();
            assert!(wrong.iter().any(|one| one.contains(said)), "{harm:?}: {wrong:#?}");
        }
    }
}
