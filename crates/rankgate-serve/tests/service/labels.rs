//! People grade documents in the browser, without script.

use rankgate_serve::{Rights, maintenance};
use serde_json::{Value, json};

use crate::client::send;
use crate::pages::{filled, form, header, post_form};
use crate::running::{Running, noon};

const LIST: &str = "/projects/search/labels/helpdesk";

fn list(texts: &[&str]) -> String {
    let line = |(number, text): (usize, &&str)| {
        let pair = json!({"query": format!("q{}", number / 2), "query_text": "late <fee>", "query_sha256": "a",
            "document": format!("d{number}"), "document_text": text, "document_sha256": rankgate_serve::hash::sha256(text.as_bytes())});
        pair.to_string() + "\n"
    };
    texts.iter().enumerate().map(line).collect()
}

fn put(server: &Running, text: &str, status: u16) -> Value {
    let path = "/v1/projects/search/labels/helpdesk";
    send(server.address, ("PUT", path), &[], text.as_bytes()).unwrap().expect(status).json()
}

/// Grades the document that is shown, and says where that leads.
fn grade(server: &Running, path: &str, grade: &str) -> String {
    let page = server.get(path).expect(200).text();
    let start = page.find("<form class=\"grading\"").unwrap();
    let (action, fields) = form(&page[start..], "</span>");
    let done = post_form(server, &action, &[], &filled(&fields, &[("grade", grade)]));
    assert_eq!(done.status, 303, "{}", done.text());
    header(&done, "location").unwrap().to_owned()
}

fn graded(server: &Running, who: &str) -> Vec<Value> {
    let path = format!("/v1/projects/search/labels/helpdesk/grades?who={who}");
    let text = server.get(&path).expect(200).text();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn people_grade_in_the_browser_and_their_progress_is_kept() {
    let mut files = Vec::new();
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        let texts = ["a late fee", "b", "c <script>", "d"];
        assert_eq!(put(&server, &list(&texts), 201)["pairs"], 4);
        assert!(server.get("/projects/search").text().contains(LIST));
        let asks = server.get(LIST).expect(200).text();
        assert!(asks.contains("Your name") && asks.contains("4 documents to grade"), "{asks}");
        // One after the other; the page says nothing of who returned a document.
        let mut path = format!("{LIST}?who=anna");
        for (number, own) in ["3", "0", "", "2"].iter().enumerate() {
            let page = server.get(&path).expect(200).text();
            assert!(page.contains(&format!("{number} of 4 graded")), "{page}");
            assert!(!page.contains("<script>\"") && page.contains("&lt;fee&gt;"));
            path = grade(&server, &path, own);
        }
        let done = server.get(&path).expect(200).text();
        assert!(done.contains("4 of 4 graded") && done.contains("grades.jsonl"), "{done}");
        // Somebody else begins, is called away, and goes on; what was said may be said anew.
        for own in ["3", "1", "1"] {
            grade(&server, &format!("{LIST}?who=ben"), own);
        }
        grade(&server, &format!("{LIST}?who=ben&at=3"), "2");
        let people = server.get("/v1/projects/search/labels").json();
        let expected = json!([{"who": "anna", "graded": 4}, {"who": "ben", "graded": 3}]);
        assert_eq!(people["labels"][0]["people"], expected);
        let overview = server.get(LIST).text();
        // Both said something of three documents, and can tell of two: of one they agree.
        let agreed = overview.split("<tr>").find(|row| row.contains(">anna, ben<")).unwrap();
        let cells = [("both graded", "2"), ("one cannot tell", "1"), ("equal", "0.50")];
        for (title, cell) in cells {
            assert!(agreed.contains(&format!("data-label=\"{title}\">{cell}<")), "{title}: {agreed}");
        }
        for word in ["anna, ben", "quadratic kappa", "Not agreed on", "anna cannot tell, ben 2"] {
            assert!(overview.contains(word), "no {word}: {overview}");
        }
        let file = graded(&server, "anna");
        assert_eq!((file.len(), file.iter().filter(|one| one["grade"].is_null()).count()), (4, 1));
        let keys: Vec<&String> = file[0].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["document", "document_sha256", "grade", "query", "query_sha256", "who"]);
        // What was said of a text that is another now does not count.
        put(&server, &list(&["a late fee", "b", "c <script>", "another"]), 200);
        assert_eq!(graded(&server, "anna").len(), 3);
        files.push(file);
        for (body, why) in
            [("", "0 documents"), ("{}", "line 1"), (&*(list(&["x"]) + &list(&["x"])), "twice")]
        {
            assert!(put(&server, body, 422)["detail"].as_str().unwrap().contains(why), "{body}");
        }
    }
    assert_eq!(files[0], files[1]);
}

/// Marks of direction, soft hyphens and line breaks cannot be seen; ids may hold them all the same.
#[test]
fn what_cannot_be_seen_in_an_id_keeps_nobody_from_grading() {
    let server = Running::on_sqlite();
    let ids = ["q\u{200e}2", "q\u{ad}\u{202e}\u{feff}", "a\r\nb\nc\t", "100%25 & \"more\"+<b>"];
    let line = |id: &&str| {
        let pair = json!({"query": id, "query_text": "hello", "query_sha256": "a", "document": format!("d{id}"),
            "document_text": "text", "document_sha256": rankgate_serve::hash::sha256(b"text")});
        pair.to_string() + "\n"
    };
    put(&server, &ids.iter().map(line).collect::<String>(), 201);
    for _ in &ids {
        grade(&server, &format!("{LIST}?who=anna"), "2");
    }
    let told = graded(&server, "anna");
    let mut queries: Vec<&str> = told.iter().map(|one| one["query"].as_str().unwrap()).collect();
    let mut expected = ids;
    queries.sort_unstable();
    expected.sort_unstable();
    assert_eq!(queries, expected);
}

#[test]
fn whoever_may_not_write_grades_nothing() {
    let server = Running::with(|mut settings| {
        settings.open = false;
        settings
    });
    let times = (noon(), noon() + 1_000);
    let [own, reads] = [Rights::ALL, Rights::READ]
        .map(|right| maintenance::add_token(server.app.store(), "search", "t", right, times).unwrap());
    let path = "/v1/projects/search/labels/helpdesk";
    let list = list(&["x"]);
    server.with_token(&reads, ("PUT", path), list.as_bytes()).expect(403);
    server.with_token(&own, ("PUT", path), list.as_bytes()).expect(201);
    let page = server.with_token(&reads, ("GET", LIST), b"").expect(200).text();
    assert!(!page.contains("Your name"), "{page}");
    server.with_token(&reads, ("GET", &format!("{LIST}?who=anna")), b"").expect(403);
    server.with_token(&reads, ("POST", LIST), b"who=anna&grade=3").expect(403);
    // Without the proof of a page of ours nothing is taken either.
    server.with_token(&own, ("POST", LIST), b"who=anna&query=q0&document=d0&grade=3").expect(403);
}
