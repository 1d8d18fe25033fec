//! Reports posted, and what is told of them.

use serde_json::{Value, json};

use crate::running::Running;
use crate::sample::{base, commits, id, lower, push, report, step};

const TRENDS: &str = "/v1/projects/search/trends?benchmark=helpdesk";
const ALARMS: &str = "/v1/projects/search/alarms?benchmark=helpdesk";

fn both() -> [Running; 2] {
    [Running::on_sqlite(), Running::on_postgres()]
}

#[test]
fn a_drop_after_a_constant_history_alarms() {
    for server in both() {
        let states = step();
        push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
        let alarms = server.get(ALARMS).expect(200).json();
        assert_eq!((&alarms["standing"], alarms["alarms"].as_array().unwrap().len()), (&json!(1), 1));
        let alarm = &alarms["alarms"][0];
        assert_eq!((&alarm["commit"], &alarm["open"]), (&json!(id(20)), &json!(true)));
        let suspects: Vec<&str> = alarm["suspects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["subject"].as_str().unwrap())
            .collect();
        assert_eq!(suspects, ["Change 20"]);
        // Documents come from the reports of both rankings; here they show the same.
        assert_eq!(alarm["queries"][0]["text"], "refund for a cancelled order");
        let trend = server.get(TRENDS).expect(200).json();
        let told = &trend["histories"][0];
        assert_eq!(
            (told["states"].as_array().unwrap().len(), told["commits"].as_array().unwrap().len()),
            (2, 21)
        );
    }
}

#[test]
fn pushes_late_twice_or_out_of_order_give_the_same_alarms() {
    let states = step();
    let expected = {
        let server = Running::on_sqlite();
        push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
        (server.get(TRENDS).expect(200).text(), server.get(ALARMS).expect(200).text())
    };
    let orders: [Vec<usize>; 3] = [
        (0..states.len()).rev().collect(),
        (0..states.len()).map(|number| number * 8 % 21).collect(),
        [20].into_iter().chain(0..20).collect(),
    ];
    for order in orders {
        let server = Running::on_sqlite();
        push(&server, &states, &order);
        // A second time, by a run of CI that was started again.
        for number in [3, 20] {
            let again = report("helpdesk", number, &states[number], &states[0]);
            assert_eq!(
                server.post_json("/v1/projects/search/reports", &again).expect(200).json()["new"],
                false
            );
            let body = again.to_string() + "\n";
            server.post("/v1/projects/search/reports", body.as_bytes()).expect(201);
        }
        assert_eq!((server.get(TRENDS).text(), server.get(ALARMS).text()), expected, "{order:?}");
    }
}

#[test]
fn an_acknowledged_alarm_never_returns() {
    for server in both() {
        let mut states = step();
        push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
        let alarm = server.get(ALARMS).json()["alarms"][0]["id"].as_str().unwrap().to_owned();
        let path = format!("/v1/projects/search/alarms/{alarm}/acknowledge");
        let note = json!({"note": "the new index is smaller, and worth it"});
        assert_eq!(server.post_json(&path, &note).expect(200).json()["configuration"], "bm25");
        // Commits that keep the ranking, and one that was sent late.
        states.extend([states[20].clone(), states[20].clone()]);
        for number in [22, 21] {
            let one = report("helpdesk", number, &states[number], &states[0]);
            server.post_json("/v1/projects/search/reports", &one).expect(201);
        }
        server.post_json("/v1/projects/search/commits", &commits(20, 22)).expect(200);
        let alarms = server.get(ALARMS).json();
        assert_eq!((&alarms["standing"], alarms["alarms"].as_array().unwrap().len()), (&json!(0), 1));
        assert_eq!(alarms["alarms"][0]["note"], note["note"]);
        // A further loss is another alarm.
        let further = report("helpdesk", 23, &lower(&states[20], 0.2), &states[0]);
        server.post_json("/v1/projects/search/reports", &further).expect(201);
        server.post_json("/v1/projects/search/commits", &commits(22, 23)).expect(200);
        assert_eq!(server.get(ALARMS).json()["standing"], 1);
        server.post_json("/v1/projects/search/alarms/000000000000/acknowledge", &note).expect(404);
        // A loss is accepted for a reason.
        for body in [json!({}), json!({"note": " \n"})] {
            let problem = server.post_json(&path, &body).expect(422).json();
            assert_eq!(problem["place"]["pointer"], "/note");
        }
    }
}

#[test]
fn an_acknowledgement_that_is_withdrawn_leaves_all_as_it_was() {
    for server in both() {
        let states = step();
        push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
        let before = server.get(ALARMS).json();
        let alarm = before["alarms"][0]["id"].as_str().unwrap().to_owned();
        let [accept, withdraw] =
            ["acknowledge", "withdraw"].map(|done| format!("/v1/projects/search/alarms/{alarm}/{done}"));
        server.post(&withdraw, b"").expect(404);
        server.post_json(&accept, &json!({"note": "a mistake"})).expect(200);
        assert_eq!(server.get(ALARMS).json()["standing"], 0);
        server.post_json(&withdraw, &json!({"benchmark": "another"})).expect(404);
        let done = server.post_json(&withdraw, &json!({"benchmark": "helpdesk"})).expect(200).json();
        assert_eq!((&done["alarm"], &done["note"]), (&json!(alarm), &json!("a mistake")));
        assert_eq!(server.get(ALARMS).json(), before);
        server.post(&withdraw, b"").expect(404);
        let check = || rankgate_serve::maintenance::check(server.app.store()).unwrap();
        assert_eq!(check(), Vec::<String>::new());
        // It may be accepted after all.
        server.post_json(&accept, &json!({"note": "as agreed"})).expect(200);
        let told = server.get(ALARMS).json();
        assert_eq!((&told["standing"], &told["alarms"][0]["note"]), (&json!(0), &json!("as agreed")));
        assert_eq!(check(), Vec::<String>::new());
    }
}

#[test]
fn a_missing_base_is_an_error_not_another_commit() {
    let server = Running::on_sqlite();
    let states = step();
    push(&server, &states, &[0, 1, 2, 20]);
    server.post_json("/v1/projects/search/commits", &commits(0, 20)).expect(200);
    let told = |base: usize| server.get(&format!("{TRENDS}&base={}", id(base)));
    assert_eq!(told(2).expect(200).json()["histories"][0]["commits"].as_array().unwrap().len(), 2);
    let problem = told(5).expect(422).json();
    assert!(problem["detail"].as_str().unwrap().contains("no other commit is taken for it"), "{problem}");
    told(99).expect(422);
}

#[test]
fn a_gate_removed_from_the_spec_stops_alarming() {
    let server = Running::on_sqlite();
    let states = step();
    push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
    assert_eq!(server.get(ALARMS).json()["standing"], 1);
    let mut without = report("helpdesk", 21, &states[20], &states[0]);
    without["history"]["configurations"][0]["gated"] = json!([]);
    server.post_json("/v1/projects/search/reports", &without).expect(201);
    server.post_json("/v1/projects/search/commits", &commits(20, 21)).expect(200);
    assert_eq!(server.get(ALARMS).json()["standing"], 0);
}

#[test]
fn changed_judgments_open_an_epoch_not_an_alarm() {
    let server = Running::on_sqlite();
    let mut states = vec![base(); 5];
    push(&server, &states, &[0, 1, 2, 3, 4]);
    states.push(lower(&base(), 0.3));
    let mut changed = report("helpdesk", 5, &states[5], &states[5]);
    changed["history"]["judgments"] = json!("others");
    server.post_json("/v1/projects/search/reports", &changed).expect(201);
    server.post_json("/v1/projects/search/commits", &commits(4, 5)).expect(200);
    let told = server.get(TRENDS).json();
    let told = &told["histories"][0];
    assert_eq!(told["alarms"], json!([]));
    // Its golden run is the new ranking itself, which says nothing of the one before.
    let epoch = json!({"from": id(5), "changed": ["judgments"], "anew": true, "untold": true});
    assert_eq!(told["epochs"][1], epoch);
}

#[test]
fn what_is_not_on_the_line_is_named() {
    let server = Running::on_sqlite();
    push(&server, &[base(), base()], &[0, 1]);
    let elsewhere = report("helpdesk", 77, &base(), &base());
    server.post_json("/v1/projects/search/reports", &elsewhere).expect(201);
    let told = server.get(TRENDS).expect(200).json();
    let refused: &Value = &told["histories"][0]["refused"];
    assert_eq!(refused[0]["what"], format!("commit {}", id(77)));
    assert_eq!(told["histories"][0]["commits"].as_array().unwrap().len(), 2);
    server.get("/v1/projects/search/trends?benchmark=other").expect(404);
    server.get("/v1/projects/other/trends").expect(404);
}
