//! Histories and git: none, another's, a folder that looks like one, worktrees and submodules.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::history::{Repository, SPEC};
use crate::repository::root;
use crate::{cli, surroundings};

#[test]
fn without_git_or_a_repository_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let example = root().join("tests/data/cli");
    fs::write(folder.path().join("toy.yaml"), SPEC.replace("runs/words.run", "new.run")).unwrap();
    for name in ["new.run", "qrels.txt", "topics.tsv"] {
        fs::copy(example.join(name), folder.path().join(name)).unwrap();
    }
    let told = |path: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command).args(["history", "toy.yaml"]).current_dir(folder.path());
        command.env("GIT_CEILING_DIRECTORIES", folder.path().parent().unwrap());
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, said) = told(None);
    assert_eq!(status, Some(2));
    assert_eq!(said, "error: This folder is not in a git repository.\n");
    let mut git = Command::new("git");
    assert!(git.args(["init", "--quiet"]).current_dir(folder.path()).status().unwrap().success());
    let (status, said) = told(None);
    assert_eq!(status, Some(2));
    assert!(said.ends_with(": this repository has no commit yet\n"), "{said}");
    let (status, said) = told(Some(""));
    assert_eq!(status, Some(2));
    assert!(said.ends_with("the program `git` is not installed, and it reads the commits\n"), "{said}");
}

/// Makes a folder of the tree look like a repository whose settings name programs, as whoever commits to it can. Gives
/// what the programs would make.
#[cfg(unix)]
fn embed(repository: &Repository, folder: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let place = repository.path().join(folder);
    let mark = repository.path().join("somebody-was-here");
    let program = repository.path().join("program.sh");
    fs::write(&program, format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.display();
    fs::create_dir_all(place.join("objects")).unwrap();
    fs::create_dir_all(place.join("refs/heads")).unwrap();
    fs::write(place.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let settings = format!(
        "[core]\n repositoryformatversion = 0\n bare = false\n worktree = {}\n fsmonitor = {program}\n hooksPath = \
         {program}\n[log]\n showSignature = true\n[gpg]\n program = {program}\n[diff]\n external = {program}\n",
        place.join("within").display()
    );
    fs::create_dir_all(place.join("within")).unwrap();
    fs::write(place.join("config"), settings).unwrap();
    let git = |arguments: &[&str], input: &str| {
        let mut child = Command::new("git")
            .arg("--git-dir=.")
            .args(["-c", "core.fsmonitor=false", "-c", "core.bare=true"])
            .args(arguments)
            .current_dir(&place)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
    };
    let tree = git(&["hash-object", "-w", "-t", "tree", "--stdin"], "");
    let signed = format!(
        "tree {tree}\nauthor a <a@b.c> 1767225600 +0000\ncommitter a <a@b.c> 1767225600 +0000\ngpgsig -----BEGIN PGP \
         SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n"
    );
    let commit = git(&["hash-object", "-w", "-t", "commit", "--stdin"], &signed);
    fs::write(place.join("refs/heads/main"), format!("{commit}\n")).unwrap();
    // The attack works where git is asked without care.
    let mut careless = Command::new("git");
    let careless = careless.args(["log", "-1"]).current_dir(place.join("within")).output().unwrap();
    assert!(mark.exists(), "the attack has to work: {careless:?}");
    fs::remove_file(&mark).unwrap();
    mark
}

#[test]
#[cfg(unix)]
fn no_program_runs_that_a_folder_of_the_tree_names_for_git() {
    let mut repository = Repository::new();
    for folder in ["benchmarks", "golden"] {
        fs::create_dir_all(repository.path().join(folder)).unwrap();
    }
    // The spec lies in what looks like a repository, and a work tree of it.
    let mark = embed(&repository, "benchmarks");
    let second = embed(&repository, "benchmarks/within/deep");
    assert_eq!(mark, second);
    let first = repository.bless("Bless the first rankings");
    repository.commit("Change nothing");
    let within = repository.path().join("benchmarks/within/deep/within");
    for file in ["topics.tsv", "qrels.txt", "toy.yaml"] {
        fs::copy(repository.path().join("benchmarks").join(file), within.join(file)).unwrap();
    }
    fs::create_dir_all(within.join("runs")).unwrap();
    fs::copy(repository.path().join("benchmarks/runs/words.run"), within.join("runs/words.run")).unwrap();
    let head = repository.commit("Copy the benchmark");
    let told = repository.transcript(&["benchmarks/toy.yaml"]);
    assert_eq!(told["histories"][0]["commits"][0]["commit"]["id"], *first, "{told}");
    for spec in ["benchmarks/toy.yaml", "benchmarks/within/deep/within/toy.yaml"] {
        let folder = repository.path().parent().unwrap().join(format!("{head}-kept"));
        let output = repository.run(&["run", "--output", folder.to_str().unwrap(), spec]);
        let report = fs::read_to_string(folder.join("toy/report.json")).unwrap();
        assert!(report.contains(&head), "{}\n{report}", output.stderr);
        fs::remove_dir_all(folder).unwrap();
        let output = repository.run(&["history", spec]);
        assert!(matches!(output.status, Some(0 | 2)), "{}", output.stderr);
    }
    assert!(!mark.exists(), "a program of the repository ran");
}

#[test]
fn what_a_hook_or_a_script_says_of_its_own_repository_is_not_heard() {
    let mut repository = Repository::new();
    let first = repository.bless("Bless the first rankings");
    let other = Repository::new();
    fs::write(other.path().join("file"), "another").unwrap();
    other.git(&["add", "."]);
    let at = |name: &str| other.path().join(name).to_str().unwrap().to_owned();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    let command = surroundings::leave(&mut command).current_dir(repository.path());
    let variables = [
        ("GIT_DIR", at(".git")),
        ("GIT_WORK_TREE", at("")),
        ("GIT_INDEX_FILE", at(".git/index")),
        ("GIT_OBJECT_DIRECTORY", at(".git/objects")),
        ("GIT_NAMESPACE", "other".to_owned()),
    ];
    command.envs(variables).args(["history", "--format", "json", "benchmarks/toy.yaml"]);
    let output = command.output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && stdout.contains(&first), "{stderr}");
}

#[test]
fn worktrees_submodules_and_bare_repositories_are_told_or_refused() {
    let mut repository = Repository::new();
    let first = repository.bless("Bless the first rankings");
    let elsewhere = tempfile::tempdir().unwrap();
    let tree = elsewhere.path().join("tree");
    repository.git(&["worktree", "add", "--quiet", tree.to_str().unwrap(), "HEAD"]);
    let history = |folder: &Path, spec: &str| cli::run(folder, &["history", "--format", "json", spec], "");
    let output = history(&tree, "benchmarks/toy.yaml");
    assert!(output.status == Some(0) && output.stdout.contains(&first), "{}", output.stderr);
    let mut outer = Repository::new();
    let url = repository.path().to_str().unwrap();
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "vendor/toy"]);
    outer.commit("Add a submodule");
    let output = history(outer.path(), "vendor/toy/benchmarks/toy.yaml");
    assert!(output.status == Some(0) && output.stdout.contains(&first), "{}", output.stderr);
    let bare = elsewhere.path().join("bare");
    repository.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let arguments = ["history", "--repository", bare.to_str().unwrap(), "benchmarks/toy.yaml"];
    let output = repository.run(&arguments);
    assert_eq!(output.status, Some(2));
    assert_eq!(output.stderr, "error: This folder is not in a git repository.\n");
}

/// What a container sees of a checkout that its host made.
#[test]
#[cfg(unix)]
fn a_repository_of_another_owner_is_read_where_its_user_says_so() {
    let mut repository = Repository::new();
    repository.bless("Bless the first rankings");
    let root = repository.path();
    // Only a superuser can give files away.
    for path in [root.to_owned(), root.join(".git")] {
        if std::os::unix::fs::chown(&path, Some(54_321), None).is_err() {
            return;
        }
    }
    let history = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        let command = surroundings::leave(&mut command).current_dir(root).env("HOME", root);
        command.envs(variables.iter().copied()).args(["history", "benchmarks/toy.yaml"]).output().unwrap()
    };
    let output = history(&[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("detected dubious ownership") && said.contains("safe.directory"), "{said}");
    let output = history(&[
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "safe.directory"),
        ("GIT_CONFIG_VALUE_0", "*"),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
