//! What holds for every page.

use proptest::prelude::*;

use crate::model::*;

use super::super::sample::{empty, helpdesk, hostile, nine};
use super::super::sample_comparison::comparing;
use super::super::sample_queries::{queried, queried_with};
use super::html;

/// The embedded data of a page.
fn data(page: &str) -> serde_json::Value {
    let rest = page.split("<script type=\"application/json\" id=\"data\">").nth(1).unwrap();
    serde_json::from_str(rest.split("</script>").next().unwrap()).unwrap()
}

/// What a browser would make of a page, as far as it matters here: tags are closed in the order in which
/// they were opened, ids are unique, links within the page lead somewhere, and nothing is loaded.
fn check(page: &str) {
    let shown: String = page.chars().filter(|&c| c != '\n').collect();
    assert!(!shown.chars().any(char::is_control), "control characters in the page");
    assert!(!page.contains(['\u{202e}', '\u{2066}']), "a character that reorders a line");
    assert_eq!(page.matches("<script").count(), 2, "the data and our own script");
    let mut open: Vec<&str> = Vec::new();
    let (mut ids, mut links) = (Vec::new(), Vec::new());
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "</{name}>");
            continue;
        }
        // In attributes every quote is escaped, so that these are the page's own.
        for attribute in tag.split('"').collect::<Vec<_>>().chunks(2) {
            if let [key, value] = attribute {
                let key = key.rsplit(' ').next().unwrap();
                assert!(!key.starts_with("on") && key != "style=", "{tag}");
                match key {
                    "id=" => ids.push(*value),
                    "href=" | "src=" => links.push(*value),
                    _ => {}
                }
            }
        }
        if tag.starts_with('!') || tag.ends_with('/') {
            continue;
        }
        open.push(name);
        if matches!(name, "script" | "style") {
            rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "an id twice");
    links.retain(|link| *link != "data:,");
    for link in links {
        let target = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads out of the page"));
        assert!(ids.binary_search(&target).is_ok(), "{link} leads nowhere");
    }
    data(page);
}

#[test]
fn samples_are_pages() {
    for report in [helpdesk(), comparing(), queried(), nine(), empty()] {
        let page = html(&report);
        check(&page);
        assert_eq!(html(&report), page, "the same report, the same bytes");
    }
}

#[test]
fn everything_is_on_the_page_in_the_order_of_what_matters() {
    let page = html(&queried());
    let mut rest = page.as_str();
    for part in [
        "<h1 class=\"data\">helpdesk</h1>",
        "1 failed",
        "inputs changed",
        "<h2 id=\"gates\">",
        "bm25-vs-golden::nDCG@10",
        "bm25 has regressed against golden on nDCG@10",
        "<h2 id=\"metrics\">",
        "0.7412",
        "[0.711, 0.771]",
        "not asked: no selected gate needs it",
        "<h2 id=\"comparisons\">",
        "class=\"wanted\"",
        "q00000 how to cancel order number 0: 0.500 \u{2192} 1.000 (+0.500)",
        "<h2 id=\"cutoffs\">",
        "nDCG@k",
        "<h2 id=\"segments\">",
        "category=billing",
        "<h2 id=\"queries\">",
        "how to cancel order number 23",
    ] {
        let found = rest.find(part);
        assert!(found.is_some(), "{part} is missing, or not where it should be");
        rest = &rest[found.unwrap()..];
    }
}

#[test]
fn what_failed_is_open_and_the_rest_is_not() {
    let page = html(&helpdesk());
    assert!(page.contains("<details class=\"gate failed\" open>"));
    assert!(!page.contains("<details class=\"gate passed\" open>"));
    assert!(!page.contains("<details class=\"gate advisory\" open>"));
}

#[test]
fn the_data_hold_the_rankings_of_each_side() {
    let data = data(&html(&queried()));
    assert_eq!(data["sides"], serde_json::json!(["bm25", "bm25 (golden)", "bm25-stem"]));
    // The comparison that failed: golden and today.
    assert_eq!(data["chosen"], serde_json::json!([1, 0]));
    let document = |entry: &serde_json::Value| {
        data["documents"][usize::try_from(entry[0].as_u64().unwrap()).unwrap()].as_str().unwrap().to_owned()
    };
    let query = &data["queries"][4];
    assert_eq!(query["id"], "q00004");
    let [today, golden, stem] = [0, 1, 2].map(|side| &query["sides"][side]);
    assert_eq!(document(&today["ranking"][4]), "d4");
    assert_eq!(today["ranking"][4][1], 3);
    assert_eq!(document(&golden["ranking"][6]), "d4", "golden had it two ranks below");
    assert_eq!(document(&stem["ranking"][5]), "d4");
    assert_eq!(document(&today["missed"][0]), "far4");
    assert_eq!(today["missed"][0], serde_json::json!([today["missed"][0][0], 1, 40]));
    assert_eq!(query["sides"][1]["scores"][1], 0.666667, "what is as it is now is left out of the model");
}

#[test]
fn the_queries_open_on_what_failed() {
    let side = |data: &serde_json::Value, end: usize| {
        data["sides"][usize::try_from(data["chosen"][end].as_u64().unwrap()).unwrap()].clone()
    };
    let mut report = queried();
    let failing = |finding: Finding| GateReport {
        verdict: Verdict::Failed,
        configuration: "bm25".to_owned(),
        finding,
        ..queried().gates[0].clone()
    };
    for gate in &mut report.gates {
        gate.verdict = Verdict::Passed;
    }
    // An unchanged pair that passes is not what one looks for.
    report.gates.rotate_left(1);
    let passing = data(&html(&report));
    report.gates.push(failing(Finding::undecided("why".to_owned())));
    let failed = data(&html(&report));
    assert_eq!([0, 1].map(|end| side(&passing, end)), ["bm25", "bm25-stem"]);
    assert_eq!([0, 1].map(|end| side(&failed, end)), ["bm25 (golden)", "bm25"]);
}

/// The same report with golden runs of every configuration, and a gate that failed by more after one that failed.
fn worse_after_bad() -> Report {
    let mut report = queried();
    let mut worse = report.gates[0].clone();
    if let Finding::Comparison(finding) = &mut worse.finding {
        finding.difference -= 0.3;
        finding.metric = "R@100".to_owned();
        worse.name = "helpdesk::bm25-vs-golden::R@100".to_owned();
    }
    report.gates.push(worse);
    report
}

#[test]
fn the_queries_open_on_the_comparison_that_failed_by_most_with_both_columns() {
    let mut report = worse_after_bad();
    let metric = |report: &Report| data(&html(report))["metrics"][shown_metric(report)].clone();
    // Recall is the same on both sides, so that it shows nothing.
    assert_eq!(metric(&report), "nDCG@10");
    let measured = report.configurations.iter_mut().find_map(|one| match &mut one.outcome {
        Outcome::Measured(measured) => Some(measured),
        _ => None,
    });
    for query in &mut measured.unwrap().queries {
        if let Some(golden) = &mut query.golden {
            golden.scores.insert("R@100".to_owned(), 0.9);
        }
    }
    assert_eq!(metric(&report), "R@100");
    let page = html(&report);
    let head = page.split("id=\"query-table\"").nth(1).unwrap().split("</thead>").next().unwrap();
    let titles: Vec<&str> =
        head.split("class=\"sort data\">").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
    assert_eq!(titles, ["query", "text", "segments", "bm25 (golden)", "bm25", "bm25-stem", "difference"]);
}

/// The place of the metric that is chosen first.
fn shown_metric(report: &Report) -> usize {
    let page = html(report);
    let select = page.split("<select id=\"metric\">").nth(1).unwrap();
    let chosen = select.split("</select>").next().unwrap().split(" selected").next().unwrap();
    chosen.rsplit("value=\"").next().unwrap().trim_end_matches('"').parse().unwrap()
}

#[test]
fn links_to_queries_say_by_which_metric_and_between_which_sides() {
    let page = html(&worse_after_bad());
    check(&page);
    let views: Vec<&str> =
        page.split("data-view=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let data = data(&page);
    let name =
        |list: &str, place: &str| data[list][place.parse::<usize>().unwrap()].as_str().unwrap().to_owned();
    let told: Vec<[String; 3]> = views
        .iter()
        .map(|view| {
            let places: Vec<&str> = view.split(',').collect();
            [name("metrics", places[0]), name("sides", places[1]), name("sides", places[2])]
        })
        .collect();
    for expected in [
        ["nDCG@10", "bm25 (golden)", "bm25"],
        ["R@100", "bm25 (golden)", "bm25"],
        ["nDCG@10", "bm25", "bm25-stem"],
    ] {
        assert!(told.contains(&expected.map(str::to_owned)), "{expected:?} in {told:?}");
    }
}

#[test]
fn what_is_better_is_as_the_metric_and_its_gates_say() {
    let mut report = queried();
    report.metrics.extend(["FalseSilence", "Count(leak)@5"].map(str::to_owned));
    assert_eq!(data(&html(&report))["better"], serde_json::json!([1, 1, 1, -1, 0]));
    let Finding::Threshold(mut finding) = helpdesk().gates[0].finding.clone() else { panic!() };
    (finding.metric, finding.min, finding.max) = ("Count(leak)@5".to_owned(), None, Some(1.0));
    report.gates.push(GateReport { finding: Finding::Threshold(finding), ..report.gates[0].clone() });
    assert_eq!(data(&html(&report))["better"], serde_json::json!([1, 1, 1, -1, -1]), "the gate says it");
}

#[test]
fn bars_and_words_go_by_what_is_better() {
    let words = |metric: &str| {
        let mut report = queried();
        for one in &mut report.configurations {
            let Outcome::Measured(measured) = &mut one.outcome else { continue };
            for query in &mut measured.queries {
                let golden = query.golden.as_mut().map(|golden| &mut golden.scores);
                for scores in [Some(&mut query.scores), golden].into_iter().flatten() {
                    if let Some(score) = scores.remove("nDCG@10") {
                        scores.insert(metric.to_owned(), score);
                    }
                }
            }
        }
        report.gates.truncate(1);
        if let Finding::Comparison(finding) = &mut report.gates[0].finding {
            finding.metric = metric.to_owned();
        }
        let page = html(&report);
        let figure = page.split("class=\"change\"").nth(1).unwrap().split("</figure>").next().unwrap();
        let count = |part: &str| figure.matches(part).count();
        let at = |word: &str| figure.find(word).unwrap();
        (count("class=\"gain\""), count("class=\"loss\""), at(" worse<") < at(" better<"), page)
    };
    let (gains, losses, in_order, page) = words("nDCG@10");
    assert!(in_order && gains > losses && page.contains(">better<"), "{gains} {losses}");
    let (falls, rises, in_order, page) = words("FalseSilence");
    assert_eq!((falls, rises, in_order), (losses, gains, true), "a rise is a loss");
    assert!(page.contains(">higher<") && page.contains(">lower<"), "the table's columns");
}

#[test]
fn failed_comparisons_come_first_and_what_repeats_a_cause_last() {
    let mut report = helpdesk();
    let like = |name: &str, verdict, finding: &Finding, advisory| GateReport {
        name: format!("helpdesk::{name}"),
        verdict,
        advisory,
        finding: finding.clone(),
        ..helpdesk().gates[0].clone()
    };
    let (limit, compared) = (report.gates[0].finding.clone(), queried().gates[0].finding.clone());
    let (one, other) = (Finding::undecided("no".to_owned()), Finding::undecided("never".to_owned()));
    report.gates = vec![
        like("errored", Verdict::Errored, &one, false),
        like("advice", Verdict::Errored, &other, true),
        like("other", Verdict::Errored, &other, false),
        like("again", Verdict::Errored, &one, false),
        like("limit", Verdict::Failed, &limit, false),
        like("open", Verdict::Inconclusive, &compared, false),
        like("compared", Verdict::Failed, &compared, false),
    ];
    let page = html(&report);
    check(&page);
    let names: Vec<&str> = page
        .split("<span class=\"name data\">")
        .skip(1)
        .map(|rest| rest.split('<').next().unwrap())
        .collect();
    assert_eq!(names, ["compared", "limit", "open", "errored", "again", "other", "advice"]);
    assert!(page.contains("advice<span class=\"note\"> (advisory)</span>"), "one that fails nothing says so");
    let gates = page.split("<h2 id=\"metrics\">").next().unwrap();
    assert_eq!(gates.matches("\" open>").count(), 3);
}

#[test]
fn what_is_measured_elsewhere_is_no_choice_and_that_is_said() {
    let mut report = queried();
    report.metrics.push("FalseAnswer".to_owned());
    let page = html(&report);
    check(&page);
    assert!(!data(&page)["metrics"].as_array().unwrap().contains(&"FalseAnswer".into()));
    assert!(page.contains("queries without an answer, which FalseAnswer alone is measured on"), "a note");
}

#[test]
fn scores_are_rounded_once() {
    let mut report = queried();
    for one in &mut report.configurations {
        if let Outcome::Measured(measured) = &mut one.outcome {
            measured.queries[1].scores.insert("R@100".to_owned(), 0.900_499_99);
            measured.queries[2].scores.insert("R@100".to_owned(), 0.900_500_08);
        }
    }
    let data = data(&html(&report));
    let score = |query: usize| data["queries"][query]["sides"][0]["scores"][1].as_f64().unwrap();
    // 0.9004 rounds to 0.900, and to six decimals first it would be 0.901.
    assert_eq!((score(1), score(2)), (0.900_499_99, 0.9005));
}

#[test]
fn documents_have_their_titles_where_there_are_any() {
    let mut report = queried();
    report.titles.insert("d4".to_owned(), "How to <cancel>".to_owned());
    let data = data(&html(&report));
    let place = data["documents"].as_array().unwrap().iter().position(|id| id == "d4").unwrap();
    assert_eq!(data["titles"][place], "How to <cancel>");
    assert_eq!(data["titles"].as_array().unwrap().iter().filter(|title| !title.is_null()).count(), 1);
}

#[test]
fn of_many_configurations_the_two_that_are_compared_have_a_column() {
    let mut report = queried();
    for name in ["c", "d", "e"] {
        let copy = ConfigurationReport { name: name.to_owned(), ..report.configurations[1].clone() };
        report.configurations.push(copy);
    }
    let page = html(&report);
    check(&page);
    let data = data(&page);
    assert_eq!((&data["today"], data["others"].as_u64()), (&serde_json::json!([]), Some(2)));
    let head = page.split("id=\"query-table\"").nth(1).unwrap().split("</thead>").next().unwrap();
    assert_eq!(head.matches("<th ").count(), 6, "query, text, segments, two sides, difference: {head}");
}

#[test]
fn of_very_many_queries_those_that_changed_or_are_weak_are_kept_and_that_is_said() {
    let page = html(&queried_with(2_100));
    check(&page);
    assert!(page.contains("The 2,000 queries that changed most, or else score lowest; 100 more"), "a note");
    let data = data(&page);
    let ids: Vec<&str> =
        data["queries"].as_array().unwrap().iter().map(|query| query["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 2000);
    assert!(ids.is_sorted());
    // Every fourth query changed; of the others, those whose document is at rank 1 score highest.
    let number = |id: &str| id[1..].parse::<usize>().unwrap();
    let kept: std::collections::BTreeSet<usize> = ids.iter().map(|id| number(id)).collect();
    assert!((0..2_100).filter(|index| !kept.contains(index)).all(|index| index % 4 != 0 && index % 5 == 0));
}

#[test]
fn a_report_of_an_older_version_has_a_page() {
    let mut json = serde_json::to_value(queried()).unwrap();
    for configuration in json["configurations"].as_array_mut().unwrap() {
        if let Some(measured) = configuration["outcome"].get_mut("measured") {
            measured.as_object_mut().unwrap().remove("curves");
            for query in measured["queries"].as_array_mut().unwrap() {
                for field in ["ranking", "golden"] {
                    query.as_object_mut().unwrap().remove(field);
                }
            }
        }
    }
    let report: Report = serde_json::from_value(json).unwrap();
    let page = html(&report);
    check(&page);
    assert!(!page.contains("<h2 id=\"cutoffs\">"));
    assert!(page.contains("how to cancel order number 23"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_out(text in "(\\PC|[\\x00-\\x9f`|<>\"'&/\\\\# \u{202e}\u{2028}\u{feff}]|</script>|<!--|\\]\\]>){0,120}") {
        check(&html(&hostile(&text)));
        for (_, svg) in super::super::plots(&hostile(&text)) {
            prop_assert!(!svg.contains("<script") && !svg.contains("href"));
        }
    }
}
