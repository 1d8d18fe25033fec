//! Files that are not what they are given for: each is named, with what to do.

use crate::cli;
use crate::runs::run;

/// Judgments of grade 0 and 1, and a run of another collection.
#[test]
fn what_says_nothing_of_relevance_is_told_and_scored_by_no_gate() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("none.qrels", "q1 0 d1 0\nq2 0 d1 0\n");
    write("some.qrels", "q1 0 d1 1\nq2 0 d1 0\n");
    write("mine.run", "q1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\n");
    write("other.run", "q1 Q0 7 1 2 t\nq1 Q0 8 2 1 t\nq2 Q0 7 1 2 t\n");
    let run = |line: &str| cli::run(dir.path(), &line.split_whitespace().collect::<Vec<_>>(), "");
    let nothing = "error: RR has nothing to find, and would be the same whatever is returned: no document of grade \
                   1 or more was judged for any of the 2 queries\n";
    for line in ["eval none.qrels mine.run -m RR", "eval some.qrels mine.run -m RR --relevant-from 2"] {
        let output = run(line);
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(2)), "{line}");
        assert_eq!(output.stderr.replace("grade 2", "grade 1"), nothing, "{line}");
    }
    assert_eq!(run("compare none.qrels mine.run other.run -m RR").stderr, nothing);
    assert_eq!(run("eval none.qrels mine.run -m Judged@10").status, Some(0));

    let scored = run("eval some.qrels other.run -m RR --quiet");
    assert_eq!(
        (scored.stderr.as_str(), scored.status),
        (
            "error: other.run: none of its 3 results is judged, so RR has no value. Are its document ids those of \
             some.qrels?\n",
            Some(2)
        )
    );
    let compared = run("compare some.qrels mine.run other.run -m RR --expect no-regression --margin 1");
    assert_eq!((compared.stdout.as_str(), compared.status), ("", Some(2)));
    assert!(
        compared.stderr.starts_with("error: RR of other.run says nothing: not one of its 3"),
        "{}",
        compared.stderr
    );
}

#[test]
fn what_the_arguments_parser_refuses_is_2_as_well() {
    for line in [
        "eval qrels.txt",
        "compare qrels.txt old.run",
        "compare qrels.txt old.run new.run --expect better",
        "explain qrels.txt old.run new.run",
        "eval qrels.txt old.run --format xml",
        "schema --of nothing",
    ] {
        let output = run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(2)), "{line}");
        assert!(output.stderr.starts_with("error: "), "{line}: {}", output.stderr);
    }
}

/// Files that are no run, or no judgments: each is named for what it is, with what to do about it.
#[test]
fn a_wrong_file_is_told_what_it_is_and_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let wide = |text: &str| {
        let bytes = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(bytes).collect::<Vec<u8>>()
    };
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    };
    let text = |text: &str| text.as_bytes().to_vec();
    let line = "q01 Q0 best-1 1 2.5 t\n";
    let runs: [(&str, Vec<u8>, &str); 16] = [
        (
            "excel.run",
            text("\u{feff}query;document;score\nq01;best-1;2,5\n"),
            "this looks like comma-separated values",
        ),
        ("commas.run", text("q01,best-1,2.5\n"), "put blanks or tabs between the columns"),
        ("unicode.run", wide(line), "it is text in UTF-16: save it as UTF-8"),
        ("a.run.zst", vec![0x28, 0xb5, 0x2f, 0xfd, 4, 0], "compressed with zstd"),
        ("a.run.xz", b"\xfd7zXZ\0\0\x04".to_vec(), "it is compressed with xz: decompress it"),
        ("a.xlsx", b"PK\x03\x04\x14\0".to_vec(), "it is a zip archive, as .xlsx files are too"),
        ("a.run.gz", gzip(&gzip(line.as_bytes())), "it is compressed twice: decompress it once"),
        ("a.parquet", b"PAR1\x15\x04".to_vec(), "it cannot be read as Parquet"),
        ("page.run", text("<!DOCTYPE html>\n<title>502</title>\n"), "this looks like HTML or XML"),
        ("judged.run", text("q01 0 best-1 1\n"), "did you swap judgments and run?"),
        ("spaces.run", text("q01 Q0 best 1 1 2.5 t\n"), "neither ids nor the tag may hold spaces"),
        ("tag.run", text("q01 Q0 best-1 1 2.5 my run\n"), "neither ids nor the tag may hold spaces"),
        (
            "lists.json",
            text("{\"q01\": [\"best-1\", \"good-1\"]}\n"),
            "a run in JSON is `{\"q1\": {\"d7\": 12.5",
        ),
        (
            "response.json",
            text("{\"took\": 3, \"hits\": {\"hits\": [{\"_id\": \"best-1\", \"_score\": 2.5}]}}"),
            "query `took`: its value is no object; a run in JSON is",
        ),
        ("list.run", text("[{\"qid\": \"q01\", \"docid\": \"best-1\"}]\n"), "this looks like JSON"),
        ("lines.run", text("{\"qid\": \"q01\"}\n{\"qid\": \"q02\"}\n"), "a run in JSON is"),
    ];
    let qrels: [(&str, Vec<u8>, &str); 7] = [
        ("run.qrels", text(line), "run.qrels is a run, not judgments. Did you swap the arguments?"),
        ("blanks.qrels", text("q01 best-1 1\n"), "judgments in three columns have tabs between them"),
        ("spaces.qrels", text("q01 0 best 1 1\n"), "ids hold no spaces"),
        ("half.qrels", text("q01 0 best-1 1.5\n"), "grade `1.5` is not a whole number"),
        (
            "excel.qrels",
            text("query-id,corpus-id,score\nq01,best-1,1\n"),
            "this looks like comma-separated values",
        ),
        ("page.qrels", text("<html><body>Not found</body></html>\n"), "this looks like HTML or XML"),
        ("empty.qrels", Vec::new(), "there are no judgments"),
    ];
    for (name, bytes, said) in runs.iter().chain(&qrels) {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        let arguments =
            if name.ends_with(".qrels") { ["eval", path, "old.run"] } else { ["eval", "qrels.txt", path] };
        let output = run(&arguments);
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(2)), "{name}");
        assert!(output.stderr.contains(said) && output.stderr.contains(name), "{name}: {}", output.stderr);
    }
    let floats = dir.path().join("floats.qrels");
    std::fs::write(&floats, "q01 0 best-1 2.0\n").unwrap();
    assert_eq!(run(&["eval", floats.to_str().unwrap(), "old.run"]).status, Some(0));
}

#[test]
fn a_missing_file_is_named() {
    for line in
        ["eval missing.qrels old.run", "eval qrels.txt missing.run", "compare qrels.txt old.run missing.run"]
    {
        let output = run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(2)), "{line}");
        assert!(output.stderr.starts_with("error: cannot open missing."), "{line}: {}", output.stderr);
    }
}

#[test]
fn a_name_that_needs_quotes_is_quoted() {
    let name = "odd names, 100%.run";
    let csv = run(&["eval", "qrels.txt", name, "-m", "RR", "--format", "csv", "-q"]).stdout;
    assert!(
        csv.lines().nth(1).unwrap().starts_with("\"odd names, 100%.run\",,RR,0.07142857142857142,"),
        "{csv}"
    );
    let hint = run(&["compare", "qrels.txt", name, "old.run", "-m", "RR", "--min-coverage", "0"]).stderr;
    assert!(hint.contains("rankgate explain qrels.txt 'odd names, 100%.run' old.run --query q"), "{hint}");
}

#[test]
fn too_little_on_either_side_is_not_compared() {
    let name = "odd names, 100%.run";
    let compare = |more: &[&str]| run(&[&["compare", "qrels.txt"], more, &["-m", "RR"]].concat());
    for expected in [&[][..], &["--expect", "improvement"]] {
        let short = compare(&[&[name, "new.run"], expected].concat());
        assert_eq!(short.status, Some(2), "{}", short.stderr);
        let said = "error: odd names, 100%.run has results for 1 of 14 judged queries (7.1%). 90% is needed. Add the missing \
                    queries (`q02`, `q03`, `q04`, `q05`, `q06`, 8 more).\n";
        assert!(
            short.stderr.starts_with(said)
                && short.stderr.contains("If this is intended, pass `--min-coverage 0.071`."),
            "{}",
            short.stderr
        );
        assert_eq!(short.stdout, "");
    }
    let accepted = compare(&[name, "new.run", "--expect", "improvement", "--min-coverage", "0.07"]);
    assert_eq!(accepted.status, Some(0), "{}", accepted.stderr);
    let said = accepted.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("has results for 1 of 14 judged queries (`q02`"), "{said}");
    // Judgments that were cut leave queries that both runs answer; what is only looked at is told.
    let judgments = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(crate::repository::root().join("tests/data/cli/qrels.txt")).unwrap();
    let four: String = text.split_inclusive('\n').filter(|line| *line < "q05").collect();
    let qrels = judgments.path().join("four.txt");
    std::fs::write(&qrels, four).unwrap();
    let on_four = |more: &[&str]| {
        let qrels = qrels.to_str().unwrap();
        run(&[&["compare", qrels, "old.run", "new.run", "-m", "RR@10"], more].concat())
    };
    let cut = on_four(&["--expect", "no-regression"]);
    assert_eq!((cut.status, &*cut.stdout), (Some(2), ""), "{}", cut.stderr);
    let said = "error: 4 of 14 queries are judged (28.5%). 90% is needed. Restore the judgments.\nIf this is intended, pass \
                `--min-coverage 0.28`.";
    assert!(cut.stderr.starts_with(said), "{}", cut.stderr);
    assert_eq!(on_four(&["--expect", "no-regression", "--min-coverage", "0.28"]).status, Some(0));
    assert_eq!(on_four(&[]).status, Some(0));
    let wrong = compare(&["old.run", "copy.run", "--min-coverage", "7"]);
    assert!(wrong.stderr.contains("--min-coverage is a share from 0 to 1, not 7"), "{}", wrong.stderr);
}
