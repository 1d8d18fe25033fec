//! What is written is read back, whatever it is; the order of lines and compression change
//! nothing; and no bytes make a reader panic.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use rankgate::run::{RunReader, RunWriter};
use rankgate::{Collection, CollectionBuilder, Corpus, Document, Hit, Order, Qrels, Query, Run};
use serde_json::{Value, json};

/// Ids of any characters.
fn any_id() -> impl Strategy<Value = String> + Clone {
    prop_oneof![any::<String>().prop_filter("not empty", |id| !id.is_empty()), "[a-c #%\t]{1,3}"]
}

/// Ids that fit into a column as they are.
fn column_id() -> impl Strategy<Value = String> + Clone {
    "[a-zA-Z0-9%é_:{}/-][a-zA-Z0-9#%é_:{}/-]{0,5}"
}

fn score() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("a number", |score| !score.is_nan()),
        prop::sample::select(vec![0.0, -0.0, 1.0, 1.5, f64::INFINITY]),
    ]
}

fn rankings(id: impl Strategy<Value = String> + Clone) -> impl Strategy<Value = BTreeMap<String, Vec<Hit>>> {
    let ranking = btree_map(id.clone(), score(), 1..8)
        .prop_map(|hits| hits.into_iter().map(|(id, score)| Hit::new(id, score)).collect::<Vec<_>>())
        .prop_shuffle();
    btree_map(id, ranking, 0..6)
}

fn qrels(id: impl Strategy<Value = String> + Clone) -> impl Strategy<Value = Qrels> {
    btree_map(id.clone(), btree_map(id, any::<i32>(), 1..6), 1..6).prop_map(|judged| {
        let mut qrels = Qrels::new();
        for (query, documents) in judged {
            for (document, grade) in documents {
                qrels.insert(&query, &document, grade).unwrap();
            }
        }
        qrels
    })
}

fn metadata_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e12..1e12).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        vec(any::<String>(), 0..3).prop_map(Value::from),
        (any::<String>(), any::<bool>()).prop_map(|(key, value)| json!({ key: value })),
    ]
}

fn metadata() -> impl Strategy<Value = BTreeMap<String, Value>> {
    btree_map(prop_oneof![any::<String>(), "_id|id|text|title|metadata|relevant"], metadata_value(), 0..3)
}

fn collection() -> impl Strategy<Value = Collection> {
    let id = || "[^\t\n\r\0#][^\t\n\r\0]{0,3}";
    let query = (any::<String>(), metadata(), btree_map(id(), any::<i32>(), 1..4));
    let document = (any::<String>(), any::<String>(), metadata());
    (btree_map(id(), query, 1..5), btree_map(id(), document, 0..5)).prop_map(|(queries, documents)| {
        let mut builder = CollectionBuilder::new();
        for (id, (text, metadata, judged)) in queries {
            let mut query = Query::new(id, text);
            query.metadata = metadata;
            builder.add_query(query, judged);
        }
        for (id, (title, text, metadata)) in documents {
            let mut document = Document::new(id, text).with_title(title);
            document.metadata = metadata;
            builder.add_document(document);
        }
        builder.build().unwrap()
    })
}

fn written(run: &Run, writer: &RunWriter) -> Vec<u8> {
    let mut bytes = Vec::new();
    writer.write_to(run, &mut bytes).unwrap();
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The rankings to the last bit, in which -0 is not 0.
fn exact(run: &Run) -> Vec<(String, Vec<(String, u64)>)> {
    let bits = |hits: &[Hit]| hits.iter().map(|hit| (hit.id.clone(), hit.score.to_bits())).collect();
    run.iter().map(|(query, hits)| (query.to_owned(), bits(hits))).collect()
}

fn documents(collection: &Collection) -> Vec<Document> {
    let Ok(corpus) = collection.corpus() else { return Vec::new() };
    corpus.documents().unwrap().map(Result::unwrap).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_run_is_read_back_by_rank(rankings in rankings(any_id())) {
        let run = Run::from_rankings(rankings).unwrap();
        let bytes = written(&run, &RunWriter::new("t").percent_encoded_ids(true).comment("head"));
        let reader = RunReader::new().order(Order::Rank).percent_encoded_ids(true);
        prop_assert_eq!(exact(&reader.parse("a", &bytes).unwrap()), exact(&run));
    }

    #[test]
    fn a_run_in_score_order_is_read_back_by_score_and_by_rank(rankings in rankings(column_id())) {
        let unordered = written(&Run::from_rankings(rankings).unwrap(), &RunWriter::new("t"));
        let run = RunReader::new().parse("a", &unordered).unwrap();
        let bytes = written(&run, &RunWriter::new("t"));
        prop_assert_eq!(exact(&RunReader::new().parse("a", &bytes).unwrap()), exact(&run));
        let by_rank = RunReader::new().order(Order::Rank).parse("a", &bytes).unwrap();
        prop_assert_eq!(exact(&by_rank), exact(&run));
    }

    #[test]
    fn the_order_of_lines_and_compression_do_not_matter_to_a_run(
        (lines, shuffled) in rankings(column_id()).prop_flat_map(|rankings| {
            let bytes = written(&Run::from_rankings(rankings).unwrap(), &RunWriter::new("t"));
            let text = String::from_utf8(bytes).unwrap();
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            (Just(lines.clone()), Just(lines).prop_shuffle())
        }),
    ) {
        for order in [Order::Score, Order::Rank] {
            let reader = RunReader::new().order(order);
            let expected = reader.parse("a", lines.join("\n").as_bytes()).unwrap();
            prop_assert_eq!(&reader.parse("a", shuffled.join("\r\n").as_bytes()).unwrap(), &expected);
            prop_assert_eq!(&reader.parse("a", &gzip(shuffled.join("\n").as_bytes())).unwrap(), &expected);
        }
    }

    #[test]
    fn a_ranking_read_by_score_descends(rankings in rankings(column_id())) {
        let bytes = written(&Run::from_rankings(rankings).unwrap(), &RunWriter::new("t"));
        for (_, hits) in RunReader::new().parse("a", &bytes).unwrap().iter() {
            for pair in hits.windows(2) {
                let tie = pair[0].score == pair[1].score && pair[0].id.as_bytes() > pair[1].id.as_bytes();
                prop_assert!(pair[0].score > pair[1].score || tie);
            }
        }
    }

    #[test]
    fn no_bytes_make_a_reader_of_runs_or_judgments_panic(bytes in vec(any::<u8>(), 0..300)) {
        let _ = RunReader::new().parse("a", &bytes);
        let _ = RunReader::new().order(Order::Rank).percent_encoded_ids(true).parse("a", &bytes);
        let _ = RunReader::new().parse("a.json", &bytes);
        let _ = Qrels::parse("a", &bytes);
        let _ = Collection::parse_json("a", &bytes);
        let _ = Collection::parse_jsonl("a", &bytes);
        let _ = RunReader::new().parse("a", &[&[0x1f, 0x8b, 8, 0][..], &bytes].concat());
    }

    #[test]
    fn no_damage_to_a_file_makes_a_reader_panic(
        file in 0..FILES.len(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>(), 0..4), 1..5),
    ) {
        let mut bytes = FILES[file].as_bytes().to_vec();
        for (at, byte, kind) in damage {
            let at = at.index(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
            match kind {
                _ if bytes.is_empty() => bytes.push(byte),
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => { bytes.remove(at); }
                _ => bytes.truncate(at),
            }
        }
        let _ = RunReader::new().parse("a", &bytes);
        let _ = RunReader::new().order(Order::Rank).parse("a", &bytes);
        let _ = Qrels::parse("a", &bytes);
        let _ = Collection::parse_json("a", &bytes);
        let _ = Collection::parse_jsonl("a", &bytes);
    }
}

#[test]
fn nesting_without_end_is_an_error() {
    for open in ["[", "{\"a\":"] {
        let deep = open.repeat(1_000_000);
        let texts = [
            deep.clone(),
            format!("[{{\"id\": 1, \"text\": \"\", \"k\": {deep}"),
            format!("{{\"queries\": {deep}"),
            format!("{{\"q1\": {deep}"),
        ];
        for text in texts {
            assert!(Collection::parse_json("a", text.as_bytes()).is_err());
            assert!(Collection::parse_jsonl("a", text.as_bytes()).is_err());
            assert!(RunReader::new().parse("a.json", text.as_bytes()).is_err());
            assert!(Qrels::parse("a", text.as_bytes()).is_err());
        }
    }
    let closed = format!("[{{\"id\": 1, \"text\": \"\", \"k\": {}{}}}]", "[".repeat(5000), "]".repeat(5000));
    let error = Collection::parse_json("a", closed.as_bytes()).unwrap_err().to_string();
    assert!(error.starts_with("a:1: query `1`: recursion limit exceeded"), "{error}");
}

/// One file of each format, to be damaged.
const FILES: [&str; 6] = [
    "# head\nq1 Q0 d1 1 2.5 t\nq2 Q0 d2 1 -inf t\r\nq1 Q0 d2 2 1e-3 t\n",
    r#"{"q1": {"d1": 2.5, "d2": 1}, "q2": {}}"#,
    "q1 0 d1 1\nq2 0 d2 -1\n",
    "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    r#"{"queries": [{"id": "q1", "text": "a", "relevant": [{"id": "d1", "grade": 1}], "metadata": {"k": [1]}}],
        "documents": {"d1": {"text": "b"}, "d2": "c"}, "qrels": {"q1": {"d2": 1}}}"#,
    "{\"id\": 1, \"query\": \"a\", \"relevant\": {\"d1\": 2}}\n{\"id\": 2, \"text\": \"\\u00e9\"}\n",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn judgments_are_read_back_and_the_order_of_lines_does_not_matter(
        (qrels, order) in qrels(column_id()).prop_flat_map(|qrels| {
            let order: Vec<usize> = (0..qrels.len()).collect();
            (Just(qrels), Just(order).prop_shuffle())
        }),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.qrels");
        qrels.write_trec(&path).unwrap();
        prop_assert_eq!(&Qrels::read_trec(&path).unwrap(), &qrels);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let shuffled: Vec<&str> = order.iter().map(|line| lines[*line]).collect();
        let shuffled = Qrels::parse("a", shuffled.join("\n").as_bytes()).unwrap();
        prop_assert_eq!(shuffled.sha256(), qrels.sha256());
        prop_assert_eq!(shuffled, qrels);
    }

    #[test]
    fn a_json_run_is_read_back(
        rankings in btree_map(any_id(), btree_map(any_id(), -1e300..1e300, 0..5), 0..5),
    ) {
        let hits = |hits: BTreeMap<String, f64>| hits.into_iter().map(|(id, score)| Hit::new(id, score)).collect();
        let run = Run::from_rankings(rankings.into_iter().map(|(query, scores)| (query, hits(scores)))).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let (first, second) = (dir.path().join("a.json"), dir.path().join("b.json"));
        run.write_json(&first).unwrap();
        let ordered = Run::read(&first, Order::Score).unwrap();
        ordered.write_json(&second).unwrap();
        prop_assert_eq!(exact(&Run::read(&second, Order::Score).unwrap()), exact(&ordered));
        let scores = |run: &Run| run.iter().map(|(query, hits)| {
            (query.to_owned(), hits.iter().map(|hit| (hit.id.clone(), hit.score.to_bits())).collect())
        }).collect::<BTreeMap<String, BTreeMap<String, u64>>>();
        prop_assert_eq!(scores(&ordered), scores(&run));
    }

    #[test]
    fn a_collection_is_read_back(collection in collection()) {
        let dir = tempfile::tempdir().unwrap();
        collection.save_beir(dir.path(), "test").unwrap();
        let back = Collection::beir(dir.path(), "test").unwrap();
        prop_assert_eq!(back.queries(), collection.queries());
        prop_assert_eq!(back.qrels(), collection.qrels());
        prop_assert_eq!(documents(&back), documents(&collection));
        prop_assert_eq!(back.queries_sha256(), collection.queries_sha256());
        if collection.corpus().is_ok() {
            // A corpus without one judged document is an error.
            prop_assert_eq!(back.check_corpus().ok(), collection.check_corpus().ok());
        }
    }

    #[test]
    fn the_order_of_lines_and_compression_do_not_matter_to_a_collection(
        (collection, seed) in (collection(), vec(any::<u32>(), 64)),
    ) {
        let dir = tempfile::tempdir().unwrap();
        collection.save_beir(dir.path(), "test").unwrap();
        for (name, head) in [("queries.jsonl", 0), ("corpus.jsonl", 0), ("qrels/test.tsv", 1)] {
            let path = dir.path().join(name);
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let mut lines: Vec<&str> = text.split_terminator('\n').collect();
            let mut keys = seed.iter().cycle();
            lines[head..].sort_by_cached_key(|_| keys.next());
            std::fs::write(dir.path().join(format!("{name}.gz")), gzip(lines.join("\n").as_bytes())).unwrap();
            std::fs::remove_file(&path).unwrap();
        }
        let back = Collection::beir(dir.path(), "test").unwrap();
        prop_assert_eq!(back.queries(), collection.queries());
        prop_assert_eq!(back.qrels(), collection.qrels());
        if collection.corpus().is_ok() {
            // A corpus without one judged document is an error.
            prop_assert_eq!(back.check_corpus().ok(), collection.check_corpus().ok());
        }
    }

    #[test]
    fn no_bytes_make_a_reader_of_files_panic(bytes in vec(any::<u8>(), 0..200), name in "(a|c)\\.(tsv|jsonl|txt)") {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(&name);
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(corpus) = Corpus::open(&path) {
            let _ = corpus.check(&Qrels::new());
        }
        let _ = Qrels::read(&path);
        let qrels = dir.path().join("q");
        std::fs::write(&qrels, "q1 0 d1 1\n").unwrap();
        let _ = Collection::trec(&path, &qrels, None);
    }
}
