//! Test runs at the same time, and runs that were cut off: nobody gets the answers of another.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::user::{Crate, Ran};

/// Starts all commands, waits for all, and gives their exit codes with all that they said.
fn at_once(commands: impl IntoIterator<Item = Command>) -> Vec<(Option<i32>, String)> {
    let start = |mut command: Command| command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children: Vec<Child> = commands.into_iter().map(start).collect();
    let end = |child: Child| {
        let output = child.wait_with_output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    children.into_iter().map(end).collect()
}

/// The reports, which are whole.
fn is_whole(user: &Crate) {
    let read = |name| fs::read_to_string(user.output(name)).unwrap();
    serde_json::from_str::<serde_json::Value>(&read("toy/report.json")).unwrap();
    assert!(read("toy/report.html").ends_with("</html>\n"));
}

#[test]
fn runs_in_one_checkout_each_have_their_own_answers_and_leave_whole_reports() {
    let user = Crate::blessed();
    let binary = user.binary();
    let faults = [None, Some("reversed"), None, Some("reversed")];
    let command = |fault: Option<&str>| {
        let variables = fault.map(|fault| ("FIXTURE_FAULT", fault));
        user.command(&binary, &[], variables.as_slice())
    };
    for (fault, (code, said)) in faults.into_iter().zip(at_once(faults.map(command))) {
        let expected = if fault.is_some() { 101 } else { 0 };
        assert_eq!(code, Some(expected), "{said}");
        assert_eq!(said.contains("words is below its threshold on nDCG@3"), fault.is_some(), "{said}");
    }
    is_whole(&user);
}

#[test]
fn those_who_bless_at_once_bless_the_same() {
    let user = Crate::blessed();
    let files = || ["run", "snap"].map(|ending| user.read(&format!("golden/toy/words.{ending}")));
    let (binary, blessed) = (user.binary(), files());
    fs::remove_dir_all(user.path("golden")).unwrap();
    let bless = |_| user.command(&binary, &[], &[("RANKGATE_BLESS", "1")]);
    for (code, said) in at_once((0..4).map(bless)) {
        assert_eq!(code, Some(0), "{said}");
    }
    assert_eq!(files(), blessed);
    assert_eq!(fs::read_dir(user.path("golden/toy")).unwrap().count(), 2, "nothing else is left");
}

/// One gate in a process of its own, as nextest starts it.
fn gate(user: &Crate, binary: &str, run: &str, gate: &str, fault: &str) -> Command {
    let variables = [
        ("NEXTEST", "1"),
        ("NEXTEST_EXECUTION_MODE", "process-per-test"),
        ("NEXTEST_RUN_ID", run),
        ("FIXTURE_FAULT", fault),
    ];
    let mut command = user.command(binary, &["--exact", gate, "--nocapture"], &variables);
    if fault.is_empty() {
        command.env_remove("FIXTURE_FAULT");
    }
    command
}

/// The folders that the processes of a run share.
fn shared(user: &Crate, run: &str) -> Vec<PathBuf> {
    let folders = fs::read_dir(user.output("runs")).unwrap().map(|entry| entry.unwrap().path());
    folders.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(run)).collect()
}

fn passes(ran: &Ran, asked: usize) {
    ran.ends_with(0).says("1 passed; 0 failed");
    assert_eq!(ran.noted("asked"), asked, "{}", ran.all());
}

#[test]
fn a_process_that_is_killed_while_others_wait_for_its_answers_is_replaced() {
    let user = Crate::blessed();
    user.edit("benchmarks/toy.yaml", |text| text.replace("timeout: 2s", "timeout: 600s"));
    let (binary, run) = (user.binary(), format!("killed-{}", std::process::id()));
    let mut first = gate(&user, &binary, &run, "toy::words::nDCG@3", "hangs").spawn().unwrap();
    while !fs::read_to_string(user.path("notes")).is_ok_and(|notes| notes.contains("asked")) {
        assert!(first.try_wait().unwrap().is_none(), "it hangs");
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut second = gate(&user, &binary, &run, "toy::words::snapshot", "");
    let second = second.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    let output = second.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    // What it found is there for the next.
    passes(&user.finish(gate(&user, &binary, &run, "toy::words::nDCG@3", "")), 0);
    shared(&user, &run).iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
}

#[test]
fn what_is_torn_among_the_answers_of_a_run_is_asked_again() {
    let user = Crate::blessed();
    let (binary, run) = (user.binary(), format!("torn-{}", std::process::id()));
    let ask = || user.finish(gate(&user, &binary, &run, "toy::words::nDCG@3", ""));
    passes(&ask(), crate::ASKED);
    passes(&ask(), 0);
    let folders = shared(&user, &run);
    assert_eq!(folders.len(), 1);
    let files = || {
        let files = fs::read_dir(&folders[0]).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|ending| ending == "json"))
    };
    assert!(files().count() >= 3, "answers, what the documents hold, a verdict");
    let half = |text: Vec<u8>| text[..text.len() / 2].to_vec();
    let changes: [&dyn Fn(Vec<u8>) -> Vec<u8>; 5] =
        [&half, &|_| Vec::new(), &|text| vec![0; text.len()], &|_| b"{\"version\": 17}".to_vec(), &|text| {
            String::from_utf8(text).unwrap().replace("passes", "rankings").into_bytes()
        }];
    for change in changes {
        for file in files() {
            fs::write(&file, change(fs::read(&file).unwrap())).unwrap();
        }
        passes(&ask(), crate::ASKED);
    }
    // Or they are gone, as where somebody tidies up.
    fs::remove_dir_all(&folders[0]).unwrap();
    passes(&ask(), crate::ASKED);
    fs::remove_dir_all(&folders[0]).unwrap();
}
