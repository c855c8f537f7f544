//! Reading the operand of a statement into items; each fault is reported once, with the likely cause.
//!
//! Grammar: [`crate::syntax::operand`].

use std::ops::Range;

use halftrack_input::Located;
use halftrack_input::messages::deck::STRING_OPEN;
use halftrack_input::messages::iocp::{
    BLANK_EXPECTED, CHARACTER, CLOSING_EXPECTED, COMMA_EXPECTED, OPENING_EXPECTED, VALUE_EXPECTED,
};

use crate::syntax::cards::{Cell, span_of};
use crate::syntax::findings::Findings;
use crate::syntax::operand::{Form, Item, Value};

/// A syntax error that has been reported where it was found.
struct Broken;

struct Parser<'a> {
    cells: &'a [Cell],
    at: usize,
    /// Where the parentheses that are open were opened.
    opened: Vec<usize>,
    findings: &'a mut Findings,
}

/// Reads the items of `cells`; the second result is true when all of them could be read. At most one message is
/// reported. `comma_may_end`: one trailing comma is tolerated (ID).
pub(crate) fn parse(cells: &[Cell], comma_may_end: bool, findings: &mut Findings) -> (Vec<Item>, bool) {
    let mut parser = Parser { cells, at: 0, opened: Vec::new(), findings };
    let mut items = Vec::new();
    if cells.is_empty() {
        return (items, true);
    }
    loop {
        match parser.item() {
            Ok(item) => items.push(item),
            Err(Broken) => return (items, false),
        }
        match parser.peek() {
            None => return (items, true),
            Some(',') if comma_may_end && parser.at + 1 == cells.len() => return (items, true),
            Some(',') => parser.at += 1,
            Some(')') => {
                let fix = "drop this `)`: no parenthesis is open";
                parser.complain(
                    BLANK_EXPECTED,
                    "`,` or the blank that ends the operand",
                    Some(fix.to_owned()),
                );
                return (items, false);
            }
            Some(_) => {
                let fix = parser.between();
                parser.complain(COMMA_EXPECTED, "`,`", fix);
                return (items, false);
            }
        }
    }
}

fn is_word(ch: char) -> bool {
    ch.is_ascii_uppercase() || ch.is_ascii_digit() || matches!(ch, '$' | '#' | '@')
}

fn is_atom(ch: char) -> bool {
    is_word(ch) || matches!(ch, '*' | '.' | '-' | '_')
}

/// Returns the likely intent of a character that no operand has.
fn meant_by(ch: char, is_last: bool) -> Option<&'static str> {
    match ch {
        ';' if is_last => Some("take it away: nothing marks the end of a statement"),
        ';' => Some("write `,` for `;`"),
        ':' => Some("write `=` or `,` for `:`"),
        '+' => Some("a continuation is marked in column 72, not behind the comma"),
        '&' => {
            Some("the deck is a copy of a web page: write the character that & and the word behind it mean")
        }
        '\u{2010}'..='\u{2015}' => Some("write `-`, not the dash of a word processor"),
        _ => None,
    }
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.cells.get(self.at).map(|cell| cell.ch)
    }

    fn text(&self, from: usize) -> String {
        self.cells[from..self.at].iter().map(|cell| cell.ch).collect()
    }

    fn span(&self, from: usize) -> Range<usize> {
        span_of(&self.cells[from..self.at])
    }

    /// Counts the cells from here on that satisfy `belongs`.
    fn run(&self, belongs: fn(char) -> bool) -> usize {
        self.cells[self.at..].iter().take_while(|cell| belongs(cell.ch)).count()
    }

    fn fail<T>(&mut self, number: u16, expected: &str) -> Result<T, Broken> {
        self.complain(number, expected, None);
        Err(Broken)
    }

    /// Returns the characters that are most likely missing between the text read and the rest.
    fn between(&self) -> Option<String> {
        let word = |cells: &mut dyn Iterator<Item = &Cell>| -> String {
            cells.map(|cell| cell.ch).take_while(|&ch| is_word(ch)).collect()
        };
        let before: String = word(&mut self.cells[..self.at].iter().rev()).chars().rev().collect();
        match self.peek()? {
            '(' if !before.is_empty() => Some(format!("put `=` between {before} and `(`")),
            '=' => None,
            '.' => Some("write `,` for `.`".to_owned()),
            '(' => Some("put a comma before `(`".to_owned()),
            '\'' => Some(
                "put a comma before the string; an apostrophe inside a string is written twice".to_owned(),
            ),
            _ => {
                let next = word(&mut self.cells[self.at..].iter());
                (!next.is_empty()).then(|| format!("put a comma before {next}"))
            }
        }
    }

    /// Reports a keyword inside a list: the list should have ended before it.
    fn unclosed(&mut self, keyword: usize) -> Broken {
        let word: String = self.cells[keyword..self.at].iter().map(|cell| cell.ch).collect();
        // The outermost list is the value of the keyword before; it is the one to be closed.
        let opened = self.opened.first().map(|&at| span_of(&self.cells[at..=at])).unwrap_or_default();
        let words = format!("expected `)` before {word}=, which cannot be in a list");
        let message = self
            .findings
            .error(CLOSING_EXPECTED, &opened, words)
            .other(self.findings.label(&self.span(keyword), "the next keyword"))
            .fix(format!("close the list before {word}="));
        self.findings.report(message);
        Broken
    }

    /// Reports an operand that ends inside a list.
    fn open_at_end(&mut self) -> Broken {
        let last = self.cells.last().map_or(0..0, |cell| span_of(&[*cell]));
        let mut message = self
            .findings
            .error(CLOSING_EXPECTED, &last, "expected `)` at the end of the operand")
            .fix("add the `)` that is missing");
        if let Some(&at) = self.opened.last() {
            message = message.other(self.findings.label(&span_of(&self.cells[at..=at]), "opened here"));
        }
        self.findings.report(message);
        Broken
    }

    fn complain(&mut self, number: u16, expected: &str, fix: Option<String>) {
        let rest = &self.cells[self.at..];
        let (number, message, span) = match rest.first() {
            None => {
                let last = self.cells.last().map_or(0..0, |cell| span_of(&[*cell]));
                (number, format!("expected {expected} at the end of the operand"), last)
            }
            Some(cell) if !is_atom(cell.ch) && !matches!(cell.ch, '=' | ',' | '(' | ')' | '\'') => {
                let name =
                    if cell.ch.is_control() { cell.ch.escape_default().to_string() } else { cell.ch.into() };
                (CHARACTER, format!("the character {name} is allowed only in a string"), span_of(&[*cell]))
            }
            Some(cell) => {
                let shown: String = rest.iter().take(8).map(|cell| cell.ch).collect();
                (number, format!("expected {expected} at \"{shown}\""), span_of(&[*cell]))
            }
        };
        let mut message = self.findings.error(number, &span, message);
        message.fix = fix.or_else(|| meant_by(rest.first()?.ch, rest.len() == 1).map(str::to_owned));
        self.findings.report(message);
    }

    fn item(&mut self) -> Result<Item, Broken> {
        let start = self.at;
        let length = self.run(is_word);
        if length > 0 && self.cells.get(start + length).is_some_and(|cell| cell.ch == '=') {
            self.at += length;
            let keyword = Located::new(self.text(start), self.span(start));
            self.at += 1;
            return Ok(Item { keyword: Some(keyword), value: self.value()? });
        }
        if self.run(is_atom) == 0 {
            return self.fail(VALUE_EXPECTED, "a keyword");
        }
        Ok(Item { keyword: None, value: self.atom()? })
    }

    fn value(&mut self) -> Result<Value, Broken> {
        match self.peek() {
            Some('(') => {
                let start = self.at;
                let elements = self.list(0)?;
                Ok(Value { form: Form::List(elements), span: self.span(start) })
            }
            Some('\'') => self.quoted(),
            _ if self.at_css() => self.fail(OPENING_EXPECTED, "`(` before the CSS list"),
            _ => self.atom(),
        }
    }

    fn atom(&mut self) -> Result<Value, Broken> {
        let start = self.at;
        self.at += if self.peek() == Some('=') { 1 } else { self.run(is_atom) };
        if self.at == start {
            return self.fail(VALUE_EXPECTED, "a value");
        }
        Ok(Value { form: Form::Atom(self.text(start)), span: self.span(start) })
    }

    fn quoted(&mut self) -> Result<Value, Broken> {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        while let Some(ch) = self.peek() {
            self.at += 1;
            if ch != '\'' {
                text.push(ch);
            } else if self.peek() == Some('\'') {
                text.push('\'');
                self.at += 1;
            } else {
                return Ok(Value { form: Form::Quoted(text), span: self.span(start) });
            }
        }
        let open = span_of(&self.cells[start..=start]);
        let message = self
            .findings
            .error(STRING_OPEN, &open, "the string that starts here has no closing apostrophe")
            .fix("close the string; an apostrophe inside it is written twice");
        self.findings.report(message);
        Err(Broken)
    }

    fn at_css(&self) -> bool {
        self.cells[self.at..].iter().map(|cell| cell.ch).take(4).eq("CSS(".chars())
    }

    /// Reads a list, from its opening to its closing parenthesis.
    fn list(&mut self, depth: usize) -> Result<Vec<Value>, Broken> {
        /// No operand of IOCP nests deeper than four; the bound keeps hostile text from exhausting the stack.
        const DEPTH_MAX: usize = 16;
        if depth == DEPTH_MAX {
            return self.fail(CLOSING_EXPECTED, "`)`, not yet another list");
        }
        self.opened.push(self.at);
        self.at += 1;
        let mut elements = Vec::new();
        loop {
            let start = self.at;
            elements.push(match self.peek() {
                Some(',' | ')') => Value { form: Form::Empty, span: span_of(&self.cells[start..=start]) },
                Some('(') => {
                    let inner = self.list(depth + 1)?;
                    Value { form: Form::List(inner), span: self.span(start) }
                }
                Some('\'') => self.quoted()?,
                _ if self.at_css() => {
                    self.at += 3;
                    let ids = self.list(depth + 1)?;
                    Value { form: Form::Css(ids), span: self.span(start) }
                }
                None => return Err(self.open_at_end()),
                Some(_) => self.atom()?,
            });
            match self.peek() {
                Some(',') => self.at += 1,
                Some(')') => break,
                None => return Err(self.open_at_end()),
                Some('=') if self.cells[start..self.at].iter().all(|cell| is_word(cell.ch)) => {
                    return Err(self.unclosed(start));
                }
                Some(_) => {
                    let fix = self.between();
                    self.complain(COMMA_EXPECTED, "`,` or `)`", fix);
                    return Err(Broken);
                }
            }
        }
        self.opened.pop();
        self.at += 1;
        if let [Value { form: Form::Empty, .. }] = elements.as_slice() {
            elements.clear();
        }
        Ok(elements)
    }
}

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;

    use super::*;

    fn parsed(text: &str) -> (Vec<Item>, Vec<u16>) {
        let cells: Vec<Cell> = text.char_indices().map(|(at, ch)| Cell::new(at, ch)).collect();
        let mut findings = Findings::new(&SourceFile::new("x", text));
        let (items, _) = parse(&cells, false, &mut findings);
        (items, findings.into_list().iter().map(|message| message.number).collect())
    }

    #[test]
    fn every_form_is_written_back_as_it_was() {
        for text in [
            "PATH=(CSS(0,1),40)",
            "PATH=((CSS(0),40,41),(CSS(1),40))",
            "PART=((LNX1),(=))",
            "LINK=(**,****,04)",
            "PNETID=(,NET2)",
            "MSG1='A, B=(C) ''D'''",
            "TOK=('CF01',008000012094,'06-05-24')",
            "SHARED",
            "A=()",
            "A=(())",
            "A=(,)",
            "UNIT=3990-6",
        ] {
            let (items, numbers) = parsed(text);
            assert_eq!(numbers, [0u16; 0], "{text}");
            assert_eq!(items.len(), 1, "{text}");
            assert_eq!(items[0].to_string(), text);
        }
    }

    #[test]
    fn a_doubled_apostrophe_is_one() {
        let (items, _) = parsed("A='X''Y'");
        assert_eq!(items[0].value.text(), Some("X'Y"));
    }

    #[test]
    fn a_parenthesis_or_comma_out_of_place_gives_one_message() {
        for (text, number) in [
            ("A=1B=2", COMMA_EXPECTED),
            ("A=(1", CLOSING_EXPECTED),
            ("A=(1(2))", COMMA_EXPECTED),
            ("A=1)", BLANK_EXPECTED),
            ("A=,B=1", VALUE_EXPECTED),
            ("A=1,,B=1", VALUE_EXPECTED),
            ("A=CSS(0)", OPENING_EXPECTED),
            ("A=1;B", CHARACTER),
            ("A='X", STRING_OPEN),
            ("A=1,", VALUE_EXPECTED),
        ] {
            assert_eq!(parsed(text).1, [number], "{text}");
        }
    }

    #[test]
    fn a_message_points_at_the_character() {
        let text = "A=(1(2))";
        let cells: Vec<Cell> = text.char_indices().map(|(at, ch)| Cell::new(at, ch)).collect();
        let mut findings = Findings::new(&SourceFile::new("x", text));
        let _ = parse(&cells, false, &mut findings);
        let list = findings.into_list();
        assert_eq!(list[0].at.span, 4..5);
        assert_eq!(list[0].message, "expected `,` or `)` at \"(2))\"");
    }

    #[test]
    fn deep_nesting_ends_in_a_message() {
        assert_eq!(parsed(&format!("A={}", "(".repeat(1000))).1, [CLOSING_EXPECTED]);
    }

    #[test]
    fn sole_and_leaves_look_through_parentheses() {
        let (items, _) = parsed("UNITADD=((10))");
        assert_eq!(items[0].value.sole().atom(), Some("10"));
        let (items, _) = parsed("P=((CSS(0),A,(B,1)),'C')");
        let leaves: Vec<&str> = items[0].value.leaves().iter().filter_map(|leaf| leaf.text()).collect();
        assert_eq!(leaves, ["A", "B", "1", "C"]);
    }
}
