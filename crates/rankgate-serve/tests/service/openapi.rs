//! The document says what there is, and there is what it says.

use std::collections::BTreeSet;

use rankgate_serve::{Rights, maintenance};
use serde_json::Value;

use crate::client::send;
use crate::running::{Running, noon};

const ROUTES: &str = include_str!("../../src/api/mod.rs");

/// The routes as the router has them: method and path.
pub(crate) fn routes(source: &str) -> BTreeSet<(String, String)> {
    let routes = source.split(".route(\"").skip(1).map(|rest| {
        let (path, rest) = rest.split_once('"').unwrap();
        let handlers = rest.split(".route(").next().unwrap().split(".fallback").next().unwrap();
        let methods = ["get", "post", "put"].into_iter().filter(|method| {
            handlers.contains(&format!(" {method}(")) || handlers.contains(&format!(".{method}("))
        });
        methods.map(|method| (method.to_owned(), path.to_owned())).collect::<Vec<_>>()
    });
    routes.flatten().collect()
}

#[test]
fn the_document_names_every_route_and_no_other() {
    let server = Running::on_sqlite();
    let document = server.get("/v1/openapi.json").expect(200).json();
    assert_eq!(document["openapi"], "3.1.0");
    let mut named = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            named.insert((method.clone(), path.clone()));
            let at = path.replace("{project}", "p").replace("{sha256}", "0").replace("{report}", "1");
            let at = at.replace("{alarm}", "a").replace("{name}", "b").replace("{list}", "l");
            let answer = send(server.address, (&method.to_uppercase(), &at), &[], b"").unwrap();
            assert!(answer.status != 405 && !answer.text().contains("nothing is here"), "{method} {path}");
        }
    }
    assert_eq!(named, routes(ROUTES));
    server.get("/v1/nothing").expect(404);
    assert_eq!(send(server.address, ("DELETE", "/health"), &[], b"").unwrap().status, 405);
}

#[test]
fn what_the_document_refers_to_is_there() {
    fn walk<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|one| walk(one, found));
            }
            Value::Array(all) => all.iter().for_each(|one| walk(one, found)),
            _ => {}
        }
    }
    let document: Value = serde_json::from_str(include_str!("../../src/api/openapi.json")).unwrap();
    let mut references = Vec::new();
    walk(&document, &mut references);
    assert!(references.len() > 20);
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn health_and_the_catalogue_are_told() {
    let server = Running::on_sqlite();
    assert_eq!(server.get("/health").expect(200).text(), r#"{"status": "healthy"}"#);
    server.get("/ready").expect(200);
    let metrics = server.get("/v1/metrics").expect(200).json();
    let first = &metrics["metrics"][0];
    assert_eq!(
        (first["name"].as_str(), first["description"].as_str()),
        (Some("P"), Some("relevant share of the top k"))
    );
    let counted = server.get("/metrics").expect(200).text();
    assert!(counted.contains("rankgate_answers_total{status=\"2xx\"} 3\n"), "{counted}");
}

#[test]
fn the_document_says_which_right_a_request_needs() {
    let server = Running::with(|mut settings| {
        settings.open = false;
        settings
    });
    let times = (noon(), noon() + 1_000);
    let reads = maintenance::add_token(server.app.store(), "p", "t", Rights::READ, times).unwrap();
    let document: Value = serde_json::from_str(include_str!("../../src/api/openapi.json")).unwrap();
    let (mut needing, mut others) = (0, 0);
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let at = path.replace("{project}", "p").replace("{sha256}", "0").replace("{report}", "1");
            let at = at.replace("{alarm}", "a").replace("{name}", "b").replace("{list}", "l");
            let answer = server.with_token(&reads, (&method.to_uppercase(), &at), b"");
            let needs = answer
                .text()
                .split("needs the right ")
                .nth(1)
                .map(|rest| rest.split(',').next().unwrap().to_owned());
            let described = operation["description"].as_str().unwrap_or_default();
            let told =
                described.split("Needs the right ").nth(1).map(|rest| rest.trim_end_matches('.').to_owned());
            assert_eq!(needs, told, "{method} {path}: {}", answer.text());
            if needs.is_some() {
                needing += 1
            } else {
                others += 1
            }
            // Without a token there is only what the document says so of.
            let nobody = send(server.address, (&method.to_uppercase(), &at), &[], b"").unwrap();
            assert_eq!(
                nobody.status != 401,
                operation["security"] == serde_json::json!([]),
                "{method} {path}"
            );
        }
    }
    assert!(needing == 9 && others > 10, "{needing} {others}");
}
