//! Names of files, as short as tells them apart.

/// The last parts of each path, as many as make it differ from every other one.
pub(crate) fn short_names(names: &[&str]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = names.iter().map(|name| name.split(['/', '\\']).collect()).collect();
    let ending = |index: usize, length: usize| {
        let parts: &[&str] = &parts[index];
        &parts[parts.len().saturating_sub(length)..]
    };
    let deepest = parts.iter().map(Vec::len).max().unwrap_or(1);
    let short = |index: usize| {
        let unique = |length: &usize| {
            (0..names.len()).all(|other| other == index || ending(other, *length) != ending(index, *length))
        };
        let length = (1..=deepest).find(unique).unwrap_or(deepest);
        let ending = ending(index, length);
        if ending.len() == parts[index].len() { names[index].to_owned() } else { ending.join("/") }
    };
    (0..names.len()).map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::short_names;

    #[test]
    fn names_are_as_short_as_tells_them_apart() {
        for (names, expected) in [
            (&["runs/a.run", "b.run"][..], &["a.run", "b.run"][..]),
            (&["x/old/a.run", "x/new/a.run", "x/new/b.run"], &["old/a.run", "new/a.run", "b.run"]),
            (&["a.run", "x/a.run"], &["a.run", "x/a.run"]),
            (&["/a.run", "a.run"], &["/a.run", "a.run"]),
            (&["-"], &["-"]),
        ] {
            assert_eq!(short_names(names), expected);
        }
    }
}
