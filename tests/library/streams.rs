//! What is read from a stream instead of a file.

use std::io::{self, Read, Write};

use rankgate::run::RunReader;
use rankgate::{Collection, Corpus, Order, Qrels, Run, Source};

/// Bytes that come one by one.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let some = buffer.len().min(1);
        self.0.read(&mut buffer[..some])
    }
}

#[test]
fn what_is_posted_is_read_as_a_file_of_that_name_would_be() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"q1 Q0 d1 1 1 t\nq2 Q0 d1 1 1 t\nq1 Q0 d2 2 2 t\n").unwrap();
    let packed = packed.finish().unwrap();
    let run = Run::read(Source::stream("the run", Slow(&packed)), Order::Score).unwrap();
    assert_eq!(run.ranking("q1").unwrap()[0].id, "d2");

    let qrels = |text: &'static str| Qrels::read(Source::stream("b.qrels", Slow(text.as_bytes())));
    assert_eq!(qrels("{\"q1\": {\"d1\": 1}}").unwrap(), qrels("q1\td1\t1").unwrap());
    assert_eq!(qrels("q1 0 d1 1").unwrap().origin("q1", "d1").unwrap().to_string(), "b.qrels:1");
    assert!(qrels("q1 0 d1\n").unwrap_err().to_string().starts_with("b.qrels:1: expected 4 columns"));

    let collection = Collection::json(Source::stream("c", &b"[{\"id\": \"q1\", \"text\": \"\"}]"[..]));
    assert_eq!(collection.unwrap().queries().len(), 1);
    let topics = Source::stream("t", &b"q1\tone\n"[..]);
    let collection = Collection::with_queries(topics, qrels("q1 0 d1 1").unwrap()).unwrap();
    assert_eq!(collection.query("q1").unwrap().text, "one");
    for documents in ["d1\talpha\n", "{\"_id\": \"d1\", \"text\": \"alpha\"}\n"] {
        let corpus = Corpus::read(Source::stream("d", documents.as_bytes())).unwrap();
        let documents: Vec<_> = corpus.documents().unwrap().map(|document| document.unwrap().text).collect();
        assert_eq!(documents, ["alpha"]);
    }
}

#[test]
fn the_lines_of_a_query_may_be_apart_in_a_pipe() {
    let lines = (0..50_000)
        .map(|line| format!("q{:04} Q0 document-{line} 1 {}.5 tag\n", line / 50, 1000 - line % 50));
    let text: String = lines.collect();
    let scattered = format!("{text}q0000 Q0 late 1 9999 tag\n");
    let source = Source::stream("a pipe", scattered.as_bytes());
    let run = RunReader::new().read(source).unwrap();
    let parsed = RunReader::new().parse("bytes", scattered.as_bytes()).unwrap();
    assert!(run == parsed && run.ranking("q0000").unwrap()[0].id == "late");
    let twice = format!("{text}q0000 Q0 document-7 1 9999 tag\n");
    let error = RunReader::new().read(Source::stream("a pipe", twice.as_bytes())).unwrap_err().to_string();
    assert_eq!(error, "a pipe:50001: document of query `q0000` again (first in line 8): `document-7`");
}

#[test]
fn a_stream_without_an_end_is_refused() {
    let endless = Source::stream("endless", io::repeat(b'x'));
    let error = Qrels::read(endless).unwrap_err().to_string();
    assert_eq!(error.split(": `").next(), Some("endless:1: line longer than 64 MiB"));
}
