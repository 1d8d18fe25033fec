//! HTML and SVG in which data is always escaped: elements take text and attributes, never markup.

use super::clean::{clean, layout};

/// An element of HTML or SVG, or a [`fragment`] of several.
///
/// Text and values of attributes are shown and cannot act as markup: control characters
/// and those that reorder a line are made visible, and no tag, attribute or entity begins in it.
#[derive(Clone, Debug, Default)]
pub struct Element {
    tag: &'static str,
    attributes: String,
    content: String,
}

/// An empty element.
pub fn el(tag: &'static str) -> Element {
    Element { tag, ..Element::default() }
}

/// Elements without one around them.
pub fn fragment() -> Element {
    Element::default()
}

impl Element {
    pub fn attr(mut self, name: &'static str, value: &str) -> Self {
        self.attributes.push(' ');
        self.attributes.push_str(name);
        self.attributes.push_str("=\"");
        escape(&mut self.attributes, &clean(value));
        self.attributes.push('"');
        self
    }

    /// What a field of a form sends: these characters and no others, since nobody is shown it. It is known by them when it
    /// comes back.
    pub fn value(mut self, value: &str) -> Self {
        self.attributes.push_str(" value=\"");
        for c in value.chars() {
            match c {
                // As they are, readers of HTML may make others of them.
                c if c.is_control() => self.attributes.push_str(&format!("&#{};", u32::from(c))),
                c => escape(&mut self.attributes, c.encode_utf8(&mut [0; 4])),
            }
        }
        self.attributes.push('"');
        self
    }

    /// An attribute without a value: `open`.
    pub fn flag(mut self, name: &'static str) -> Self {
        self.attributes.push(' ');
        self.attributes.push_str(name);
        self
    }

    pub fn class(self, names: &str) -> Self {
        self.attr("class", names)
    }

    pub fn text(mut self, text: &str) -> Self {
        escape(&mut self.content, &clean(text));
        self
    }

    /// Text whose line breaks stay.
    pub fn lines<'a>(mut self, lines: impl IntoIterator<Item = &'a str>) -> Self {
        for (index, line) in lines.into_iter().enumerate() {
            if index > 0 {
                self.content.push('\n');
            }
            self = self.text(line);
        }
        self
    }

    /// Text whose lines and tabs stay, for an element that shows them.
    pub fn layout(mut self, text: &str) -> Self {
        escape(&mut self.content, &layout(text));
        self
    }

    pub fn child(mut self, child: Element) -> Self {
        child.write(&mut self.content);
        self
    }

    pub fn children(mut self, children: impl IntoIterator<Item = Element>) -> Self {
        for child in children {
            child.write(&mut self.content);
        }
        self
    }

    /// A style sheet or script of our own, as it is.
    pub fn code(mut self, code: &str) -> Self {
        self.content.push_str(code);
        self
    }

    /// JSON for a script to read. Nothing in it can end the element that it stands in.
    pub fn json(mut self, json: &str) -> Self {
        for c in json.chars() {
            match c {
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    self.content.push_str(&format!("\\u{:04x}", u32::from(c)));
                }
                other => self.content.push(other),
            }
        }
        self
    }

    pub fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Whether markup of ours is in it, such as the beginning of a tag: none of data is.
    pub fn has(&self, markup: &str) -> bool {
        self.content.contains(markup)
    }

    pub fn render(self) -> String {
        let mut text = String::with_capacity(self.content.len() + self.attributes.len() + 32);
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        if self.tag.is_empty() {
            text.push_str(&self.content);
            return;
        }
        text.push('<');
        text.push_str(self.tag);
        text.push_str(&self.attributes);
        if is_void(self.tag) && self.content.is_empty() {
            text.push_str("/>");
        } else {
            text.push('>');
            text.push_str(&self.content);
            text.push_str("</");
            text.push_str(self.tag);
            text.push('>');
        }
        if is_block(self.tag) {
            text.push('\n');
        }
    }
}

/// Elements that hold nothing, or, of SVG, a title at most.
fn is_void(tag: &str) -> bool {
    matches!(tag, "meta" | "link" | "input" | "br" | "line" | "rect" | "circle" | "path" | "polyline")
}

/// Elements behind which a line ends, so that the file can be read and compared.
fn is_block(tag: &str) -> bool {
    const BLOCKS: [&str; 27] = [
        "html", "head", "body", "header", "main", "section", "footer", "meta", "link", "style", "script",
        "title", "h1", "h2", "h3", "p", "div", "ul", "li", "details", "figure", "table", "thead", "tbody",
        "tr", "svg", "form",
    ];
    BLOCKS.contains(&tag) || matches!(tag, "g" | "pre" | "dl")
}

fn escape(escaped: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // XML has no such characters, escaped or not, and SVG is XML.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_become_markup() {
        let odd = "</p><script>\"'&\u{202e}\n\u{ffff}";
        let shown = "&lt;/p&gt;&lt;script&gt;&quot;&#39;&amp;\\u{202e}\\n\u{fffd}";
        let element = el("a").attr("title", odd).text(odd);
        assert_eq!(element.render(), format!("<a title=\"{shown}\">{shown}</a>"));
    }

    #[test]
    fn text_that_is_read_keeps_its_lines() {
        let element = el("p").layout("a\r\nb <b>\u{202e}").render();
        assert_eq!(element, "<p>a\nb &lt;b&gt;\\u{202e}</p>\n");
    }

    #[test]
    fn what_a_field_sends_is_what_it_was_given() {
        let odd = "a\u{200e}\u{ad}\u{202e}\"><script>&\n\u{feff}";
        let sent = "a\u{200e}\u{ad}\u{202e}&quot;&gt;&lt;script&gt;&amp;&#10;\u{feff}";
        assert_eq!(el("input").value(odd).render(), format!("<input value=\"{sent}\"/>"));
        // What is shown of the same is what can be seen.
        assert!(!el("option").value(odd).text(odd).render().ends_with(&format!("{sent}</option>")));
    }

    #[test]
    fn json_cannot_end_its_script() {
        let json = el("script").json(r#"{"a":"</script><!--&"}"#).render();
        assert_eq!(json, "<script>{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026\"}</script>\n");
    }

    #[test]
    fn elements_nest() {
        let list = el("ul").children(["a", "b"].map(|text| el("li").text(text)));
        let page = fragment().child(list).child(el("line").attr("x1", "0"));
        assert_eq!(page.render(), "<ul><li>a</li>\n<li>b</li>\n</ul>\n<line x1=\"0\"/>");
        assert_eq!(el("pre").lines(["a", "b\u{1b}"]).render(), "<pre>a\nb\\u{1b}</pre>\n");
    }
}
