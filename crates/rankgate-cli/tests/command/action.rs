//! The action for GitHub: its own script, run by bash with a `rankgate` that says how it was called.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::loopback::request;
use crate::repository::root;

/// The script of a step.
fn script(id: &str) -> String {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let action: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    let steps = action["runs"]["steps"].as_array().unwrap();
    steps.iter().find(|step| step["id"] == id).unwrap()["run"].as_str().unwrap().to_owned()
}

/// How the step ended, what it said, how the command was called, and what it handed on.
fn step(id: &str, inputs: &[(&str, &str)]) -> (Option<i32>, String, Vec<String>, String) {
    let script = script(id);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let program = "#!/bin/sh\nprintf '%s\\0' \"$@\" > called\nprintf %s \"$PRINTED\"\nexit ${STATUS:-0}\n";
    fs::write(at("rankgate"), program).unwrap();
    fs::set_permissions(at("rankgate"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(at("step.sh"), script).unwrap();
    // A pattern must not be taken for the files that it matches.
    fs::write(at("a.yaml"), "").unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    // As the runner calls it.
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-e", "-o", "pipefail", "step.sh"])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("GITHUB_OUTPUT", at("outputs"))
        .env("GITHUB_STEP_SUMMARY", at("outputs"))
        .env("RUNNER_TEMP", folder.path())
        .envs(inputs.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let called = fs::read_to_string(at("called")).unwrap_or_default();
    let called = called.split_terminator('\0').map(str::to_owned).collect();
    (output.status.code(), said, called, fs::read_to_string(at("outputs")).unwrap_or_default())
}

fn inputs<'a>(specs: &'a str, filter: &'a str, junit: &'a str) -> [(&'static str, &'a str); 5] {
    [("COMMAND", "run"), ("SPECS", specs), ("FILTER", filter), ("JUNIT", junit), ("OUTPUT", "out")]
}

#[test]
fn every_spec_of_every_line_is_run_and_none_is_an_option() {
    for (specs, expected) in [
        ("benchmarks", &["benchmarks"][..]),
        ("a.yaml b.yaml", &["a.yaml", "b.yaml"]),
        ("a.yaml\nb.yaml\n", &["a.yaml", "b.yaml"]),
        ("\n  a.yaml\r\n\n\tb.yaml c\n\n", &["a.yaml", "b.yaml", "c"]),
        ("--output=/etc *.yaml $(touch x)", &["--output=/etc", "*.yaml", "$(touch", "x)"]),
    ] {
        let (status, said, called, outputs) = step("run", &inputs(specs, "", "j.xml\n"));
        assert_eq!((status, said.as_str()), (Some(0), ""), "{specs:?}");
        let options = ["run", "--junit=j.xml", "--output=out", "--"];
        assert_eq!(called, [&options[..], expected].concat(), "{specs:?}");
        assert_eq!(outputs, "junit=j.xml\nreports=out\n");
    }
    let (_, _, called, _) = step("run", &inputs("a.yaml", "--force nDCG@10", "-x"));
    assert_eq!(called[..3], ["run", "--filter=--force nDCG@10", "--junit=-x"]);
}

#[test]
fn line_breaks_make_no_outputs_and_nothing_to_run_is_an_error() {
    for (of, said) in [
        (inputs("a.yaml", "", "j.xml\nreports=/etc"), "the input junit has a line break in it"),
        (inputs("a.yaml", "x\ny", "j.xml"), "the input filter has a line break in it"),
        (inputs(" \n", "", "j.xml"), "the input specs names no spec and no folder"),
    ] {
        let (status, output, called, outputs) = step("run", &of);
        assert_eq!((status, called.len(), outputs.as_str()), (Some(2), 0, ""), "{output}");
        assert!(output.contains(said), "{output}");
    }
}

#[test]
fn other_commands_are_given_one_argument_a_line() {
    for (command, arguments, expected) in [
        (
            "compare",
            "qrels.txt\nmain.run\n\nmy branch.run\r\n--expect=no-regression\n",
            &["compare", "qrels.txt", "main.run", "my branch.run", "--expect=no-regression"][..],
        ),
        (
            "push",
            "--to=https://quality.example.org\n--project=$(id)",
            &["push", "--to=https://quality.example.org", "--project=$(id)"],
        ),
        ("report", "", &["report"]),
    ] {
        let (status, said, called, _) = step("run", &[("COMMAND", command), ("ARGUMENTS", arguments)]);
        assert_eq!((status, said.as_str()), (Some(0), ""), "{command}");
        assert_eq!(called, expected);
    }
    let (status, said, called, _) = step("run", &[("COMMAND", "bless"), ("ARGUMENTS", "a.yaml")]);
    assert_eq!((status, called.len()), (Some(2), 0));
    assert!(said.contains("the input command is none of run, compare, push and report"), "{said}");
}

#[test]
fn a_comparison_is_the_summary_of_its_step_as_code_and_its_status_is_that_of_the_step() {
    let printed = [("PRINTED", "no-regression: FAILED\n```\n# q1 worse\n"), ("STATUS", "1")];
    let inputs = [("COMMAND", "compare"), ("ARGUMENTS", "q\na\nb")];
    let (status, said, called, summary) = step("run", &[inputs, printed].concat());
    assert_eq!((status, said.as_str()), (Some(1), printed[0].1));
    assert_eq!(called, ["compare", "q", "a", "b"]);
    assert_eq!(summary, "\n    no-regression: FAILED\n    ```\n    # q1 worse\n");
    // Others print nothing there.
    let (status, _, _, summary) = step("run", &[[("COMMAND", "push"), ("ARGUMENTS", "")], printed].concat());
    assert_eq!((status, summary.as_str()), (Some(1), ""));
}

#[test]
fn the_reports_of_the_folder_that_was_named_are_commented_on() {
    for (output, folder) in [("out", "out"), ("target/rankgate\n", "target/rankgate"), ("--help", "--help")] {
        let (status, said, called, _) = step("comment", &[("OUTPUT", output)]);
        assert_eq!((status, said.as_str()), (Some(0), ""));
        assert_eq!(called, ["comment", "--github", "--", folder]);
    }
}

/// A page of releases: the archives' bytes by the end of their path, and how many of them are sent.
fn releases(archive: Vec<u8>, sent: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    // It ends with the test.
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let Ok(Some((head, _))) = request(&stream) else { continue };
            let is_there =
                head.lines().next().is_some_and(|line| line.contains(".tar.gz ")) && !archive.is_empty();
            let (status, length) = if is_there { ("200 OK", archive.len()) } else { ("404 Not Found", 0) };
            let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
            drop(stream.write_all(&[head.as_bytes(), &archive[..sent.min(length)]].concat()));
        }
    });
    url
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The step that installs: of an archive that is as it was released, or of which so many bytes come, with this line of
/// checksums. The status, what was said, the program that is there then, and what it puts on the path.
fn install(
    sent: Option<usize>,
    checksum: impl Fn(&str, &str) -> String,
) -> (Option<i32>, String, Option<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let source = at("source/release");
    fs::create_dir_all(&source).unwrap();
    for name in ["install", "platform", "version"] {
        fs::copy(root().join("release").join(name), source.join(name)).unwrap();
    }
    fs::copy(root().join("Cargo.toml"), at("source/Cargo.toml")).unwrap();
    let version = run("./version", &[], &source);
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let name = format!("rankgate-{version}-{}", run("./platform", &[], &source));

    let script = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    script(&at(&format!("{name}/rankgate")), "#!/bin/sh\necho rankgate of the archive\n");
    run("tar", &["-czf", "archive.tar.gz", &name], folder.path());
    let archive = fs::read(at("archive.tar.gz")).unwrap();
    let sum = run("sha256sum", &["archive.tar.gz"], folder.path());
    let sum = sum.split(' ').next().unwrap();
    fs::write(source.join("checksums.txt"), checksum(sum, &format!("{name}.tar.gz"))).unwrap();

    // Nothing is compiled here; and no other rankgate is on the path.
    script(&at("bin/cargo"), "#!/bin/sh\necho cargo \"$@\"\n");
    fs::write(at("step.sh"), self::script("install")).unwrap();
    let sent = sent.unwrap_or(archive.len());
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-e", "-o", "pipefail", "step.sh"])
        .current_dir(folder.path())
        .env("PATH", format!("{}:/usr/bin:/bin", at("bin").display()))
        .env("SOURCE", at("source"))
        .env("RELEASES", releases(if sent == 0 { Vec::new() } else { archive }, sent))
        .env("RUNNER_TEMP", at("temp"))
        .env("GITHUB_PATH", at("path"))
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let program = at("temp/rankgate/bin/rankgate");
    let program = program.is_file().then(|| run(program.to_str().unwrap(), &[], folder.path()));
    (output.status.code(), said, program, fs::read_to_string(at("path")).unwrap_or_default())
}

#[test]
fn the_program_that_was_released_is_installed_and_no_other() {
    let right = |sum: &str, name: &str| format!("# a note\n{sum}  {name}\n");
    let (status, said, program, path) = install(None, right);
    assert_eq!((status, program.as_deref()), (Some(0), Some("rankgate of the archive")), "{said}");
    assert!(path.trim_end().ends_with("temp/rankgate/bin"), "{path}");

    let wrong = |_: &str, name: &str| format!("{}  {name}\n", "0".repeat(64));
    for (sent, checksum, expected) in [
        (None, &wrong as &dyn Fn(&str, &str) -> String, "is not the one that was released: SHA-256 "),
        (Some(0), &right, "cannot fetch http://127.0.0.1:"),
        (Some(100), &right, "cannot fetch http://127.0.0.1:"),
    ] {
        let (status, said, program, path) = install(sent, checksum);
        assert_eq!((status, program, path.as_str()), (Some(2), None, ""), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn without_a_checksum_for_the_machine_cargo_compiles() {
    let (status, said, ..) = install(None, |sum, _| format!("{sum}  rankgate-0.0.1-plan9-x86_64.tar.gz\n"));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("has no prebuilt program for "), "{said}");
    assert!(said.contains("cargo install --locked --path "), "{said}");
    assert!(said.contains("rankgate-cli --root "), "{said}");
}
