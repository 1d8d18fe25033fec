use super::ScoreTable;

fn parse(text: &str) -> crate::Result<ScoreTable> {
    ScoreTable::parse("scores/x.csv".as_ref(), text, "x")
}

#[test]
fn what_is_written_is_read_again() {
    let text = "query,value,people,fingerprint,origin\n\"a,\"\"b\"\"\",0.1,0.5,9a0b,model\nq2,-3,,,model\n";
    let table = parse(text).unwrap();
    let column = &table.columns["x"];
    let score = column.get("a,\"b\"").unwrap();
    assert_eq!((score.value, score.people, score.fingerprint.as_deref()), (0.1, Some(0.5), Some("9a0b")));
    assert!(column.is_of_model() && column.get("q2").unwrap().people.is_none());
    assert_eq!(column.to_csv(), text);
    let all = table.to_csv();
    assert!(all.starts_with("column,query,value,people,fingerprint,origin\nx,\"a,"), "{all}");
    assert_eq!(parse(&all).unwrap(), table);
    // What nothing is known of is no column of the file.
    assert_eq!(
        parse("\u{feff}value,query\r\n1,q1\r\n").unwrap().columns["x"].to_csv(),
        "query,value\nq1,1\n"
    );
    let two = parse("column,query,value\na,q1,1\nb,q1,2\n").unwrap();
    assert_eq!(two.columns.keys().collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn what_is_no_score_is_an_error_with_its_place() {
    for (text, why) in [
        ("", "1: the file is empty; its first line is `query,value`"),
        (
            "query,score\n",
            "1: no column of this file is called `score`: a file of scores has `query,value`, and may have `people`, `fingerprint`, `origin` and `column`",
        ),
        ("query,people\n", "1: the column `value` is missing: the first line is `query,value`"),
        ("query,value,value\n", "1: the column `value` comes twice"),
        ("query,value\n\nq1,high\n", "3: `high` is not a number: `q1,high`"),
        ("query,value\nq1,NaN\n", "2: `NaN` is not a finite number: `q1,NaN`"),
        ("query,value\nq1,\n", "2: `` is not a number: `q1,`"),
        ("query,value\nq1,1,2\n", "2: 3 fields, and the first line has 2: `q1,1,2`"),
        ("query,value\n,1\n", "2: the query is empty: `,1`"),
        ("query,value\nq1,1\nq2,1\nq1,0\n", "4: query `q1` has a score in line 2 already: `q1,0`"),
        (
            "query,value,origin\nq1,1,people\n",
            "2: the origin is `people`, and only `model` is known: `q1,1,people`",
        ),
        ("query,value\n\"q1,1\n", "2: a quotation mark is missing at the end of a field: `\"q1,1`"),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), format!("scores/x.csv:{why}"), "{text}");
    }
}
