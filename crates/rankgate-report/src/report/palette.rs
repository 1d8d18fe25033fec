//! The colours of the HTML report and of plots, each in a light and a dark variant.

/// Name, on a light ground, on a dark ground. Texts in these colours have a contrast of at least 4.5
/// against their ground.
const COLOURS: &[[&str; 3]] = &[
    ["ground", "#ffffff", "#14171c"],
    ["raised", "#f6f7f9", "#1b2027"],
    ["ink", "#1c2128", "#e4e8ed"],
    ["muted", "#5b6570", "#9ba6b2"],
    ["line", "#d8dde3", "#343c46"],
    ["faint", "#eceff2", "#242a32"],
    ["accent", "#2458c5", "#82aaff"],
    ["passed", "#17713a", "#5cc98a"],
    ["failed", "#bd2130", "#ff8b85"],
    ["inconclusive", "#8a5a00", "#e0ac4b"],
    ["errored", "#7a3fc0", "#c19cff"],
    ["advisory", "#0b6e8f", "#5cc0e0"],
    ["passed-soft", "#e3f4e9", "#17301f"],
    ["failed-soft", "#fdeaea", "#3a1d1f"],
    ["inconclusive-soft", "#fbf1dc", "#33270f"],
    ["errored-soft", "#f2eafc", "#2a2039"],
    ["advisory-soft", "#e2f2f8", "#142b35"],
    ["loss", "#b54a33", "#e8826b"],
    ["gain", "#2472a8", "#62aee2"],
    ["series-1", "#2f6fde", "#7aa9ff"],
    ["series-2", "#b3570a", "#f2a25c"],
    ["series-3", "#0f8268", "#4fc7aa"],
    ["series-4", "#8250df", "#bb99ff"],
    ["series-5", "#be2f68", "#f582ab"],
    ["series-6", "#7d6500", "#d5bb55"],
    ["series-7", "#0a7494", "#5bc3e4"],
    ["series-8", "#5b6570", "#a3aeb9"],
];

/// How many colours there are to tell lines apart.
pub(super) const SERIES: usize = 8;

/// Which ground colours are for.
#[derive(Clone, Copy)]
enum Ground {
    Light,
    Dark,
}

fn colours(ground: Ground) -> impl Iterator<Item = (&'static str, &'static str)> {
    COLOURS.iter().map(move |[name, light, dark]| match ground {
        Ground::Light => (*name, *light),
        Ground::Dark => (*name, *dark),
    })
}

/// The colours as variables of a style sheet, which follow what the reader's system prefers; on paper
/// they are light.
pub(super) fn variables() -> String {
    let block = |ground| {
        let lines = colours(ground).map(|(name, colour)| format!("  --{name}: {colour};\n"));
        format!(":root {{\n{}}}\n", lines.collect::<String>())
    };
    format!(
        "{}@media screen and (prefers-color-scheme: dark) {{\n{}}}\n",
        block(Ground::Light),
        block(Ground::Dark)
    )
}

/// A style sheet that uses the variables, with colours in their place: many programs that show SVG do
/// not know variables.
pub(super) fn substituted(sheet: &str) -> String {
    let with = |ground| {
        let put = |sheet: String, (name, colour)| sheet.replace(&format!("var(--{name})"), colour);
        colours(ground).fold(sheet.to_owned(), put)
    };
    format!("{}@media (prefers-color-scheme: dark) {{\n{}}}\n", with(Ground::Light), with(Ground::Dark))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance as WCAG 2 defines it.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_can_be_read_on_its_ground() {
        for ground in [Ground::Light, Ground::Dark] {
            let of = |wanted: &str| colours(ground).find(|(name, _)| *name == wanted).unwrap().1;
            for (text, behind) in [
                ("ink", "ground"),
                ("ink", "raised"),
                ("muted", "ground"),
                ("muted", "raised"),
                ("accent", "ground"),
                ("loss", "ground"),
                ("loss", "raised"),
                ("gain", "ground"),
                ("gain", "raised"),
                ("passed", "passed-soft"),
                ("failed", "failed-soft"),
                ("inconclusive", "inconclusive-soft"),
                ("errored", "errored-soft"),
                ("advisory", "advisory-soft"),
                ("series-1", "ground"),
                ("series-2", "ground"),
                ("series-3", "ground"),
                ("series-4", "ground"),
                ("series-5", "ground"),
                ("series-6", "ground"),
                ("series-7", "ground"),
                ("series-8", "ground"),
            ] {
                let contrast = contrast(of(text), of(behind));
                assert!(contrast >= 4.5, "{text} on {behind}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn no_variable_is_left_in_a_stand_alone_sheet() {
        assert_eq!(
            substituted("a { fill: var(--ink) }\n"),
            "a { fill: #1c2128 }\n@media (prefers-color-scheme: dark) {\na { fill: #e4e8ed }\n}\n"
        );
        assert!(!substituted(include_str!("plot/plot.css")).contains("var("));
    }
}
