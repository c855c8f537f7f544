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

use halftrack_input::Located;

pub(crate) use crate::syntax::operand_parser::parse;

/// A value as coded. Two values are equal when they read the same, wherever they stand.
#[derive(Debug, Clone)]
pub struct Value {
    /// Its form.
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
    /// Returns the word, unless it is a list, string or empty.
    pub fn atom(&self) -> Option<&str> {
        match &self.form {
            Form::Atom(word) => Some(word),
            _ => None,
        }
    }

    /// Returns the text of a word or string.
    pub fn text(&self) -> Option<&str> {
        match &self.form {
            Form::Atom(text) | Form::Quoted(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the elements of a list; a single value counts as a list of itself (G14).
    pub fn elements(&self) -> &[Value] {
        match &self.form {
            Form::List(elements) => elements,
            _ => std::slice::from_ref(self),
        }
    }

    /// Returns the value inside any number of parentheses that hold nothing else.
    pub fn sole(&self) -> &Value {
        let mut value = self;
        while let Form::List(elements) = &value.form
            && let [only] = elements.as_slice()
        {
            value = only;
        }
        value
    }

    /// Returns every word and string in it, in order, CSS numbers excluded.
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
    /// Writes the value as a card would hold it.
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
