//! "Did you mean": the known name nearest to a wrong one.

/// Of more candidates only the first are compared.
const COMPARED: usize = 1000;

/// Beginnings shorter than this are shared by chance.
const BEGINNING: usize = 3;

/// The candidate most like `given`, if one is near enough to be what was meant: few letters apart, or else
/// one that begins with the other, as `min` and `mininum` do.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let candidates: Vec<&str> = candidates.into_iter().take(COMPARED).collect();
    nearest_of(given, &candidates)
}

// Not generic, as the callers' iterators are all different: it is compiled once.
fn nearest_of<'a>(given: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace('_', "-");
    let given = plain(given);
    let length = given.chars().count();
    if length > 40 {
        return None;
    }
    let measured = |&candidate: &&'a str| {
        let own = plain(candidate);
        let shorter = length.min(own.chars().count());
        let begins = shorter >= BEGINNING && (own.starts_with(&given) || given.starts_with(&own));
        (strsim::damerau_levenshtein(&given, &own), begins, candidate)
    };
    let candidates: Vec<_> = candidates.iter().map(measured).collect();
    let is_near = |near: usize| near <= (length / 3).max(1) && near < length;
    let nearest = candidates.iter().filter(|(near, ..)| is_near(*near)).min_by_key(|(near, ..)| *near);
    let beginning = || candidates.iter().filter(|(_, begins, _)| *begins).min_by_key(|(near, ..)| *near);
    nearest.or_else(beginning).map(|(_, _, candidate)| *candidate)
}

/// `` `a`, `b` or `c` ``, for messages.
pub fn any_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    list(&names.into_iter().collect::<Vec<_>>(), "or")
}

/// `` `a`, `b` and `c` ``, for messages.
pub fn all_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    list(&names.into_iter().collect::<Vec<_>>(), "and")
}

/// More names are not listed.
const LISTED: usize = 20;

fn list(names: &[&str], word: &str) -> String {
    let mut listed: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    if names.len() > LISTED {
        listed.push(format!("{} more", names.len() - LISTED));
    }
    match listed.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} {word} {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_if_it_is_near() {
        let names = ["thresholds", "segments", "every-query", "for", "max"];
        for (given, expected) in [
            ("treshold", Some("thresholds")),
            ("Segments", Some("segments")),
            ("every_query", Some("every-query")),
            ("of", None),
            ("fro", Some("for")),
            ("depth", None),
            ("maximum", Some("max")),
            ("seg", Some("segments")),
            ("ma", Some("max")),
            ("thr", Some("thresholds")),
            ("th", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, names), expected, "{given}");
        }
    }

    #[test]
    fn names_are_listed_as_people_do() {
        assert_eq!(any_of(["a"]), "`a`");
        assert_eq!(any_of(["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(
            all_of(["a"; 100]),
            format!("{}, 80 more", ["`a`"; 20].join(", ")).replace(", 80", " and 80")
        );
    }
}
