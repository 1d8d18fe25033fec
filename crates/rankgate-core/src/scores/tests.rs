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
        ("", "1: the file is empty; its first line is `query,value`, or `query` and the names of columns"),
        (
            "query,value,persons\n",
            "1: no column of this file is called `persons`: a file of scores has `query,value`, and may have `people`, `fingerprint`, `origin` and `column`: `query,value,persons`",
        ),
        (
            "q1 Q0 d 1 2 t\n",
            "1: the column `query` is missing: the first line is `query,value`, or `query` and the names of columns: `q1 Q0 d 1 2 t`",
        ),
        ("query,value,value\n", "1: the column `value` comes twice: `query,value,value`"),
        ("query\n", "1: there is no column beside the queries: `query`"),
        ("query,AP,\n", "1: a column has no name: `query,AP,`"),
        ("query,AP,AP\n", "1: the column `AP` comes twice: `query,AP,AP`"),
        ("query,AP\nq1,0.5,1\n", "2: 3 fields, and the first line has 2: `q1,0.5,1`"),
        ("query,AP\nq1,\n", "2: `` is not a number: `q1,`"),
        ("query,AP\n,1\n", "2: the query is empty: `,1`"),
        ("query,AP\nq1,1\nq1,1\n", "3: query `q1` has a score in line 2 already: `q1,1`"),
        (
            "run,query,metric,value\na,q1,AP,1\n",
            "1: no column of this file is called `run`: a file of scores has `query,value`, and may have `people`, `fingerprint`, `origin` and `column`: `run,query,metric,value`",
        ),
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

#[test]
fn a_table_of_other_programs_has_a_line_for_each_query() {
    let table = parse("qid\tndcg_cut_10\tclicks\nq2\t0.5\t1e3\n\"q1\"\t-0\t2\n").unwrap();
    let value = |column: &str, query: &str| table.columns[column].get(query).map(|score| score.value);
    assert_eq!(table.columns.keys().collect::<Vec<_>>(), ["clicks", "ndcg_cut_10"]);
    assert_eq!((value("clicks", "q2"), value("ndcg_cut_10", "q1")), (Some(1000.0), Some(-0.0)));
    // Its means, by trec_eval's name or without one, are not queries.
}

#[test]
fn numbers_alone_are_written_query_by_query_and_read_back_to_the_last_bit() {
    let text = "query,AP,\"RBP(p=0.8,rel=1)\"\n\"#,\"\"2\",0.30000000000000004,1\nq1,0.1,1e-300\n";
    let table = parse(text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "a.csv.gz"] {
        let path = folder.path().join(name);
        table.write(&path).unwrap();
        let read = ScoreTable::read(&*path, "x").unwrap();
        assert_eq!(read, table, "{name}");
    }
    assert_eq!(table.columns["AP"].get("q1").map(|score| score.line), Some(3));
    let lacking = parse("column,query,value\na,q1,1\nb,q2,1\n").unwrap();
    assert_eq!(lacking.to_csv(), "column,query,value\na,q1,1\nb,q2,1\n");
    let mut broken = table;
    broken.columns.entry("AP".to_owned()).or_default().insert("q\n", super::Score::new(1.0));
    assert!(broken.write(folder.path().join("b.csv")).unwrap_err().to_string().contains("line break"));
}
