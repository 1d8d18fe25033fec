use super::view::View;
use super::*;
use crate::model::{Finding, GateReport};
use crate::report::tests::sample::{helpdesk, hostile};
use crate::report::tests::sample_comparison::comparing;

#[test]
fn text_from_data_is_never_markup() {
    for text in ["</script><script>alert(1)</script>", "<!--", "&lt;", "\u{2028}", "{script}"] {
        let page = html(&hostile(text));
        assert_eq!(page.matches("<script").count(), 2, "{text:?}");
        assert_eq!(page.matches("</script>").count(), 2, "{text:?}");
        assert_eq!(page.matches("<!--").count(), 0, "{text:?}");
        assert_eq!(page.matches("\"use strict\"").count(), 1, "{text:?}");
    }
}

#[test]
fn a_page_holds_its_report() {
    let report = helpdesk();
    let page = html(&report);
    let (_, behind) = page.split_once("id=\"data\">").unwrap();
    let json = behind.split_once("</script>").unwrap().0;
    let held: Report = serde_json::from_str(json).unwrap();
    assert_eq!(held, report);
}

#[test]
fn a_page_without_scripts_has_the_verdicts_as_text() {
    let page = html(&helpdesk());
    let (_, behind) = page.split_once("<noscript><pre>").unwrap();
    let text = behind.split_once("</pre>").unwrap().0;
    assert!(text.contains("FAILED") && text.contains("is below its threshold on nDCG@10"), "{text}");
}

#[test]
fn the_page_has_the_p_value_that_decided() {
    let report = comparing();
    let view: Vec<Option<f64>> = View::from_report(&report).gates.iter().map(|gate| gate.p).collect();
    let told = |gate: &GateReport| match &gate.finding {
        Finding::Comparison(finding) => Some((finding.p(), finding.p_adjusted)),
        _ => None,
    };
    let told: Vec<Option<(f64, f64)>> = report.gates.iter().map(told).collect();
    assert_eq!(view, told.iter().map(|p| p.map(|(deciding, _)| deciding)).collect::<Vec<_>>());
    assert!(
        told.iter().flatten().any(|(deciding, adjusted)| deciding != adjusted),
        "a margin decides: {told:?}"
    );
}
