use super::*;
use crate::report::tests::sample::{helpdesk, hostile};

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
