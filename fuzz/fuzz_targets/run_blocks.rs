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
        let by_line = said(reader.parse(&path.to_string_lossy(), bytes));
        assert_eq!(said(reader.read(&path)), by_line);
        // Without keeping it.
        let mapped = reader.map(&path, |_, hits| Ok(hits.iter().map(|hit| hit.id.to_owned()).collect::<Vec<_>>()));
        match (mapped, by_line) {
            (Ok(mapped), Ok((rankings, _, _))) => {
                let ids = |hits: Vec<(String, u64)>| hits.into_iter().map(|(id, _)| id).collect::<Vec<_>>();
                let expected: Vec<_> = rankings.into_iter().map(|(query, hits)| (query, ids(hits))).collect();
                assert_eq!(mapped, expected);
            }
            (mapped, by_line) => assert_eq!(mapped.map_err(|error| error.to_string()).err(), by_line.err()),
        }
    }
});
