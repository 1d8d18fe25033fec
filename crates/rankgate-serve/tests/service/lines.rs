//! The line of a branch: set back, rewritten, and of another repository.

use serde_json::{Value, json};

use crate::running::Running;
use crate::sample::{base, commits, id, lower, push, ranking, report, step};

const COMMITS: &str = "/v1/projects/search/commits";
const REPORTS: &str = "/v1/projects/search/reports";

fn both() -> [Running; 2] {
    [Running::on_sqlite(), Running::on_postgres()]
}

/// How many alarms stand, and whether alarms cover a commit.
fn alarms(server: &Running, commit: usize) -> (u64, bool) {
    let path = format!("/v1/projects/search/alarms?benchmark=helpdesk&commit={}", id(commit));
    let answer = server.get(&path).expect(200).json();
    (answer["standing"].as_u64().unwrap(), answer["covers_commit"].as_bool().unwrap())
}

/// Commits up to one at which the branch was set back.
fn set_back(until: usize) -> Value {
    let mut sent = commits(until - 2, until);
    sent["reset"] = json!(true);
    sent
}

#[test]
fn a_commit_that_was_reset_away_is_covered_no_more() {
    for server in both() {
        let states = step();
        push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
        assert_eq!(alarms(&server, 20), (1, true));
        server.post_json(COMMITS, &set_back(19)).expect(200);
        assert_eq!((alarms(&server, 20), alarms(&server, 19)), ((0, false), (0, true)));
        // A run of it that comes late changes nothing.
        server.post_json(COMMITS, &commits(18, 20)).expect(200);
        assert_eq!(alarms(&server, 20), (0, false));
        // Somebody sets the branch back to it.
        server.post_json(COMMITS, &set_back(20)).expect(200);
        assert_eq!(alarms(&server, 20), (1, true));
        // What is pushed next came later, however old its clock says it is.
        let mut rewritten = commits(18, 19);
        (rewritten["commits"][1]["commit"], rewritten["commits"][1]["time"]) = (json!(id(99)), json!(1));
        server.post_json(COMMITS, &rewritten).expect(200);
        assert_eq!(alarms(&server, 20), (0, false));
    }
}

#[test]
fn a_commit_of_the_year_2030_hides_nothing_that_came_after_it_was_rewritten() {
    for server in both() {
        let states = step();
        push(&server, &states, &[0, 1, 2]);
        let mut dated = commits(2, 3);
        dated["commits"][1]["time"] = json!(1_900_000_000);
        dated["commits"][1]["commit"] = json!(id(77));
        server.post_json(COMMITS, &dated).expect(200);
        assert_eq!(alarms(&server, 2), (0, true));
        push(&server, &states, &(3..states.len()).collect::<Vec<_>>());
        assert_eq!(alarms(&server, 20), (1, true));
    }
}

#[test]
fn a_project_is_of_one_repository() {
    for server in both() {
        let with_root = |mut sent: Value, root: usize| {
            sent["root"] = json!(id(root));
            sent
        };
        server.post_json(COMMITS, &with_root(commits(0, 2), 0)).expect(200);
        server.post_json(COMMITS, &with_root(commits(1, 3), 0)).expect(200);
        let refused = server.post_json(COMMITS, &with_root(commits(50, 52), 50)).expect(409).json();
        assert_eq!(
            refused["detail"],
            "this project has the commits of another repository: the first of them is 000000000000, and that of these \
             is 000000000000; push each repository to a project of its own"
        );
        let one = report("helpdesk", 51, &base(), &base());
        server.post_json(&format!("{REPORTS}?root={}", id(50)), &one).expect(409);
        server.post_json(&format!("{REPORTS}?root=main"), &one).expect(422);
        assert_eq!(server.get(REPORTS).expect(200).json()["reports"], json!([]));
        // Who does not know the first commit, as of a shallow clone, names none.
        let two = report("helpdesk", 2, &base(), &base());
        server.post_json(&format!("{REPORTS}?root={}", id(0)), &two).expect(201);
        server.post_json(COMMITS, &commits(3, 4)).expect(200);
    }
}

/// A report that blessed its ranking, or another one, as somebody accepted it or not.
fn blessed(commit: usize, values: &[f64], accepted: bool) -> Value {
    let mut one = report("helpdesk", commit, values, values);
    one["history"]["configurations"][0]["accepted"] = json!(accepted);
    assert_eq!(one["history"]["configurations"][0]["golden"], json!(ranking(values)));
    one
}

#[test]
fn a_loss_that_is_blessed_in_its_commit_stands_until_somebody_accepts_it() {
    for server in both() {
        let low = lower(&base(), 0.25);
        for (number, values) in [base(), base(), low.clone(), low.clone()].iter().enumerate() {
            server.post_json(REPORTS, &blessed(number, values, false)).expect(201);
        }
        server.post_json(COMMITS, &commits(0, 3)).expect(200);
        let told = server.get("/v1/projects/search/alarms?benchmark=helpdesk").expect(200).json();
        let alarm = &told["alarms"][0];
        assert_eq!((&told["standing"], &alarm["commit"]), (&json!(1), &json!(id(2))));
        assert_eq!((&alarm["blessed"]["commit"], &alarm["open"]), (&json!(id(2)), &json!(true)));
        let page = server.get("/projects/search/alarms").expect(200).text();
        assert!(page.contains("and said nothing of the loss"), "{page}");
        // A bless that accepts it, later.
        server.post_json(REPORTS, &blessed(4, &low, true)).expect(201);
        server.post_json(COMMITS, &commits(3, 4)).expect(200);
        let told = server.get("/v1/projects/search/alarms?benchmark=helpdesk").expect(200).json();
        assert_eq!((&told["standing"], &told["alarms"][0]["acknowledged"]), (&json!(0), &json!(true)));
    }
}
