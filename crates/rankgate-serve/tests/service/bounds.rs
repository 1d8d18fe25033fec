//! Work has bounds: by caller, by time, by memory; and it ends with whoever asked for it.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rankgate_serve::{Limits, Rights, Settings, maintenance};
use serde_json::{Value, json};

use crate::client::send;
use crate::running::{Running, noon};
use crate::sample::{base, push, report, step};

fn limited(change: impl FnOnce(&mut Limits)) -> Running {
    Running::with(|mut settings| {
        change(&mut settings.limits);
        settings
    })
}

/// A comparison that takes minutes.
fn slow() -> Vec<u8> {
    let queries: Vec<Value> = (0..400).map(|_| json!({"relevant_docs": ["r"]})).collect();
    let list = |retriever: usize, query: usize| {
        let rank = (retriever * 31 + query * 17 + retriever * query) % 9;
        let all: Vec<String> = (0..rank).map(|other| format!("o{other}")).chain(["r".to_owned()]).collect();
        json!(all)
    };
    let lists = |retriever: usize| json!((0..400).map(|query| list(retriever, query)).collect::<Vec<_>>());
    let retrievers: serde_json::Map<String, Value> =
        (0..40).map(|retriever| (format!("r{retriever}"), lists(retriever))).collect();
    json!({"queries": queries, "retrievers": retrievers, "k_values": (1..60).collect::<Vec<_>>()})
        .to_string()
        .into_bytes()
}

/// Posts something and waits for nothing.
fn begun(server: &Running, path: &str, headers: &str, body: &[u8]) -> TcpStream {
    open_request(server, ("POST", path), headers, body)
}

/// Sends a request and waits for nothing.
fn open_request(server: &Running, (method, path): (&str, &str), headers: &str, body: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let host = server.address;
    let length = body.len();
    let head =
        format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    stream
}

fn metric(server: &Running, name: &str) -> u64 {
    let text = server.get("/metrics").expect(200).text();
    let line = text.lines().find(|line| line.starts_with(&format!("rankgate_{name} "))).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

/// Waits until so much is computed, for half a minute.
fn until(server: &Running, computing: u64, waiting: u64) -> bool {
    (0..600).any(|_| {
        thread::sleep(Duration::from_millis(50));
        (metric(server, "computing"), metric(server, "waiting")) == (computing, waiting)
    })
}

#[test]
fn what_nobody_waits_for_is_given_up() {
    let server = Running::on_sqlite();
    let body = slow();
    let all: Vec<TcpStream> = (0..6).map(|_| begun(&server, "/v1/compare", "", &body)).collect();
    // Of one caller half of what is computed at the same time, and the others wait.
    assert!(until(&server, 2, 4), "not what one caller may have computed");
    server.get("/ready").expect(200);
    drop(all);
    assert!(until(&server, 0, 0), "it goes on for nobody");
    // Those that waited were never begun.
    assert_eq!(metric(&server, "given_up_total"), 2);
}

#[test]
fn a_history_that_nobody_waits_for_is_given_up_and_told_whole_later() {
    // Losses of which it takes long to say whether they are by chance.
    let value = |state: usize, query: usize| {
        let by_chance = (query * (17 + 2 * state) % 11) as f64 - 5.0;
        let loss = if state == 0 { 0.0 } else { 0.04 * by_chance + 0.007 };
        0.5 + (query * 37 % 41) as f64 / 200.0 - loss
    };
    let states: Vec<Vec<f64>> =
        (0..6).map(|state| (0..3_000).map(|query| value(state, query)).collect()).collect();
    for path in ["/v1/projects/search/trends", "/projects/search/trend?branch=main"] {
        // What another path has computed is not computed again.
        let server = Running::on_sqlite();
        push(&server, &states, &[0, 1, 2, 3, 4, 5]);
        let asked = open_request(&server, ("GET", path), "", b"");
        assert!(until(&server, 1, 0), "{path} is not computed");
        drop(asked);
        assert!(until(&server, 0, 0), "{path} is computed for nobody");
        assert_eq!(metric(&server, "given_up_total"), 1, "{path} was computed to its end");
        server.get(path).expect(200);
        assert_eq!(metric(&server, "given_up_total"), 1);
        let told = server.get("/v1/projects/search/trends").expect(200).json();
        assert_eq!(told["histories"][0]["commits"].as_array().unwrap().len(), states.len());
        assert_eq!(told, server.get("/v1/projects/search/trends?branch=main").expect(200).json());
    }
}

#[test]
fn histories_take_so_much_memory_and_no_more() {
    let trends = |name: &str| format!("/v1/projects/search/trends?benchmark={name}");
    let fill = |memory: usize| {
        let server = limited(|limits| limits.memory = memory);
        push(&server, &step(), &(0..step().len()).collect::<Vec<_>>());
        let other = report("other", 1, &base(), &base());
        server.post_json("/v1/projects/search/reports", &other).expect(201);
        server
    };
    // One alone has more than all may have.
    let server = fill(8_000);
    for _ in 0..2 {
        server.get(&trends("other")).expect(200);
        let refused = server.get(&trends("helpdesk")).expect(422);
        assert!(
            refused.text().contains("the scores of helpdesk, bm25 take more than 0 MiB"),
            "{}",
            refused.text()
        );
    }
    // Each has room without the other.
    let (server, wide) = (fill(10_000), fill(1 << 20));
    for name in ["helpdesk", "other", "helpdesk", "other"] {
        let told = server.get(&trends(name)).expect(200).text();
        assert_eq!(told, wide.get(&trends(name)).expect(200).text());
    }
}

#[test]
fn a_benchmark_that_nobody_waits_for_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("queries.tsv", &(0..1_000).map(|query| format!("q{query}\tone\n")).collect::<String>());
    write("qrels.txt", &(0..1_000).map(|query| format!("q{query} 0 d1 1\n")).collect::<String>());
    write(
        "slow.py",
        "import json, sys, time\nsys.stdin.readline()\nprint('{\"rankgate\": 1}', flush=True)\nfor line in sys.stdin:\n    \
         time.sleep(0.2)\n    print(json.dumps({'id': json.loads(line)['id'], 'hits': ['d1']}), flush=True)\n\
         open('ended', 'w').close()\n",
    );
    write(
        "slow.yaml",
        "version: 1\nbenchmark: slow\ncollection: {trec: {queries: queries.tsv, qrels: qrels.txt}}\n\
         configurations: {mine: {command: [python3, slow.py]}}\nthresholds: [{metric: RR, min: 0.5}]\n",
    );
    let benchmarks = Some(folder.path().to_owned());
    let server = Running::with(|settings| Settings { benchmarks, ..settings });
    let asked = begun(&server, "/v1/benchmarks/slow/run", "", b"");
    assert!(until(&server, 1, 0), "it is not run");
    drop(asked);
    assert!(until(&server, 0, 0), "it is run for nobody");
    let ended = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(50));
        folder.path().join("ended").exists()
    });
    assert!(ended, "its program is asked on");
}

#[test]
fn what_takes_too_long_is_given_up_and_told() {
    let server = limited(|limits| limits.compute = Duration::from_millis(200));
    let answer = server.post("/v1/compare", &slow()).expect(503);
    assert!(answer.text().contains("send fewer queries, metrics or runs"), "{}", answer.text());
    assert!(until(&server, 0, 0), "it goes on");
    server
        .post_json("/v1/evaluate", &json!({"queries": [{"relevant_docs": ["a"]}], "retrieved": [["a"]]}))
        .expect(200);
}

#[test]
fn one_caller_leaves_room_for_others() {
    let server = limited(|limits| limits.waiting = 1);
    let token = |project: &str| {
        let times = (noon(), noon() + 1_000);
        maintenance::add_token(server.app.store(), project, "t", Rights::ALL, times).unwrap()
    };
    let (one, other) = (token("one"), token("other"));
    let (body, bearer) = (slow(), format!("Authorization: Bearer {one}\r\n"));
    // One after the other: of several in one moment more than one would wait for its turn.
    let compare = |computing, waiting| {
        let stream = begun(&server, "/v1/compare", &bearer, &body);
        assert!(until(&server, computing, waiting), "not {computing} computed and {waiting} waiting");
        stream
    };
    let all = [compare(1, 0), compare(2, 0), compare(2, 1)];
    let small = json!({"queries": [{"relevant_docs": ["a"]}], "retrieved": [["a"]]}).to_string();
    let refused = server.with_token(&one, ("POST", "/v1/evaluate"), small.as_bytes()).expect(429);
    assert!(refused.text().contains("1 of your requests wait already"), "{}", refused.text());
    assert!(refused.head.to_ascii_lowercase().contains("retry-after"), "{}", refused.head);
    server.with_token(&other, ("POST", "/v1/evaluate"), small.as_bytes()).expect(200);
    drop(all);
    assert!(until(&server, 0, 0));
}

#[test]
fn more_scores_than_may_be_are_refused_before_they_are_computed() {
    let server = limited(|limits| limits.scores = 10_000);
    let queries =
        |number: usize| json!((0..number).map(|_| json!({"relevant_docs": ["a"]})).collect::<Vec<_>>());
    let lists = |number: usize| json!((0..number).map(|_| json!(["a"])).collect::<Vec<_>>());
    let depths: Vec<usize> = (1..=100).collect();
    let asked =
        |number: usize| json!({"queries": queries(number), "retrieved": lists(number), "k_values": depths});
    server.post_json("/v1/evaluate", &asked(10)).expect(200);
    let refused = server.post_json("/v1/evaluate", &asked(20)).expect(413);
    assert!(
        refused.text().contains("20 queries by 502 metrics of 1 run are 10040 scores: at most 10000"),
        "{}",
        refused.text()
    );
    let compared =
        json!({"queries": queries(20), "retrievers": {"a": lists(20), "b": lists(20)}, "k_values": depths});
    server.post_json("/v1/compare", &compared).expect(413);
    let runs = json!({"judgments": "q1 0 d1 1\nq2 0 d1 1\n", "run": "q1 Q0 d1 1 1.0 t\n", "metrics": ["RR"]});
    server.post_json("/v1/evaluate", &runs).expect(200);
    limited(|limits| limits.scores = 1).post_json("/v1/evaluate", &runs).expect(413);
}

/// A judgment of its own takes a query 800 bytes in memory, however few it is long: 10 MiB do not hold 20,000 of them.
#[test]
fn judgments_and_rankings_that_memory_does_not_hold_are_refused_before_they_are_read() {
    let server = limited(|limits| limits.memory = 10 << 20);
    let judgments = |queries: usize, rows: usize| -> String {
        (0..queries * rows).map(|row| format!("{} 0 {row} 1\n", row % queries)).collect()
    };
    let run = |queries: usize, rows: usize| -> String {
        (0..queries * rows).map(|row| format!("{} Q0 {row} {row} 1 t\n", row % queries)).collect()
    };
    let small = "0 0 0 1\n";
    let asked = |judgments: &str, run: &str| json!({"judgments": judgments, "run": run, "metrics": ["RR"]});
    let refused = "its judgments and rankings take ";
    let post = |body: &Value, status: u16| {
        let answer = server.post_json("/v1/evaluate", body).expect(status);
        assert!(status == 200 || answer.text().contains(refused), "{}", answer.text());
    };
    // Rows of a few queries take little, in whatever order they are.
    post(&asked(&judgments(100, 200), &run(100, 200)), 200);
    post(&asked(&judgments(20_000, 1), &run(1, 1)), 413);
    post(&asked(small, &run(20_000, 1)), 413);
    // Neither takes too much by itself.
    post(&asked(&judgments(8_000, 1), &run(8_000, 1)), 413);
    let object = |queries: usize| {
        let own = (0..queries).map(|query| (query.to_string(), json!({"d": 1})));
        json!({"judgments": own.collect::<serde_json::Map<_, _>>(), "run": run(1, 1), "metrics": ["RR"]})
    };
    post(&object(100), 200);
    post(&object(20_000), 413);
    let lists = |queries: usize| json!(vec![json!(["a"]); queries]);
    let plain = |queries: usize| json!({"queries": vec![json!({"relevant_docs": ["a"]}); queries], "retrieved": lists(queries)});
    post(&plain(100), 200);
    post(&plain(8_000), 413);
    let compared = json!({"queries": vec![json!({"relevant_docs": ["a"]}); 5_000], "retrievers": {"a": lists(5_000), "b": lists(5_000)}});
    let answer = server.post_json("/v1/compare", &compared).expect(413);
    assert!(answer.text().contains(refused), "{}", answer.text());
    let answer = server.post("/v1/projects/search/runs", run(20_000, 1).as_bytes()).expect(413);
    assert!(answer.text().contains(refused), "{}", answer.text());
}

/// Each would be looked for among those before it: a body of 64 MiB holds the hundred thousand that there are, and each of them a
/// hundred times.
#[test]
fn depths_beyond_a_hundred_are_refused_at_the_hundred_and_first() {
    let server = Running::on_sqlite();
    let depths: Vec<usize> = (1..=100_000).collect();
    let asked = json!({"queries": [{"relevant_docs": ["a"]}], "retrieved": [["a"]], "k_values": depths});
    let refused = server.post_json("/v1/evaluate", &asked).expect(422);
    assert!(refused.text().contains("more than 100 values"), "{}", refused.text());
}

#[test]
fn bodies_that_arrive_have_room_for_so_many() {
    let server = limited(|limits| (limits.bodies, limits.body) = (4 << 20, 1 << 20));
    let half = || {
        let body = vec![b' '; 900 << 10];
        let mut stream = TcpStream::connect(server.address).unwrap();
        let head = format!(
            "POST /v1/evaluate HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n",
            server.address,
            1 << 20
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        stream
    };
    let held: Vec<TcpStream> = (0..2).map(|_| half()).collect();
    held.iter().for_each(|stream| stream.set_nonblocking(true).unwrap());
    let is_refused =
        |mut stream: &TcpStream| stream.read(&mut [0; 12]).is_ok_and(|read| read == b"HTTP/1.1 503".len());
    // Half of all is one caller's: no matter which of them arrives last, there is no room for it.
    let refused = (0..600).any(|_| {
        thread::sleep(Duration::from_millis(20));
        let answer = send(server.address, ("POST", "/v1/evaluate"), &[], &vec![b' '; 500 << 10]).unwrap();
        answer.status == 503 && answer.text().contains("leave no room") || held.iter().any(is_refused)
    });
    assert!(refused, "there is room for any number");
    server.post("/v1/evaluate", b"{}").expect(422);
    drop(held);
}

#[test]
fn what_is_kept_is_answered_in_so_much_room() {
    let server = limited(|limits| limits.bodies = 16 << 20);
    let put = |bytes: usize| {
        let text = vec![b'x'; bytes];
        let path = format!("/v1/blobs/{}?project=search", rankgate_serve::hash::sha256(&text));
        send(server.address, ("PUT", &path), &[], &text).unwrap().expect(201);
        path
    };
    let (large, small) = (put(7 << 20), put(1 << 10));
    // Each asks, takes the beginning of the answer, and no more of it.
    let held: Vec<TcpStream> = (0..12)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream
                .write_all(format!("GET {large} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).as_bytes())
                .unwrap();
            stream
        })
        .collect();
    let refused = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(20));
        server.get(&large).status == 503
    });
    assert!(refused, "any number of answers is held");
    server.get(&small).expect(200);
    drop(held);
    let again = (0..500).any(|_| {
        thread::sleep(Duration::from_millis(20));
        server.get(&large).status == 200
    });
    assert!(again, "room is not given back");
}

#[test]
fn files_that_were_sent_before_are_held_to_the_limit_of_a_body() {
    let server = limited(|limits| limits.body = 10_000);
    let put = |text: &str| {
        let sha256 = rankgate_serve::hash::sha256(text.as_bytes());
        let path = format!("/v1/blobs/{sha256}?project=search");
        send(server.address, ("PUT", &path), &[], text.as_bytes()).unwrap().expect(201);
        sha256
    };
    let run = |tag: &str| {
        (0..150).map(|rank| format!("q1 Q0 d{rank} 1 {} {tag}\n", 200 - rank)).collect::<String>()
    };
    let (judgments, one, other) = (put("q1 0 d1 1\n"), put(&run("one")), put(&run("two")));
    let evaluated =
        json!({"judgments_sha256": judgments, "run_sha256": one, "project": "search", "metrics": ["RR"]});
    server.post_json("/v1/evaluate", &evaluated).expect(200);
    let third = put(&run("three"));
    let runs = json!({"one": one, "two": other, "three": third, "four": one});
    let compared = json!({"judgments_sha256": judgments, "judgments": null, "runs_sha256": runs, "project": "search", "metrics": ["RR"]});
    let refused = server.post_json("/v1/compare", &compared).expect(413);
    assert!(
        refused.text().contains("the files that it names have more than 10000 bytes"),
        "{}",
        refused.text()
    );
}

#[test]
fn half_sent_forms_keep_nobody_elsewhere_from_signing_in() {
    let server = limited(|limits| limits.connections_of_address = 200);
    let head = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ntoken=";
    let held: Vec<TcpStream> = (0..140)
        .map(|_| {
            let mut stream = crate::connections::from(server.address, "127.0.0.2");
            drop(stream.write_all(format!("POST /sign-in HTTP/1.1\r\nHost: localhost\r\n{head}").as_bytes()));
            stream
        })
        .collect();
    let answer = server.post("/sign-in", b"token=a&proof=b");
    assert_eq!(answer.status, 403, "{}", answer.text());
    drop(held);
}

#[test]
fn a_reader_that_panics_comes_back() {
    let server = Running::on_sqlite();
    for _ in 0..20 {
        let store = server.app.store();
        let read =
            std::panic::AssertUnwindSafe(|| store.read::<()>(|_| std::panic::resume_unwind(Box::new(()))));
        assert!(std::panic::catch_unwind(read).is_err());
    }
    server.get("/ready").expect(200);
}

#[test]
fn a_write_that_panics_ends_no_other() {
    let server = Running::on_sqlite();
    for _ in 0..3 {
        let store = server.app.store();
        let wrote = store.write::<()>(|_| std::panic::resume_unwind(Box::new(())));
        assert!(wrote.unwrap_err().message.contains("a fault"));
        assert!(store.write(|session| session.query("SELECT 1", &[])).is_ok_and(|rows| rows.len() == 1));
    }
    server.get("/ready").expect(200);
}

#[test]
fn a_full_pool_is_not_ready() {
    let server = Running::on_sqlite();
    let (free, wait) = channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    thread::scope(|scope| {
        let (app, wait) = (&server.app, &wait);
        for _ in 0..8 {
            scope.spawn(move || {
                app.store()
                    .read(|_| {
                        let _ = wait.lock().unwrap_or_else(std::sync::PoisonError::into_inner).recv();
                        Ok(())
                    })
                    .unwrap();
            });
        }
        let told = (0..100).find_map(|_| {
            thread::sleep(Duration::from_millis(20));
            Some(server.get("/ready")).filter(|answer| answer.status != 200)
        });
        let told = told.expect("it is ready without a reader");
        assert_eq!(told.status, 503);
        assert!(told.text().contains("no reader of the database was free"), "{}", told.text());
        server.get("/health").expect(200);
        drop(free);
    });
    server.get("/ready").expect(200);
}
