//! Each kind by expectations made by hand.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::*;
use crate::collection::CollectionBuilder;
use crate::metric::{Attribute, Condition, Operand, Test};
use crate::units::Units;

fn texts(rule: VariantRule, text: &str) -> Vec<String> {
    rule.texts(&Query::new("q1", text))
}

fn one(kind: VariantKind, text: &str) -> String {
    texts(VariantRule::new(kind), text).into_iter().next().unwrap_or_default()
}

#[test]
fn keys_touch_those_beside_above_and_below_them() {
    let touching = |letter, keyboard| keyboard::neighbours(letter, keyboard).into_iter().collect::<String>();
    for (letter, us, de) in [
        ('g', "tyfhvb", "tzfhvb"), // y and z change places
        ('q', "wa", "wa"),
        ('p', "ol", "\u{df}o\u{fc}l\u{f6}"),
        ('z', "asx", "tugh"),
        ('y', "tugh", "asx"),
        ('m', "jkn", "jkn"),
        ('\u{fc}', "", "\u{df}p\u{f6}\u{e4}"),
        ('\u{df}', "", "p\u{fc}"),
        ('\u{e9}', "", ""),
        ('7', "", ""),
        (' ', "", ""),
    ] {
        let sorted = |text: &str| text.chars().collect::<BTreeSet<_>>();
        for (keyboard, expected) in [(Keyboard::Us, us), (Keyboard::De, de)] {
            let found = touching(letter, keyboard);
            assert_eq!(sorted(&found), sorted(expected), "{letter} {keyboard}");
            for key in found.chars() {
                assert!(touching(key, keyboard).contains(letter), "{key} touches {letter} on {keyboard}");
            }
        }
    }
}

#[test]
fn a_typo_is_one_slip_in_a_word_that_is_long_enough() {
    let rule = VariantRule { per_query: 100, ..VariantRule::new(VariantKind::Typos) };
    for made in texts(rule, "why is the PDF4you of user_id 12345 blank, Anna") {
        let rest = made.strip_prefix("why is the PDF4you of user_id 12345 ").unwrap();
        let words: Vec<&str> = rest.split(", ").collect();
        // One of the two words that are no codes and have four letters, and never its first letter.
        assert!(words[0].starts_with('b') && words[1].starts_with('A'), "{made}");
        assert_eq!(
            [words[0] == "blank", words[1] == "Anna"].iter().filter(|same| **same).count(),
            1,
            "{made}"
        );
    }
    for left_alone in ["", "a", "why not me", "x86 HTTP 2024-11 foo_bar iPhone e.g. NASA", "\u{1f600} ?!"] {
        assert_eq!(texts(rule, left_alone), [""; 0], "{left_alone}");
    }
    // Of `over`: three letters have keys beside them (two of v's, five of e's and of r's: c, b, f, g; w, r, s, d;
    // e, t, d, f), two pairs can be swapped, three can be left out and three be typed twice.
    let all: BTreeSet<String> = texts(rule, "over").into_iter().collect();
    assert_eq!(all.len(), 4 + 4 + 4 + 2 + 3 + 3, "{all:?}");
    for expected in ["ocer", "obwr", "oevr", "ovre", "ver", "ove", "ovver", "overr"] {
        let there = all.contains(expected);
        assert_eq!(there, !["obwr", "ver"].contains(&expected), "{expected}");
    }
    let german =
        VariantRule { keyboard: Keyboard::De, per_query: 100, ..VariantRule::new(VariantKind::Typos) };
    let all = texts(german, "T\u{fc}rk");
    assert!(all.contains(&"T\u{f6}rk".to_owned()) && all.contains(&"T\u{df}rk".to_owned()), "{all:?}");
}

#[test]
fn typos_are_the_same_whoever_asks_and_others_for_other_seeds() {
    let rule = VariantRule { seed: 7, ..VariantRule::new(VariantKind::Typos) };
    let query = Query::new("q1", "cancel my subscription");
    // So that an update does not change everyone's numbers unnoticed.
    assert_eq!(rule.texts(&query), ["canccel my subscription"]);
    let both = VariantRule { per_query: 2, ..rule }.texts(&query);
    assert_eq!((both.len(), &both[..1]), (2, &rule.texts(&query)[..]), "the first stays");
    assert_ne!(rule.texts(&query), rule.texts(&Query::new("q2", "cancel my subscription")));
    let others: BTreeSet<_> = (0..20).map(|seed| VariantRule { seed, ..rule }.texts(&query)).collect();
    assert!(others.len() > 10);
}

#[test]
fn words_are_left_out_by_language_and_negations_stay() {
    let german = |kind, text| {
        texts(VariantRule { language: QueryLanguage::German, ..VariantRule::new(kind) }, text).join("|")
    };
    for (text, without, keywords) in [
        ("How do I cancel my order?", "cancel order?", "cancel order"),
        ("What is NOT covered by the Premium plan", "NOT covered Premium plan", "NOT covered premium plan"),
        ("turn notifications off", "", ""),
        ("Order, order status of order 4711-A", "Order, order status order 4711-A", "order status 4711-A"),
        ("Who am I?", "", ""),
        ("refunds", "", ""),
        ("I\u{2019}m not able to log in", "not able log", "not able log"),
    ] {
        assert_eq!(one(VariantKind::NoStopWords, text), without, "{text}");
        assert_eq!(one(VariantKind::Keywords, text), keywords, "{text}");
    }
    let text = "Wie kann ich meine Bestellung nicht \u{fc}ber die App \u{e4}ndern?";
    assert_eq!(german(VariantKind::NoStopWords, text), "Bestellung nicht \u{fc}ber App \u{e4}ndern?");
    assert_eq!(german(VariantKind::Keywords, text), "bestellung nicht \u{fc}ber app \u{e4}ndern");
}

#[test]
fn case_is_turned_and_codes_stay() {
    for (text, expected) in [
        ("How do I export to CSV?", "how do i export to CSV?"),
        ("how do i export to csv", "HOW DO I EXPORT TO CSV"),
        ("error e404", "ERROR e404"),
        ("\u{c4}rger mit Stra\u{df}e", "\u{e4}rger mit stra\u{df}e"),
        ("4711", ""),
    ] {
        assert_eq!(one(VariantKind::Case, text), expected, "{text}");
    }
}

#[test]
fn diacritics_are_typed_as_the_keyboard_has_it() {
    let plain = |text: &str, keyboard| {
        texts(VariantRule { keyboard, ..VariantRule::new(VariantKind::Diacritics) }, text).join("|")
    };
    for (text, us, de) in [
        ("Stra\u{df}e \u{fc}ber M\u{fc}nchen", "Strasse uber Munchen", "Strasse ueber Muenchen"),
        // A letter and a combining mark.
        ("Mu\u{308}nchen", "Munchen", "Muenchen"),
        ("\u{dc}bersicht \u{d6}L", "Ubersicht OL", "Uebersicht OEL"),
        ("caf\u{e9} cre\u{0300}me \u{153}uvre", "cafe creme oeuvre", "cafe creme oeuvre"),
        (
            "sm\u{f8}rrebr\u{f8}d, \u{c5}lesund, \u{c6}r\u{f8}",
            "smorrebrod, Alesund, Aero",
            "smorrebrod, Alesund, Aero",
        ),
        ("\u{141}\u{f3}d\u{17a} \u{11f} \u{131} \u{15f} \u{21b}", "Lodz g i s t", "Lodz g i s t"),
        ("plain", "", ""),
        ("\u{4e2d}\u{6587}", "", ""),
    ] {
        assert_eq!([plain(text, Keyboard::Us), plain(text, Keyboard::De)], [us, de], "{text}");
    }
}

#[test]
fn words_are_put_in_another_order_and_a_question_mark_stays_at_the_end() {
    assert_eq!(one(VariantKind::WordOrder, "cancel order?"), "order cancel?");
    assert_eq!(one(VariantKind::WordOrder, "refund"), "");
    assert_eq!(one(VariantKind::WordOrder, "the the"), "");
    let rule = VariantRule { per_query: 100, ..VariantRule::new(VariantKind::WordOrder) };
    let all: BTreeSet<String> = texts(rule, "a b c").into_iter().collect();
    assert_eq!(all.into_iter().collect::<Vec<_>>(), ["a c b", "b a c", "b c a", "c a b", "c b a"]);
}

fn collection() -> crate::collection::Collection {
    let mut builder = CollectionBuilder::new();
    builder.add_query(Query::new("q1", "how to cancel").with("kind", "a"), [("d1", 2)]);
    builder.add_query(Query::new("q10", "how to pay"), [("d2", 1)]);
    builder.add_query(Query::new("q2", "refund"), [("d2", 1)]);
    builder.add_query(Query::new("q3", "nobody judged this"), [] as [(&str, i32); 0]);
    builder.build().unwrap()
}

#[test]
fn a_query_without_a_variant_is_left_out_and_counted() {
    let collection = collection();
    let made =
        VariantQueries::generate("short", &collection, &VariantRule::new(VariantKind::Keywords)).unwrap();
    let asked: Vec<_> = made.iter_queries().map(|(query, of)| (&*query.id, &*query.text, of)).collect();
    // By their own ids, as they are asked.
    assert_eq!(asked, [("q10@short", "pay", "q10"), ("q1@short", "cancel", "q1")]);
    assert_eq!((made.queries(), made.left_out(), made.count("q1"), made.count("q2")), (2, 1, 1, 0));
    assert_eq!(made.asking().query("q1@short").unwrap().segments("kind"), ["a"]);
    // Judged by the queries' own ids and judgments.
    assert_eq!(made.judged().query("q1").unwrap().text, "cancel");
    assert_eq!(made.judged().qrels(), collection.qrels());
    let none = VariantQueries::generate("plain", &collection, &VariantRule::new(VariantKind::Diacritics));
    assert_eq!(
        none.unwrap_err().to_string(),
        "not one of the 3 queries has a variant `plain`: `diacritics` changes nothing"
    );
}

/// A token for each character.
#[test]
fn all_that_is_known_of_a_collection_is_known_under_a_variant() {
    let leak = Condition::new("tenant", [Test::Not(Operand::of_query("tenant"))]);
    let collection = collection()
        .with_attributes([Attribute::new("leak", [leak]).unwrap()])
        .in_units(Arc::new(Units::pattern("^(.+)-[0-9]+$").unwrap()));
    let rule = VariantRule::new(VariantKind::Keywords);
    let made = VariantQueries::generate("short", &collection, &rule).unwrap();
    let judged = made.judged();
    assert_eq!(judged.attribute("leak").unwrap().name(), "leak");
    assert!(judged.units().is_some());
    assert_eq!(judged.warnings(), collection.warnings());
    assert_eq!(judged.without_judgments(), collection.without_judgments());
    assert_ne!(judged.queries_sha256(), collection.queries_sha256());
}

#[test]
fn a_file_has_several_variants_of_a_query_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spoken.jsonl");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        VariantQueries::read("spoken", &collection(), &path)
    };
    for text in [
        "{\"id\": \"q1\", \"text\": \"um cancel\"}\n{\"_id\": \"q2\", \"text\": \"refund\"}\n{\"id\": \"q1\", \"query\": \
         \"call it off\", \"by\": \"anna\"}\n{\"id\": \"q3\", \"text\": \"x\"}\n",
        "# by hand\nq1\tum cancel\nq2\trefund\nq1\tcall it off\n",
    ] {
        let read = read(text).unwrap();
        let asked: Vec<_> = read.iter_queries().map(|(query, of)| (&*query.id, &*query.text, of)).collect();
        assert_eq!(asked, [("q1@spoken", "um cancel", "q1"), ("q1@spoken.2", "call it off", "q1")]);
        assert_eq!(
            (read.left_out(), read.most(), &*read.judged().query("q1").unwrap().text),
            (2, 2, "um cancel | call it off")
        );
    }
    for (text, expected) in [
        ("q1\tx\nq7\ty\n", ":2: a variant of `q7`, which is no query here: `q7\\ty`"),
        ("q1\tx\nq1\tx\n", ":2: the same variant of `q1` again: `q1\\tx`"),
        ("q1\t \n", ":1: a variant of `q1` without a text: `q1\\t `"),
        ("q1 x\n", ":1: expected an id, a tab and a text: `q1 x`"),
        ("{\"text\": \"x\"}\n", ":1: "),
        ("q2\trefund\n", "has no other text"),
        ("", "has no other text"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
