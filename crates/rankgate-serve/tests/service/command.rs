//! `rankgate push` and `rankgate alarms` against the real server.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::running::Running;
use crate::sample::{report, step};

/// The command of this workspace, with what it may lack built now.
fn rankgate() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--all-features", "--bin", "rankgate"])
        .current_dir(root)
        .status()
        .unwrap();
    assert!(built.success());
    // This test lies in `deps` beside it.
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join("rankgate")
}

#[test]
fn a_first_push_sends_thousands_of_commits() {
    const COMMITS: usize = 4_500;
    let (server, folder) = (Running::on_sqlite(), tempfile::tempdir().unwrap());
    let git = |arguments: &[&str], input: &str| {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut git = git.spawn().unwrap();
        git.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = git.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet", "--initial-branch=main", "."], "");
    let commit = |number: usize| {
        let subject = format!("Change {number}");
        format!(
            "commit refs/heads/main\ncommitter n <a@b.c> {} +0000\ndata {}\n{subject}\n",
            1_700_000_000 + number,
            subject.len()
        )
    };
    git(&["fast-import", "--quiet"], &(0..COMMITS).map(commit).collect::<String>());
    let head = git(&["rev-parse", "HEAD"], "");
    let mut one = report("helpdesk", 1, &step()[0], &step()[0]);
    one["history"]["commit"] = json!(head);
    fs::write(folder.path().join("report.json"), one.to_string()).unwrap();
    let url = format!("http://{}", server.address);
    let output = Command::new(rankgate())
        .args(["push", "report.json", "--to", &url, "--project", "search", "--branch", "main"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line = server.get("/v1/projects/search/commits").expect(200).json();
    let line = line["commits"].as_array().unwrap();
    assert_eq!((line.len(), &line[0]["subject"]), (COMMITS, &json!("Change 0")));
    assert_eq!(line[COMMITS - 1]["commit"], head);
}

#[test]
fn what_the_command_pushes_is_told_and_acknowledged() {
    let server = Running::on_sqlite();
    let folder = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str], number: usize| {
        let time = format!("{} +0000", 1_700_000_000 + 86_400 * number);
        let output = Command::new("git")
            .args(["-c", "user.name=n", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(folder.path())
            .env("GIT_COMMITTER_DATE", &time)
            .env("GIT_AUTHOR_DATE", &time)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet", "--initial-branch=main", "."], 0);
    let states = step();
    for (number, values) in states.iter().enumerate() {
        git(&["commit", "--quiet", "--allow-empty", "--message", &format!("Change {number}")], number);
        let mut one = report("helpdesk", number, values, &states[0]);
        one["history"]["commit"] = json!(git(&["rev-parse", "HEAD"], number));
        let own = folder.path().join(format!("artifacts/{number}"));
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("report.json"), one.to_string()).unwrap();
    }
    let program = rankgate();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        for (name, _) in std::env::vars() {
            if ["GITHUB_", "CI", "RANKGATE_", "BUILD"].iter().any(|prefix| name.starts_with(prefix)) {
                command.env_remove(name);
            }
        }
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code().unwrap(), text)
    };
    let url = format!("http://{}", server.address);
    let push = ["push", "artifacts", "--to", &url, "--project", "search", "--fail-on-alarm"];
    let (status, said) = run(&push);
    assert_eq!((status, said.matches(": pushed, ").count()), (1, 21), "{said}");
    assert!(said.contains("suspect: ") && said.contains(" Change 20\n"), "{said}");
    // Again, it is there already.
    let (status, said) = run(&push);
    assert_eq!((status, said.matches(": was there already, ").count()), (1, 21), "{said}");
    let listed = server.get("/v1/projects/search/reports").json();
    assert_eq!(listed["reports"].as_array().unwrap().len(), 21);
    let alarms = server.get("/v1/projects/search/alarms").json();
    let id = alarms["alarms"][0]["id"].as_str().unwrap();
    let base = git(&["rev-parse", "HEAD~3"], 0);
    assert_eq!(run(&[&push[..], &["--base", &base]].concat()).0, 1);
    let of_alarms =
        |options: &[&str]| run(&[&["alarms", "--of", &url, "--project", "search"], options].concat());
    let note = ["--acknowledge", id, "--note", "the price of freshness"];
    let (status, said) = of_alarms(&note);
    assert!(status == 0 && said.contains("no alarm stands"), "{said}");
    assert_eq!(run(&push).0, 0);
    let (status, said) = of_alarms(&["--withdraw", id, "--fail-on-alarm"]);
    assert!(status == 1 && said.contains("is withdrawn") && said.contains("1 alarm stands"), "{said}");
    assert_eq!(run(&push).0, 1);
    let (status, said) = of_alarms(&["--withdraw", id, "--show-bodies"]);
    assert!(status == 2 && said.contains("no acknowledged alarm"), "{said}");
    assert_eq!(of_alarms(&note).0, 0);
    // One that was not measured.
    git(&["commit", "--quiet", "--allow-empty", "--message", "Not measured"], 30);
    let (status, said) = run(&[&push[..], &["--base", "HEAD", "--show-bodies"]].concat());
    assert!(status == 2 && said.contains("no other commit is taken for it"), "{said}");
}
