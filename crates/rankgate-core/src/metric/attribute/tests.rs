//! What attributes are of documents, by hand.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::metric::{JudgedRanking, Metric, RankedQuery};

type Metadata = BTreeMap<String, Value>;

fn metadata(value: Value) -> Metadata {
    value.as_object().unwrap().clone().into_iter().collect()
}

/// Whether one document has an attribute of one condition.
fn has(condition: Condition, document: Value, query: Value) -> Result<bool> {
    let attribute = Attribute::new("a", [condition])?;
    let (document, query) = (metadata(document), metadata(query));
    let asked = RankedQuery::new(["d"]).with_metadata(&query).with_attribute(&attribute, |_| Some(&document));
    "Count(a)@1".parse::<Metric>()?.compute_of_query(&asked).map(|count| count == 1.0)
}

fn of(key: &str, test: Test) -> Condition {
    Condition::new(key, test)
}

#[test]
fn operators_compare_values() {
    use Test::{Equal, Not};
    let c = |value: Value| Operand::Constant(value);
    for (test, value, expected) in [
        (Equal(c(json!("a"))), json!("a"), true),
        (Equal(c(json!("a"))), json!("A"), false),
        (Equal(c(json!(["a", "b"]))), json!("b"), true),
        (Equal(c(json!(["a", "b"]))), json!("c"), false),
        (Equal(c(json!([]))), json!("c"), false),
        (Equal(c(json!(1))), json!(1.0), true),
        // Whole numbers are not rounded: as floats these are equal.
        (Equal(c(json!(9_007_199_254_740_993_u64))), json!(9_007_199_254_740_992_u64), false),
        (Equal(c(json!(true))), json!(false), false),
        (Not(c(json!("a"))), json!("b"), true),
        (Not(c(json!("a"))), json!("a"), false),
        (Not(c(json!(["a", "b"]))), json!("b"), false),
        (Not(c(json!(["a", "b"]))), json!("c"), true),
    ] {
        let found = has(of("k", test.clone()), json!({"k": value}), json!({})).unwrap();
        assert_eq!(found, expected, "{test:?} of {value}");
    }
}

#[test]
fn values_of_other_types_are_errors() {
    use Test::{Equal, Not};
    let of_query = || Operand::of_query("k");
    for (test, document, query, expected) in [
        (
            Equal(of_query()),
            json!(7),
            json!("7"),
            "document `d`, of which `k` is the number 7: it is of another type than the text `7`, and the two cannot be compared",
        ),
        (Not(of_query()), json!("acme"), json!(true), "of another type than true"),
        (Not(of_query()), json!("acme"), json!(["acme", 1]), "of another type than the number 1"),
        (Not(of_query()), json!(["acme"]), json!("acme"), "a list is not compared with a value"),
        (Equal(of_query()), json!({"id": 1}), json!("acme"), "of another type than the text `acme`"),
    ] {
        let error = has(of("k", test), json!({"k": document}), json!({"k": query})).unwrap_err().to_string();
        assert!(
            error.starts_with("Count(a)@1: attribute `a`: document `d`") && error.contains(expected),
            "{error}"
        );
    }
}

#[test]
fn a_key_that_is_not_known_is_an_error_unless_it_is_said_what_that_means() {
    let condition = |missing| of("tenant", Test::Not(Operand::of_query("tenant"))).with_missing(missing);
    let leak = |missing| Attribute::new("leak", [condition(missing)]).unwrap().written_at("tenants.yaml:7");
    let (query, other, null) = (
        metadata(json!({"tenant": "acme"})),
        metadata(json!({"kind": "faq"})),
        metadata(json!({"tenant": null})),
    );
    let of = |missing, known: Option<&Metadata>| {
        let leak = leak(missing);
        let asked = RankedQuery::new(["d"]).with_metadata(&query).with_attribute(&leak, |_| known);
        "Count(leak)@5".parse::<Metric>().unwrap().compute_of_query(&asked).map_err(|error| error.to_string())
    };
    let then = "add it, or say what such a document is taken for: `missing: match` or `missing: other`";
    for known in [&other, &null] {
        assert_eq!(
            of(Missing::Error, Some(known)).unwrap_err(),
            format!(
                "Count(leak)@5: attribute `leak` (tenants.yaml:7): document `d` has no `tenant` in its metadata; {then}"
            )
        );
        assert_eq!(of(Missing::Match, Some(known)).unwrap(), 1.0);
        assert_eq!(of(Missing::Other, Some(known)).unwrap(), 0.0);
    }
    let error = of(Missing::Error, None).unwrap_err();
    assert!(error.contains("document `d` is not in the corpus, so that its `tenant` is unknown"), "{error}");
    assert_eq!((of(Missing::Match, None).unwrap(), of(Missing::Other, None).unwrap()), (1.0, 0.0));
}

#[test]
fn a_query_that_lacks_a_key_is_an_error() {
    let condition = of("tenant", Test::Not(Operand::of_query("tenant")));
    let error = has(condition.clone(), json!({"tenant": "acme"}), json!({})).unwrap_err().to_string();
    assert!(error.ends_with("the query has no `tenant` in its metadata to compare with"), "{error}");
    let leak = Attribute::new("leak", [condition]).unwrap();
    let check = |query| leak.check_query("q7", &metadata(query)).map_err(|error| error.to_string());
    assert_eq!(
        check(json!({"tenant": null})).unwrap_err(),
        "attribute `leak`: query `q7`: the query has no `tenant` in its metadata to compare with"
    );
    assert!(check(json!({"tenant": {"id": 1}})).unwrap_err().contains("not the mapping"));
    assert!(check(json!({"tenant": ["acme", "globex"]})).is_ok());
    assert_eq!((leak.keys().len(), leak.query_keys()), (1, vec!["tenant"]));
}

#[test]
fn all_conditions_have_to_hold() {
    let stale = Attribute::new(
        "stale",
        [
            of("kind", Test::Equal(Operand::constant("news"))),
            of("price", Test::Not(Operand::constant(json!([5, 6])))),
        ],
    )
    .unwrap();
    let documents: BTreeMap<&str, Metadata> = [
        ("a", json!({"kind": "news", "price": 2})),
        ("b", json!({"kind": "news", "price": 5})),
        ("c", json!({"kind": "faq", "price": 3})),
        ("d", json!({"kind": "news", "price": 4.5})),
    ]
    .map(|(id, value)| (id, metadata(value)))
    .into();
    let of = |metric: &str, returned: &[&'static str]| {
        let asked = RankedQuery::new(returned.iter().copied());
        let asked = asked.with_attribute(&stale, |id| documents.get(id));
        metric.parse::<Metric>().unwrap().compute_of_query(&asked)
    };
    assert_eq!(of("Count(stale)@4", &["a", "b", "c", "d"]).unwrap(), 2.0);
    assert_eq!(of("Share(stale)@4", &["a", "b", "c", "d"]).unwrap(), 0.5);
    assert_eq!(of("Count(stale)@2", &["b", "a", "d"]).unwrap(), 1.0);
    // Over what there is, not over the cutoff; nothing is no share.
    assert_eq!(of("Share(stale)@10", &["a", "d"]).unwrap(), 1.0);
    assert_eq!(of("Share(stale)@10", &[]).unwrap(), 0.0);
    // Beyond the cutoff nothing is looked at.
    assert_eq!(of("Count(stale)@1", &["a", "unknown"]).unwrap(), 1.0);
    assert!(of("Count(stale)@2", &["a", "unknown"]).is_err());
}

#[test]
fn metrics_of_attributes_have_names() {
    let metric: Metric = " count( leak )@10 ".parse().unwrap();
    assert_eq!((metric.to_string().as_str(), metric.range()), ("Count(leak)@10", 0.0..=10.0));
    assert_eq!(metric.requirements().attribute, Some("leak"));
    assert!(!metric.is_best_high() && !metric.needs_relevance() && !metric.is_count());
    assert_ne!(metric, "Count(Leak)@10".parse().unwrap());
    for (text, expected) in [
        ("Count@10", "Count needs an attribute that `attributes` defines, as in `Count(leak)@10`"),
        ("Count()@10", "Count needs an attribute that `attributes` defines, as in `Count(leak)@10`"),
        ("Share(leak)", "Share needs a cutoff, as in `Share@10`"),
        ("Share(attribute=leak)@3", "Share takes an attribute that `attributes` defines and nothing else"),
        ("Share(a b)@3", "the attribute must be letters, digits, `_`, `.` and `-`, not `a b`"),
    ] {
        let error = text.parse::<Metric>().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = metric.try_compute(&JudgedRanking::new(vec![], vec![])).unwrap_err().to_string();
    assert_eq!(error, "Count(leak)@10 needs the attribute `leak`: a spec defines it under `attributes`");
    let asked = RankedQuery::new(["a"]);
    assert!(metric.compute_of_query(&asked).unwrap_err().to_string().contains("needs the attribute `leak`"));
}

#[test]
fn what_is_no_attribute_is_refused() {
    let condition = || of("k", Test::Equal(Operand::constant("a")));
    for (name, conditions, expected) in [
        ("", vec![condition()], "attribute ``: a name is a letter or digit"),
        ("a b", vec![condition()], "attribute `a b`: a name is"),
        ("a", vec![], "attribute `a` has no condition: every document would have it"),
    ] {
        let error = Attribute::new(name, conditions).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    for (test, expected) in [
        (Test::Equal(Operand::constant(json!({"a": 1}))), "not the mapping"),
        (Test::Equal(Operand::constant(json!([["a"]]))), "not the list"),
    ] {
        let error = of("k", test).check_constant().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
