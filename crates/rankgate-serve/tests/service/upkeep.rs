//! What is run, kept, checked and deleted.

use std::fs;

use rankgate_serve::maintenance::{Removed, Retention, check, rebuild, remove, retain};
use rankgate_serve::store::Session;
use rankgate_serve::{App, Settings};
use serde_json::json;

use crate::client::send;
use crate::running::{Running, noon, settings};
use crate::sample::{base, lower, push, report, step};

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
        let keep = |days, reports, at| retain(store, Retention { days, reports }, at).unwrap();
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
        // Bytes that are others than their name.
        let harm = "UPDATE blob SET gzip = (SELECT gzip FROM blob AS other WHERE other.sha256 <> blob.sha256 LIMIT 1) \
                    WHERE sha256 = (SELECT sha256 FROM report WHERE id = 2)";
        store.write(move |session| session.script(harm)).unwrap();
        assert!(check(store).unwrap().iter().any(|one| one.ends_with("its bytes are others")));
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
