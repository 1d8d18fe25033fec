//! Output that a page shows, held against the whole.

/// Whether shortened output is that of a command: `...` stands for any lines.
#[track_caller]
pub(crate) fn is_shortened(whose: &str, shown: &str, output: &str) {
    let lines = |text: &'_ str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let output = lines(output);
    let mut rest = output.as_slice();
    let mut skips = false;
    for (number, piece) in lines(shown.trim()).split(|line| line == "...").enumerate() {
        skips |= number > 0;
        if piece.iter().all(String::is_empty) {
            continue;
        }
        let mut places = rest.windows(piece.len());
        let place = if skips { places.position(|lines| lines == piece) } else { Some(0) };
        let place = place.filter(|&at| rest.get(at..at + piece.len()) == Some(piece));
        let Some(place) = place else {
            panic!("{whose} shows\n\n{}\n\nand the output is\n\n{}", piece.join("\n"), output.join("\n"));
        };
        rest = &rest[place + piece.len()..];
    }
}
