//! Each kind by expectations made by hand.

use std::collections::BTreeSet;

use super::*;

fn rule(kind: Kind) -> VariantRule {
    VariantRule { kind, seed: 1, keyboard: Keyboard::Us, language: QueryLanguage::English }
}

/// What a rule makes of a text by many seeds.
fn texts(rule: VariantRule, text: &str) -> BTreeSet<String> {
    let query = Query::new("q1", text);
    (0..1000).filter_map(|seed| VariantRule { seed, ..rule }.text(&query)).collect()
}

fn one(rule: VariantRule, text: &str) -> String {
    rule.text(&Query::new("q1", text)).unwrap_or_default()
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
            assert_eq!(sorted(&found), sorted(expected), "{letter} {keyboard:?}");
            for key in found.chars() {
                assert!(touching(key, keyboard).contains(letter), "{key} touches {letter} on {keyboard:?}");
            }
        }
    }
}

#[test]
fn a_typo_is_one_slip_in_a_word_that_is_long_enough() {
    let rule = rule(Kind::Typos);
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
        assert!(texts(rule, left_alone).is_empty(), "{left_alone}");
    }
    // Of `over`: three letters have keys beside them (two of v's, five of e's and of r's: c, b, f, g; w, r, s, d;
    // e, t, d, f), two pairs can be swapped, three can be left out and three be typed twice.
    let all = texts(rule, "over");
    assert_eq!(all.len(), 4 + 4 + 4 + 2 + 3 + 3, "{all:?}");
    for expected in ["ocer", "obwr", "oevr", "ovre", "ver", "ove", "ovver", "overr"] {
        let there = all.contains(expected);
        assert_eq!(there, !["obwr", "ver"].contains(&expected), "{expected}");
    }
    let all = texts(VariantRule { keyboard: Keyboard::De, ..rule }, "T\u{fc}rk");
    assert!(all.contains("T\u{f6}rk") && all.contains("T\u{df}rk"), "{all:?}");
}

#[test]
fn typos_are_the_same_whoever_asks_and_others_for_other_seeds() {
    let rule = VariantRule { seed: 7, ..rule(Kind::Typos) };
    let query = Query::new("q1", "cancel my subscription");
    // So that an update does not change everyone's numbers unnoticed.
    assert_eq!(rule.text(&query).unwrap(), "canccel my subscription");
    assert_ne!(rule.text(&query), rule.text(&Query::new("q2", "cancel my subscription")));
    assert!(texts(rule, "cancel my subscription").len() > 10);
}

#[test]
fn words_are_left_out_by_language_and_negations_stay() {
    for (text, keywords) in [
        ("How do I cancel my order?", "cancel order"),
        ("What is NOT covered by the Premium plan", "NOT covered premium plan"),
        ("turn notifications off", ""),
        ("Order, order status of order 4711-A", "order status 4711-A"),
        ("Who am I?", ""),
        ("refunds", ""),
        ("I\u{2019}m not able to log in", "not able log"),
    ] {
        assert_eq!(one(rule(Kind::Keywords), text), keywords, "{text}");
    }
    let german = VariantRule { language: QueryLanguage::German, ..rule(Kind::Keywords) };
    let text = "Wie kann ich meine Bestellung nicht \u{fc}ber die App \u{e4}ndern?";
    assert_eq!(one(german, text), "bestellung nicht \u{fc}ber app \u{e4}ndern");
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
        assert_eq!(one(rule(Kind::Case), text), expected, "{text}");
    }
}

#[test]
fn diacritics_are_typed_as_the_keyboard_has_it() {
    let plain = |text: &str, keyboard| one(VariantRule { keyboard, ..rule(Kind::Diacritics) }, text);
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
    let rule = rule(Kind::WordOrder);
    assert_eq!(one(rule, "cancel order?"), "order cancel?");
    assert_eq!(one(rule, "refund"), "");
    assert_eq!(one(rule, "the the"), "");
    let all: Vec<String> = texts(rule, "a b c").into_iter().collect();
    assert_eq!(all, ["a c b", "b a c", "b c a", "c a b", "c b a"]);
}
