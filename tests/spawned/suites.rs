//! A suite of four collections, two of them the help centre's by category, under both runners.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::repository::root;
use crate::user::{Crate, Ran, copy};

/// Queries of the four collections, each asked once of both configurations.
const QUERIES: usize = 18 + 18 + 6 + 4;

const GATES: [&str; 4] = [
    "search::words-vs-reversed::nDCG@10",
    "search::words::nDCG@10",
    "shoes::words-vs-golden::RR@10",
    "shoes::words::RR@10",
];

/// A crate whose suite is over four collections. Of these only one has gates of its own; another lies outside of the
/// folder of the specs.
fn four() -> Crate {
    let user = Crate::new();
    fs::remove_file(user.path("benchmarks/toy.yaml")).unwrap();
    let data = user.path("elsewhere/data/helpdesk");
    copy(&root().join("examples/data/helpdesk"), &data);
    let read = |name: &str| fs::read_to_string(data.join(name)).unwrap();
    let (queries, judged) = (read("queries.jsonl"), read("qrels/test.tsv"));
    for category in ["billing", "delivery"] {
        let of_it: BTreeSet<String> = queries
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|query| query["metadata"]["category"] == category)
            .map(|query| query["_id"].as_str().unwrap().to_owned())
            .collect();
        let (head, lines) = judged.split_once('\n').unwrap();
        let own = lines.lines().filter(|line| of_it.contains(line.split('\t').next().unwrap()));
        let own: Vec<&str> = std::iter::once(head).chain(own).collect();
        fs::write(data.join(format!("qrels/{category}.tsv")), own.join("\n") + "\n").unwrap();
        let collection = format!("{{beir: data/helpdesk, split: {category}}}");
        write(&user, &format!("elsewhere/{category}.yaml"), &collection, "");
    }
    let inline = |texts: &[&str]| {
        let document = |(at, text): (usize, &&str)| format!("d{at}: {text}");
        let query = |(at, text): (usize, &&str)| {
            let words: Vec<&str> = text.split(' ').collect();
            format!("{{id: q{at}, text: {} {} of, relevant: [d{at}]}}", words[0], words[1])
        };
        let documents: Vec<String> = texts.iter().enumerate().map(document).collect();
        let queries: Vec<String> = texts.iter().enumerate().map(query).collect();
        let (documents, queries) = (documents.join(", "), queries.join(", "));
        format!("{{inline: {{documents: {{{documents}}}, queries: [{queries}]}}}}")
    };
    let gates = "thresholds: [{metric: RR@10, min: 0.5, for: [words]}]\n\
                 comparisons: [{candidate: words, baseline: golden, metric: RR@10}]\n";
    let shoes = [
        "red boots of leather",
        "blue boots of rubber",
        "soles of cork",
        "laces of wool",
        "care of suede",
        "size of feet",
    ];
    write(&user, "benchmarks/shoes.yaml", &inline(&shoes), gates);
    let cards = ["lost card of a friend", "new card of mine", "fee of a card", "limit of cards"];
    write(&user, "benchmarks/cards.yaml", &inline(&cards), "");
    let suite = "version: 1\nsuite: search\n\
        benchmarks: [../elsewhere/billing.yaml, ../elsewhere/delivery.yaml, shoes.yaml, cards.yaml]\n\
        thresholds: [{metric: nDCG@10, min: 0.3, for: [words]}]\n\
        coverage: 0.8\n\
        comparisons: [{candidate: words, baseline: reversed, metric: nDCG@10, expect: improvement}]\n";
    fs::write(user.path("benchmarks/search.yaml"), suite).unwrap();
    user.run(&["test"], &[("RANKGATE_BLESS", "1")]).ends_with(0);
    user
}

fn write(user: &Crate, path: &str, collection: &str, gates: &str) {
    let name = Path::new(path).file_stem().unwrap().to_str().unwrap();
    let text = format!(
        "version: 1\nbenchmark: {name}\ncollection: {collection}\nconfigurations:\n  words: {{retriever: words}}\n  \
         reversed: {{retriever: words, params: {{fault: reversed}}}}\nmetrics: [nDCG@10, RR@10]\n{gates}"
    );
    fs::write(user.path(path), text).unwrap();
}

fn asked_once(ran: &Ran) {
    assert_eq!((ran.noted("built"), ran.noted("asked")), (8, 2 * QUERIES), "{}", ran.all());
}

#[test]
fn a_suite_of_four_collections_is_carried_out_under_each_runner_and_asks_once() {
    let user = four();
    let ran = user.run(&["test", "--test", "retrieval"], &[]);
    ran.ends_with(0).says("4 passed; 0 failed").says("search: 2 passed").says("shoes: 2 passed");
    for gate in GATES {
        ran.says(&format!("test {gate}"));
    }
    asked_once(&ran);
    let page = fs::read_to_string(user.output("search/report.html")).unwrap();
    assert!(page.contains("\"collections\"") && page.contains("search: 2 passed"));
    let whole = fs::read_to_string(user.output("search/report.json")).unwrap();
    fs::remove_file(user.output("search/report.json")).unwrap();

    let ran = user.run(&["nextest", "run"], &[]);
    ran.ends_with(0).says("4 tests run: 4 passed");
    asked_once(&ran);
    // The processes of one run make one report, which says the same.
    assert_eq!(fs::read_to_string(user.output("search/report.json")).unwrap(), whole);

    let ran = user.run(&["test", "--test", "retrieval", "--", "search::"], &[]);
    ran.ends_with(0).says("2 passed; 0 failed").does_not_say("shoes::");
}

#[test]
fn a_suite_fails_with_its_collections_and_never_takes_a_mean_over_fewer() {
    let user = four();
    user.edit("benchmarks/search.yaml", |text| text.replace("min: 0.3", "max: 0.3"));
    for (arguments, code) in
        [(&["test", "--test", "retrieval"][..], 101), (&["nextest", "run", "--no-fail-fast"], 100)]
    {
        user.run(arguments, &[])
            .ends_with(code)
            .says("search: words is above its limit on nDCG@10 over 4 collections");
    }
    user.edit("benchmarks/cards.yaml", |text| {
        text.replace("{retriever: words}", "{retriever: words, params: {fault: errors}}")
    });
    user.run(&["test", "--test", "retrieval", "--", "search::words::"], &[])
        .ends_with(101)
        .says("ERROR: cards: ")
        .says("connection refused");
    // Neither is a suite broken without its collections.
    fs::write(user.path("benchmarks/cards.yaml"), "version: 1\nbenchmark: cards\n").unwrap();
    user.run(&["test", "--test", "retrieval"], &[])
        .ends_with(101)
        .says("spec::search.yaml")
        .says("`cards.yaml` has an error in line 1: a spec needs `collection` and `configurations`");
}
