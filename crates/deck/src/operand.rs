//! The operand of a statement: keyword operands, lists, strings, tagged sublists.
//!
//! ```text
//! operand  = item *( "," item )
//! item     = keyword "=" value | positional
//! value    = atom | list | quoted
//! list     = "(" [ element ] *( "," [ element ] ) ")"
//! element  = value | "CSS" "(" digits *( "," digits ) ")"
//! ```
//!
//! Reference: IOCP, rules G5 and G13-G18 and the grammar below them.

use std::fmt;
use std::ops::Range;

use crate::cards::{Cell, span_of};
use crate::findings::Findings;
use crate::message_numbers::{
    BLANK_EXPECTED, CHARACTER, CLOSING_EXPECTED, COMMA_EXPECTED, OPENING_EXPECTED, STRING_OPEN,
    VALUE_EXPECTED,
};
use crate::model::Located;

/// A value as coded. Two values are equal when they read the same, wherever they stand.
#[derive(Debug, Clone)]
pub struct Value {
    /// What it is.
    pub form: Form,
    /// Bytes of the value, up to the end of the card on which it begins.
    pub span: Range<usize>,
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form
    }
}

impl Eq for Value {}

/// The forms of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// An empty element of a list, as in `(,NET2)`.
    Empty,
    /// An unquoted word.
    Atom(String),
    /// A string, without its apostrophes and with doubled ones made single.
    Quoted(String),
    /// The tag `CSS(n)` or `CSS(n,m)` at the head of a sublist.
    Css(Vec<Value>),
    /// A list in parentheses.
    List(Vec<Value>),
}

impl Value {
    /// The word, unless it is a list, string or empty.
    pub fn atom(&self) -> Option<&str> {
        match &self.form {
            Form::Atom(word) => Some(word),
            _ => None,
        }
    }

    /// The text of a word or string.
    pub fn text(&self) -> Option<&str> {
        match &self.form {
            Form::Atom(text) | Form::Quoted(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of a list; a single value counts as a list of itself (G14).
    pub fn elements(&self) -> &[Value] {
        match &self.form {
            Form::List(elements) => elements,
            _ => std::slice::from_ref(self),
        }
    }

    /// The value inside any number of parentheses that hold nothing else.
    pub fn sole(&self) -> &Value {
        let mut value = self;
        while let Form::List(elements) = &value.form
            && let [only] = elements.as_slice()
        {
            value = only;
        }
        value
    }

    /// Every word and string in it, in order, CSS numbers excluded.
    pub fn leaves(&self) -> Vec<&Value> {
        let mut leaves = Vec::new();
        let mut open = vec![self];
        while let Some(value) = open.pop() {
            match &value.form {
                Form::Atom(_) | Form::Quoted(_) => leaves.push(value),
                Form::List(elements) => open.extend(elements.iter().rev()),
                Form::Empty | Form::Css(_) => {}
            }
        }
        leaves
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, elements: &[Value]) -> fmt::Result {
    f.write_str("(")?;
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            f.write_str(",")?;
        }
        write!(f, "{element}")?;
    }
    f.write_str(")")
}

impl fmt::Display for Value {
    /// The value as a card would hold it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Empty => Ok(()),
            Form::Atom(word) => f.write_str(word),
            Form::Quoted(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Form::Css(ids) => {
                f.write_str("CSS")?;
                write_list(f, ids)
            }
            Form::List(elements) => write_list(f, elements),
        }
    }
}

/// One operand: `KEYWORD=value`, or a positional word such as `SHARED`.
#[derive(Debug, Clone)]
pub struct Item {
    /// Keyword, synonyms as coded; `None` for a positional word.
    pub keyword: Option<Located<String>>,
    /// Value.
    pub value: Value,
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        let keyword = |item: &Item| item.keyword.as_ref().map(|word| word.value.clone());
        keyword(self) == keyword(other) && self.value == other.value
    }
}

impl Eq for Item {}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(keyword) = &self.keyword {
            write!(f, "{}=", keyword.value)?;
        }
        write!(f, "{}", self.value)
    }
}

/// A syntax error: reported where it is found, nothing more to say.
struct Broken;

struct Parser<'a> {
    cells: &'a [Cell],
    at: usize,
    findings: &'a mut Findings,
}

/// The items of `cells`, and whether all of them could be read. At most one message is reported.
/// `comma_may_end`: one trailing comma is tolerated (ID).
pub(crate) fn parse(cells: &[Cell], comma_may_end: bool, findings: &mut Findings) -> (Vec<Item>, bool) {
    let mut parser = Parser { cells, at: 0, findings };
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
                parser.complain(BLANK_EXPECTED, "`,` or the blank that ends the operand");
                return (items, false);
            }
            Some(_) => {
                parser.complain(COMMA_EXPECTED, "`,`");
                return (items, false);
            }
        }
    }
}

fn is_word(ch: char) -> bool {
    ch.is_ascii_uppercase() || ch.is_ascii_digit() || matches!(ch, '$' | '#' | '@')
}

fn is_atom(ch: char) -> bool {
    is_word(ch) || matches!(ch, '*' | '.' | '-')
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

    /// How many cells from here on satisfy `belongs`.
    fn run(&self, belongs: fn(char) -> bool) -> usize {
        self.cells[self.at..].iter().take_while(|cell| belongs(cell.ch)).count()
    }

    fn fail<T>(&mut self, number: u16, expected: &str) -> Result<T, Broken> {
        self.complain(number, expected);
        Err(Broken)
    }

    fn complain(&mut self, number: u16, expected: &str) {
        let rest = &self.cells[self.at..];
        let (number, message, span) = match rest.first() {
            None => {
                let last = self.cells.last().map_or(0..0, |cell| span_of(&[*cell]));
                (number, format!("expected {expected} at the end of the operand"), last)
            }
            Some(cell) if !is_atom(cell.ch) && !matches!(cell.ch, '=' | ',' | '(' | ')' | '\'') => {
                let name = cell.ch.escape_default();
                (CHARACTER, format!("the character {name} may stand only in a string"), span_of(&[*cell]))
            }
            Some(cell) => {
                let shown: String = rest.iter().take(8).map(|cell| cell.ch).collect();
                (number, format!("expected {expected} at \"{shown}\""), span_of(&[*cell]))
            }
        };
        self.findings.report(self.findings.error(number, &span, message));
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

    /// A list, from its opening to its closing parenthesis.
    fn list(&mut self, depth: usize) -> Result<Vec<Value>, Broken> {
        /// No operand of IOCP nests deeper than four; the bound keeps hostile text from exhausting the stack.
        const DEPTH_MAX: usize = 16;
        if depth == DEPTH_MAX {
            return self.fail(CLOSING_EXPECTED, "`)`, not yet another list");
        }
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
                None => return self.fail(CLOSING_EXPECTED, "`)`"),
                Some(_) => self.atom()?,
            });
            match self.peek() {
                Some(',') => self.at += 1,
                Some(')') => break,
                None => return self.fail(CLOSING_EXPECTED, "`)`"),
                Some(_) => return self.fail(COMMA_EXPECTED, "`,` or `)`"),
            }
        }
        self.at += 1;
        if let [Value { form: Form::Empty, .. }] = elements.as_slice() {
            elements.clear();
        }
        Ok(elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::SourceFile;

    fn parsed(text: &str) -> (Vec<Item>, Vec<u16>) {
        let cells: Vec<Cell> = text.char_indices().map(|(at, ch)| Cell { at, ch }).collect();
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
        let cells: Vec<Cell> = text.char_indices().map(|(at, ch)| Cell { at, ch }).collect();
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
