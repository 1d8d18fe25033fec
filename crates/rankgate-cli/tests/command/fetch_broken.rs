//! `rankgate fetch` from servers that break off, lie or move what they serve.

use std::fs;

use crate::fetch::{Place, WHOLE, says, tiny};
use crate::fetch_server::Does;

fn md5_of(bytes: &[u8]) -> String {
    use md5::{Digest, Md5};
    Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_download_that_is_cut_off_continues_if_a_checksum_is_published() {
    let zip = tiny(&[]);
    let requests = |file: &str| -> Vec<usize> {
        let place = Place::new(file, "");
        place.server.put("/tiny.zip", Does::CutAfter(100, 3, zip.clone()));
        place.fetch(0);
        assert_eq!(place.left(), WHOLE);
        place.server.take_requests().into_iter().map(|(_, from)| from).collect()
    };
    assert_eq!(requests(&format!("      md5: {}\n", md5_of(&zip))), [0, 100, 200, 300]);
    assert_eq!(requests(""), [0, 0, 0, 0]);
    // A server without ranges sends all of it again.
    let place = Place::new(&format!("      md5: {}\n", md5_of(&zip)), "");
    place.server.put("/tiny.zip", Does::CutWhole(100, zip.clone()));
    place.fetch(0);
    assert_eq!(place.left(), WHOLE);
    let place = Place::new("", "");
    place.server.put("/tiny.zip", Does::CutAfter(0, 100, zip));
    says(&place.fetch(2), &["tiny.zip cannot be had", "/tiny.zip: was cut off after 0"]);
}

#[test]
fn files_that_are_not_the_published_ones_are_refused() {
    let zip = tiny(&[]);
    for (file, more, served, parts) in [
        ("      bytes: 17\n", "", zip.clone(), &["and 17 were published: it is another file"][..]),
        (
            "      md5: 00000000000000000000000000000000\n",
            "",
            zip.clone(),
            &["its md5 is ", "and 00000000000000000000000000000000 was published: it is another file"],
        ),
        ("", "", b"<!doctype html>".to_vec(), &["it cannot be unpacked"]),
        ("", "", zip[..zip.len() - 30].to_vec(), &["it cannot be unpacked"]),
        ("", "", tiny(&[("../evil", "e")]), &["its entry `../evil` leads out of the archive's folder"]),
        ("", "  split: dev\n", zip.clone(), &["dev"]),
    ] {
        let place = Place::new(file, more);
        place.server.put("/tiny.zip", Does::Serve(served));
        says(&place.fetch(2), parts);
        let left = place.left();
        assert!(left.is_empty() && !place.path("evil").exists(), "{left:?}");
        place.ends_with(2, &["fetch", "ours/tiny", "--check"]);
    }
    let place = Place::new("", "");
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text.replace("documents: 3", "documents: 4")).unwrap();
    place.server.put("/tiny.zip", Does::Serve(zip));
    says(&place.fetch(2), &["it holds 3 documents, and should hold 4"]);
}

#[test]
fn mirrors_are_tried_and_all_that_failed_are_named() {
    let zip = tiny(&[]);
    let place = Place::new(
        &format!("      mirrors: [MIRROR/a.zip, MIRROR/b.zip]\n      md5: {}\n", md5_of(&zip)),
        "",
    );
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text.replace("MIRROR", &place.server.url)).unwrap();
    place.server.put("/tiny.zip", Does::Redirect("/again".into()));
    place.server.put("/again", Does::Redirect("/tiny.zip".into()));
    place.server.put("/a.zip", Does::Serve(tiny(&[("tiny/more.txt", "m")])));
    let text = place.fetch(2);
    says(
        &text,
        &["/tiny.zip: redirects too often", "/a.zip: ", "its md5 is ", "/b.zip: answered 404 Not Found"],
    );
    // The beginning of another file is not continued for ever.
    place.server.put("/a.zip", Does::CutAfter(100, 100, tiny(&[("tiny/more.txt", "m")])));
    place.server.put("/tiny.zip", Does::Status(403));
    place.fetch(2);
    place.server.put("/b.zip", Does::Redirect("c.zip".into()));
    place.server.put("/c.zip", Does::Serve(zip));
    place.fetch(0);
    place.ends_with(0, &["fetch", "ours/tiny", "--check"]);
}

#[test]
fn relative_redirections_lead_where_browsers_go() {
    let place = Place::new("", "");
    place.server.put("/files/v1/tiny.zip", Does::Redirect("../v2/tiny.zip?from=http://a/b".into()));
    place.server.put("/files/v2/tiny.zip?from=http://a/b", Does::Redirect("./x/../last.zip".into()));
    place.server.put("/files/v2/last.zip", Does::Serve(tiny(&[])));
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text.replace("/tiny.zip", "/files/v1/tiny.zip")).unwrap();
    place.fetch(0);
    assert_eq!(place.server.take_requests().len(), 3);
}
