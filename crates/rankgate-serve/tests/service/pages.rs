//! Pages as a browser without script has them. A real browser uses them in tests/browser/service.py.

use rankgate::service::in_address;
use rankgate_serve::{Rights, Settings, maintenance};
use serde_json::{Value, json};

use crate::client::{Answer, send};
use crate::running::{Running, noon};
use crate::sample::{base, id, lower, push, report, step};

const TREND: &str = "/projects/search/trend?benchmark=helpdesk&configuration=bm25";

pub(crate) fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    let lines = answer.head.lines().filter_map(|line| line.split_once(": "));
    lines.filter(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
}

/// The values of hidden fields, and where the form goes: of the form with a button.
pub(crate) fn form(page: &str, button: &str) -> (String, Vec<(String, String)>) {
    let form =
        page.split("<form ").skip(1).find(|form| form.contains(&format!("{button}</button>"))).unwrap();
    let value = |text: &str, name: &str| {
        text.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let value = |text: &str, name: &str| unescaped(&value(text, name));
    let hidden = form.split("<input ").skip(1).filter(|input| input.contains("type=\"hidden\""));
    (value(form, "action"), hidden.map(|input| (value(input, "name"), value(input, "value"))).collect())
}

/// What a browser reads in a value.
fn unescaped(value: &str) -> String {
    let known = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    known.iter().fold(value.to_owned(), |value, (escaped, own)| value.replace(escaped, own))
}

/// A form as a browser sends it.
pub(crate) fn filled(fields: &[(String, String)], more: &[(&str, &str)]) -> String {
    let own = fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let sent = own.chain(more.iter().copied());
    sent.map(|(name, value)| format!("{name}={}", in_address(value))).collect::<Vec<_>>().join("&")
}

pub(crate) fn post_form(server: &Running, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let own = ("Content-Type", "application/x-www-form-urlencoded");
    send(server.address, ("POST", path), &[&[own], headers].concat(), body.as_bytes()).unwrap()
}

/// Signs in with a token, and returns the cookie as a browser sends it.
pub(crate) fn sign_in(server: &Running, token: &str) -> String {
    let (action, fields) = form(&server.get("/sign-in").expect(200).text(), "Sign in");
    let signed = post_form(server, &action, &[], &filled(&fields, &[("token", token)]));
    assert_eq!(signed.status, 303, "{}", signed.text());
    header(&signed, "set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

fn alarmed() -> Running {
    let server = Running::on_sqlite();
    let states = step();
    push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
    server
}

#[test]
fn a_trend_shows_a_window_leads_to_commits_and_is_a_picture_to_embed() {
    let server = Running::with(|settings| Settings {
        commit_url: Some("https://forge.example/us/{project}/commit/{commit}".into()),
        ..settings
    });
    let mut states = step();
    states[3] = lower(&base(), 0.0001);
    push(&server, &states, &(0..states.len()).collect::<Vec<_>>());
    // A second configuration is drawn beside the first.
    for (number, values) in states.iter().enumerate() {
        let mut one = report("helpdesk", number, values, &states[0]);
        one["history"]["configurations"][0]["name"] = json!("words");
        one["configurations"][0]["name"] = json!("words");
        server.post_json("/v1/projects/search/reports", &one).expect(201);
    }
    let forge = format!("https://forge.example/us/search/commit/{}", id(20));
    let page = server.get(TREND).expect(200).text();
    for expected in [forge.as_str(), "since", "the week before: ", "Plots show"] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    assert!(page.contains("nDCG@10 over 21 commits"), "{page}");
    let window = server.get(&format!("{TREND}&days=5")).expect(200).text();
    assert!(window.contains("nDCG@10 over 6 commits"), "{window}");
    let all = server.get("/projects/search/trend").expect(200).text();
    assert!(all.contains("nDCG@10 of 2 configurations over 21 commits"), "{all}");
    let picture = "/projects/search/trend.svg?benchmark=helpdesk&configuration=bm25";
    let answer = server.get(picture).expect(200);
    assert_eq!(header(&answer, "content-type"), Some("image/svg+xml"));
    assert!(answer.text().starts_with("<svg ") && !answer.text().contains("<script"));
    server.get(&format!("{picture}&metric=nDCG@99")).expect(404);
    server.get("/projects/search/trend.svg?benchmark=helpdesk&configuration=none").expect(404);
    let badge = server.get("/projects/search/badge.svg").expect(200).text();
    assert!(badge.contains("search: 2 alarms stand"), "{badge}");
}

#[test]
fn the_page_works_without_script() {
    let server = alarmed();
    for (path, expected) in [
        ("/", &["search", "1 alarm stands"][..]),
        ("/projects/search", &["helpdesk, bm25", "1 alarm stands", "Report 21", "Compare"]),
        (TREND, &["<svg", "Change 20", "Acknowledge", "References and what they have spent"]),
        ("/projects/search/alarms", &["Change 20", "Acknowledge", "refund for a cancelled order"]),
        ("/projects/search/reports/21", &["helpdesk", "Gates", "Pages above"]),
        ("/projects/search/compare?a=1&b=21", &["bm25, nDCG@10", "worse", "queries that moved most"]),
        ("/sign-in", &["Token"]),
    ] {
        let page = server.get(path).expect(200);
        let text = page.text();
        for word in expected {
            assert!(text.contains(word), "{path} has no {word}");
        }
        // A report's page has the script that every report has, and notes one that keeps them; they add to what is there.
        let has_script = path.contains("/reports/") || text.contains("<textarea ");
        assert_eq!(text.contains("<script"), has_script, "{path}");
        let attributes = [" src=", " onclick=", " style=", "url(", "@import"];
        assert!(attributes.iter().all(|one| !text.contains(one)), "{path} loads something");
        let policy = header(&page, "content-security-policy").unwrap();
        for part in ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"]
        {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(header(&page, "x-content-type-options"), Some("nosniff"));
        assert_eq!(header(&page, "cache-control"), Some("no-store"));
    }
    // An alarm is acknowledged by what the page itself holds, with a note.
    let trend = server.get(TREND).text();
    assert!(trend.contains("<textarea ") && trend.contains(" required"), "{trend}");
    let (action, fields) = form(&trend, "Acknowledge");
    let none = post_form(&server, &action, &[], &filled(&fields, &[("note", " ")]));
    assert!(none.status == 422 && none.text().contains("say why the loss is accepted"), "{}", none.text());
    assert!(server.get(TREND).text().contains("1 alarm stands"));
    let done = post_form(&server, &action, &[], &filled(&fields, &[("note", "the price of <freshness>")]));
    assert_eq!(done.status, 303, "{}", done.text());
    let alarm =
        server.get("/v1/projects/search/alarms").json()["alarms"][0]["id"].as_str().unwrap().to_owned();
    let back = header(&done, "location").unwrap().to_owned();
    assert_eq!(back, format!("{TREND}&done={alarm}"));
    // The page says what was done, there where its reader begins.
    let told = server.get(&back).expect(200).text();
    let said = format!("Alarm {alarm} of helpdesk, bm25 is acknowledged: the price of &lt;freshness&gt;");
    assert!(told.contains(&said) && told.contains("autofocus") && !told.contains("Acknowledge<"), "{told}");
    let page = server.get("/projects/search/alarms").text();
    assert!(page.contains("no alarm stands") && page.contains("the price of &lt;freshness&gt;"), "{page}");
    let alarms = server.get("/v1/projects/search/alarms").json();
    assert_eq!(alarms["alarms"][0]["note"], json!("the price of <freshness>"));
    // And it can be taken back.
    let (action, fields) = form(&page, &format!("Withdraw {alarm}"));
    let done = post_form(&server, &action, &[], &filled(&fields, &[]));
    assert_eq!(done.status, 303, "{}", done.text());
    let page = server.get(header(&done, "location").unwrap()).expect(200).text();
    let said = format!("Alarm {alarm} of helpdesk, bm25 is not acknowledged: it stands.");
    assert!(page.contains(&said) && page.contains("1 alarm stands"), "{page}");
}

/// What is done of an alarm is said of one that is there, whatever the address says.
#[test]
fn an_address_makes_a_page_say_nothing_of_alarms_that_are_not_there() {
    let server = alarmed();
    for path in [format!("{TREND}&done=0"), "/projects/search/alarms?done=%3Cb%3E".to_owned()] {
        let page = server.get(&path).expect(200).text();
        assert!(!page.contains("role=\"status\""), "{page}");
    }
}

/// A report of a commit whose queries have these scores, and the limits of its gates: metric, value, least and most.
type Limit<'a> = (&'a str, f64, Option<f64>, Option<f64>);

fn measured(number: usize, metrics: &[(&str, &dyn Fn(usize) -> f64)], limits: &[Limit<'_>]) -> Value {
    let mut one = report("helpdesk", number, &base(), &base());
    one["metrics"] = metrics.iter().map(|(metric, _)| json!(metric)).collect();
    let own = &mut one["history"]["configurations"][0];
    own["ranking"] = json!(format!("ranking {number}"));
    own["gated"] = limits.iter().map(|(metric, ..)| json!(metric)).collect();
    let queries = one["configurations"][0]["outcome"]["measured"]["queries"].as_array_mut().unwrap();
    for (place, query) in queries.iter_mut().enumerate() {
        query["scores"] =
            metrics.iter().map(|(metric, of)| ((*metric).to_owned(), json!(of(place)))).collect();
        query["golden"]["scores"] = json!({});
    }
    crate::sample::summarize(&mut one);
    let gate = |(metric, value, min, max): &Limit<'_>| {
        let broken = match (min, max) {
            (Some(min), _) if value < min => json!("min"),
            (_, Some(max)) if value > max => json!("max"),
            _ => Value::Null,
        };
        json!({
            "name": format!("helpdesk::bm25::{metric}"), "configuration": "bm25", "advisory": false,
            "verdict": if broken.is_null() { "passed" } else { "failed" }, "message": "", "advice": [],
            "finding": {
                "kind": "threshold", "metric": metric, "min": min, "max": max, "bound": "mean", "held": value,
                "broken": broken, "queries": 60, "unanswered": 0,
                "measured": {"metric": metric, "value": value, "interval": null, "interval_kind": "too-few-units"},
                "movers": {"worse": 0, "better": 0, "unchanged": 0, "losses": [], "gains": [], "unjudged": 0, "cutoff": 10},
            },
        })
    };
    one["gates"] = limits.iter().map(gate).collect();
    one["gates_in_spec"] = json!(limits.len());
    one
}

/// The row of a metric in the table of a comparison.
fn row<'p>(page: &'p str, metric: &str) -> &'p str {
    let rows = page.split("<tr>").filter(|row| row.contains(&format!(">bm25, {metric}<")));
    rows.map(|row| row.split("</tr>").next().unwrap()).next().unwrap_or_else(|| panic!("no {metric}: {page}"))
}

/// By the definitions: less of FalseSilence is better, of nDCG more, and of what an attribute counts or how much is judged
/// neither. A gate that limits it says which.
#[test]
fn better_and_worse_go_by_what_a_metric_means() {
    let server = Running::on_sqlite();
    let [silent, some] = [1.0, 6.0].map(|value| move |query: usize| if query < 40 { value } else { 0.0 });
    let [none, less] = [0.0, 0.3].map(|value| move |_: usize| value);
    let often = |query: usize| 0.6 + 0.001 * query as f64;
    let (count, silence) = ("Count(foreign)@10", "FalseSilence");
    let metrics = |silence_of, count_of, judged_of| -> Vec<(&str, &dyn Fn(usize) -> f64)> {
        vec![("nDCG@10", &often), (silence, silence_of), (count, count_of), ("Judged@10", judged_of)]
    };
    // Forty of sixty, and six times as many.
    let (share, mean) = (40.0 / 60.0, 4.0);
    let limits = |silence_value: f64, count_value: f64| -> [Limit<'_>; 2] {
        [(silence, silence_value, None, Some(0.5)), (count, count_value, None, Some(1.0))]
    };
    let before = measured(0, &metrics(&silent, &none, &often), &limits(share, 0.0));
    let after = measured(1, &metrics(&none, &some, &less), &limits(0.0, mean));
    let unlimited = measured(2, &metrics(&silent, &none, &often), &[(silence, share, None, Some(0.5))]);
    let higher = measured(3, &metrics(&none, &some, &less), &[(silence, 0.0, None, Some(0.5))]);
    for one in [before, after, unlimited, higher] {
        server.post_json("/v1/projects/search/reports", &one).expect(201);
    }
    server.post_json("/v1/projects/search/commits", &crate::sample::commits(0, 3)).expect(200);
    let page = server.get("/projects/search/compare?a=1&b=2").expect(200).text();
    assert!(
        row(&page, silence).contains("badge passed") && row(&page, silence).contains(" better<"),
        "{page}"
    );
    assert!(row(&page, count).contains("badge failed") && row(&page, count).contains(" worse<"), "{page}");
    let judged = row(&page, "Judged@10");
    assert!(judged.contains(">lower<") && !judged.contains("badge"), "{judged}");
    assert!(
        row(&page, "nDCG@10").contains(">identical<") && row(&page, "nDCG@10").contains(">none<"),
        "{page}"
    );
    // No gate limits the count: it is higher, and nobody says that it is worse.
    let page = server.get("/projects/search/compare?a=3&b=4").expect(200).text();
    assert!(row(&page, count).contains(">higher<") && !row(&page, count).contains("badge"), "{page}");
    assert!(page.contains("neither the metric&#39;s definition nor a gate"), "{page}");
    // Alarms take less for a loss, and watch nothing of which it is none.
    let trend = server.get(TREND).expect(200).text();
    for said in
        ["Not watched by alarms: FalseSilence (of which less is better).", "no gate is on what alarms watch"]
    {
        assert!(trend.contains(said), "{said}: {trend}");
    }
}

/// FalseAnswer is of queries that are not in the list of judged ones: a report has its value alone.
#[test]
fn what_has_no_score_for_each_query_is_compared_by_its_value_and_named() {
    let server = Running::on_sqlite();
    let often = |query: usize| 0.6 + 0.001 * query as f64;
    for (number, value) in [0.4, 1.0].into_iter().enumerate() {
        let limit = [("nDCG@10", 0.6295, Some(0.1), None), ("FalseAnswer", value, None, Some(0.5))];
        let mut one = measured(number, &[("nDCG@10", &often)], &limit);
        one["metrics"].as_array_mut().unwrap().push(json!("FalseAnswer"));
        let row = json!({"metric": "FalseAnswer", "value": value, "interval": null, "interval_kind": "too-few-units"});
        one["configurations"][0]["outcome"]["measured"]["metrics"].as_array_mut().unwrap().push(row);
        server.post_json("/v1/projects/search/reports", &one).expect(201);
    }
    server.post_json("/v1/projects/search/commits", &crate::sample::commits(0, 1)).expect(200);
    let page = server.get("/projects/search/compare?a=1&b=2").expect(200).text();
    let row = row(&page, "FalseAnswer");
    for cell in [">0.4000<", ">1.0000<", ">+0.6000<", ">worse, not tested<"] {
        assert!(row.contains(cell), "{cell}: {row}");
    }
    assert!(
        page.contains("Not tested, as reports have no score of it for each query: FalseAnswer."),
        "{page}"
    );
    // Alarms do not watch it: pages and pictures say so, and none of them is green.
    for path in ["/", "/projects/search", TREND, "/projects/search/alarms"] {
        let page = server.get(path).expect(200).text();
        assert!(page.contains("no alarm stands; not watched: FalseAnswer"), "{path}: {page}");
        assert!(
            !page.contains("badge passed\"><span aria-hidden=\"true\">✓</span> no alarm"),
            "{path}: {page}"
        );
    }
    let trend = server.get(TREND).expect(200).text();
    let said = "Not watched by alarms: FalseAnswer (of which a report has no score for each query).";
    assert!(trend.contains(said), "{trend}");
    let badge = server.get("/projects/search/badge.svg").expect(200).text();
    assert!(badge.contains("not watched: FalseAnswer"), "{badge}");
    let told = server.get("/v1/projects/search/alarms").json();
    assert_eq!(told["histories"][0]["unwatched"], json!(["FalseAnswer"]));
}

#[test]
fn a_browser_is_told_on_a_page_what_is_not_there() {
    let server = alarmed();
    let asks =
        |path: &str, accepts: &str| send(server.address, ("GET", path), &[("Accept", accepts)], b"").unwrap();
    for (path, status) in [
        ("/projects/search/compare?a=1", 400),
        ("/projects/search/reports/x", 404),
        ("/projects/search/labels", 404),
        ("/projects/search?before=x", 400),
        ("/projects/search/trend?days=x", 400),
        ("/nothing", 404),
    ] {
        let page = asks(path, "text/html,application/xhtml+xml,*/*;q=0.8");
        assert_eq!(page.status, status, "{path}");
        assert!(
            page.text().starts_with("<!DOCTYPE html>") && page.text().contains("role=\"alert\""),
            "{path}"
        );
    }
    // Programs are told as they ask for it.
    for (path, accepts) in
        [("/nothing", "*/*"), ("/v1/nothing", "text/html"), ("/v1/projects/search/reports/x", "*/*")]
    {
        assert!(asks(path, accepts).json()["detail"].is_string(), "{path}");
    }
}

#[test]
fn a_stored_report_says_where_it_is_from_and_leads_to_what_became_of_it() {
    let server = Running::with(|settings| Settings {
        commit_url: Some("https://forge.example/us/{project}/commit/{commit}".into()),
        ..settings
    });
    push(&server, &vec![base(); 2], &[0, 1]);
    let third = report("helpdesk", 2, &base(), &base());
    let from = "/v1/projects/search/reports?source=https%3A%2F%2Fci.example%2F7";
    server.post_json(from, &third).expect(201);
    server.post_json("/v1/projects/search/reports", &report("another", 2, &base(), &base())).expect(201);
    let page = server.get("/projects/search/reports/3").expect(200).text();
    let forge = format!("href=\"https://forge.example/us/search/commit/{}\"", id(2));
    for link in [
        &*forge,
        "href=\"https://ci.example/7\"",
        "href=\"/projects/search/compare?a=2&amp;b=3\"",
        "href=\"/projects/search/trend?benchmark=helpdesk&amp;configuration=bm25\"",
        "href=\"/projects/search/alarms?benchmark=helpdesk\"",
    ] {
        assert!(page.contains(link), "{link}: {page}");
    }
    // Before the first of a benchmark there is none.
    for first in [1, 4] {
        let page = server.get(&format!("/projects/search/reports/{first}")).expect(200).text();
        assert!(!page.contains("/compare?a="), "{page}");
    }
}

#[test]
fn commits_lead_to_their_reports_and_these_to_each_other() {
    let server = alarmed();
    let trend = server.get(TREND).text();
    // The commit that lost, in the list of commits and below its alarm.
    for link in ["href=\"/projects/search/reports/21\"", "href=\"/projects/search/compare?a=20&amp;b=21\""] {
        assert!(trend.matches(link).count() >= 2, "{link}: {trend}");
    }
    for (path, title) in [
        ("/projects/search/compare?a=20&b=21", "Report 21 against 20"),
        ("/projects/search/compare?a=6&b=2", "Report 2 against 6"),
    ] {
        assert!(server.get(path).expect(200).text().contains(title), "{title}");
    }
    // A form says the two in the order of the page that it leads to.
    let page = server.get("/projects/search").expect(200).text();
    let form = page.split("<form ").find(|form| form.contains("Hold report")).unwrap();
    let (held, against) = (form.find("name=\"b\"").unwrap(), form.find("name=\"a\"").unwrap());
    assert!(held < against && form.find("Hold report").unwrap() < held, "{form}");
    assert!(
        form.contains("<option value=\"21\" selected") && form.contains("<option value=\"20\" selected"),
        "{form}"
    );
    // Verdicts stand in the list.
    assert!(page.contains("1 failed"), "{page}");
    let listed = server.get("/v1/projects/search/reports?limit=1").json();
    assert_eq!(listed["reports"][0]["gates"]["failed"], 1);
}

#[test]
fn a_branch_that_went_on_is_not_told_of_as_if_it_had_been_measured() {
    let server = Running::on_sqlite();
    push(&server, &vec![base(); 2], &[0, 1]);
    let path = "/v1/projects/search/alarms?benchmark=helpdesk";
    let told = server.get(path).expect(200).json();
    assert_eq!((&told["standing"], &told["histories"][0]["head"]["measured"]), (&json!(0), &json!(true)));
    assert_eq!(told["histories"][0]["head"]["gates"]["failed"], 1);
    assert!(told["covers_commit"].is_null());
    server.post_json("/v1/projects/search/commits", &crate::sample::commits(1, 4)).expect(200);
    let told = server.get(path).expect(200).json();
    let head = &told["histories"][0]["head"];
    assert_eq!(
        (&head["name"], &head["measured"], &head["behind"]),
        (&json!("main"), &json!(false), &json!(3))
    );
    assert_eq!((&head["subject"], &head["gates"]), (&json!("Change 4"), &serde_json::Value::Null));
    for (commit, covered) in [(1, true), (4, false), (9, false)] {
        let told = server.get(&format!("{path}&commit={}", crate::sample::id(commit))).expect(200).json();
        assert_eq!(told["covers_commit"], json!(covered), "{commit}");
    }
    for page in ["/", "/projects/search", TREND, "/projects/search/alarms"] {
        let text = server.get(page).expect(200).text();
        assert!(
            text.contains("no alarm stands") && text.contains("newest commit of main not measured"),
            "{page}: {text}"
        );
    }
}

#[test]
fn a_form_that_no_page_of_ours_made_is_not_taken() {
    let server = alarmed();
    let (action, fields) = form(&server.get(TREND).text(), "Acknowledge");
    let without: Vec<(String, String)> = fields.iter().filter(|(name, _)| name != "proof").cloned().collect();
    assert_eq!(post_form(&server, &action, &[], &filled(&without, &[("note", "known")])).status, 403);
    assert_eq!(
        post_form(&server, &action, &[], &filled(&without, &[("proof", &"0".repeat(64))])).status,
        403
    );
    // What a page elsewhere makes a browser send is refused before it is read.
    let whole = filled(&fields, &[("note", "known")]);
    for elsewhere in [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")] {
        assert_eq!(post_form(&server, &action, &[elsewhere], &whole).status, 403);
    }
    // The proof of one caller is none of another.
    let times = (noon(), noon() + 1_000);
    let token = maintenance::add_token(server.app.store(), "search", "t", Rights::ALL, times).unwrap();
    let cookie = sign_in(&server, &token);
    assert_eq!(post_form(&server, &action, &[("Cookie", &cookie)], &whole).status, 403);
    assert_eq!(server.get("/v1/projects/search/alarms").json()["standing"], 1);
    assert_eq!(post_form(&server, &action, &[], &whole).status, 303);
}

#[test]
fn a_token_signs_in_and_shows_its_project_alone() {
    let server = Running::with(|mut settings| {
        settings.open = false;
        settings
    });
    let times = (noon(), noon() + 1_000);
    let token = |project: &str, right| {
        maintenance::add_token(server.app.store(), project, "t", right, times).unwrap()
    };
    let (write, read, other) =
        (token("search", Rights::ALL), token("search", Rights::READ), token("other", Rights::ALL));
    for (number, values) in [base(), lower(&base(), 0.3)].iter().enumerate() {
        let body = report("helpdesk", number, values, &base()).to_string();
        server.with_token(&write, ("POST", "/v1/projects/search/reports"), body.as_bytes()).expect(201);
    }
    let commits = crate::sample::commits(0, 1).to_string();
    server.with_token(&write, ("POST", "/v1/projects/search/commits"), commits.as_bytes()).expect(200);
    // Whoever has none is asked for one.
    let asked = server.get("/projects/search").expect(401).text();
    assert!(asked.contains("type=\"password\"") && !asked.contains("helpdesk"));
    let (action, fields) = form(&asked, "Sign in");
    assert_eq!(
        (&*action, post_form(&server, &action, &[], &filled(&[], &[("token", &write)])).status),
        ("/sign-in", 403)
    );
    let wrong = post_form(&server, &action, &[], &filled(&fields, &[("token", "rankgate_0")]));
    assert!(wrong.status == 401 && wrong.text().contains("is not known"), "{}", wrong.text());
    let signed = post_form(
        &server,
        &action,
        &[("X-Forwarded-Proto", "https")],
        &filled(&fields, &[("token", &write)]),
    );
    assert_eq!((signed.status, header(&signed, "location")), (303, Some("/projects/search")));
    let cookie = header(&signed, "set-cookie").unwrap();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Max-Age=1000; Secure"), "{cookie}");
    let [write, read, other] = [write, read, other].map(|token| sign_in(&server, &token));
    let get =
        |cookie: &str, path: &str| send(server.address, ("GET", path), &[("Cookie", cookie)], b"").unwrap();
    let page = get(&write, TREND).expect(200).text();
    assert!(page.contains("Acknowledge") && page.contains("Sign out"), "{page}");
    assert!(!get(&read, TREND).expect(200).text().contains("Acknowledge"));
    assert!(!get(&other, "/").expect(200).text().contains("/projects/search"));
    for path in [
        TREND,
        "/projects/search",
        "/projects/search/alarms",
        "/projects/search/reports/1",
        "/projects/search/compare?a=1&b=2",
    ] {
        assert!(get(&other, path).expect(404).text().contains("there is no project search"), "{path}");
    }
    // What is not there is a page too.
    let none = get(&write, "/projects/search/reports/99").expect(404);
    assert!(none.text().starts_with("<!DOCTYPE html>") && none.text().contains("there is no report 99"));
    let (action, fields) = form(&page, "Sign out");
    let out = post_form(&server, &action, &[("Cookie", &write)], &filled(&fields, &[]));
    assert_eq!(out.status, 303);
    assert!(header(&out, "set-cookie").unwrap().contains("Max-Age=0"));
    // Whoever kept it has nothing; who signed in elsewhere stays.
    get(&write, "/projects/search").expect(401);
    get(&read, "/projects/search").expect(200);
}
