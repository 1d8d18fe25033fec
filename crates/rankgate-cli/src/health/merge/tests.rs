//! What is added, and what is refused.

use std::fs;

use serde_json::json;

use super::*;

struct Files(tempfile::TempDir);

impl Files {
    fn new(qrels: &str) -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        files.write("topics.tsv", "q1\tone\nq2\ttwo\n");
        files.write("corpus.tsv", "d1\ta\nd2\tb\nd3\tc\n");
        files.write("a.qrels", qrels);
        files
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn source(&self, more: &[&str]) -> CollectionSource {
        let path = |name: &str| self.0.path().join(name);
        let collection = CollectionSource::Trec {
            queries: path("topics.tsv"),
            qrels: path("a.qrels"),
            corpus: Some(path("corpus.tsv")),
        };
        let judgments = more.iter().map(|name| path(name)).collect();
        CollectionSource::Judged { collection: Box::new(collection), judgments, model: None, sample: None }
    }

    fn add(&self, lines: &[Judged<'_>], into: Option<&str>) -> Result<Merged, String> {
        let here = format!("{}/", self.0.path().display());
        let into = into.map(|name| self.0.path().join(name));
        add_judgments(&self.source(&[]), &new(lines), into.as_deref())
            .map_err(|error| error.to_string().replace(&here, ""))
    }
}

fn new(lines: &[Judged<'_>]) -> NewJudgments {
    let line = |(query, document, grade): &Judged<'_>| {
        format!("{{\"query\": \"{query}\", \"document\": \"{document}\", \"grade\": {grade}}}\n")
    };
    let text: String = lines.iter().map(line).collect();
    NewJudgments::read(Source::bytes("new.jsonl", text.as_bytes())).unwrap()
}

#[test]
fn judgments_by_subtopic_are_added_by_hand() {
    let files = Files::new("q1 0 d1 2\n");
    files.write("queries.jsonl", "{\"_id\": \"q1\", \"text\": \"x\"}\n");
    let new = NewJudgments::read(Source::bytes("new.txt", b"q1 a d2 1\nq1 b d2 1\n")).unwrap();
    let error = add_judgments(&files.source(&[]), &new, None).unwrap_err().to_string();
    assert!(error.contains("the new judgments are by subtopic"), "{error}");
}

#[test]
fn lines_stay_as_they_are_and_new_ones_follow_in_order() {
    let files = Files::new("# by hand\nq1 x d1  2\r\n\r\nq1 0 d2 -2");
    let merged =
        files.add(&[("q2", "d3", 1), ("q1", "d3", -1), ("q1", "d1", 2), ("q2", "d1", 3)], None).unwrap();
    assert_eq!((merged.added, merged.known), (3, 1));
    assert_eq!(
        files.read("a.qrels"),
        "# by hand\nq1 x d1  2\r\n\r\nq1 0 d2 -2\r\nq1 0 d3 -1\r\nq2 0 d1 3\r\nq2 0 d3 1\r\n"
    );
}

#[test]
fn a_judgment_of_another_text_is_left_out() {
    let files = Files::new("q1 0 d1 2\n");
    let line = |document: &str, query_text: &str, document_text: &str| {
        json!({"query": "q1", "query_text": query_text, "document": document, "document_text": document_text, "grade": 1})
            .to_string()
    };
    // d1 has another grade already, which one of another text does not contradict.
    let lines = [
        line("d2", "one", " b\n"),
        line("d1", "one", "z"),
        line("d3", "two", "c"),
        "{\"query\": \"q2\", \"document\": \"d3\", \"grade\": 0}".to_owned(),
    ];
    let new = NewJudgments::read(Source::bytes("new.jsonl", lines.join("\n").as_bytes())).unwrap();
    let merged = add_judgments(&files.source(&[]), &new, None).unwrap();
    assert_eq!((merged.added, merged.known), (2, 0));
    let changed: Vec<_> = merged.changed.iter().map(|one| (&*one.place, &*one.document)).collect();
    assert_eq!(changed, [("new.jsonl:2", "d1"), ("new.jsonl:3", "d3")]);
    assert_eq!(files.read("a.qrels"), "q1 0 d1 2\nq1 0 d2 1\nq2 0 d3 0\n");
}

#[test]
fn a_grade_off_the_scale_is_told() {
    let above = |qrels: &str, grade: i32| {
        let merged = Files::new(qrels).add(&[("q1", "d2", grade)], None).unwrap();
        merged.above_scale.iter().map(|one| format!("{} {}", one.place, one.grade)).collect::<Vec<_>>()
    };
    // The guidelines go to 3, and collections may go further.
    assert_eq!(above("q1 0 d1 1\n", 3), [""; 0]);
    assert_eq!(above("q1 0 d1 1\n", 4), ["new.jsonl:1 4"]);
    assert_eq!(above("q1 0 d1 10\n", 10), [""; 0]);
    assert_eq!(above("q1 0 d1 10\n", 99), ["new.jsonl:1 99"]);
    let files = Files::new("q1 0 d1 1\n");
    assert_eq!(
        files.add(&[("q1", "d2", -1)], None).unwrap_err(),
        "new.jsonl:1: document `d2` has grade -1, and no judgment of the collection is below 0: `null` leaves it for later"
    );
    assert_eq!(files.read("a.qrels"), "q1 0 d1 1\n");
    let files = Files::new("q1 0 d1 -1\n");
    assert_eq!(files.add(&[("q1", "d2", -2)], None).unwrap().added, 1);
}

#[test]
fn what_is_there_is_never_changed() {
    let files = Files::new("q1 0 d1 2\n");
    let error = files.add(&[("q1", "d2", 1), ("q1", "d1", 0)], None).unwrap_err();
    assert_eq!(error, "new.jsonl:2: document `d1` of query `q1` has grade 0 here and 2 in a.qrels:1");
    assert_eq!(files.read("a.qrels"), "q1 0 d1 2\n");
}

#[test]
fn a_slip_in_an_id_is_an_error() {
    let files = Files::new("q1 0 d1 2\n");
    for (line, message) in [
        (("q3", "d1", 1), "new.jsonl:1: the collection has no query `q3`"),
        (("q1", "d4", 1), "new.jsonl:1: the collection has no document `d4`"),
    ] {
        assert_eq!(files.add(&[line], None).unwrap_err(), message);
    }
    let many: Vec<_> = ["a", "b", "c", "d", "e", "f", "g"].map(|id| ("q1", id, 1)).into();
    assert!(files.add(&many, None).unwrap_err().ends_with("`e`\nand 2 more such lines"));
}

#[test]
fn an_unanswerable_query_gets_no_relevant_document() {
    let files = Files::new("q1 0 d1 2\n");
    files.write("queries.jsonl", "{\"_id\": \"q1\", \"text\": \"a\"}\n{\"_id\": \"q2\", \"text\": \"b\", \"metadata\": {\"unanswerable\": true}}\n");
    fs::create_dir(files.0.path().join("qrels")).unwrap();
    let text = "query-id\tcorpus-id\tscore\nq1\td1\t1\n";
    files.write("qrels/test.tsv", text);
    let beir = CollectionSource::Beir { dir: files.0.path().to_owned(), split: "test".to_owned() };
    let error = add_judgments(&beir, &new(&[("q1", "d2", 1), ("q2", "d1", 1)]), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "new.jsonl:2: query `q2` is marked as unanswerable, and document `d1` has grade 1 for it: take out the mark or the \
         judgment"
    );
    assert_eq!(files.read("qrels/test.tsv"), text);
    // That a document has nothing to do with it may be said.
    assert_eq!(add_judgments(&beir, &new(&[("q2", "d1", 0)]), None).unwrap().added, 1);
    assert_eq!(beir.load().unwrap().unanswerable().len(), 1);
}

#[test]
fn another_file_is_made_or_added_to() {
    let files = Files::new("q1 0 d1 2\n");
    files.add(&[("q2", "d2", 1)], Some("b.qrels")).unwrap();
    assert_eq!(files.read("b.qrels"), "q1 0 d1 2\nq2 0 d2 1\n");
    assert_eq!(files.read("a.qrels"), "q1 0 d1 2\n");
    files.write("c.tsv", "query-id\tcorpus-id\tscore\nq1\td3\t1\n");
    let merged = files.add(&[("q1", "d3", 1), ("q2", "d2", 1)], Some("c.tsv")).unwrap();
    assert_eq!((merged.added, merged.known), (1, 1));
    assert_eq!(files.read("c.tsv"), "query-id\tcorpus-id\tscore\nq1\td3\t1\nq2\td2\t1\n");
}

#[test]
fn a_file_beside_the_others_is_added_to_and_agrees_with_them() {
    let files = Files::new("q1 0 d1 2\n");
    for (text, added) in [
        ("", "q1 0 d3 1\n"),
        ("q1\td2\t0\n", "q1\td3\t1\n"),
        (
            "{\"query\": \"q1\", \"document\": \"d2\", \"note\": \"x\", \"grade\": 0}\n",
            "{\"query\": \"q1\", \"document\": \"d3\", \"grade\": 1}\n",
        ),
    ] {
        files.write("more", text);
        let merged = add_judgments(&files.source(&["more"]), &new(&[("q1", "d3", 1), ("q1", "d1", 2)]), None);
        assert_eq!(merged.map(|merged| (merged.added, merged.known)).unwrap(), (1, 1));
        assert_eq!(files.read("more"), format!("{text}{added}"));
        let collection = files.source(&["more"]).load().unwrap();
        assert_eq!(collection.qrels().grade("q1", "d3"), Some(1));
        let error = add_judgments(&files.source(&["more"]), &new(&[("q1", "d1", 1)]), None).unwrap_err();
        assert!(
            error.to_string().ends_with(
                "has grade 1 here and 2 in PATH/a.qrels:1"
                    .replace("PATH", &files.0.path().display().to_string())
                    .as_str()
            ),
            "{error}"
        );
    }
    files.write("more", "{\"q1\": {\"d2\": 1}}");
    let error = add_judgments(&files.source(&["more"]), &new(&[("q1", "d3", 1)]), None).unwrap_err();
    assert!(
        error.to_string().ends_with("this is one JSON object, to which no lines can be added"),
        "{error}"
    );
}

#[test]
fn files_that_contradict_each_other_are_an_error_that_names_both_lines() {
    let files = Files::new("q1 0 d1 2\nq2 0 d1 1\n");
    files.write("b.tsv", "q2\td1\t1\nq1\td1\t0\n");
    files.write("c.tsv", "q9\td1\t0\n");
    let here = format!("{}/", files.0.path().display());
    let said = |more: &[&str]| files.source(more).load().unwrap_err().to_string().replace(&here, "");
    assert_eq!(said(&["b.tsv"]), "b.tsv:2: document `d1` of query `q1` has grade 0 here and 2 in a.qrels:1");
    assert_eq!(said(&["c.tsv"]), "c.tsv:1: judgment of a query that the collection does not have: `q9`");
}

#[test]
fn judgments_inside_a_json_file_are_left_as_they_are() {
    let files = Files::new("");
    let text = "{\"queries\": [\n{\"id\": \"q1\", \"text\": \"a\", \"relevant\": [\"d1\"]},\n\
                {\"id\": \"q2\", \"text\": \"b\"}\n], \"docs\": {\"d1\": \"\", \"d2\": \"\"}}";
    files.write("a.json", text);
    let path = |name: &str| files.0.path().join(name);
    let inside = CollectionSource::Json { path: path("a.json") };
    let new = new(&[("q1", "d1", 1), ("q2", "d2", 2)]);
    let error = add_judgments(&inside, &new, None).unwrap_err().to_string();
    assert!(error.ends_with("name the file of the new ones beside it, as `judgments:` of the `collection:`"));
    assert_eq!(add_judgments(&inside, &new, Some(&path("b.tsv"))).unwrap().added, 1);
    assert_eq!(files.read("b.tsv"), "query-id\tcorpus-id\tscore\nq2\td2\t2\n");
    assert_eq!(files.read("a.json"), text);
    assert_eq!(inside.load().unwrap().warnings(), ["1 of 2 queries has no judgments: `q2`"]);
    let judged = CollectionSource::Judged {
        collection: Box::new(inside),
        judgments: vec![path("b.tsv")],
        model: None,
        sample: None,
    };
    let collection = judged.load().unwrap();
    assert_eq!((collection.queries().len(), collection.warnings().len()), (2, 0));
}

#[test]
fn judgments_in_a_spec_are_refused() {
    let new = NewJudgments::read(Source::bytes("new.jsonl", b"")).unwrap();
    let collection = Collection::parse_json("a.json", br#"[{"id": "q", "text": "t", "relevant": ["d"]}]"#);
    let error = add_judgments(&CollectionSource::Inline(collection.unwrap()), &new, None).unwrap_err();
    assert!(error.to_string().contains("`inline`"), "{error}");
}
