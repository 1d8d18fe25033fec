//! A file that is read in blocks (which are tiny here) says what its bytes say line by line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::run::RunReader;
use rankgate::{Error, Order, Run};
use rankgate_fuzz::{exact, file};

fuzz_target!(|bytes: &[u8]| {
    let path = file("a.run", bytes);
    let said = |run: Result<Run, Error>| match run {
        Ok(run) => Ok((exact(&run), run.tag().to_owned(), run.comments().to_vec())),
        Err(error) => Err(error.to_string()),
    };
    // A golden run has an order of its own.
    let readers =
        [RunReader::new(), RunReader::new().order(Order::Score), RunReader::new().order(Order::Rank)];
    for reader in readers {
        assert_eq!(said(reader.read(&path)), said(reader.parse(&path.to_string_lossy(), bytes)));
    }
});
