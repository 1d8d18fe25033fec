//! BM25 as its users see it: documents and parameters in, rankings out.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::{Bm25, Bm25Params, Language, Tokenizer};
use crate::Result;
use crate::collection::Document;
use crate::run::{Hit, check_ranking};
use rankgate_core::internal::yaml::Params;

fn build(documents: &[Document], params: &Bm25Params) -> Result<Bm25> {
    Bm25::build(documents.iter().cloned().map(Ok), params)
}

fn ask(bm25: &Bm25, query: &str, depth: usize) -> Vec<Hit> {
    bm25.search(query, depth)
}

/// The ids found among documents named a, b, c... of these texts, best first.
fn found(texts: &[&str], params: &Bm25Params, query: &str) -> String {
    let documents: Vec<_> =
        texts.iter().zip('a'..).map(|(text, id)| Document::new(id.to_string(), *text)).collect();
    ask(&build(&documents, params).unwrap(), query, 10).into_iter().map(|hit| hit.id).collect()
}

fn params(yaml: &str) -> Bm25Params {
    serde_yaml::from_str(yaml).unwrap()
}

fn support() -> [Document; 4] {
    [
        Document::new("d1", "refunds are paid back in ten days").with_title("refund policy"),
        Document::new("d2", "a refund is paid after the order comes back and the order is checked")
            .with_title("delivery"),
        Document::new("d3", "write to us before the order leaves").with_title("change an order"),
        Document::new("d4", "pay by card"),
    ]
}

/// Expected: the formula in the documentation of [`Bm25`], in Python, per field over `text.split()`:
/// `boost * log(1 + (N - df + .5) / (df + .5)) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len / mean_len))`.
#[test]
fn scores_are_those_of_the_formula() {
    let cases: [(_, &str, &[_]); 12] = [
        ("{}", "refund", &[("d1", 1.059496067806824), ("d2", 0.9053025937709906)]),
        ("{}", "order", &[("d3", 1.5761519725060382), ("d2", 0.7768716140376051)]),
        ("{}", "the order", &[("d3", 2.2978716322646378), ("d2", 1.5537432280752101)]),
        ("{}", "paid back", &[("d1", 1.443439319517199), ("d2", 1.0423955394528837)]),
        ("{}", "pay", &[("d4", 1.6068678132099579)]),
        // A word typed twice counts twice.
        (
            "{}",
            "refund refund order",
            &[("d2", 2.5874768015795864), ("d1", 2.118992135613648), ("d3", 1.5761519725060382)],
        ),
        (
            "{}",
            "refund order",
            &[("d2", 1.6821742078085957), ("d3", 1.5761519725060382), ("d1", 1.059496067806824)],
        ),
        // Boosts change the order.
        (
            "boosts: {title: 4}",
            "refund order",
            &[("d1", 4.237984271227296), ("d3", 4.139448910748354), ("d2", 1.6821742078085957)],
        ),
        (
            "boosts: {text: 4}",
            "refund order",
            &[("d2", 6.728696831234383), ("d3", 3.741310951781837), ("d1", 1.059496067806824)],
        ),
        (
            "{k1: 0.9, b: 0.4}",
            "refund order",
            &[("d2", 1.8699978587522952), ("d3", 1.718283765383378), ("d1", 1.1324496674352864)],
        ),
        ("{k1: 0, b: 0}", "the order", &[("d3", 2.5902671654458267), ("d2", 1.3862943611198906)]),
        ("{k1: 2, b: 1}", "order", &[("d3", 1.4633341169872272), ("d2", 0.7409504343916655)]),
    ];
    for (yaml, query, expected) in cases {
        let hits = ask(&build(&support(), &params(yaml)).unwrap(), query, 10);
        let ids: Vec<_> = hits.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(ids, expected.iter().map(|(id, _)| *id).collect::<Vec<_>>(), "{query}");
        for (hit, (_, score)) in hits.iter().zip(expected) {
            assert!((hit.score - score).abs() < 1e-12, "{query}: {hit:?}, expected {score}");
        }
    }
}

#[test]
fn a_query_without_an_indexed_term_finds_nothing() {
    let bm25 = build(&support(), &Bm25Params::default()).unwrap();
    for query in ["", " \t\n", "?!... --", "unheard of", "refun*"] {
        assert_eq!(ask(&bm25, query, 10), [], "{query:?}");
    }
    assert_eq!(ask(&bm25, "refund", 0), []);
    assert_eq!(ask(&bm25, "refund", usize::MAX).len(), 2);
}

#[test]
fn query_text_is_no_query_language() {
    let bm25 = build(&support(), &Bm25Params::default()).unwrap();
    for query in ["title:refund", "+refund -order", "(refund* AND \"order", "refund~2 OR text:[order TO x]"] {
        let words = query.replace(|c: char| !c.is_alphanumeric(), " ");
        assert_eq!(ask(&bm25, query, 10), ask(&bm25, &words, 10), "{query}");
        assert!(!ask(&bm25, query, 10).is_empty());
    }
}

#[test]
fn equal_scores_are_ordered_as_trec_eval_orders_them_at_any_depth() {
    // Ids by bytes, highest first: lower case after upper case, 9 after 10, é after z.
    let ids = ["10", "9", "B", "a", "é", "z", "1", "c"];
    let documents: Vec<_> = ids.iter().map(|id| Document::new(*id, "same words")).collect();
    let bm25 = build(&documents, &Bm25Params::default()).unwrap();
    let all = ["é", "z", "c", "a", "B", "9", "10", "1"];
    for depth in 0..10 {
        let hits = ask(&bm25, "same", depth);
        assert_eq!(hits.iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>(), all[..depth.min(8)]);
        assert!(hits.iter().all(|hit| hit.score == hits[0].score));
    }
}

/// 2,000 documents of words with the frequencies of a natural language (Zipf).
fn synthetic() -> Vec<Document> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut words = |from, to| {
        let length = random.random_range(from..to);
        let word = |_| format!("w{}", (2000.0_f64.powf(random.random::<f64>())) as u32);
        (0..length).map(word).collect::<Vec<_>>().join(" ")
    };
    (0..2_000).map(|n| Document::new(format!("d{n}"), words(3, 60)).with_title(words(0, 6))).collect()
}

const SYNTHETIC_QUERIES: [&str; 4] = ["w1 w2 w3", "w40 w41 w900 w1", "w150", "w7 w7 w1999 w30 w2 w11"];

#[test]
fn rankings_depend_on_nothing_but_documents_and_query() {
    let mut documents = synthetic();
    let first = build(&documents, &Bm25Params::default()).unwrap();
    let second = build(&documents, &Bm25Params::default()).unwrap();
    documents.reverse();
    let reversed = build(&documents, &Bm25Params::default()).unwrap();
    for query in SYNTHETIC_QUERIES {
        let deep = ask(&first, query, 1000);
        assert!(deep.len() > 10, "{query}");
        assert_eq!(ask(&second, query, 1000), deep);
        assert_eq!(ask(&reversed, query, 1000), deep);
        assert_eq!(ask(&first, query, 10), deep[..10]);
    }
}

#[test]
fn a_run_read_back_by_score_is_ranked_as_it_was() {
    let bm25 = build(&synthetic(), &Bm25Params::default()).unwrap();
    for query in SYNTHETIC_QUERIES {
        let hits = ask(&bm25, query, 500);
        let mut read: Vec<_> = hits
            .iter()
            .map(|hit| Hit::new(&*hit.id, hit.score.to_string().parse::<f64>().unwrap()))
            .collect();
        read.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.id.as_bytes().cmp(a.id.as_bytes())));
        assert_eq!(read, hits);
    }
}

#[test]
fn stemming_finds_other_forms_of_a_word() {
    // One stem according to PyPI's snowballstemmer 3.1: cancel, connect, haus, continu, книг, χαρουμεν, talo, ev.
    let cases = [
        (Language::English, "it was cancelled", "cancellation"),
        (Language::English, "connecting", "connected"),
        (Language::German, "die Häuser", "Haus"),
        (Language::French, "ils continuaient", "continuer"),
        (Language::Russian, "красивые книги", "книга"),
        (Language::Greek, "χαρούμενε", "χαρούμενος"),
        (Language::Finnish, "talossa", "talo"),
        (Language::Turkish, "evler", "ev"),
    ];
    for (language, text, query) in cases {
        let stemmed = Bm25Params { stemmer: Some(language), ..Bm25Params::default() };
        assert_eq!(found(&[text, "x"], &stemmed, query), "a", "{language}");
        assert_eq!(found(&[text, "x"], &Bm25Params::default(), query), "", "{language}");
    }
}

#[test]
fn stop_words_are_neither_found_nor_counted() {
    let english = params("stopwords: english");
    let own = params("stopwords: [REFUND, of]");
    let texts = ["the cost of a refund", "cost refund"];
    assert_eq!(found(&texts, &english, "the of a"), "");
    assert_eq!(found(&texts, &own, "refund of"), "");
    assert_eq!(found(&texts, &own, "the"), "a");
    // Without its stop words the first is as long as the second.
    let documents = [Document::new("a", texts[0]), Document::new("b", texts[1])];
    let hits = ask(&build(&documents, &english).unwrap(), "refund", 2);
    assert_eq!(hits[0].score, hits[1].score);
}

#[test]
fn stop_words_are_left_out_before_they_are_stemmed() {
    let params = params("{stopwords: [connecting], stemmer: english}");
    assert_eq!(found(&["connecting", "connected"], &params, "connect"), "b");
    assert_eq!(found(&["connecting", "connected"], &params, "connecting"), "");
}

#[test]
fn text_is_matched_whatever_its_case_in_any_script() {
    let cases = [
        ("ПРИВЕТ мир", "привет"),
        ("ΟΔΟΣ", "οδοσ"),
        ("straße", "STRAßE"),
        ("ÉTÉ", "été"),
        ("naïve 😀 café", "CAFÉ"),
    ];
    for (text, query) in cases {
        assert_eq!(found(&[text, "x"], &Bm25Params::default(), query), "a", "{text}");
    }
    // No normalisation: a combining accent is not the accented letter.
    assert_eq!(found(&["e\u{301}te\u{301}"], &Bm25Params::default(), "été"), "");
}

#[test]
fn scripts_without_spaces_are_known() {
    for (text, expected) in [
        ("如何重置密码", true),
        ("パスワードを忘れた", true),
        ("ฉันลืมรหัสผ่าน", true),
        ("비밀번호 재설정", false),
        ("reset 密码 of an account", false),
        ("404", false),
    ] {
        assert_eq!(super::is_without_spaces(text), expected, "{text}");
    }
}

#[test]
fn tokenizers_cut_differently() {
    let text = "Order-ID: AB-12, état";
    let cases = [
        (Tokenizer::Words, "id", "a"),
        (Tokenizer::Words, "ORDER-ID:", "a"),
        (Tokenizer::Words, "12 ÉTAT", "a"),
        (Tokenizer::Ngram { min: 3, max: 3 }, "tat", "a"),
        (Tokenizer::Ngram { min: 3, max: 3 }, "ta", ""),
        (Tokenizer::Ngram { min: 2, max: 3 }, "ta", "a"),
    ];
    for (tokenizer, query, expected) in cases {
        let params = Bm25Params { tokenizer, ..Bm25Params::default() };
        assert_eq!(found(&[text, "x"], &params, query), expected, "{tokenizer:?} {query}");
    }
}

#[test]
fn any_metadata_key_can_be_searched() {
    let documents = [
        Document::new("a", "text").with("tags", json!(["urgent", "billing", null, 7])),
        Document::new("b", "text").with("tags", "Urgent").with("year", 2024),
        Document::new("c", "urgent 2024").with("tags", json!(null)).with("paid", true),
    ];
    let bm25 = build(&documents, &params("fields: [tags, year, paid]")).unwrap();
    let ids = |query| ask(&bm25, query, 9).into_iter().map(|hit| hit.id).collect::<String>();
    assert_eq!(
        [ids("urgent"), ids("7"), ids("2024"), ids("TRUE"), ids("text")],
        ["ba", "a", "b", "c", ""].map(str::to_owned)
    );
}

#[test]
fn documents_that_cannot_be_searched_are_errors() {
    let document = |id: &str| Document::new(id, "text");
    let cases: [(Vec<Document>, &str, &str); 7] = [
        (vec![], "{}", "the corpus has no documents"),
        (vec![document("a"), document("")], "{}", "document 2 has an empty id"),
        (vec![document("a"), document("b"), document("a")], "{}", "two documents have the id `a`"),
        (vec![document("a")], "fields: [title]", "no document has text in the field `title`"),
        (
            vec![document("a").with_title("t").with("lang", "en").with("none", json!(null))],
            "fields: [text, none]",
            "no document has text in the field `none`",
        ),
        (
            vec![document("a").with("author", json!({"name": "x"}))],
            "fields: [author]",
            "document `a`: field `author` holds an object; text, numbers, truth values and lists of them",
        ),
        (
            vec![document("a").with("tags", json!([["x"]]))],
            "fields: [tags]",
            "document `a`: field `tags` holds a list in a list",
        ),
    ];
    for (documents, yaml, message) in cases {
        let error = build(&documents, &params(yaml)).err().unwrap().to_string();
        assert!(error.contains(message), "{error}\nexpected {message}");
    }
    // A corpus without titles is not one of them, nor is a long text.
    assert!(build(&[document("a")], &params("{boosts: {title: 2}}")).is_ok());
    assert!(build(&[Document::new("a", "x ".repeat(70_000))], &Bm25Params::default()).is_ok());
}

#[test]
fn an_unreadable_document_is_passed_on() {
    let broken = || Err(crate::Error::invalid("corpus.jsonl:2: no `_id`"));
    let documents = [Ok(Document::new("a", "text")), broken()];
    let error = Bm25::build(documents, &Bm25Params::default()).err().unwrap();
    assert_eq!(error.to_string(), "corpus.jsonl:2: no `_id`");
}

#[test]
fn parameters_set_in_code_are_checked_too() {
    let params =
        Bm25Params { tokenizer: Tokenizer::Ngram { min: 0, max: usize::MAX }, ..Bm25Params::default() };
    let error = build(&support(), &params).err().unwrap().to_string();
    assert!(error.contains("1 <= min <= max <= 32"), "{error}");
}

fn tokenizer() -> impl Strategy<Value = Tokenizer> {
    prop_oneof![
        Just(Tokenizer::Words),
        (1_usize..5, 0_usize..4).prop_map(|(min, more)| Tokenizer::Ngram { min, max: min + more }),
    ]
}

proptest! {
    #[test]
    fn any_text_is_searched_and_found_by_itself(
        texts in prop::collection::vec("\\PC{0,40}|[a-zà-ÿα-ωа-я\u{300}\u{b80}-\u{bff}\u{600}-\u{6ff} ]{0,40}|.{0,20}", 1..5),
        tokenizer in tokenizer(),
        stemmer in prop::option::of(prop::sample::select(&Language::ALL[..])),
    ) {
        let params = Bm25Params { tokenizer, stemmer, ..Bm25Params::default() };
        let documents: Vec<_> =
            texts.iter().enumerate().map(|(n, text)| Document::new(n.to_string(), text.as_str())).collect();
        let bm25 = build(&documents, &params).unwrap();
        for (number, text) in texts.iter().enumerate() {
            let hits = ask(&bm25, text, 10);
            check_ranking("q", &hits).unwrap();
            prop_assert!(hits.iter().all(|hit| hit.score.is_finite() && hit.score > 0.0));
            prop_assert!(hits.is_sorted_by(|a, b| (a.score, &a.id) > (b.score, &b.id)));
            // A document is found by its own text, unless that has no token at all.
            let itself = number.to_string();
            prop_assert!(hits.is_empty() || hits.iter().any(|hit| hit.id == itself), "{text:?}: {hits:?}");
        }
    }
}

#[test]
fn parameters_are_read_from_yaml() {
    let written = "{k1: 0.9, b: 0, tokenizer: {ngram: {min: 2, max: 3}}, stemmer: german, stopwords: [zum], \
                   fields: [text, lang], boosts: {lang: 2}}";
    let read = Bm25Params {
        k1: 0.9,
        b: 0.0,
        tokenizer: Tokenizer::Ngram { min: 2, max: 3 },
        stemmer: Some(Language::German),
        stopwords: vec!["zum".into()],
        fields: Some(vec!["text".into(), "lang".into()]),
        boosts: [("lang".into(), 2.0)].into(),
    };
    assert_eq!(params(written), read);
    assert_eq!(params("{}"), Bm25Params::default());
    assert_eq!(params("tokenizer: words"), Bm25Params::default());
    assert_eq!(params("stopwords: english").stopwords.len(), 33);
}

#[test]
fn an_error_says_what_is_allowed() {
    let cases = [
        ("k2: 0.9", "unknown key `k2`"),
        ("stop-words: english", "did you mean `stopwords`?"),
        ("k1: -0.5", "`k1`: -0.5 is not a number of 0 or more"),
        ("b: 1.5", "`b`: 1.5 is not a number from 0 to 1"),
        ("stemmer: klingon", "klingon"),
        ("tokenizer: icu", "expected `words` or `{ngram: {min: 3, max: 5}}`, found \"icu\""),
        ("tokenizer: {ngram: {min: 2}}", "expected `words` or"),
        ("tokenizer: {ngram: {min: 2, max: 3, prefix: true}}", "expected `words` or"),
        ("tokenizer: {ngram: {min: 0, max: 3}}", "0 to 3 characters: 1 <= min <= max <= 32"),
        ("tokenizer: {ngram: {min: 3, max: 2}}", "3 to 2 characters: 1 <= min <= max <= 32"),
        ("tokenizer: {ngram: {min: 3, max: 33}}", "3 to 33 characters: 1 <= min <= max <= 32"),
        ("stopwords: greek", "expected `english` or a list of words, found \"greek\""),
        ("stopwords: 7", "expected `english` or a list of words"),
        ("stopwords: [\"don't\"]", "the tokenizer never makes `don't` of a text"),
        ("stopwords: [\"\"]", "the tokenizer never makes `` of a text"),
        ("fields: []", "`fields` names no field"),
        ("fields: [text, text]", "`fields` names `text` twice"),
        ("boosts: {body: 2}", "`boosts` names `body`, which is not searched; `fields` are `title`, `text`"),
        ("{fields: [text], boosts: {title: 2}}", "`boosts` names `title`, which is not searched"),
        ("boosts: {title: 0}", "0 for `title` is not a number from 0.001 to 1000"),
    ];
    for (yaml, part) in cases {
        let error = Params::from_yaml(yaml).unwrap().deserialize::<Bm25Params>().unwrap_err().to_string();
        assert!(error.contains(part), "{yaml}\n{error}\nexpected {part}");
        assert!(error.contains("params:1:"), "{error}");
    }
}
