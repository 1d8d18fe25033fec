//! Runs that can be read can be ranked, and read the same when they are written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::Order;
use rankgate::run::{RunReader, RunWriter, check_ranking};
use rankgate_fuzz::{exact, is_message};

fuzz_target!(|bytes: &[u8]| {
    let readers = [
        ("a.run", RunReader::new()),
        ("a.run", RunReader::new().percent_encoded_ids(true)),
        ("a.run", RunReader::new().order(Order::Rank)),
        ("a.json", RunReader::new()),
    ];
    for (name, reader) in readers {
        let run = match reader.parse(name, bytes) {
            Ok(run) => run,
            Err(error) => {
                is_message(&error.to_string());
                continue;
            }
        };
        for (query, hits) in run.iter() {
            assert!(!query.is_empty());
            check_ranking(query, hits).expect("a ranking");
        }
        let top = reader.depth(2).parse(name, bytes).expect("a depth is no error");
        let mut cut = exact(&run);
        cut.iter_mut().for_each(|(_, hits)| hits.truncate(2));
        assert_eq!(exact(&top), cut);
        let mut written = Vec::new();
        RunWriter::new("t").percent_encoded_ids(true).write_to(&run, &mut written).expect("any id can be encoded");
        let by_rank = RunReader::new().order(Order::Rank).percent_encoded_ids(true);
        let read = by_rank.parse("b.run", &written).expect("what was written can be read");
        let mut expected = exact(&run);
        // A file of lines has no room for a query without an answer.
        expected.retain(|(_, hits)| !hits.is_empty());
        assert_eq!(exact(&read), expected);
    }
});
