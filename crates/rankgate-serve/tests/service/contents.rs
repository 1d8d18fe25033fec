//! Reports are kept as what they differ by, and come back byte for byte.

use rankgate_serve::maintenance::{Removed, Retention, check, retain};
use rankgate_serve::store::{Session, Store};

use crate::running::{Running, noon};
use crate::sample::{base, push, report, step};

/// Of each kept content its size, the bytes that it takes, and the hash that it rests on; by its hash.
fn kept(store: &Store) -> Vec<(String, i64, usize, Option<String>)> {
    let sql = "SELECT sha256, size, gzip, base FROM blob ORDER BY sha256";
    let rows = store.read(|session| session.query(sql, &[])).unwrap();
    let row = |row: &rankgate_serve::store::Row| {
        let base = row.has(3).then(|| row.text(3).to_owned());
        (row.text(0).to_owned(), row.int(1), row.bytes(2).len(), base)
    };
    rows.iter().map(row).collect()
}

#[test]
fn a_report_of_a_known_ranking_keeps_what_differs() {
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        let sent: Vec<String> =
            (0..110).map(|number| report("helpdesk", number, &base(), &base()).to_string()).collect();
        for one in &sent {
            server.post("/v1/projects/search/reports", one.as_bytes()).expect(201);
        }
        let store = server.app.store();
        let same = |from: usize| {
            for (number, one) in sent.iter().enumerate().skip(from) {
                let path = format!("/v1/projects/search/reports/{}", number + 1);
                assert!(server.get(&path).expect(200).text() == *one, "{path}");
            }
            assert_eq!(check(store).unwrap(), Vec::<String>::new());
        };
        same(0);
        // A hundred rest on the first; the next is whole again.
        let all = kept(store);
        let whole: Vec<&(String, i64, usize, Option<String>)> =
            all.iter().filter(|one| one.3.is_none()).collect();
        assert_eq!((all.len(), whole.len()), (110, 2));
        let most = all.iter().filter(|one| one.3.is_some()).map(|one| one.2).max().unwrap();
        assert!(most < 400 && whole.iter().all(|one| one.2 > 10 * most), "{most} {whole:?}");
        // The first goes, on which a hundred rest: of those that stay, one carries the others.
        let keep = Retention { days: None, reports: Some(60), nearly_all: false };
        assert_eq!(retain(store, keep, noon()).unwrap(), Removed { reports: 50, blobs: 50 });
        same(50);
        let all = kept(store);
        let whole = |one: &&String| all.iter().any(|other| other.0 == **one && other.3.is_none());
        assert_eq!(all.len(), 60);
        assert!(all.iter().filter_map(|one| one.3.as_ref()).all(|base| whole(&base)));
        assert_eq!(all.iter().filter(|one| one.3.is_none()).count(), 2);
    }
}

#[test]
fn what_rests_on_nothing_is_found_by_the_check() {
    let server = Running::on_sqlite();
    for number in 0..3 {
        let report = report("helpdesk", number, &base(), &base());
        server.post_json("/v1/projects/search/reports", &report).expect(201);
    }
    let store = server.app.store();
    store
        .write(|session| session.execute("UPDATE blob SET base = 'gone' WHERE base IS NOT NULL", &[]))
        .unwrap();
    let wrong = check(store).unwrap();
    let why =
        |one: &&String| one.starts_with("blob ") && one.ends_with("rests on blob gone, which is not there");
    assert_eq!(wrong.iter().filter(why).count(), 2, "{wrong:?}");
    server.get("/v1/projects/search/reports/2").expect(500);
}

#[test]
fn tests_of_a_history_are_not_made_again_after_a_restart() {
    let trend = "/v1/projects/search/trends";
    let rows = |session: &mut dyn Session| session.query("SELECT number, bytes FROM p_values", &[]);
    let mut server = Running::on_sqlite();
    push(&server, &step(), &(0..=20).collect::<Vec<_>>());
    let told = server.get(trend).expect(200).json();
    let kept = server.app.store().read(rows).unwrap();
    assert_eq!(kept.len(), 1);
    assert!(!kept[0].bytes(1).is_empty());
    // A server that has told nothing yet tells the same, and makes no test.
    server = server.restarted();
    assert_eq!(server.get(trend).expect(200).json(), told);
    assert_eq!(server.app.store().read(rows).unwrap().len(), 1);
    // What is kept decides: without a p-value that is small there is no alarm.
    let mut bytes = kept[0].bytes(1).to_vec();
    bytes.chunks_mut(24).for_each(|row| row[16..].copy_from_slice(&0.5_f64.to_le_bytes()));
    let sql = "UPDATE p_values SET bytes = $1";
    server.app.store().write(move |session| session.execute(sql, &[bytes.clone().into()])).unwrap();
    server = server.restarted();
    let blind = server.get(trend).expect(200).json();
    assert_eq!(blind["histories"][0]["alarms"].as_array().unwrap().len(), 0);
    // Bytes that are no p-values are an error, not a history without them.
    let cut = "UPDATE p_values SET bytes = $1";
    server.app.store().write(|session| session.execute(cut, &[vec![1, 2, 3].into()])).unwrap();
    server.restarted().get(trend).expect(500);
}

#[test]
fn documents_behind_alarms_are_known_after_a_restart() {
    let trend = "/v1/projects/search/trends";
    let rows = |session: &mut dyn Session| session.query("SELECT comparison FROM explanation", &[]);
    let server = Running::on_sqlite();
    push(&server, &step(), &(0..=20).collect::<Vec<_>>());
    let told = server.get(trend).expect(200).json();
    let alarms = told["histories"][0]["alarms"].as_array().unwrap().len();
    assert!(alarms > 0);
    let store = server.app.store();
    assert_eq!(store.read(rows).unwrap().len(), alarms);
    // A server that has told nothing yet takes what is kept: a mark in it comes back.
    let mark = "UPDATE explanation SET queries = REPLACE(queries, '\"query\":\"q', '\"query\":\"marked-q')";
    assert_eq!(store.write(|session| session.execute(mark, &[])).unwrap(), alarms as u64);
    let server = server.restarted();
    let again = server.get(trend).expect(200).json();
    let first = &again["histories"][0]["alarms"][0]["queries"][0]["query"];
    assert!(first.as_str().unwrap().starts_with("marked-q"), "{first}");
    // Nothing is taken of what was kept before something was rewritten.
    let keep = Retention { days: None, reports: Some(20), nearly_all: false };
    assert_eq!(retain(server.app.store(), keep, noon()).unwrap().reports, 1);
    assert!(server.app.store().read(rows).unwrap().is_empty());
    let told = server.get(trend).expect(200).json();
    assert!(!told.to_string().contains("marked-q"));
}
