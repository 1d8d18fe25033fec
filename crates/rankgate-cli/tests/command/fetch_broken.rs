//! `rankgate fetch` from servers that break off, lie, move or hold back what they serve.

use std::fs;
use std::process::Stdio;

use crate::fetch::{Place, WHOLE, has_bytes, says, tiny};
use crate::fetch_server::Does;

#[test]
fn a_download_that_is_cut_off_goes_on_from_there() {
    let place = Place::new("", "");
    let zip = tiny(&[]);
    place.server.put("/tiny.zip", Does::CutAfter(100, 3, zip.clone()));
    place.fetch(0);
    let from: Vec<usize> = place.server.take_requests().into_iter().map(|(_, from)| from).collect();
    assert_eq!(from, [0, 100, 200, 300]);
    // A server that knows no ranges sends all of it again.
    place.server.put("/tiny.zip", Does::CutWhole(100, zip.clone()));
    place.ends_with(0, &["fetch", "ours/tiny", "--accept-licence", "--again"]);
    assert_eq!(place.left(), WHOLE);
    // One that always cuts at the same byte is given up, and what came is kept.
    fs::remove_dir_all(place.path("data")).unwrap();
    place.server.put("/tiny.zip", Does::CutAfter(0, 100, zip.clone()));
    let text = place.fetch(2);
    says(&text, &["tiny.zip cannot be had", "/tiny.zip: was cut off after 0"]);
    place.server.put("/tiny.zip", Does::CutAfter(200, 1, zip.clone()));
    place.fetch(0);
    assert_eq!(place.left(), WHOLE);
}

#[test]
fn what_is_not_what_was_published_is_refused_and_nothing_of_it_stays() {
    let zip = tiny(&[]);
    let published = format!("      bytes: {}\n", zip.len());
    for (file, more, served, parts) in [
        (
            &*published,
            "",
            [&b"<!DOCTYPE html>"[..], &vec![b' '; zip.len() - 15]].concat(),
            &["answered with a web page, perhaps of a network that wants a sign-in"][..],
        ),
        ("      bytes: 17\n", "", zip.clone(), &["and 17 were published: it is another file"]),
        (
            "      md5: 00000000000000000000000000000000\n",
            "",
            zip.clone(),
            &["its md5 is ", "that published is 00000000000000000000000000000000: it is another file"],
        ),
        ("", "", b"no archive".to_vec(), &["it is no zip archive but text: it begins with `no archive`"]),
        ("", "", zip[..zip.len() - 30].to_vec(), &["it cannot be unpacked"]),
        ("", "", tiny(&[("../evil", "e")]), &["its entry `../evil` leads out of the archive's folder"]),
        ("", "  split: dev\n", zip.clone(), &["dev"]),
    ] {
        let place = Place::new(file, more);
        place.server.put("/tiny.zip", Does::Serve(served));
        let text = place.fetch(2);
        says(&text, parts);
        let left = place.left();
        assert!(left.is_empty() && !place.path("evil").exists(), "{left:?}");
        place.ends_with(2, &["fetch", "ours/tiny", "--check"]);
    }
    // Counts are those published.
    let place = Place::new("", "");
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text.replace("documents: 3", "documents: 4")).unwrap();
    place.server.put("/tiny.zip", Does::Serve(zip));
    says(&place.fetch(2), &["it holds 3 documents, and should hold 4"]);
}

#[test]
fn addresses_that_have_nothing_are_told_and_mirrors_tried() {
    let place = Place::new("      mirrors: [MIRROR]\n", "");
    let (zip, url) = (tiny(&[]), place.server.url.clone());
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text.replace("MIRROR", &format!("{url}/mirror/a.zip"))).unwrap();
    let text = place.fetch(2);
    says(&text, &["/tiny.zip: answered 404 Not Found", "/mirror/a.zip: answered 404 Not Found"]);
    place.server.put("/tiny.zip", Does::Redirect("/again".into()));
    place.server.put("/again", Does::Redirect("/tiny.zip".into()));
    says(&place.fetch(2), &["leads on and on"]);
    place.server.put("/tiny.zip", Does::Status(503));
    let text = place.fetch(2);
    says(&text, &["/tiny.zip: answered 503"]);
    place.server.take_requests();
    place.server.put("/tiny.zip", Does::Status(403));
    place.server.put("/mirror/a.zip", Does::Redirect("b.zip".into()));
    place.server.put("/mirror/b.zip", Does::Serve(zip.clone()));
    place.fetch(0);
    let paths: Vec<String> = place.server.take_requests().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["/tiny.zip", "/mirror/a.zip", "/mirror/b.zip"]);
    place.server.put("/mine/tiny.zip", Does::Serve(zip));
    let mirror = format!("{url}/mine/");
    place.ends_with(0, &["fetch", "ours/tiny", "--accept-licence", "--again", "--mirror", &mirror]);
    assert_eq!(place.server.take_requests(), [("/mine/tiny.zip".to_owned(), 0)]);
}

#[test]
fn a_mirror_that_answers_with_a_page_or_another_file_is_passed_over() {
    let zip = tiny(&[]);
    let md5 = {
        use md5::{Digest, Md5};
        Md5::digest(&zip).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let place = Place::new(&format!("      mirrors: [MIRROR/a.zip, MIRROR/b.zip]\n      md5: {md5}\n"), "");
    let url = place.server.url.clone();
    let text = fs::read_to_string(place.path("catalogue.yaml")).unwrap();
    fs::write(place.path("catalogue.yaml"), text.replace("MIRROR", &url)).unwrap();
    place.server.put("/tiny.zip", Does::Serve(b"<html><body>moved</body></html>".to_vec()));
    place.server.put("/a.zip", Does::Serve(tiny(&[("tiny/more.txt", "m")])));
    let text = place.fetch(2);
    says(
        &text,
        &[
            "/tiny.zip: answered with a web page",
            "/a.zip: what it has is refused: its md5 is ",
            "/b.zip: answered 404",
        ],
    );
    // What is here of another file is not gone on with for ever.
    place.server.put("/tiny.zip", Does::CutAfter(90, 0, zip.clone()));
    let part = place.left().into_iter().find(|name| name.ends_with(".part"));
    assert_eq!(part, None);
    place.server.put("/a.zip", Does::CutAfter(100, 100, tiny(&[("tiny/more.txt", "m")])));
    place.server.put("/tiny.zip", Does::Status(403));
    place.fetch(2);
    place.server.put("/tiny.zip", Does::Serve(zip));
    place.fetch(0);
    place.ends_with(0, &["fetch", "ours/tiny", "--check"]);
}

#[test]
fn a_server_that_sends_nothing_is_asked_again_from_where_it_was() {
    let place = Place::new("", "");
    place.server.put("/tiny.zip", Does::Stall(100, 2, tiny(&[])));
    place.ends_with(0, &["fetch", "ours/tiny", "--accept-licence", "--stall", "1"]);
    let from: Vec<usize> = place.server.take_requests().into_iter().map(|(_, from)| from).collect();
    assert_eq!(from, [0, 100, 200]);
    says(&place.ends_with(2, &["fetch", "ours/tiny", "--stall", "0"]), &["--stall <SECONDS>"]);
}

#[test]
fn a_file_that_changed_on_the_server_is_not_sewn_to_the_part_that_is_here() {
    let place = Place::new("", "");
    let (old, new) = (tiny(&[("tiny/more.txt", "before")]), tiny(&[]));
    let spoil = |version| {
        place.server.put("/tiny.zip", Does::Version(version, 100, old.clone()));
        let mut command = place.command(&["fetch", "ours/tiny", "--accept-licence"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.unwrap();
        while !has_bytes(&place, 100) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        drop(child.kill());
        drop(child.wait());
        place.server.take_requests();
    };
    spoil("a");
    place.server.put("/tiny.zip", Does::Version("b", usize::MAX, new.clone()));
    place.fetch(0);
    assert_eq!(place.left(), WHOLE);
    assert!(place.server.take_requests().iter().all(|(_, from)| *from > 0));
    // The same version is gone on with.
    fs::remove_dir_all(place.path("data")).unwrap();
    spoil("c");
    place.server.put("/tiny.zip", Does::Version("c", usize::MAX, old.clone()));
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
