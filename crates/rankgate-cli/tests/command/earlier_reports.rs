//! Reports of earlier runs: printed again, out of date, or not there.

use std::fs;

use crate::toy_spec::{Folder, SPEC};
use insta::assert_snapshot;

#[test]
fn a_report_is_printed_again_with_the_exit_status_of_its_run() {
    let folder = Folder::with_spec(true).judged();
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(1);
    fs::remove_file(folder.path("new.run")).unwrap();
    for of in [&[][..], &["toy.yaml"], &["target/rankgate"], &["target/rankgate/toy/report.json"]] {
        let again = folder.rankgate(&[&["report"], of].concat()).ends_with(1);
        assert_eq!(again.stdout, ran.stdout, "{of:?}");
    }
}

#[test]
fn a_report_that_is_not_there_or_no_report_is_exit_2() {
    let folder = Folder::with_spec(false).judged();
    folder.write("other.json", "{\"schema\": 2}");
    folder.write("empty/readme", "");
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    let newer = folder.read("target/rankgate/toy/report.json").replacen("\"schema\": 2", "\"schema\": 3", 1);
    folder.write("newer.json", &newer);
    folder.write("elsewhere.yaml", SPEC);
    let ran = folder
        .rankgate(&["report", "other.json", "newer.json", "missing.json", "empty", "elsewhere.yaml"])
        .ends_with(2);
    assert_snapshot!(ran.all());
}

#[test]
fn before_any_run_what_to_run_is_said() {
    let folder = Folder::with_spec(false).judged();
    for arguments in [
        &["report"][..],
        &["report", "toy.yaml"],
        &["comment", "--github", "--dry-run"],
        &["report", "--format", "openmetrics"],
    ] {
        let ran = folder.rankgate(arguments).ends_with(2);
        let said = "target/rankgate: there are no reports yet: run `rankgate run SPEC` or `cargo test` first";
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn an_error_in_a_spec_stands_where_its_last_report_did_until_it_is_mended() {
    let folder = Folder::with_spec(false).judged();
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    for broken in
        [SPEC.replace("RR@2", "RRR@2"), format!("{SPEC}  - [not closed"), SPEC.replace("toy", "t o y")]
    {
        folder.write("toy.yaml", &broken);
        let ran = folder.rankgate(&["run", "toy.yaml", "-q"]).ends_with(2);
        for of in [&[][..], &["toy.yaml"], &["target/rankgate/toy/report.json"]] {
            let again = folder.rankgate(&[&["report", "-q"], of].concat()).ends_with(2);
            assert_eq!((again.stdout, &again.stderr), (String::new(), &ran.stderr), "{of:?}");
        }
        assert!(folder.read("target/rankgate/toy/report.html").contains("not run"));
    }
    // What has never been run has a report of its error too, and none any more once it was run.
    folder.write("new.yaml", "version: 1\nbenchmark: [");
    folder.write("toy.yaml", SPEC);
    folder.rankgate(&["run", "toy.yaml", "new.yaml"]).ends_with(2);
    folder.rankgate(&["report"]).ends_with(2);
    folder.write("new.yaml", &SPEC.replace("toy", "other"));
    folder.rankgate(&["run", "toy.yaml", "new.yaml"]).ends_with(0);
    assert!(!folder.path("target/rankgate/new").exists());
    folder.rankgate(&["report"]).ends_with(0);
    // A path that leads nowhere is no spec.
    folder.rankgate(&["run", "typo.yaml"]).ends_with(2);
    assert!(!folder.path("target/rankgate/typo").exists());
}

#[test]
fn a_report_says_its_age_and_one_of_another_spec_than_todays_is_exit_2() {
    let folder = Folder::with_spec(false).judged();
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    let ran = folder.rankgate(&["report"]).ends_with(0);
    let lead = "target/rankgate/toy/report.json: written ";
    assert!(
        ran.stderr.starts_with(lead) && ran.stderr.ends_with("toy.yaml has not changed since\n"),
        "{}",
        ran.all()
    );
    let file = fs::File::options().write(true).open(folder.path("target/rankgate/toy/report.json")).unwrap();
    let hours = std::time::Duration::from_secs(3 * 60 * 60);
    file.set_modified(std::time::SystemTime::now() - hours).unwrap();
    folder.write("toy.yaml", &SPEC.replace("0.60", "0.61"));
    for of in [&[][..], &["toy.yaml"], &["target/rankgate/toy/report.json"]] {
        let stale = folder.rankgate(&[&["report"], of].concat()).ends_with(2);
        let said = "report.json: written 3 hours ago, and toy.yaml has changed since: run it again\n";
        assert!(
            stale.stderr.starts_with("error: ") && stale.stderr.ends_with(said),
            "{of:?} {}",
            stale.all()
        );
        assert!(stale.stdout.starts_with("toy: 3 passed\n"), "{}", stale.all());
    }
    // A run that finds what the last one found is of today all the same.
    folder.write("toy.yaml", SPEC);
    folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    let ran = folder.rankgate(&["report"]).ends_with(0);
    assert!(ran.stderr.contains(" seconds ago; ") || ran.stderr.contains("1 second ago; "), "{}", ran.all());
    // A report that was carried elsewhere says that nobody knows.
    folder.write("elsewhere/report.json", &folder.read("target/rankgate/toy/report.json"));
    fs::rename(folder.path("toy.yaml"), folder.path("gone.yaml")).unwrap();
    let ran = folder.rankgate(&["report", "elsewhere"]).ends_with(0);
    assert!(ran.stderr.ends_with("; its spec is not here to compare with\n"), "{}", ran.all());
}

#[test]
fn values_and_verdicts_are_printed_for_dashboards() {
    let folder = Folder::with_spec(true).judged();
    folder.rankgate(&["run", "toy.yaml"]).ends_with(1);
    let lines = folder.rankgate(&["report", "--format", "openmetrics"]).ends_with(0).stdout;
    // By hand: `old` finds the relevant document first for all 12 queries, `new` second for 9 of them.
    for line in [
        "rankgate_value{benchmark=\"toy\",configuration=\"old\",metric=\"RR@2\"} 1\n",
        "rankgate_value{benchmark=\"toy\",configuration=\"new\",metric=\"RR@2\"} 0.625\n",
        "rankgate_gates{benchmark=\"toy\",verdict=\"passed\"} 2\n",
        "rankgate_gates{benchmark=\"toy\",verdict=\"failed\"} 1\n",
    ] {
        assert!(lines.contains(line), "no {line} in {lines}");
    }
    assert!(lines.ends_with("# EOF\n"));
    let csv = folder.rankgate(&["report", "--format", "csv", "toy.yaml"]).ends_with(0).stdout;
    assert!(csv.starts_with("configuration,query,metric,score") && csv.contains("\nold,q01,RR@2,1"), "{csv}");
    let badge = folder.rankgate(&["report", "--format", "badge"]).ends_with(0).stdout;
    assert!(badge.contains("toy: 2 passed, 1 failed"), "{badge}");

    // What has no value has no line, and that is said; a report of an older spec is none.
    folder.write("new.run", "no run\n");
    folder.rankgate(&["run", "toy.yaml"]);
    let left_out = folder.rankgate(&["report", "--format", "openmetrics"]).ends_with(0);
    assert!(
        left_out.stderr.contains("toy: new could not be measured, and is left out"),
        "{}",
        left_out.all()
    );
    assert!(!left_out.stdout.contains("configuration=\"new\""), "{}", left_out.all());
    folder.write("toy.yaml", &format!("{SPEC}# changed\n"));
    let stale = folder.rankgate(&["report", "--format", "csv"]).ends_with(2);
    assert!(stale.stderr.contains("has changed since this report"), "{}", stale.all());
}
