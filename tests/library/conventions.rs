//! What run files and judgments mean, one test a convention, by its name.
//!
//! Tools disagree on each of these. Expected orders follow from the text of the convention (score
//! descending, then document id descending as `strcmp` orders bytes, which is what `trec_eval`
//! does), not from what this crate prints.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use rankgate::run::RunReader;
use rankgate::{Order, Qrels, Run};

fn read(text: &str) -> Run {
    RunReader::new().parse("a.run", text.as_bytes()).unwrap()
}

fn read_by_rank(text: &str) -> Run {
    RunReader::new().order(Order::Rank).parse("a.run", text.as_bytes()).unwrap()
}

fn ids<'a>(run: &'a Run, query: &str) -> Vec<&'a str> {
    run.ranking(query).unwrap_or_default().iter().map(|hit| hit.id.as_str()).collect()
}

fn run_error(text: &str) -> String {
    RunReader::new().parse("a.run", text.as_bytes()).unwrap_err().to_string()
}

fn qrels_error(text: &str) -> String {
    Qrels::parse("a.qrels", text.as_bytes()).unwrap_err().to_string()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

// Ranking

#[test]
fn score_descending_whatever_the_order_of_lines_and_the_rank_column() {
    let run = read("q1 Q0 low 1 1 t\nq1 Q0 high 2 3 t\nq1 Q0 middle x 2 t\n");
    assert_eq!(ids(&run, "q1"), ["high", "middle", "low"]);
}

#[test]
fn ties_by_document_id_descending() {
    // By bytes: `é` (0xC3 0xA9) is above all ASCII, `a` above `Z`, `9` above `10`.
    let run =
        read("q1 Q0 10 1 5 t\nq1 Q0 Z 2 5 t\nq1 Q0 é 3 5 t\nq1 Q0 a 4 5 t\nq1 Q0 9 5 5 t\nq1 Q0 aa 6 5 t\n");
    assert_eq!(ids(&run, "q1"), ["é", "aa", "a", "Z", "9", "10"]);
}

#[test]
fn order_rank_uses_the_rank_column_and_nothing_else() {
    let run = read_by_rank("q1 Q0 a 3 9 t\nq1 Q0 b 1 1 t\nq1 Q0 c 2 1 t\n");
    assert_eq!(ids(&run, "q1"), ["b", "c", "a"]);
}

#[test]
fn scores_are_double_precision() {
    // 2^24 and 2^24 + 1 are one number in single precision.
    let run = read("q1 Q0 z 1 16777216 t\nq1 Q0 a 2 16777217 t\n");
    assert_eq!(ids(&run, "q1"), ["a", "z"]);
    // 0.1 + 0.2 and 0.3 differ in the last bit.
    let run = read("q1 Q0 z 1 0.3 t\nq1 Q0 a 2 0.30000000000000004 t\n");
    assert_eq!(ids(&run, "q1"), ["a", "z"]);
}

#[test]
fn scores_are_read_in_every_notation() {
    let run = read("q1 Q0 a 1 1e3 t\nq1 Q0 b 2 +999.5 t\nq1 Q0 c 3 -.5 t\nq1 Q0 d 4 -2.E0 t\n");
    let scores: Vec<f64> = run.ranking("q1").unwrap().iter().map(|hit| hit.score).collect();
    assert_eq!(scores, [1000.0, 999.5, -0.5, -2.0]);
}

#[test]
fn infinite_scores_order_normally() {
    let run = read("q1 Q0 a 1 -inf t\nq1 Q0 b 2 1e308 t\nq1 Q0 c 3 inf t\nq1 Q0 d 4 Infinity t\n");
    assert_eq!(ids(&run, "q1"), ["d", "c", "b", "a"]);
}

#[test]
fn negative_zero_ties_with_zero() {
    let run = read("q1 Q0 a 1 0.0 t\nq1 Q0 c 2 -0.0 t\nq1 Q0 b 3 0 t\n");
    assert_eq!(ids(&run, "q1"), ["c", "b", "a"]);
    assert_eq!(run.tied_scores(10), 3);
}

#[test]
fn a_score_that_is_not_a_number_is_an_error_with_query_document_and_line() {
    for nan in ["nan", "NaN", "-nan"] {
        let text = format!("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 {nan} t\n");
        let expected =
            format!("a.run:2: the score of document `d2` for query `q1` is NaN: `q1 Q0 d2 2 {nan} t`");
        assert_eq!(run_error(&text), expected);
    }
}

#[test]
fn a_duplicate_document_is_an_error_with_query_document_and_line() {
    let text = "q1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n";
    assert_eq!(run_error(text), "a.run:3: document of query `q1` again (first in line 1): `d1`");
}

#[test]
fn the_lines_of_a_query_may_stand_anywhere() {
    let together = read("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 c 1 1 t\n");
    assert_eq!(read("q1 Q0 b 2 1 t\nq2 Q0 c 1 1 t\nq1 Q0 a 1 2 t\n"), together);
}

#[test]
fn tied_scores_inside_a_cutoff_are_counted() {
    let run = read("q1 Q0 a 1 3 t\nq1 Q0 b 2 3 t\nq1 Q0 c 3 2 t\nq1 Q0 d 4 2 t\nq2 Q0 a 1 1 t\n");
    // At 3, `c` ties with `d`, which the convention put above or below the cutoff.
    assert_eq!([1, 2, 3, 4].map(|cutoff| run.tied_scores(cutoff)), [1, 2, 3, 4]);
}

// Files

#[test]
fn crlf_tabs_blank_lines_bom_are_accepted() {
    let plain = "q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n";
    let odd = "\u{feff}\r\n  \t\r\nq1\tQ0\td1\t1\t2\tt\r\n\r\n \tq1  Q0 d2 2 1 t \r\n\n";
    assert_eq!(read(odd), read(plain));
    let qrels = |text: &str| Qrels::parse("a.qrels", text.as_bytes()).unwrap();
    let odd = "\u{feff}\r\n\nq1\t0\td1\t2\r\n\r\n  q1 0  d2\t0 \r\n";
    assert_eq!(qrels(odd), qrels("q1 0 d1 2\nq1 0 d2 0\n"));
}

#[test]
fn a_missing_final_newline_is_accepted() {
    assert_eq!(read("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t"), read("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n"));
    assert_eq!(Qrels::parse("a", b"q1 0 d1 2").unwrap(), Qrels::parse("a", b"q1 0 d1 2\n").unwrap());
}

#[test]
fn comment_lines_stand_anywhere() {
    let run = read("# depth 10\n\n#\n# Q0 d1 1 2 t\nq1 Q0 d1 1 2 t\n");
    assert_eq!((ids(&run, "q1"), run.len()), (vec!["d1"], 1));
    assert_eq!(run.comments(), ["depth 10", "", "Q0 d1 1 2 t"]);
    assert_eq!(ids(&read("q1 Q0 d1 1 2 t\n# late\nq1 Q0 d2 2 1 t\n"), "q1"), ["d1", "d2"]);
    assert_eq!(Qrels::parse("a.qrels", b"# judged by hand\nq1 0 d1 1\n").unwrap().len(), 1);
}

#[test]
fn ids_may_contain_or_begin_with_a_hash() {
    let run = read("#q Q0 #1 1 2 t\n#q Q0 a#b 2 1 t\n");
    assert_eq!(ids(&run, "#q"), ["#1", "a#b"]);
    let qrels = Qrels::parse("a.qrels", b"#q 0 #1 1\n").unwrap();
    assert_eq!(qrels.grade("#q", "#1"), Some(1));
    // Where other ids do not, somebody may have taken a line out.
    assert!(run_error("q1 Q0 d1 1 2 t\n#q Q0 d1 1 2 t\n").starts_with("a.run:2: an id that begins with `#`"));
}

#[test]
fn gzip_is_recognised_by_contents_and_may_have_members() {
    let (one, two) = ("q1 Q0 d1 1 2 t\n", "q1 Q0 d2 2 1 t\n");
    let members = [gzip(one.as_bytes()), gzip(two.as_bytes())].concat();
    let whole = read(&format!("{one}{two}"));
    assert_eq!(RunReader::new().parse("a.run", &members).unwrap(), whole);

    let cut = &members[..members.len() - 12];
    assert_eq!(RunReader::new().parse("a.run", cut).unwrap_err().to_string(), "cannot decompress a.run");
}

#[test]
fn malformed_lines_are_errors_with_file_line_and_text() {
    let cases = [
        (
            "q1 Q0 d1 1 2\n",
            "a.run:1: expected 6 columns, found 5; a run is `query Q0 document rank score tag`, and the tag may be \
             any word: `q1 Q0 d1 1 2`",
        ),
        (
            "q1 Q0 d 1 1 2 t\n",
            "a.run:1: expected 6 columns, found 7; neither ids nor the tag may hold spaces, unless tabs separate all columns: `q1 Q0 d 1 1 2 t`",
        ),
        (
            "\r\nq1 Q0 d1 1 1,5 t\n",
            "a.run:2: score `1,5` is not a number; decimals stand behind a point: `q1 Q0 d1 1 1,5 t`",
        ),
        ("q1 Q0 d1 1 0x1p3 t\n", "a.run:1: score `0x1p3` is not a number: `q1 Q0 d1 1 0x1p3 t`"),
    ];
    for (text, message) in cases {
        assert_eq!(run_error(text), message);
    }
    let reader = RunReader::new().order(Order::Rank);
    for (rank, message) in
        [("first", "rank `first` is not a whole number"), ("1.0", "rank `1.0` is not a whole")]
    {
        let text = format!("q1 Q0 d1 {rank} 2 t\n");
        let error = reader.parse("a.run", text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("a.run:1: {message}")), "{error}");
    }
    let error = reader.parse("a.run", b"q1 Q0 d1 1 2 t\nq1 Q0 d2 1 1 t\n").unwrap_err().to_string();
    assert_eq!(error, "a.run:2: rank 1 of query `q1` again (first in line 1): `d2`");
}

#[test]
fn invalid_utf8_is_an_error_with_file_and_line() {
    let error =
        RunReader::new().parse("a.run", b"q1 Q0 d1 1 2 t\nq1 Q0 d\xff 2 1 t\n").unwrap_err().to_string();
    assert_eq!(error, "a.run:2: invalid UTF-8 (save it as UTF-8): `q1 Q0 d\u{fffd} 2 1 t`");
}

#[test]
fn an_empty_run_answers_no_query() {
    assert!(read("").is_empty() && read("\n\n# nothing\n").is_empty());
}

// Judgments

#[test]
fn a_grade_is_a_whole_number() {
    for grade in ["0.5", "1.0.0", "rel", "1e0", "", "2147483648", "1_0"] {
        let message = qrels_error(&format!("q1 0 d1 1\nq1 0 d2 {grade}\n"));
        assert!(message.starts_with("a.qrels:2: "), "{grade}: {message}");
    }
    let qrels = Qrels::parse("a.qrels", b"q1 0 d1 -2.0\nq1 0 d2 +1\nq1 0 d3 2147483647\n").unwrap();
    assert_eq!(["d1", "d2", "d3"].map(|id| qrels.grade("q1", id)), [Some(-2), Some(1), Some(i32::MAX)]);
}

#[test]
fn a_document_judged_twice_is_an_error_with_both_lines() {
    let message = "a.qrels:3: document `d1` is judged twice for query `q1` (first in line 1): `q1 0 d1 1`";
    assert_eq!(qrels_error("q1 0 d1 1\nq2 0 d1 1\nq1 0 d1 1\n"), message);
}

#[test]
fn judgments_are_the_same_in_every_format() {
    let trec = Qrels::parse("a", b"q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n").unwrap();
    let beir = Qrels::parse("a", b"query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n").unwrap();
    let json = Qrels::parse("a", br#"{"q2": {"d1": 1}, "q1": {"d2": 0, "d1": 2}}"#).unwrap();
    assert!(trec == beir && trec == json);
    assert_eq!(trec.sha256(), json.sha256());
}

#[test]
fn queries_are_ordered_by_bytes() {
    let run = read("10 Q0 d 1 1 t\n9 Q0 d 1 1 t\né Q0 d 1 1 t\nZ Q0 d 1 1 t\na Q0 d 1 1 t\n");
    assert_eq!(run.queries().collect::<Vec<_>>(), ["10", "9", "Z", "a", "é"]);
}
