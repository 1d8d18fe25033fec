//! Exact search against faiss's flat indexes, against all pairs, and at any number of threads.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use rankgate_core::internal::threads;
use rankgate_exact::{Distance, Exact, Neighbour, Vectors};

const ROWS: usize = 2000;
const QUERIES: usize = 20;
const DIMENSION: usize = 32;
const K: usize = 15;

/// As `tests/reference/make_exact.py` makes them.
fn numbers(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..count).map(|_| next()).collect()
}

fn floats(seed: u64, rows: usize) -> Vec<f32> {
    let mut all: Vec<f32> =
        numbers(seed, rows * DIMENSION).iter().map(|n| (f32::from(*n) - 128.0) / 64.0).collect();
    for row in (19..rows).step_by(20) {
        all.copy_within((row - 1) * DIMENSION..row * DIMENSION, row * DIMENSION);
    }
    all
}

/// A `.u8bin` or `.fbin`.
fn file(folder: &Path, name: &str, bytes: &[u8], rows: usize, dimension: usize) -> PathBuf {
    let path = folder.join(name);
    let header = [rows as u32, dimension as u32].map(u32::to_le_bytes).concat();
    std::fs::write(&path, [&header, bytes].concat()).unwrap();
    path
}

fn expected(distance: &str) -> Vec<Vec<(usize, f64)>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faiss.json");
    let all: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let lists = |key: &str| all[distance][key].as_array().unwrap().clone();
    let pairs = |(ids, distances): (serde_json::Value, serde_json::Value)| {
        let ids = ids.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as usize).collect::<Vec<_>>();
        ids.into_iter().zip(distances.as_array().unwrap().iter().map(|one| one.as_f64().unwrap())).collect()
    };
    lists("ids").into_iter().zip(lists("distances")).map(pairs).collect()
}

#[test]
fn flat_search_equals_faiss() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<usize> = (0..QUERIES).collect();
    for (name, distance) in [
        ("l2", Distance::L2),
        ("inner-product", Distance::InnerProduct),
        ("cosine", Distance::Cosine),
        ("hamming", Distance::Hamming),
    ] {
        let (base, queries) = match distance {
            Distance::Hamming => {
                let read = |seed, rows| {
                    let bytes = numbers(seed, rows * DIMENSION);
                    Vectors::read(file(folder.path(), &format!("{seed}.u8bin"), &bytes, rows, DIMENSION))
                        .unwrap()
                };
                (read(3, ROWS), read(4, QUERIES))
            }
            _ => (
                Vectors::new(DIMENSION, floats(1, ROWS)).unwrap(),
                Vectors::new(DIMENSION, floats(2, QUERIES)).unwrap(),
            ),
        };
        let found = Exact::new(base, distance).unwrap().nearest(&queries, &rows, K, None).unwrap();
        let expected = expected(name);
        assert_eq!(expected.len(), QUERIES);
        for (query, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found.len(), K);
            // faiss computes in float32: its distances are near, and where they tie it may list another one.
            for (ours, (_, theirs)) in found.iter().zip(expected) {
                assert!(
                    (ours.distance - theirs).abs() < 2e-6 * theirs.abs().max(1.0),
                    "{name}, query {query}: {ours:?}, {theirs}"
                );
            }
            let last = found[K - 1].distance;
            let sure = |distance: f64| distance < last - 4e-6;
            let ours: Vec<usize> = sorted(found.iter().filter(|one| sure(one.distance)).map(|one| one.row));
            let theirs: Vec<usize> = sorted(expected.iter().filter(|one| sure(one.1)).map(|one| one.0));
            assert_eq!(ours, theirs, "{name}, query {query}");
            // Copies stand side by side, by number.
            assert!(
                found.windows(2).all(|two| (two[0].distance, two[0].row) < (two[1].distance, two[1].row))
            );
        }
    }
}

fn sorted(rows: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut rows: Vec<usize> = rows.collect();
    rows.sort_unstable();
    rows
}

/// All pairs, the distances by the textbook in double precision.
fn all_pairs(
    base: &[f32],
    query: &[f32],
    k: usize,
    distance: Distance,
    allowed: impl Fn(usize) -> bool,
) -> Vec<Neighbour> {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let far = |row: &[f32]| match distance {
        Distance::L2 => {
            row.iter().zip(query).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>().sqrt()
        }
        Distance::Cosine => (1.0 - dot(row, query) / (dot(row, row) * dot(query, query)).sqrt()).max(0.0),
        _ => -dot(row, query),
    };
    let mut all: Vec<Neighbour> = base
        .chunks(query.len())
        .enumerate()
        .filter(|(row, _)| allowed(*row))
        .map(|(row, numbers)| Neighbour { row, distance: far(numbers) })
        .collect();
    all.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.row.cmp(&b.row)));
    all.truncate(k);
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    // Few distinct numbers, so that much ties; and lengths of very different size, so that rounding is large beside what
    // parts neighbours.
    #[test]
    fn the_nearest_are_those_of_all_pairs(
        small in proptest::collection::vec(0_u8..3, 1..400),
        scale in prop_oneof![Just(1.0_f32), Just(1e4), Just(1e-6)],
        far in prop_oneof![Just(1.0_f32), Just(4096.0)],
        k in 1_usize..60,
        filtered: bool,
    ) {
        let dimension = 3;
        let rows = small.len().div_ceil(dimension);
        let mut base: Vec<f32> = small.iter().map(|n| f32::from(*n) * scale + far).collect();
        base.resize(rows * dimension, far);
        let query = vec![scale + far, far, 1.5 * scale + far];
        let allowed = |row: usize| !filtered || row.is_multiple_of(3);
        for distance in [Distance::L2, Distance::InnerProduct, Distance::Cosine] {
            let exact = Exact::new(Vectors::new(dimension, base.clone()).unwrap(), distance).unwrap();
            let queries = Vectors::new(dimension, query.clone()).unwrap();
            let mask = [Arc::new((0..rows).map(allowed).collect::<Vec<bool>>())];
            let found = exact.nearest(&queries, &[0], k, filtered.then_some(&mask[..])).unwrap();
            prop_assert_eq!(&found[0], &all_pairs(&base, &query, k, distance, allowed));
        }
    }
}

#[test]
fn answers_do_not_depend_on_threads_or_on_what_is_asked_together() {
    let exact = Exact::new(Vectors::new(DIMENSION, floats(1, ROWS)).unwrap(), Distance::L2).unwrap();
    let queries = Vectors::new(DIMENSION, floats(2, QUERIES)).unwrap();
    let rows: Vec<usize> = (0..QUERIES).collect();
    let all = exact.nearest(&queries, &rows, K, None).unwrap();
    for count in [1, 3] {
        assert_eq!(threads::within(count, || exact.nearest(&queries, &rows, K, None).unwrap()), all);
    }
    let alone: Vec<_> =
        rows.iter().map(|row| exact.nearest(&queries, &[*row], K, None).unwrap().remove(0)).collect();
    assert_eq!(alone, all);
    assert_eq!(exact.distance(&queries, 3, all[3][2].row).unwrap(), all[3][2].distance);
}

#[test]
fn copies_of_one_point_are_all_found() {
    // More copies than are kept at once: the second look finds all of them, and the first by number are taken.
    let exact = Exact::new(Vectors::new(2, vec![1.0; 2000]).unwrap(), Distance::L2).unwrap();
    let found = exact.nearest(&Vectors::new(2, vec![1.0, 1.0]).unwrap(), &[0], 5, None).unwrap();
    assert_eq!(found[0].iter().map(|one| one.row).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
}

#[test]
fn every_format_gives_the_same_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: Vec<u8>| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let floats: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let doubles: Vec<u8> = [1.0_f64, 2.0, 3.0, 4.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    // 1, 2, 3 and 4 as IEEE 754 binary16
    let halves: Vec<u8> = [0x3c00_u16, 0x4000, 0x4200, 0x4400].iter().flat_map(|n| n.to_le_bytes()).collect();
    let whole: Vec<u8> = [1_i32, 2, 3, 4].iter().flat_map(|n| n.to_le_bytes()).collect();
    let two = [2_u32.to_le_bytes(), 2_u32.to_le_bytes()].concat();
    let each = |bytes: &[u8]| {
        let (first, second) = bytes.split_at(bytes.len() / 2);
        [&2_u32.to_le_bytes()[..], first, &2_u32.to_le_bytes(), second].concat()
    };
    let npy = |kind: &str, bytes: &[u8]| {
        let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (2, 2), }}");
        while !(10 + header.len() + 1).is_multiple_of(64) {
            header.push(' ');
        }
        header.push('\n');
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), bytes].concat()
    };
    for (name, bytes) in [
        ("a.fbin", [&two[..], &floats].concat()),
        ("a.f16bin", [&two[..], &halves].concat()),
        ("a.u8bin", [&two[..], &[1, 2, 3, 4]].concat()),
        ("a.i8bin", [&two[..], &[1, 2, 3, 4]].concat()),
        ("a.ibin", [&two[..], &whole].concat()),
        ("a.fvecs", each(&floats)),
        ("a.bvecs", each(&[1, 2, 3, 4])),
        ("a.ivecs", each(&whole)),
        ("f4.npy", npy("<f4", &floats)),
        ("f8.npy", npy("<f8", &doubles)),
        ("f2.npy", npy("<f2", &halves)),
        ("u1.npy", npy("|u1", &[1, 2, 3, 4])),
    ] {
        let vectors = Vectors::read(write(name, bytes.clone())).unwrap();
        assert_eq!(
            (vectors.len(), vectors.row(0), vectors.row(1)),
            (2, vec![1.0, 2.0], vec![3.0, 4.0]),
            "{name}"
        );
        // Cut off anywhere it is an error, and never other vectors; where each vector stands for itself, between two of them
        // nobody can see it.
        let between = name.ends_with("vecs").then_some(bytes.len() / 2);
        for length in (0..bytes.len()).filter(|length| Some(*length) != between) {
            let path = write(name, bytes[..length].to_vec());
            assert!(Vectors::read(&path).is_err(), "{name} of {length} bytes");
        }
    }
}

#[test]
fn what_is_wrong_names_file_and_vector() {
    let two = Vectors::new(2, vec![1.0, 0.0, 0.0, 0.0]).unwrap();
    let error = Exact::new(two.clone(), Distance::Cosine).unwrap_err().to_string();
    assert_eq!(error, "the vectors: vector `1` has length 0, and so no angle: `distance: cosine` needs one");
    let error = Exact::new(two.clone(), Distance::Hamming).unwrap_err().to_string();
    assert!(error.contains("is of bits, packed into uint8"), "{error}");
    let exact = Exact::new(two, Distance::L2).unwrap();
    let three = Vectors::new(3, vec![1.0; 3]).unwrap();
    let error = exact.nearest(&three, &[0], 1, None).unwrap_err().to_string();
    assert_eq!(error, "the vectors has vectors of dimension 3, and the vectors of dimension 2");
    let huge = Vectors::new(1, vec![1e20]).unwrap();
    assert!(Exact::new(huge, Distance::L2).unwrap_err().to_string().contains("overflow"));
    let error = Vectors::read("vectors.csv").unwrap_err().to_string();
    assert!(error.contains("vectors are read by their file's ending"), "{error}");
}
