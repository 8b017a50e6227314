//! The writer of SVG elements: escaping, number format, path data.

use std::fmt::Write as _;

/// SVG text in the making.
#[derive(Debug)]
pub(crate) struct Svg {
    text: String,
}

impl Svg {
    /// Opens the root element. `viewBox` gives the shape; the page that embeds it gives the size.
    pub(crate) fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let mut svg = Self {
            text: String::with_capacity(8192),
        };
        svg.tag("svg")
            .attr("xmlns", "http://www.w3.org/2000/svg")
            .attr(
                "viewBox",
                &format!("0 0 {} {}", number(width), number(height)),
            )
            .num("width", width)
            .num("height", height)
            .attr("role", "img")
            .attr(
                "font-family",
                "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
            )
            .open();
        svg.tag("title").text(title);
        svg.tag("desc").text(description);
        svg.tag("rect")
            .num("width", width)
            .num("height", height)
            .attr("fill", "#ffffff")
            .end();
        svg
    }

    /// Starts an element; finish it with [`Tag::end`], [`Tag::text`] or [`Tag::open`].
    pub(crate) fn tag<'a>(&'a mut self, name: &'static str) -> Tag<'a> {
        self.text.push('<');
        self.text.push_str(name);
        Tag { svg: self, name }
    }

    /// Closes an element that was left open.
    pub(crate) fn close(&mut self, name: &'static str) {
        let _ = writeln!(self.text, "</{name}>");
    }

    /// Opens a viewport that clips its content to the given rectangle and keeps the coordinates.
    /// Unlike a clip path it needs no `id`.
    pub(crate) fn open_clip(&mut self, x: f64, y: f64, width: f64, height: f64) {
        let view_box = format!(
            "{} {} {} {}",
            number(x),
            number(y),
            number(width),
            number(height)
        );
        self.tag("svg")
            .num("x", x)
            .num("y", y)
            .num("width", width)
            .num("height", height)
            .attr("viewBox", &view_box)
            .attr("overflow", "hidden")
            .open();
    }

    /// Closes the root element and returns the text.
    pub(crate) fn finish(mut self) -> String {
        self.close("svg");
        self.text
    }
}

/// An element whose start tag is being written.
#[must_use]
pub(crate) struct Tag<'a> {
    svg: &'a mut Svg,
    name: &'static str,
}

impl Tag<'_> {
    /// Adds an attribute with a text value.
    pub(crate) fn attr(self, name: &'static str, value: &str) -> Self {
        let text = &mut self.svg.text;
        text.push(' ');
        text.push_str(name);
        text.push_str("=\"");
        escape_into(text, value);
        text.push('"');
        self
    }

    /// Adds an attribute with a number.
    pub(crate) fn num(self, name: &'static str, value: f64) -> Self {
        let _ = write!(self.svg.text, " {name}=\"{}\"", number(value));
        self
    }

    /// Ends the element without content.
    pub(crate) fn end(self) {
        self.svg.text.push_str("/>\n");
    }

    /// Ends the element with text content.
    pub(crate) fn text(self, content: &str) {
        self.svg.text.push('>');
        escape_into(&mut self.svg.text, content);
        self.svg.close(self.name);
    }

    /// Ends the start tag and leaves the element open.
    pub(crate) fn open(self) {
        self.svg.text.push_str(">\n");
    }
}

/// Path data.
#[derive(Debug, Default)]
pub(crate) struct Path {
    data: String,
}

impl Path {
    /// Appends a polyline through the points.
    pub(crate) fn polyline(&mut self, points: &[(f64, f64)]) {
        for (k, &(x, y)) in points.iter().enumerate() {
            self.data.push(if k == 0 { 'M' } else { 'L' });
            self.data.push_str(&number(x));
            self.data.push(' ');
            self.data.push_str(&number(y));
        }
    }

    /// Appends a closed polygon.
    pub(crate) fn polygon(&mut self, points: &[(f64, f64)]) {
        self.polyline(points);
        if !points.is_empty() {
            self.data.push('Z');
        }
    }

    /// Appends a dot, visible with a round line cap.
    pub(crate) fn dot(&mut self, x: f64, y: f64) {
        let _ = write!(self.data, "M{} {}h0", number(x), number(y));
    }

    /// True if nothing was appended.
    pub(crate) fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The text for the `d` attribute.
    pub(crate) fn data(&self) -> &str {
        &self.data
    }
}

/// A coordinate with at most two decimals. What is not finite becomes 0: charts filter their
/// values, and a viewer must never meet `NaN`.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let mut text = format!("{value:.2}");
    let kept = text.trim_end_matches('0').trim_end_matches('.').len();
    text.truncate(kept);
    if text == "-0" { "0".to_owned() } else { text }
}

/// Escapes for element content and attribute values alike. Characters that XML 1.0 forbids become
/// the replacement character.
fn escape_into(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_decimals_and_no_waste() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(10.0), "10");
        assert_eq!(number(1.256), "1.26");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(-1.5), "-1.5");
        assert_eq!(number(f64::NAN), "0");
        assert_eq!(number(f64::INFINITY), "0");
    }

    #[test]
    fn special_characters_are_escaped() {
        let mut out = String::new();
        escape_into(&mut out, "a<b & \"c\" 'd'>\u{1}\n");
        assert_eq!(out, "a&lt;b &amp; &quot;c&quot; &#39;d&#39;&gt;\u{fffd} ");
    }
}
