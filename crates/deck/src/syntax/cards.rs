//! Cards: 80 columns, of which 1-71 hold the statement, 72 the continuation mark, 73-80 a sequence number.
//!
//! Reference: IOCP, rules G1, G8, G21. Lines end in LF, CR LF or CR alone; a column is a character, not a byte.

use std::ops::{Range, RangeInclusive};

/// Last column that a statement may use.
pub(crate) const LAST_COLUMN: usize = 71;
/// Column of the continuation mark.
pub(crate) const MARK_COLUMN: usize = 72;
/// Column in which a continued operand resumes.
pub(crate) const RESUME_COLUMN: usize = 16;
/// Columns that are blank on a continuation card.
pub(crate) const INDENT: RangeInclusive<usize> = 1..=RESUME_COLUMN - 1;

/// The role of a card in its deck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardRole {
    /// Nothing in columns 1-71.
    Blank,
    /// `*` in column 1, or the continuation of such a card.
    Comment,
    /// A comment card that begins `*$HCDC$` or `*$HCD$`: data of HCD, kept verbatim.
    Annotation,
    /// Part of a statement, as first or continuation card.
    Statement,
}

/// One card as a place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Bytes of the card including its line end: the lines of all cards together are the whole text.
    pub line: Range<usize>,
    /// Bytes without line end (and without a byte-order mark at the head of the file).
    pub text: Range<usize>,
    /// Its role.
    pub role: CardRole,
}

impl Card {
    /// Splits `text` into cards, all with the role of statements at first.
    pub(crate) fn split(text: &str) -> Vec<Card> {
        let mut cards = Vec::new();
        let mut start = 0;
        for line in lines(text) {
            let end = start + line.len();
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let bare = bare.strip_suffix('\r').unwrap_or(bare);
            let mark = if start == 0 && bare.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
            cards.push(Card {
                line: start..end,
                text: start + mark..start + bare.len(),
                role: CardRole::Statement,
            });
            start = end;
        }
        cards
    }
}

/// Returns the lines of `text` with their ends.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    // A text without CR, as nearly all are, needs no search character by character.
    text.split_inclusive('\n').flat_map(|line| {
        let bare = line.strip_suffix("\r\n").unwrap_or(line);
        let last = bare.rfind('\r').map_or(0, |at| at + 1);
        let (before, last) = line.split_at(last);
        before.split_inclusive('\r').chain(Some(last).filter(|last| !last.is_empty()))
    })
}

/// One character of a card and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    /// Byte offset in the text.
    pub(crate) at: usize,
    /// The character; a tab counts as the blanks that it stands for.
    pub(crate) ch: char,
    /// Bytes of what the text has there: a no-break space or the apostrophe of a word processor has more than `ch`.
    bytes: u8,
}

impl Cell {
    /// Builds the cell of the character `ch` at `at`.
    pub(crate) fn new(at: usize, ch: char) -> Self {
        Self { at, ch, bytes: ch.len_utf8() as u8 }
    }

    /// Returns the cell of the same place, read as `ch`.
    pub(crate) fn read_as(self, ch: char) -> Self {
        Self { ch, ..self }
    }

    /// Returns the byte offset behind it.
    pub(crate) fn end(self) -> usize {
        self.at + usize::from(self.bytes)
    }
}

/// Returns the byte range of `cells`, up to the end of the card on which they begin.
pub(crate) fn span_of(cells: &[Cell]) -> Range<usize> {
    let Some(first) = cells.first() else { return 0..0 };
    let mut end = first.at;
    for cell in cells {
        if cell.at != end {
            break;
        }
        end = cell.end();
    }
    first.at..end
}

/// A run of non-blank characters: its columns and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) columns: RangeInclusive<usize>,
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
}

/// A card laid out in columns 1-73 (one more than the mark, to see text that runs over it).
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    /// The card as bytes where every column is one of them: ASCII without tabs.
    plain: Option<&'a [u8]>,
    /// The columns of any other card.
    cells: Vec<Cell>,
    start: usize,
    end: usize,
    /// Byte offset of the first tab or no-break space.
    pub(crate) tab: Option<usize>,
}

/// The character of web pages for a blank.
const NO_BREAK_SPACE: char = '\u{a0}';

/// A tab goes on to the next of these columns, counted from 0.
const TAB_STOP: usize = 8;

impl<'a> Columns<'a> {
    /// Returns the columns of `card` in `text`.
    pub(crate) fn of(text: &'a str, card: &Card) -> Self {
        let (start, end) = (card.text.start, card.text.end);
        let bytes = &text.as_bytes()[start..end];
        let bytes = &bytes[..bytes.len().min(MARK_COLUMN + 1)];
        if bytes.iter().all(|&byte| (b' '..=b'~').contains(&byte)) {
            return Self { plain: Some(bytes), cells: Vec::new(), start, end, tab: None };
        }
        let mut tab = None;
        let mut cells: Vec<Cell> = Vec::with_capacity(MARK_COLUMN + 1);
        for (offset, ch) in text[start..end].char_indices() {
            if cells.len() > MARK_COLUMN {
                break;
            }
            let at = start + offset;
            if ch != '\t' && ch != NO_BREAK_SPACE {
                cells.push(Cell::new(at, ch));
                continue;
            }
            tab.get_or_insert(at);
            if ch == NO_BREAK_SPACE {
                cells.push(Cell::new(at, ch).read_as(' '));
                continue;
            }
            let stop = (cells.len() / TAB_STOP + 1) * TAB_STOP;
            cells.resize(stop, Cell::new(at, ' '));
        }
        cells.truncate(MARK_COLUMN + 1);
        Self { plain: None, cells, start, end, tab }
    }

    /// Returns the cell of `column`, counted from 1; blank past the end of the card.
    pub(crate) fn cell(&self, column: usize) -> Cell {
        let found = match self.plain {
            Some(bytes) => {
                bytes.get(column - 1).map(|&byte| Cell::new(self.start + column - 1, char::from(byte)))
            }
            None => self.cells.get(column - 1).copied(),
        };
        found.unwrap_or(Cell::new(self.end, ' '))
    }

    /// Returns the character of `column`.
    pub(crate) fn at(&self, column: usize) -> char {
        self.cell(column).ch
    }

    /// Returns true when `columns` hold nothing.
    pub(crate) fn is_blank(&self, mut columns: RangeInclusive<usize>) -> bool {
        columns.all(|column| self.at(column) == ' ')
    }

    /// Returns the continuation mark.
    pub(crate) fn mark(&self) -> Option<Cell> {
        Some(self.cell(MARK_COLUMN)).filter(|cell| cell.ch != ' ')
    }

    /// Returns true when statement text seems to run through columns 71, 72 and 73.
    pub(crate) fn runs_over(&self) -> bool {
        (LAST_COLUMN..=MARK_COLUMN + 1).all(|column| self.at(column) != ' ')
    }

    /// Finds the first non-blank column from `from` on, up to column 71.
    pub(crate) fn first_from(&self, from: usize) -> Option<usize> {
        (from..=LAST_COLUMN).find(|&column| self.at(column) != ' ')
    }

    /// Returns the word that begins at or after column `from`.
    pub(crate) fn word_from(&self, from: usize) -> Option<Word> {
        let first = self.first_from(from)?;
        let last = (first..=LAST_COLUMN).take_while(|&column| self.at(column) != ' ').last()?;
        let cells: Vec<Cell> = (first..=last).map(|column| self.cell(column)).collect();
        Some(Word {
            columns: first..=last,
            text: cells.iter().map(|cell| cell.ch).collect(),
            span: span_of(&cells),
        })
    }

    /// Returns the text from `column` on, up to column 71.
    pub(crate) fn text_from(&self, column: usize) -> String {
        self.trimmed(column..=LAST_COLUMN).iter().map(|cell| cell.ch).collect()
    }

    /// Returns `columns` without trailing blanks.
    pub(crate) fn trimmed(&self, columns: RangeInclusive<usize>) -> Vec<Cell> {
        let mut cells: Vec<Cell> = columns.map(|column| self.cell(column)).collect();
        while cells.last().is_some_and(|cell| cell.ch == ' ') {
            cells.pop();
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_cover_every_byte_of_the_text() {
        let text = "\u{feff}a\r\n\r\nb\n\nc";
        let cards = Card::split(text);
        let joined: String = cards.iter().map(|card| &text[card.line.clone()]).collect();
        assert_eq!(joined, text);
        let bare: Vec<&str> = cards.iter().map(|card| &text[card.text.clone()]).collect();
        assert_eq!(bare, ["a", "", "b", "", "c"]);
    }

    #[test]
    fn a_carriage_return_ends_a_line_with_and_without_a_line_feed() {
        let found = |text: &str| lines(text).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(found("a\rb\r\nc\r\r\nd\r"), ["a\r", "b\r\n", "c\r", "\r\n", "d\r"]);
        assert_eq!(
            (found(""), found("\r"), found("\n\r")),
            (vec![], vec!["\r".into()], vec!["\n".into(), "\r".into()])
        );
        let text = "a\r\rb";
        let bare: Vec<&str> = Card::split(text).iter().map(|card| &text[card.text.clone()]).collect();
        assert_eq!(bare, ["a", "", "b"]);
    }

    #[test]
    fn columns_count_characters_and_end_in_blanks() {
        let text = "é\tx";
        let columns = Columns::of(text, &Card::split(text)[0]);
        assert_eq!((columns.at(1), columns.at(2), columns.at(9), columns.at(72)), ('é', ' ', 'x', ' '));
        assert_eq!(columns.tab, Some(2));
        assert_eq!(columns.cell(9).at, 3);
        assert_eq!(columns.word_from(2).map(|word| (word.columns, word.span)), Some((9..=9, 3..4)));
    }

    #[test]
    fn the_mark_is_column_72_and_sequence_numbers_do_not_count() {
        let text = format!("{:71}*00000010", " ID");
        let columns = Columns::of(&text, &Card::split(&text)[0]);
        assert_eq!(columns.mark().map(|cell| cell.at), Some(71));
        let text = format!("{:72}00000010", " ID");
        let columns = Columns::of(&text, &Card::split(&text)[0]);
        assert_eq!(columns.mark(), None);
    }

    #[test]
    fn a_span_ends_with_the_card_on_which_it_begins() {
        let cells = [Cell::new(5, 'a'), Cell::new(6, 'b').read_as('B'), Cell::new(20, 'c')];
        assert_eq!(span_of(&cells), 5..7);
    }
}
