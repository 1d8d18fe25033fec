//! Any bytes are a table or an error, the same in little memory as in much, and what is read reads the same when it is
//! written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::collection::Tables;
use rankgate::run::{RunReader, RunWriter, check_ranking};
use rankgate::{Order, Qrels, Source};
use rankgate_fuzz::{exact, is_message, no_file};

fn run(bytes: &[u8], order: Order) {
    let read = |tables| RunReader::new().order(order).tables(tables).parse("a", bytes);
    let little = read(Tables::default().memory(Tables::LEAST));
    let run = match read(Tables::default()) {
        Ok(run) => run,
        Err(error) => {
            assert!(little.is_err(), "{error}");
            return is_message(&error.to_string());
        }
    };
    // A query that takes more than half of the memory is an error, which names `--memory`.
    match little {
        Ok(little) => assert_eq!(exact(&little), exact(&run)),
        Err(error) => assert!(error.to_string().contains("--memory"), "{error}"),
    }
    for (query, hits) in run.iter() {
        assert!(!query.is_empty());
        check_ranking(query, hits).expect("a ranking");
    }
    let path = no_file("a.parquet");
    RunWriter::new("t").write(&run, &path).expect("any run can be columns");
    let again = RunReader::new().order(Order::Rank).read(&path).expect("what was written can be read");
    assert_eq!(exact(&again), exact(&run));
}

fn judgments(bytes: &[u8]) {
    let qrels = match Qrels::read(Source::bytes("a", bytes)) {
        Ok(qrels) => qrels,
        Err(error) => return is_message(&error.to_string()),
    };
    let path = no_file("a.parquet");
    qrels.write_parquet(&path).expect("any judgments can be columns");
    let again = Qrels::read(&path).expect("what was written can be read");
    assert_eq!(again.sha256(), qrels.sha256());
}

fuzz_target!(|bytes: &[u8]| {
    // The fifth byte tells it from text, which other targets read.
    if bytes.starts_with(b"PAR1\x15") {
        run(bytes, Order::Score);
        run(bytes, Order::Rank);
        judgments(bytes);
    }
});
