//! SQLite and PostgreSQL are the same to whoever asks.

use rankgate_serve::store::{Database, Holding, Row, Session, Store};
use rankgate_serve::{App, Rights, maintenance};
use serde_json::json;

use crate::client::Answer;
use crate::cluster;
use crate::running::{Running, settings};
use crate::sample::{base, commits, lower, push, report, step};

/// All that is asked of a server that has a history, and what it answers.
fn answers(server: &Running) -> Vec<(String, u16, String)> {
    let reports = server.get("/v1/projects/search/reports").json();
    let reports = reports["reports"].as_array().unwrap().iter().map(|one| one["report"].to_string());
    let mut paths: Vec<String> =
        reports.map(|number| format!("/v1/projects/search/reports/{number}")).collect();
    paths.extend(
        [
            "/v1/projects",
            "/v1/projects/search/reports",
            "/v1/projects/search/reports?benchmark=helpdesk&limit=3&before=9",
            "/v1/projects/search/commits",
            "/v1/projects/search/trends",
            "/v1/projects/search/trends?benchmark=helpdesk&configuration=bm25",
            "/v1/projects/search/alarms",
            "/v1/projects/search/trends?base=0",
            "/v1/projects/none/trends",
            "/v1/projects/se%00arch/reports",
            "/v1/projects/search/reports?benchmark=%00",
            "/v1/projects/search/labels/%00/grades?who=anna",
            "/v1/blobs/%00?project=%00",
            "/projects/%00",
        ]
        .map(str::to_owned),
    );
    let answer = |path: String| {
        let Answer { status, body, .. } = server.get(&path);
        (path, status, String::from_utf8(body).unwrap())
    };
    paths.into_iter().map(answer).collect()
}

/// Everything that can be sent, with text that is hard to sort and to keep.
fn fill(server: &Running) -> Vec<String> {
    let states = step();
    push(server, &states, &(0..states.len()).rev().collect::<Vec<_>>());
    let mut said = Vec::new();
    for (number, name) in ["Ärger", "zebra", "Zebra", "äpfel", "a b", "ε"].iter().enumerate() {
        let one = report(name, 10 + number, &lower(&base(), 0.01 * number as f64), &base());
        said.push(server.post_json("/v1/projects/search/reports?source=https%3A%2F%2Fci%2F1", &one).text());
    }
    let mut subject = commits(20, 21);
    subject["commits"][1]["subject"] = json!("Größer, 'quoted' \"twice\" \\ and a tab\t");
    said.push(server.post_json("/v1/projects/search/commits", &subject).text());
    let alarm =
        server.get("/v1/projects/search/alarms").json()["alarms"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/projects/search/alarms/{alarm}/acknowledge");
    said.push(server.post_json(&path, &json!({"note": "gewollt ✓"})).expect(200).text());
    let mut nul = report("NUL", 9, &base(), &base());
    nul["history"]["configurations"][0]["ranking"] = json!("\u{0}");
    said.push(server.post_json("/v1/projects/search/reports", &nul).expect(422).text());
    said
}

#[test]
fn both_stores_answer_byte_for_byte() {
    let (sqlite, postgres) = (Running::on_sqlite(), Running::on_postgres());
    assert_eq!(fill(&sqlite), fill(&postgres));
    let (one, other) = (answers(&sqlite), answers(&postgres));
    assert!(one.len() > 30);
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other);
    }
}

#[test]
fn what_was_moved_answers_as_before() {
    let sqlite = Running::on_sqlite();
    fill(&sqlite);
    let before = answers(&sqlite);
    let there = Database::Postgres(cluster::database());
    let copied = maintenance::move_to(sqlite.app.store(), &there).unwrap();
    assert_eq!(copied["report"].0, 27);
    let Database::Postgres(address) = there.clone() else { panic!() };
    let moved = Running::with(|settings| rankgate_serve::Settings { database: Some(address), ..settings });
    assert_eq!(answers(&moved), before);
    // And back; numbers go on where they were.
    let back = tempfile::tempdir().unwrap();
    let again = maintenance::move_to(moved.app.store(), &Database::new(back.path(), None)).unwrap();
    assert_eq!(again, copied);
    let app = App::open(settings(&back)).unwrap();
    let next = app.store().write(|session| {
        let row =
            session.query("UPDATE counter SET next = next + 1 WHERE name = 'report' RETURNING next", &[])?;
        Ok(row[0].int(0))
    });
    assert_eq!(next.unwrap(), 28);
    // What is there is not written over.
    let refused = maintenance::move_to(sqlite.app.store(), &Database::new(back.path(), None)).unwrap_err();
    assert!(refused.message.contains("not empty"), "{refused}");
}

#[test]
fn a_backup_is_a_server_of_its_own() {
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        fill(&server);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rankgate.db");
        maintenance::backup(server.app.store(), &file).unwrap();
        assert!(
            maintenance::backup(server.app.store(), &file).unwrap_err().message.contains("is there already")
        );
        let app = App::open(settings(&folder)).unwrap();
        let rows = |session: &mut dyn Session| session.query("SELECT COUNT(*) FROM report", &[]);
        assert_eq!(app.store().read(rows).unwrap()[0].int(0), 27);
        // It is one file.
        drop(app);
        let names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
        assert!(names.iter().any(|name| name == "rankgate.db"), "{names:?}");
    }
}

#[test]
fn an_old_database_is_migrated_with_a_backup() {
    for address in [None, Some(cluster::database())] {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::new(folder.path(), address.as_deref());
        // What the first version left: everything but what came later.
        let store = Store::open(database.clone(), folder.path(), Holding::Shortly).unwrap();
        let old = "INSERT INTO project (id, name, created, changed) VALUES (1, 'search', 5, 0)";
        let undo = [
            "DROP TABLE p_values",
            "DROP TABLE explanation",
            "DROP INDEX measured_in",
            "DROP INDEX blob_of_base",
            "ALTER TABLE blob DROP COLUMN base",
            "ALTER TABLE commit_line DROP COLUMN author",
            "ALTER TABLE project DROP COLUMN root",
            "DROP TABLE session",
            "DELETE FROM counter WHERE name = 'session'",
            "ALTER TABLE report DROP COLUMN verdicts",
            "DROP TABLE grade",
            "DROP TABLE label",
            "DROP INDEX branch_since",
            "DROP INDEX commit_line_since",
            "ALTER TABLE branch DROP COLUMN line",
            "ALTER TABLE commit_line DROP COLUMN line",
            "ALTER TABLE project DROP COLUMN line",
            "ALTER TABLE project DROP COLUMN rewritten",
            "ALTER TABLE measured DROP COLUMN latency",
            "DROP TABLE notified",
            "DROP TABLE rescored",
            "DROP TABLE rejudged",
            "DROP INDEX blob_of_ranking",
            "ALTER TABLE blob DROP COLUMN ranking",
            "DROP TABLE audit",
            "DELETE FROM counter WHERE name = 'audit'",
            "DELETE FROM migration WHERE number >= 2",
            old,
            "INSERT INTO token (id, project, sha256, name, rights, created, expires) \
             VALUES (1, 1, 'a', '', 'write', 5, 6), (2, 1, 'b', '', 'read', 5, 6)",
        ];
        store.write(move |session| undo.iter().try_for_each(|sql| session.script(sql))).unwrap();
        drop(store);
        let names = |session: &mut dyn Session| session.query("SELECT name FROM project", &[]);
        let tables = |store: &Store| -> Vec<String> {
            let tables = store.read(|session| session.tables()).unwrap();
            tables.into_iter().map(|(name, _)| name).collect()
        };
        let store = Store::open(database, folder.path(), Holding::Shortly).unwrap();
        assert!(tables(&store).contains(&"audit".to_owned()));
        assert_eq!(store.read(names).unwrap(), [Row(vec!["search".into()])]);
        // Whoever could write may do everything that writing was.
        let rights: Vec<Rights> =
            maintenance::tokens(&store).unwrap().iter().map(|token| token.rights).collect();
        assert_eq!(rights, [Rights::ALL, Rights::READ]);
        // The copy is as it was before.
        let backup = folder.path().join("backups/before-migration-2.db");
        assert!(backup.exists());
        let restored = tempfile::tempdir().unwrap();
        std::fs::copy(&backup, restored.path().join("rankgate.db")).unwrap();
        let copy =
            Store::open(Database::new(restored.path(), None), restored.path(), Holding::Shortly).unwrap();
        assert_eq!(copy.read(names).unwrap(), [Row(vec!["search".into()])]);
        assert!(restored.path().join("backups/before-migration-2.db").exists());
    }
}

#[test]
fn the_way_to_another_machine_is_encrypted_or_refused() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (cluster, authority) = cluster::Cluster::encrypted(port);
    let folder = tempfile::tempdir().unwrap();
    let open = |query: &str| {
        let url = format!("postgres://postgres@localhost:{port}/postgres{query}");
        Store::open(Database::Postgres(url), folder.path(), Holding::Shortly)
    };
    let root = format!("&sslrootcert={}", authority.display());
    let store = open(&format!("?sslmode=verify-full{root}")).unwrap();
    let encrypted = |session: &mut dyn Session| {
        let sql = "SELECT CASE WHEN ssl THEN 1 ELSE 0 END FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        Ok(session.query(sql, &[])?[0].int(0))
    };
    assert_eq!((store.read(encrypted).unwrap(), store.write(encrypted).unwrap()), (1, 1));
    drop(store);
    assert_eq!(open("").unwrap().read(encrypted).unwrap(), 0);
    // An authority that nobody knows, and a name that the certificate does not have.
    let unknown = open("?sslmode=require").err().unwrap();
    assert!(unknown.message.contains("certificate"), "{unknown}");
    let url = format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=require{root}");
    let other = Store::open(Database::Postgres(url), folder.path(), Holding::Shortly).err().unwrap();
    assert!(other.message.contains("certificate"), "{other}");
    drop(cluster);
    std::fs::remove_dir_all(authority.parent().unwrap()).unwrap();
}

#[test]
fn a_newer_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::new(folder.path(), None);
    let store = Store::open(database.clone(), folder.path(), Holding::Shortly).unwrap();
    store.write(|session| session.script("INSERT INTO migration (number) VALUES (99)")).unwrap();
    drop(store);
    let error = Store::open(database, folder.path(), Holding::Shortly).err().unwrap();
    assert!(error.message.contains("of a newer rankgate-serve"), "{error}");
}
