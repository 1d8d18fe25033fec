//! Compressed bytes say what the bytes say, in members cut anywhere; broken ones are an error.
#![no_main]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;
use rankgate::run::RunReader;
use rankgate_fuzz::{exact, file, is_message};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes any bytes");
    encoder.finish().expect("memory takes any bytes")
}

fuzz_target!(|input: (usize, &[u8])| {
    let (cut, bytes) = input;
    let said = |bytes: &[u8]| RunReader::new().parse("a", bytes).map(|run| exact(&run)).map_err(|e| e.to_string());
    // In memory, and in the file that is decompressed by a thread of its own.
    let broken = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], bytes].concat();
    let from_memory = said(&broken);
    if let Err(message) = &from_memory {
        is_message(message);
    }
    let from_file = RunReader::new().read(file("a", &broken));
    assert_eq!(from_file.map(|run| exact(&run)).ok(), from_memory.ok());
    // What is compressed already is not unpacked twice.
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        let at = cut.min(bytes.len());
        let members = [gzip(&bytes[..at]), gzip(&bytes[at..])].concat();
        assert_eq!(said(&members), said(bytes));
    }
});
