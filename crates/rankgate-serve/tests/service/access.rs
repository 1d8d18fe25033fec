//! Who may do what.

use rankgate_serve::store::Session;
use rankgate_serve::{Right, maintenance};
use serde_json::json;

use crate::client::send;
use crate::running::{Running, noon};
use crate::sample::{base, commits, push, report, step};

fn token(server: &Running, project: &str, right: Right) -> String {
    let times = (noon(), noon() + 1_000);
    maintenance::add_token(server.app.store(), project, "test", right, times).unwrap()
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
        let (own, other) = (token(&server, "search", Right::Write), token(&server, "other", Right::Write));
        let judgments = "q1 0 d1 1\n";
        let sha256 = rankgate_serve::hash::sha256(judgments.as_bytes());
        server.with_token(&own, ("PUT", &format!("/v1/blobs/{sha256}")), judgments.as_bytes()).expect(201);
        let new = report("helpdesk", 30, &base(), &base()).to_string();
        let more = commits(20, 30).to_string();
        let evaluate =
            json!({"judgments_sha256": sha256, "run": {"q1": {"d1": 1.0}}, "metrics": ["RR"]}).to_string();
        let named =
            json!({"judgments_sha256": sha256, "run": {"q1": {"d1": 1.0}}, "project": "search"}).to_string();
        let acknowledge = format!("/v1/projects/search/alarms/{alarm}/acknowledge");
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
            ("POST", &acknowledge, "{}"),
            ("PUT", &blob, judgments),
        ];
        // Those that need what no test makes up: refused before it is read.
        let further = [
            ("POST", "/v1/projects/search/runs", ""),
            ("POST", "/projects/search/alarms/a/acknowledge", ""),
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
        settings.tokens = true;
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
    let (read, write) = (token(&server, "search", Right::Read), token(&server, "search", Right::Write));
    server.with_token(&write, ("POST", path), body.as_bytes()).expect(201);
    server.with_token(&read, ("GET", path), b"").expect(200);
    server.with_token(&read, ("POST", path), body.as_bytes()).expect(403);
    server.with_token("rankgate_0", ("GET", path), b"").expect(401);
    // By cookie as a page has it.
    let cookie = format!("a=b; rankgate_token={read}");
    assert_eq!(send(server.address, ("GET", path), &[("Cookie", &cookie)], b"").unwrap().status, 200);
    // One that ended, and one that was taken back.
    let ended =
        maintenance::add_token(server.app.store(), "search", "", Right::Read, (noon(), noon())).unwrap();
    server.with_token(&ended, ("GET", path), b"").expect(401);
    let all = maintenance::tokens(server.app.store()).unwrap();
    assert!(maintenance::revoke_token(server.app.store(), all[0].id, noon()).unwrap());
    assert!(!maintenance::revoke_token(server.app.store(), all[0].id, noon()).unwrap());
    server.with_token(&read, ("GET", path), b"").expect(401);
    // What is kept of a token is its hash.
    let hashes = |session: &mut dyn Session| session.query("SELECT sha256 FROM token ORDER BY id", &[]);
    let kept = server.app.store().read(hashes).unwrap();
    assert_eq!(kept[0].text(0), rankgate_serve::hash::sha256(read.as_bytes()));
    assert_eq!(read.len(), "rankgate_".len() + 64);
}

#[test]
fn only_this_machine_by_its_name_needs_no_token() {
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
