//! Files that are broken: always an error, and never a panic.

use std::fs;
use std::sync::Arc;

use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use rankgate::collection::Tables;
use rankgate::run::RunReader;
use rankgate::{Qrels, Source};

use crate::rows::{judged, retrieved, run};
use crate::written::{Ids, Written, columns, texts};
use crate::{read_run, scoring};

fn written(how: Written) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    how.run(&path, &run(3, 6));
    fs::read(&path).unwrap()
}

fn read(bytes: &[u8]) -> Result<rankgate::Run, String> {
    RunReader::new().read(Source::bytes("a", bytes)).map_err(|error| error.to_string())
}

#[test]
fn a_file_that_was_cut_off_is_an_error() {
    let whole = written(Written::default());
    assert!(read(&whole).is_ok());
    for length in 4..whole.len() {
        let error = read(&whole[..length]).unwrap_err();
        assert!(error.starts_with("a: it cannot be read as Parquet: "), "{length}: {error}");
    }
    // Of fewer bytes nobody knows what they were to be.
    assert!(read(&whole[..3]).is_err());
}

#[test]
fn no_byte_that_is_changed_makes_it_panic() {
    let kinds = [
        Written { group: 5, ..Written::default() },
        Written { ids: Ids::Integers, single: true, ..Written::default() },
        Written { ids: Ids::Dictionary, ..Written::default() },
    ];
    for how in kinds {
        let whole = written(how);
        let (mut read_anyway, mut refused) = (0, 0);
        // The fifth byte tells it from text.
        for at in 5..whole.len() {
            for change in [1 << (at % 8), 0xff] {
                let mut broken = whole.clone();
                broken[at] ^= change;
                match read(&broken) {
                    Ok(_) => read_anyway += 1,
                    Err(error) => {
                        refused += 1;
                        assert!(
                            error.starts_with("a: ") || error.starts_with("query "),
                            "{at} {change}: {error}"
                        );
                    }
                }
            }
        }
        // Statistics and names of writers may say anything; what is read may not.
        assert!(refused > read_anyway / 10, "{how:?}: {refused} {read_anyway}");
    }
}

/// A file with checksums of its pages, by pyarrow 26 (`write_page_checksum=True`): no changed byte of a page gives other
/// scores.
#[test]
fn a_page_that_is_not_what_was_written_is_an_error() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/checksums.parquet");
    let whole = fs::read(path).unwrap();
    let expected = read(&whole).unwrap();
    let footer = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap()) as usize;
    let pages = 5..whole.len() - 8 - footer;
    let mut mismatches = 0;
    for at in pages.clone() {
        for change in [1 << (at % 8), 0xff] {
            let mut broken = whole.clone();
            broken[at] ^= change;
            match read(&broken) {
                Ok(run) => assert!(run == expected, "byte {at} ^ {change}"),
                Err(error) => mismatches += usize::from(error.contains("Page CRC checksum mismatch")),
            }
        }
    }
    // Most bytes are those of pages, the others those of their headers.
    assert!(mismatches > pages.len(), "{mismatches} of {}", 2 * pages.len());
}

/// An id of 64 MiB, which a few kilobytes hold: its page takes what it takes, and a memory that is too small says so. With
/// that memory the id is read, and is no id.
#[test]
fn a_page_that_memory_does_not_hold_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let long = "x".repeat(64 << 20);
    columns(
        &path,
        &[
            ("query", texts(&["q1", "q1"])),
            ("document", texts(&[&long, "d"])),
            ("score", Arc::new(Float64Array::from(vec![2.0, 1.0]))),
        ],
    );
    let read = |mib: u64| {
        let tables = Tables::default().memory(mib << 20);
        RunReader::new().tables(tables).map_rankings(&path, |_, ranking| Ok(ranking.len()))
    };
    let error = read(16).unwrap_err().to_string();
    let said = "a.parquet: column `document` has a page of 65 MiB, and a page is read whole: that takes a memory of ";
    assert!(
        error.contains(said) && error.ends_with(" MiB, and 16 MiB were given (`--memory 257M`)"),
        "{error}"
    );
    let error = read(257).unwrap_err().to_string();
    assert!(error.contains("a.parquet: row 1: ids are too long: those of the 1 rows"), "{error}");
}

/// A long id that stands in a file once, and rows of it without number: work is by what ids take row by row.
#[test]
fn rows_of_a_long_id_are_refused_before_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let table = |length: usize, rows: usize| -> Vec<(&str, ArrayRef)> {
        let document = StringArray::from_iter_values(["x".repeat(length)]);
        let documents = DictionaryArray::new(Int32Array::from(vec![0; rows]), Arc::new(document));
        let queries = (0..rows).map(|row| format!("q{row}"));
        let scores = Float64Array::from(vec![1.0; rows]);
        vec![
            ("query", Arc::new(StringArray::from_iter_values(queries))),
            ("document", Arc::new(documents)),
            ("score", Arc::new(scores)),
        ]
    };
    let read = || RunReader::new().map_rankings(&path, |_, ranking| Ok(ranking.len()));
    let said = |row: usize| format!("row {row}: ids are too long: those of the {row} rows read so far take ");
    // 4 MiB and 512 bytes a row, with ids of half a mebibyte and of `q0` to `q7`: the ninth is too many.
    // The writer looks at each row's id, and so there are few.
    columns(&path, &table(512 << 10, 60));
    let error = read().unwrap_err().to_string();
    assert!(error.contains("a.parquet: ") && error.contains(&said(9)), "{error}");
    let mut all = table(512 << 10, 200_000);
    all.push(("grade", Arc::new(Int32Array::new_null(200_000))));
    let batch =
        RecordBatch::try_from_iter_with_nullable(all.into_iter().map(|(name, column)| (name, column, true)));
    let batch = batch.unwrap();
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    let bytes = writer.into_inner().unwrap();
    let error =
        scoring().stream(&Tables::default(), Some(3), &bytes[..], &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains(&said(9)), "{error}");
    // Ids of 500 bytes are as good as any.
    columns(&path, &table(500, 50_000));
    assert_eq!(read().unwrap().len(), 50_000);
}

/// A query whose rows stand together in many row groups, of which each is small.
#[test]
fn a_query_that_memory_does_not_hold_is_refused_however_its_rows_are_divided() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    for group in [1_000, 40_000] {
        Written { group, ..Written::default() }.run(&path, &run(1, 40_000));
        let read = |mib: u64| {
            let tables = Tables::default().memory(mib << 20);
            RunReader::new().tables(tables).map_rankings(&path, |_, ranking| Ok(ranking.len()))
        };
        let error = read(1).unwrap_err().to_string();
        assert!(error.contains(" alone has 40000 rows, which take "), "{group}: {error}");
        assert_eq!(read(64).unwrap()[0].1, 40_000, "{group}");
    }
}

/// What `fuzz/` begins with are tables, of every kind of ids and numbers; broken ones make nothing panic.
#[test]
fn seeds_of_fuzzing_are_tables() {
    let seeds = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/parquet");
    let mut seen = 0;
    for seed in fs::read_dir(seeds).unwrap() {
        let path = seed.unwrap().path();
        let whole = fs::read(&path).unwrap();
        let judged = Qrels::read(Source::bytes("a", &whole)).is_ok();
        // BEIR's judgments have the columns of a run.
        assert!(judged || !read(&whole).unwrap().is_empty(), "{}", path.display());
        for at in 5..whole.len() {
            let mut broken = whole.clone();
            broken[at] ^= 0xff;
            for said in [
                Qrels::read(Source::bytes("a", &broken)).err().map(|error| error.to_string()),
                read(&broken).err(),
            ] {
                assert!(
                    said.is_none_or(|said| said.starts_with("a: ") || said.starts_with("query ")),
                    "{at}"
                );
            }
        }
        seen += 1;
    }
    assert!(seen > 4);
}

#[test]
fn what_is_no_table_is_said_to_be_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a"), b"PAR1").unwrap();
    assert!(read_run(&path("a")).unwrap_err().starts_with("a: it cannot be read as Parquet: "));
    fs::write(path("a"), b"PAR1\x00\x00\x00\x00\xff\xff\xff\x7fPAR1").unwrap();
    assert!(read_run(&path("a")).unwrap_err().starts_with("a: it cannot be read as Parquet: "));
    // A text that begins like one.
    fs::write(path("a"), "PAR11 Q0 d1 1 0.5 t\n").unwrap();
    assert_eq!(read_run(&path("a")).unwrap().ranking("PAR11").unwrap()[0].id, "d1");
    // Without a row there is no query, as in an empty file of text.
    Written::default().run(&path("a"), &[]);
    assert!(read_run(&path("a")).unwrap().is_empty());
    assert!(Qrels::read(path("a")).unwrap_err().to_string().ends_with(
        "a: no column is called grade; there are query, document, score: are judgments and run in each other's place? \
         If not, `--columns grade=NAME` says which it is"
    ));
    fs::create_dir(path("empty")).unwrap();
    assert!(read_run(&path("empty")).is_err());
}

#[test]
fn files_of_a_folder_may_differ_in_types_and_not_in_meaning() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let rows = |document| retrieved(&[("1", document, 0.5)]);
    Written::default().run(&path("part-0.parquet"), &rows("1"));
    Written { ids: Ids::Integers, ..Written::default() }.run(&path("part-1.parquet"), &rows("2"));
    let ids: Vec<String> =
        read_run(folder.path()).unwrap().ranking("1").unwrap().iter().map(|hit| hit.id.clone()).collect();
    assert_eq!(ids, ["2", "1"]);
    Written::default().ranked(&path("part-2.parquet"), &rows("3"), &[1], false);
    let error = read_run(folder.path()).unwrap_err();
    assert!(
        error.contains("part-2.parquet: it has ranks, and ") && error.ends_with("part-0.parquet has scores"),
        "{error}"
    );
    Written::default().judgments(&path("part-2.parquet"), &judged(&[("1", "1", 1)]));
    let error = read_run(folder.path()).unwrap_err();
    assert!(error.contains("part-2.parquet: no column is called score or rank; "), "{error}");
}

#[test]
fn ids_that_are_none_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let scores = || Arc::new(Float64Array::from(vec![1.0, 0.5])) as arrow_array::ArrayRef;
    let of = |documents: arrow_array::ArrayRef| {
        columns(&path, &[("query", texts(&["q", "q"])), ("document", documents), ("score", scores())]);
        read_run(&path).unwrap_err()
    };
    assert_eq!(of(texts(&["a", ""])), "a: row 2: the document is empty");
    let null = arrow_array::StringArray::from(vec![None, Some("b")]);
    assert_eq!(of(std::sync::Arc::new(null)), "a: row 1: the document is null");
    assert_eq!(of(scores()), "a: column `document`: its type is Float64; ids are text or whole numbers");
    let bytes = arrow_array::BinaryArray::from(vec![&b"a"[..], b"\xff"]);
    assert_eq!(of(std::sync::Arc::new(bytes)), "a: column `document`: an id is not UTF-8");
}
