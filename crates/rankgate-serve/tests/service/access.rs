//! Who may do what.

use std::sync::atomic::{AtomicI64, Ordering};

use rankgate_serve::store::Session;
use rankgate_serve::{Right, Rights, maintenance};
use serde_json::json;

use crate::client::send;
use crate::pages::{filled, form, post_form, sign_in};
use crate::running::{Running, noon};
use crate::sample::{base, commits, push, report, step};

fn token(server: &Running, project: &str, rights: Rights) -> String {
    let times = (noon(), noon() + 1_000);
    maintenance::add_token(server.app.store(), project, "test", rights, times).unwrap()
}

/// Methods and paths of all routes of the API and of pages that name a project, or a blob of one.
fn routes_of_projects() -> Vec<(String, String)> {
    let sources = [include_str!("../../src/api/mod.rs"), include_str!("../../src/pages/mod.rs")];
    let routes = sources.iter().flat_map(|source| crate::openapi::routes(source));
    let all: Vec<(String, String)> = routes.map(|(method, path)| (method.to_uppercase(), path)).collect();
    let own: Vec<_> =
        all.into_iter().filter(|(_, path)| path.contains("{project}") || path.contains("{sha256}")).collect();
    assert!(own.len() > 20, "{own:?}");
    own
}

#[test]
fn no_project_opens_anothers_ids() {
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        let states = step();
        push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
        let alarm =
            server.get("/v1/projects/search/alarms").json()["alarms"][0]["id"].as_str().unwrap().to_owned();
        let (own, other) = (token(&server, "search", Rights::ALL), token(&server, "other", Rights::ALL));
        let judgments = "q1 0 d1 1\n";
        let sha256 = rankgate_serve::hash::sha256(judgments.as_bytes());
        server.with_token(&own, ("PUT", &format!("/v1/blobs/{sha256}")), judgments.as_bytes()).expect(201);
        let new = report("helpdesk", 30, &base(), &base()).to_string();
        let more = commits(20, 30).to_string();
        let evaluate =
            json!({"judgments_sha256": sha256, "run": {"q1": {"d1": 1.0}}, "metrics": ["RR"]}).to_string();
        let named =
            json!({"judgments_sha256": sha256, "run": {"q1": {"d1": 1.0}}, "project": "search"}).to_string();
        let [acknowledge, withdraw] =
            ["acknowledge", "withdraw"].map(|done| format!("/v1/projects/search/alarms/{alarm}/{done}"));
        let blob = format!("/v1/blobs/{sha256}?project=search");
        let rescore = json!({"benchmark": "helpdesk", "judgments": judgments}).to_string();
        let pair =
            json!({"query": "q1", "query_text": "", "document": "d1", "document_text": ""}).to_string();
        let mut routes: Vec<(&str, &str, &str)> = vec![
            ("PUT", "/v1/projects/search/labels/people", &pair),
            ("GET", "/v1/projects/search/labels", ""),
            ("GET", "/v1/projects/search/labels/people/grades?who=anna", ""),
            ("POST", "/v1/projects/search/rescore", &rescore),
            ("GET", "/projects/search", ""),
            ("GET", "/projects/search/trend", ""),
            ("GET", "/projects/search/trend.svg?benchmark=helpdesk&configuration=bm25", ""),
            ("GET", "/projects/search/badge.svg", ""),
            ("GET", "/projects/search/alarms", ""),
            ("GET", "/projects/search/reports/1", ""),
            ("GET", "/projects/search/compare?a=1&b=2", ""),
            ("GET", "/projects/search/labels/people", ""),
            ("GET", "/v1/projects/search/trends", ""),
            ("GET", "/v1/projects/search/alarms", ""),
            ("GET", "/v1/projects/search/reports", ""),
            ("GET", "/v1/projects/search/reports/1", ""),
            ("GET", "/v1/projects/search/commits", ""),
            ("GET", &blob, ""),
            ("POST", "/v1/evaluate", &evaluate),
            ("POST", "/v1/evaluate", &named),
            ("POST", "/v1/projects/search/reports", &new),
            ("POST", "/v1/projects/search/commits", &more),
            ("POST", &acknowledge, r#"{"note": "known"}"#),
            ("POST", &withdraw, ""),
            ("PUT", &blob, judgments),
        ];
        // Those that need what no test makes up: refused before it is read.
        let further = [
            ("POST", "/v1/projects/search/runs", ""),
            ("POST", "/projects/search/alarms/a/acknowledge", ""),
            ("POST", "/projects/search/alarms/a/withdraw", ""),
            ("POST", "/projects/search/labels/people", ""),
        ];
        for (method, path, body) in further {
            server.with_token(&other, (method, path), body.as_bytes()).expect(404);
        }
        // There is no other route of a project.
        let known: Vec<(&str, &str)> =
            routes.iter().chain(&further).map(|(method, path, _)| (*method, *path)).collect();
        for (method, route) in routes_of_projects() {
            let asked = |path: &str| {
                let path = path.split('?').next().unwrap();
                let (own, named): (Vec<&str>, Vec<&str>) =
                    (path.split('/').collect(), route.split('/').collect());
                let same = |(own, named): (&&str, &&str)| own == named || named.starts_with('{');
                own.len() == named.len() && own.iter().zip(&named).all(same)
            };
            assert!(
                known.iter().any(|(own, path)| *own == method && asked(path)),
                "{method} {route} is not tried"
            );
        }
        routes.sort_by_key(|(method, ..)| *method != "PUT");
        for (method, path, body) in &routes {
            let refused = server.with_token(&other, (method, path), body.as_bytes());
            assert_eq!(refused.status, 404, "{method} {path}: {}", refused.text());
            // Its own project does not open them by their numbers either.
            let within =
                path.replace("projects/search", "projects/other").replace("project=search", "project=other");
            if within != **path && *method == "GET" {
                let refused = server.with_token(&other, (method, &within), body.as_bytes());
                let is_empty = !refused.text().contains("helpdesk") && !refused.text().contains("d1 1");
                assert!(refused.status == 404 || is_empty, "{within}: {}", refused.text());
            }
            let allowed = server.with_token(&own, (method, path), body.as_bytes());
            assert!(matches!(allowed.status, 200 | 201), "{method} {path}: {}", allowed.text());
        }
        assert_eq!(
            server.with_token(&other, ("GET", "/v1/projects"), b"").json(),
            json!({"projects": [{"name": "other"}]})
        );
    }
}

#[test]
fn a_token_that_reads_writes_nothing_and_ends() {
    let server = Running::with(|mut settings| {
        settings.open = false;
        settings
    });
    let body = report("helpdesk", 1, &base(), &base()).to_string();
    let path = "/v1/projects/search/reports";
    // Without one there is only whether it works.
    server.get("/health").expect(200);
    let refused = server.post(path, body.as_bytes()).expect(401);
    assert!(refused.head.to_ascii_lowercase().contains("www-authenticate: bearer"), "{}", refused.head);
    server.get("/v1/projects").expect(401);
    server.get("/metrics").expect(401);
    let (read, write) = (token(&server, "search", Rights::READ), token(&server, "search", Rights::ALL));
    server.with_token(&write, ("POST", path), body.as_bytes()).expect(201);
    server.with_token(&read, ("GET", path), b"").expect(200);
    server.with_token(&read, ("POST", path), body.as_bytes()).expect(403);
    server.with_token("rankgate_0", ("GET", path), b"").expect(401);
    // By cookie as a page has it, which is not the token.
    let cookies =
        |cookie: &str| send(server.address, ("GET", path), &[("Cookie", cookie)], b"").unwrap().status;
    let signed = sign_in(&server, &read);
    assert!(!signed.contains(&read));
    assert_eq!(cookies(&format!("a=b; {signed}")), 200);
    assert_eq!(cookies(&format!("rankgate_session={read}")), 401);
    // One that ended, and one that was taken back.
    let ended =
        maintenance::add_token(server.app.store(), "search", "", Rights::READ, (noon(), noon())).unwrap();
    server.with_token(&ended, ("GET", path), b"").expect(401);
    let all = maintenance::tokens(server.app.store()).unwrap();
    assert!(maintenance::revoke_token(server.app.store(), all[0].id, noon()).unwrap());
    assert!(!maintenance::revoke_token(server.app.store(), all[0].id, noon()).unwrap());
    server.with_token(&read, ("GET", path), b"").expect(401);
    assert_eq!(cookies(&signed), 401);
    // What is kept of a token is its hash.
    let hashes = |session: &mut dyn Session| session.query("SELECT sha256 FROM token ORDER BY id", &[]);
    let kept = server.app.store().read(hashes).unwrap();
    assert_eq!(kept[0].text(0), rankgate_serve::hash::sha256(read.as_bytes()));
    assert_eq!(read.len(), "rankgate_".len() + 64);
}

#[test]
fn an_open_server_opens_to_this_machine_by_its_name() {
    let server = Running::on_sqlite();
    let status = |headers: &[(&str, &str)], method: &str| {
        send(server.address, (method, "/v1/projects"), headers, b"").unwrap().status
    };
    assert_eq!(status(&[], "GET"), 200);
    assert_eq!(status(&[("Host", "localhost:1")], "GET"), 200);
    assert_eq!(status(&[("Host", "rebound.example")], "GET"), 401);
    assert_eq!(status(&[("X-Forwarded-For", "203.0.113.5")], "GET"), 401);
    let posted = |headers: &[(&str, &str)]| {
        send(server.address, ("POST", "/v1/evaluate"), headers, b"{}").unwrap().status
    };
    assert_eq!(posted(&[]), 422);
    assert_eq!(posted(&[("Origin", "https://evil.example")]), 403);
    assert_eq!(posted(&[("Sec-Fetch-Site", "cross-site")]), 403);
    assert_eq!(posted(&[("Origin", &format!("http://{}", server.address))]), 422);
}

#[test]
fn a_rate_is_kept() {
    let server = Running::with(|mut settings| {
        settings.limits.requests = 3;
        settings
    });
    let statuses: Vec<u16> = (0..20).map(|_| server.get("/v1/projects").status).collect();
    assert!(statuses.starts_with(&[200; 6]), "{statuses:?}");
    assert!(statuses.contains(&429), "{statuses:?}");
}

fn closed() -> Running {
    Running::with(|mut settings| {
        settings.open = false;
        settings
    })
}

#[test]
fn a_proxy_that_says_nothing_of_itself_opens_nothing() {
    let server = closed();
    // As `proxy_pass http://127.0.0.1:7878` alone sends it.
    for path in ["/v1/projects", "/metrics", "/", "/projects/search", "/v1/projects/search/trends"] {
        server.get(path).expect(401);
    }
    server.post("/v1/evaluate", b"{}").expect(401);
    for path in ["/health", "/ready", "/sign-in"] {
        server.get(path).expect(200);
    }
}

#[test]
fn a_server_is_open_on_this_machine_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let started = std::process::Command::new(env!("CARGO_BIN_EXE_rankgate-serve"))
        .arg("--data")
        .arg(folder.path())
        .args(["--open", "--listen", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_eq!(started.status.code(), Some(2));
    let said = String::from_utf8(started.stderr).unwrap();
    assert!(said.contains("it goes with an address of this machine"), "{said}");
}

#[test]
fn an_audit_that_was_changed_is_not_taken_for_what_happened() {
    let folder = tempfile::tempdir().unwrap();
    let command = |arguments: &[&str]| {
        let command = std::process::Command::new(env!("CARGO_BIN_EXE_rankgate-serve"))
            .arg("--data")
            .arg(folder.path())
            .args(arguments)
            .output()
            .unwrap();
        (command.status.code(), String::from_utf8(command.stderr).unwrap())
    };
    for _ in 0..3 {
        assert_eq!(command(&["token", "add", "--project", "search", "--name", "ci"]).0, Some(0));
    }
    assert_eq!(command(&["audit"]), (Some(0), String::new()));
    let change = |sql: &str| {
        rusqlite::Connection::open(folder.path().join("rankgate.db")).unwrap().execute_batch(sql).unwrap();
    };
    change("DELETE FROM audit WHERE id = 3");
    let (status, said) = command(&["audit"]);
    assert!(status == Some(2) && said.contains("entries are missing between 1 and 3"), "{said}");
    change("UPDATE audit SET about = 'nothing' WHERE id = 2");
    let (status, said) = command(&["audit"]);
    assert!(status == Some(2) && said.contains("entry 2 is not what was written"), "{said}");
}

#[test]
fn pushing_acknowledging_and_grading_are_rights_apart() {
    let server = closed();
    let of = |right: Right| token(&server, "search", right.into());
    let [push, acknowledge, grade] = [Right::Push, Right::Acknowledge, Right::Grade].map(of);
    let states = step();
    let (reports, line) = ("/v1/projects/search/reports", "/v1/projects/search/commits");
    for (number, values) in states.iter().enumerate() {
        let report = report("helpdesk", number, values, &states[0]).to_string();
        server.with_token(&push, ("POST", reports), report.as_bytes()).expect(201);
    }
    server.with_token(&push, ("POST", line), commits(0, 20).to_string().as_bytes()).expect(200);
    let alarms = server.with_token(&grade, ("GET", "/v1/projects/search/alarms"), b"").expect(200).json();
    let alarm = alarms["alarms"][0]["id"].as_str().unwrap().to_owned();
    let accept = format!("/v1/projects/search/alarms/{alarm}/acknowledge");
    let page = format!("/projects/search/alarms/{alarm}/acknowledge");
    let new = report("helpdesk", 30, &base(), &base()).to_string();
    let list = "/v1/projects/search/labels/people";
    let pair = json!({"query": "q1", "query_text": "", "document": "d1", "document_text": ""}).to_string();
    let sha256 = rankgate_serve::hash::sha256(b"x");
    let blob = format!("/v1/blobs/{sha256}");
    let [withdraw, withdraw_page] = [&accept, &page].map(|path| path.replace("acknowledge", "withdraw"));
    let cases: [(&str, &str, &str, &str); 11] = [
        ("push", "POST", reports, &new),
        ("push", "POST", line, "{}"),
        ("push", "POST", "/v1/projects/search/runs", ""),
        ("push", "PUT", &blob, "x"),
        ("push", "PUT", list, &pair),
        ("acknowledge", "POST", &accept, "{}"),
        ("acknowledge", "POST", &page, ""),
        ("acknowledge", "POST", &withdraw, ""),
        ("acknowledge", "POST", &withdraw_page, ""),
        ("acknowledge", "POST", "/v1/projects/search/rescore", "{}"),
        ("grade", "POST", "/projects/search/labels/people", ""),
    ];
    for (needed, method, path, body) in cases {
        for (own, token) in [("push", &push), ("acknowledge", &acknowledge), ("grade", &grade)] {
            let answer = server.with_token(token, (method, path), body.as_bytes());
            let told = format!("this needs the right `{needed}`, and whoever asks has: {own}");
            assert_eq!(answer.text().contains(&told), needed != own, "{own} {path}: {}", answer.text());
            assert!(needed == own || answer.status == 403, "{own} {path}: {}", answer.status);
        }
    }
}

#[test]
fn whoever_signed_in_grades_under_their_own_name() {
    let server = closed();
    let named = |name: &str, rights: Rights| {
        let times = (noon(), noon() + 1_000);
        maintenance::add_token(server.app.store(), "search", name, rights, times).unwrap()
    };
    let (anna, nobody, ci) =
        (named("anna", Right::Grade.into()), named("", Right::Grade.into()), named("CI", Right::Push.into()));
    let pair = json!({"query": "q1", "query_text": "", "document": "d1", "document_text": ""}).to_string();
    server.with_token(&ci, ("PUT", "/v1/projects/search/labels/people"), pair.as_bytes()).expect(201);
    let (list, cookie) = ("/projects/search/labels/people", sign_in(&server, &anna));
    let get =
        |path: &str, cookie: &str| send(server.address, ("GET", path), &[("Cookie", cookie)], b"").unwrap();
    let page = get(list, &cookie).expect(200).text();
    assert!(!page.contains("Your name") && page.contains("value=\"anna\""), "{page}");
    assert!(get(&format!("{list}?who=ben"), &cookie).expect(403).text().contains("is not who you are"));
    let page = get(&format!("{list}?who=anna"), &cookie).expect(200).text();
    let start = page.find("<form class=\"grading\"").unwrap();
    let (action, fields) = form(&page[start..], "</span>");
    let as_ben: Vec<(String, String)> = fields
        .iter()
        .map(|(name, value)| (name.clone(), if name == "who" { "ben".to_owned() } else { value.clone() }))
        .collect();
    let cookies = [("Cookie", cookie.as_str())];
    assert_eq!(post_form(&server, &action, &cookies, &filled(&as_ben, &[("grade", "3")])).status, 403);
    assert_eq!(post_form(&server, &action, &cookies, &filled(&fields, &[("grade", "3")])).status, 303);
    let people = server.with_token(&ci, ("GET", "/v1/projects/search/labels"), b"").json();
    assert_eq!(people["labels"][0]["people"], json!([{"who": "anna", "graded": 1}]));
    // A token that was made for nobody grades nothing.
    let cookie = sign_in(&server, &nobody);
    assert!(get(list, &cookie).text().contains("was made without a name"));
    get(&format!("{list}?who=anna"), &cookie).expect(403);
}

#[test]
fn a_sign_in_stands_for_hours() {
    static NOW: AtomicI64 = AtomicI64::new(0);
    let server = Running::with(|mut settings| {
        settings.open = false;
        settings.clock = || noon() + NOW.load(Ordering::Relaxed);
        settings
    });
    let times = (noon(), noon() + 365 * 24 * 60 * 60);
    let token = maintenance::add_token(server.app.store(), "search", "anna", Rights::READ, times).unwrap();
    let cookie = sign_in(&server, &token);
    let status =
        || send(server.address, ("GET", "/projects/search"), &[("Cookie", &cookie)], b"").unwrap().status;
    assert_eq!(status(), 200);
    NOW.store(12 * 60 * 60 - 1, Ordering::Relaxed);
    assert_eq!(status(), 200);
    NOW.store(12 * 60 * 60, Ordering::Relaxed);
    assert_eq!(status(), 401);
    // Only its hash is kept, and whoever signs in again clears what ended.
    let again = sign_in(&server, &token);
    let kept = |session: &mut dyn Session| session.query("SELECT sha256 FROM session", &[]);
    let kept = server.app.store().read(kept).unwrap();
    assert_eq!(kept.len(), 1);
    assert!(!cookie.contains(kept[0].text(0)));
    // It ends with the token that it was begun with.
    let status =
        || send(server.address, ("GET", "/projects/search"), &[("Cookie", &again)], b"").unwrap().status;
    assert_eq!(status(), 200);
    assert!(maintenance::revoke_token(server.app.store(), 1, noon()).unwrap());
    assert_eq!(status(), 401);
}

#[test]
fn every_change_is_in_an_audit_that_cannot_be_changed_unseen() {
    let mut files = Vec::new();
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        let store = server.app.store();
        let token = token(&server, "search", Rights::ALL);
        let states = step();
        for number in [0, 20] {
            let body = report("helpdesk", number, &states[number], &states[0]).to_string();
            server.with_token(&token, ("POST", "/v1/projects/search/reports"), body.as_bytes()).expect(201);
        }
        server.post_json("/v1/projects/search/commits", &commits(0, 20)).expect(200);
        let alarms = server.get("/v1/projects/search/alarms").json();
        let alarm = alarms["alarms"][0]["id"].as_str().unwrap();
        let accept = format!("/v1/projects/search/alarms/{alarm}/acknowledge");
        server.with_token(&token, ("POST", &accept), br#"{"note": "known"}"#).expect(200);
        server
            .post_json(
                "/v1/projects/search/rescore",
                &json!({"benchmark": "helpdesk", "judgments": "q001 0 d 1\n"}),
            )
            .expect(200);
        sign_in(&server, &token);
        assert!(maintenance::revoke_token(store, 1, noon()).unwrap());
        let told: Vec<String> = maintenance::audited(store)
            .unwrap()
            .iter()
            .map(|entry| format!("{} by {}", entry.action, entry.who.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(
            told,
            [
                "token add by rankgate-serve",
                "push by test",
                "push by test",
                "push by this machine",
                "acknowledge by test",
                "rescore by this machine",
                "sign in by test",
                "token revoke by rankgate-serve",
            ]
        );
        assert_eq!(maintenance::check(store).unwrap(), Vec::<String>::new());
        files.push(maintenance::audited(store).unwrap());
        // A changed entry, one that is blank, one that is gone, and the last one that is gone.
        let script = |sql: &'static str| store.write(move |session| session.script(sql)).unwrap();
        let wrong = || maintenance::check(store).unwrap().join("; ");
        script("UPDATE audit SET about = 'alarm b' WHERE id = 5");
        assert!(wrong().contains("entry 5 is not what was written"), "{}", wrong());
        script("UPDATE audit SET about = '', who = NULL WHERE id = 5");
        assert!(wrong().contains("entry 5 is not what was written"), "{}", wrong());
        // One that looks forgotten, as if its project had been removed.
        script("UPDATE audit SET project = 99 WHERE id = 5");
        assert!(wrong().contains("entry 5 is not what was written"), "{}", wrong());
        script("DELETE FROM audit WHERE id = 5");
        assert!(wrong().contains("entries are missing") && wrong().contains("entry 6 is not"), "{}", wrong());
        script("DELETE FROM audit WHERE id >= 5");
        assert!(wrong().contains("entries are missing between 1 and 8"), "{}", wrong());
    }
    // Both stores hold the same entries, but for what each token is.
    let hashes = |entries: &[rankgate_serve::Entry]| {
        let own = entries.iter().filter(|one| one.action != "token add");
        own.map(|one| one.content.clone()).collect::<Vec<_>>()
    };
    assert_eq!(hashes(&files[0]), hashes(&files[1]));
}

#[test]
fn the_audit_of_a_project_that_is_removed_forgets_what_was_done_and_stays_whole() {
    let server = Running::on_sqlite();
    let store = server.app.store();
    server.post_json("/v1/projects/search/reports", &report("helpdesk", 1, &base(), &base())).expect(201);
    server.post_json("/v1/projects/other/reports", &report("helpdesk", 1, &base(), &base())).expect(201);
    assert!(maintenance::remove(store, "search").unwrap());
    let told: Vec<(String, bool)> = maintenance::audited(store)
        .unwrap()
        .into_iter()
        .map(|entry| (entry.action, entry.about.contains("helpdesk")))
        .collect();
    let expected = [("push", false), ("push", true), ("remove", false)];
    assert_eq!(told, expected.map(|(action, names)| (action.to_owned(), names)));
    assert_eq!(maintenance::check(store).unwrap(), Vec::<String>::new());
    // An entry of another project is not forgotten with those that were.
    let sql = "UPDATE audit SET project = 1, who = NULL, about = '' WHERE id = 2";
    store.write(move |session| session.script(sql)).unwrap();
    let wrong = maintenance::check(store).unwrap().join("; ");
    assert!(wrong.contains("audit: entry 1 is not what was written"), "{wrong}");
}

#[test]
fn a_rate_is_counted_before_a_token_is_believed() {
    let server = Running::with(|mut settings| {
        settings.open = false;
        settings.limits.requests = 3;
        settings
    });
    let statuses: Vec<u16> = (0..20)
        .map(|number| server.with_token(&format!("rankgate_{number}"), ("GET", "/v1/projects"), b"").status)
        .collect();
    assert!(statuses.starts_with(&[401; 6]) && statuses.contains(&429), "{statuses:?}");
}
