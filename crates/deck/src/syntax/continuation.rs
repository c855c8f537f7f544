//! Joining the cards of one statement into one operand.
//!
//! Two styles, both legal and both written by HCD: the operand stops after a comma and blanks or a comment fill
//! the card, or it runs through column 71 and is cut in mid-token. Either way a mark in column 72 continues it at
//! column 16 of the next card. Reference: IOCP, rules G8-G12, traps 3-5.

use halftrack_input::messages::deck::{
    BLANK_ACCEPTED, BLANK_CARD_MARKED, COLUMN_ACCEPTED, NO_CONTINUATION, STATEMENT_IN_COMMENT,
};
use halftrack_input::{Diagnostic, Severity};

use crate::syntax::cards::{
    Card, CardRole, Cell, Columns, INDENT, LAST_COLUMN, MARK_COLUMN, RESUME_COLUMN, Word, span_of,
};
use crate::syntax::findings::Findings;
use crate::syntax::keyword::Operation;
use crate::syntax::lenient;

/// The operand of a statement and what was found beside it.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// Operand characters, cards joined.
    pub(crate) operand: Vec<Cell>,
    /// Comment texts beside the operand, in order.
    pub(crate) comments: Vec<Comment>,
    /// One past the last card used.
    pub(crate) cards_end: usize,
    /// One past the last card with a part of the operand: behind it there is only comment.
    pub(crate) operand_end: usize,
    /// The first apostrophe of a word processor in the operand.
    pub(crate) curly: Option<Cell>,
    /// True when a card is missing, so that the operand cannot be judged.
    pub(crate) cut_short: bool,
}

/// A comment beside an operand.
#[derive(Debug)]
pub(crate) struct Comment {
    pub(crate) cells: Vec<Cell>,
    /// The card on which it stands.
    pub(crate) card: usize,
    /// The column in which it begins.
    pub(crate) column: usize,
    /// It stands on a continuation card, because the operand ended without a comma on the card before.
    pub(crate) on_continuation: bool,
}

/// How the operand ended on a card.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// No operand yet; it may start on the next card.
    Nothing,
    /// A blank after a comma.
    Comma,
    /// It ran through column 71.
    Full,
    /// A blank after something else: the operand is complete.
    Complete,
}

/// Characters that word processors put for apostrophes, in Unicode and in code page 1252 read as Latin-1.
const CURLY_QUOTES: [char; 8] =
    ['\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}', '\u{91}', '\u{92}', '\u{93}', '\u{94}'];

/// Returns true when the card begins a statement: an operation word where an operation may be.
pub(crate) fn begins_statement(columns: &Columns<'_>) -> bool {
    let is_operation = |word: &Word| Operation::from_word(&word.text).is_some();
    let Some(first) = columns.word_from(1) else { return false };
    if is_operation(&first) {
        return true;
    }
    columns.at(1) != ' ' && columns.word_from(first.columns.end() + 1).as_ref().is_some_and(is_operation)
}

struct Gather<'a> {
    text: &'a str,
    cards: &'a mut [Card],
    operation: Option<Operation>,
    findings: &'a mut Findings,
    quoted: bool,
    /// Parentheses that are open.
    depth: usize,
    /// A blank inside the operand has been reported.
    blank_said: bool,
    out: Gathered,
}

/// Gathers the operand that starts in column `from` of card `first`, with its continuation cards.
pub(crate) fn gather(
    text: &str,
    cards: &mut [Card],
    first: usize,
    from: usize,
    operation: Option<Operation>,
    findings: &mut Findings,
) -> Gathered {
    let out = Gathered::default();
    let mut gather =
        Gather { text, cards, operation, findings, quoted: false, depth: 0, blank_said: false, out };
    let (mut index, mut from) = (first, from);
    loop {
        let columns = Columns::of(text, &gather.cards[index]);
        gather.out.cards_end = index + 1;
        gather.out.operand_end = index + 1;
        let stop = gather.take(index, &columns, from);
        match gather.follow(index, &columns, stop) {
            Some((next, column)) => (index, from) = (next, column),
            None => return gather.out,
        }
    }
}

impl<'a> Gather<'a> {
    fn columns(&self, index: usize) -> Option<Columns<'a>> {
        self.cards.get(index).map(|card| Columns::of(self.text, card))
    }

    /// Appends the operand characters of one card.
    fn take(&mut self, card: usize, columns: &Columns<'_>, from: usize) -> Stop {
        let mut column = from;
        while column <= LAST_COLUMN {
            let mut cell = columns.cell(column);
            if cell.ch == ' ' && !self.quoted {
                let next = columns.first_from(column);
                if let Some(next) = next.filter(|&next| self.goes_on(columns, next)) {
                    self.report_blank(&columns.cell(column));
                    column = next;
                    continue;
                }
                if let Some(column) = next {
                    let cells = columns.trimmed(column..=LAST_COLUMN);
                    self.out.comments.push(Comment { cells, card, column, on_continuation: false });
                }
                return match self.last() {
                    None => Stop::Nothing,
                    Some(',') => Stop::Comma,
                    Some(_) => Stop::Complete,
                };
            }
            if CURLY_QUOTES.contains(&cell.ch) {
                self.out.curly.get_or_insert(cell);
                cell = cell.read_as('\'');
            }
            match cell.ch {
                '\'' => self.quoted = !self.quoted,
                '(' if !self.quoted => self.depth += 1,
                ')' if !self.quoted => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            self.out.operand.push(cell);
            column += 1;
        }
        if self.out.operand.is_empty() { Stop::Nothing } else { Stop::Full }
    }

    fn last(&self) -> Option<char> {
        self.out.operand.last().map(|cell| cell.ch)
    }

    /// Returns true when the text from column `next` on, behind a blank, is not comment but the rest of the operand.
    fn goes_on(&self, columns: &Columns<'_>, next: usize) -> bool {
        let Some(last) = self.last() else { return false };
        let rest = || -> String { columns.trimmed(next..=LAST_COLUMN).iter().map(|cell| cell.ch).collect() };
        if self.depth > 0 {
            return lenient::is_inside(Some(last), &rest());
        }
        if last == '=' || columns.at(next) == '=' {
            let operand: String = self.out.operand.iter().map(|cell| cell.ch).collect();
            return lenient::is_beside_equals(&operand, &rest());
        }
        let operation = self.operation.filter(|_| last == ',' && self.findings.is_lenient());
        operation.is_some_and(|operation| lenient::is_next_operand(operation, &rest()))
    }

    /// Reports the blank at `cell` inside the operand.
    fn report_blank(&mut self, cell: &Cell) {
        if std::mem::replace(&mut self.blank_said, true) {
            return;
        }
        let message = self.findings.accepted_leniently(
            (BLANK_ACCEPTED, BLANK_ACCEPTED),
            &span_of(&[*cell]),
            "a blank is inside the operand, and IOCP takes the text behind it for comment",
            "drop the blank",
        );
        self.findings.report(message);
    }

    /// Returns card and column where the operand goes on.
    fn follow(&mut self, index: usize, columns: &Columns<'_>, stop: Stop) -> Option<(usize, usize)> {
        let marked = columns.mark().is_some();
        let ends_in_comma = !self.quoted && self.out.operand.last().is_some_and(|cell| cell.ch == ',');
        match stop {
            Stop::Complete if marked => {
                self.comment_cards(index, columns);
                None
            }
            Stop::Complete if !marked => self.forgotten(index),
            Stop::Nothing if !marked => None,
            _ if marked => self.continuation(index, columns),
            Stop::Full if !ends_in_comma && !self.resumes(index + 1) => None,
            _ => self.missing_mark(index, columns),
        }
    }

    /// Returns true when card `index` has the form of the continuation of an operand.
    fn resumes(&self, index: usize) -> bool {
        self.columns(index).is_some_and(|next| {
            next.is_blank(INDENT) && next.at(RESUME_COLUMN) != ' ' && !begins_statement(&next)
        })
    }

    /// Reports R131: the operand seems complete, but the next card goes on with it.
    fn forgotten(&mut self, index: usize) -> Option<(usize, usize)> {
        let operation = self.operation?;
        if !self.resumes(index + 1) {
            return None;
        }
        let next = self.columns(index + 1)?;
        let rest: String = next.trimmed(RESUME_COLUMN..=LAST_COLUMN).iter().map(|cell| cell.ch).collect();
        let begins_with_comma = rest.starts_with(',');
        if !begins_with_comma && (!rest.contains('=') || !lenient::is_next_operand(operation, &rest)) {
            return None;
        }
        let last = self.out.operand.last().copied()?;
        let words = if begins_with_comma {
            "the next card goes on with the operand, but column 72 is blank"
        } else {
            "the next card goes on with the operand, but there is no comma and column 72 is blank"
        };
        let message = self
            .findings
            .error(131, &span_of(&[last]), words)
            .other(self.findings.label(&span_of(&[next.cell(RESUME_COLUMN)]), "goes on here"))
            .fix("end the operand with a comma and put a mark into column 72");
        self.findings.report(message);
        if !begins_with_comma {
            self.out.operand.push(next.cell(RESUME_COLUMN).read_as(','));
        }
        Some((index + 1, RESUME_COLUMN))
    }

    /// Returns the column where the operand goes on behind a card whose mark has moved to the left (trap 2). It is
    /// 16, or another one where its blanks were squeezed too.
    fn resumes_moved(&self, index: usize) -> Option<usize> {
        let next = self.columns(index)?;
        let column = next.first_from(1).filter(|_| next.at(1) != '*' && !begins_statement(&next))?;
        let word = next.word_from(column)?;
        word.text.contains(['=', ')', ',', '(']).then_some(column)
    }

    /// Reports R131: the operand must go on, but column 72 is blank.
    fn missing_mark(&mut self, index: usize, columns: &Columns<'_>) -> Option<(usize, usize)> {
        let next = index + 1;
        let resumes = self.resumes(next);
        let ends_in_comma = !self.quoted && self.last() == Some(',');
        let beside = self.out.comments.last().filter(|comment| ends_in_comma && comment.card == index);
        let moved = beside.filter(|comment| comment.cells.len() == 1).map(|comment| comment.cells[0]);
        if let (Some(mark), Some(column)) = (moved, self.resumes_moved(next)) {
            let words = "the operand goes on, but its mark is not in column 72";
            let message = self.findings.accepted_leniently(
                (131, COLUMN_ACCEPTED),
                &span_of(&[mark]),
                words,
                "move the mark to column 72, and the rest to column 16",
            );
            self.findings.report(message);
            self.out.comments.pop();
            return Some((next, column));
        }
        if !resumes && ends_in_comma && self.operation == Some(Operation::Id) {
            return None;
        }
        let last = self.out.operand.len().saturating_sub(1);
        let span = span_of(self.out.operand.get(last..).unwrap_or_default());
        let words = if ends_in_comma {
            "the operand ends with a comma but column 72 is blank"
        } else if self.quoted {
            "the string is not closed on this card, but column 72 is blank"
        } else {
            "the operand fills column 71 and goes on, but column 72 is blank"
        };
        let fix = if resumes && columns.at(MARK_COLUMN + 1) != ' ' {
            "put the mark into column 72: column 73 begins the sequence number"
        } else if resumes {
            "put any character, such as *, into column 72"
        } else if beside.is_some() {
            "remove the blank after the comma, or the comma"
        } else {
            "remove the comma, or put a mark into column 72 and go on in column 16"
        };
        self.findings.report(self.findings.error(131, &span, words).fix(fix));
        if resumes {
            return Some((next, RESUME_COLUMN));
        }
        self.out.cut_short = true;
        None
    }

    /// Returns the card after one whose column 72 is marked while the operand is not complete.
    fn continuation(&mut self, index: usize, columns: &Columns<'_>) -> Option<(usize, usize)> {
        let mut next = index + 1;
        let mut comment = None;
        while let Some(card) = self.columns(next).filter(|card| card.at(1) == '*') {
            comment.get_or_insert(card.cell(1));
            next += 1;
        }
        let resumed = match self.columns(next) {
            None => Err("the deck ends".to_owned()),
            Some(card) if card.is_blank(INDENT) && (self.quoted || card.at(RESUME_COLUMN) != ' ') => {
                Ok(RESUME_COLUMN)
            }
            Some(card) if begins_statement(&card) => Err("the next card begins a statement".to_owned()),
            Some(card) => match card.first_from(1) {
                None => Err("the next card is blank".to_owned()),
                Some(column) => {
                    let wrong = card.cell(column);
                    let words = format!("the continuation starts in column {column}, not in column 16");
                    let mut message = self.findings.accepted_leniently(
                        (NO_CONTINUATION, COLUMN_ACCEPTED),
                        &span_of(&[wrong]),
                        words,
                        "start the continuation in column 16",
                    );
                    if let Some(mark) = columns.mark() {
                        message = message.other(self.findings.label(&span_of(&[mark]), "continued here"));
                    }
                    self.findings.report(message);
                    Ok(column)
                }
            },
        };
        match resumed {
            Err(found) => {
                let mark = columns.mark().unwrap_or(columns.cell(LAST_COLUMN));
                let words =
                    format!("column 72 is marked, so a card continued in column 16 must follow, but {found}");
                let fix = if columns.runs_over() {
                    "the text runs over column 71: cut it there and go on in column 16 of the next card"
                } else {
                    "blank column 72, or add the missing card"
                };
                self.complain(columns, mark, words, fix);
                self.out.cut_short = true;
                None
            }
            Ok(column) => {
                if let Some(star) = comment {
                    self.complain(
                        columns,
                        star,
                        "a comment card is inside a continued statement".to_owned(),
                        "move the comment before the statement",
                    );
                    self.cards[index + 1..next].iter_mut().for_each(|card| card.role = CardRole::Comment);
                }
                Some((next, column))
            }
        }
    }

    fn complain(&mut self, card: &Columns<'_>, at: Cell, words: String, fix: &str) {
        let mut message: Diagnostic = self.findings.error(NO_CONTINUATION, &span_of(&[at]), words).fix(fix);
        if let Some(mark) = card.mark().filter(|mark| *mark != at) {
            message = message.other(self.findings.label(&span_of(&[mark]), "continued here"));
        }
        self.findings.report(message);
    }

    /// Takes the cards behind a complete operand whose column 72 is marked: they hold nothing but comment.
    fn comment_cards(&mut self, index: usize, columns: &Columns<'_>) {
        let mut mark = columns.mark();
        let mut next = index + 1;
        while mark.is_some()
            && let Some(card) = self.columns(next)
            && card.is_blank(INDENT)
            && let Some(column) = card.first_from(RESUME_COLUMN)
        {
            if begins_statement(&card) {
                report_statement_in_comment(&card, mark, self.findings);
            }
            let cells = card.trimmed(column..=LAST_COLUMN);
            self.out.comments.push(Comment { cells, card: next, column, on_continuation: true });
            mark = card.mark();
            next += 1;
        }
        self.out.cards_end = next;
        if let (Some(mark), true) = (mark, next == index + 1) {
            let message = self
                .findings
                .error(
                    NO_CONTINUATION,
                    &span_of(&[mark]),
                    "column 72 is marked, but no continuation card (blank in columns 1-15) follows",
                )
                .fix("blank column 72 of this card");
            self.findings.report(message);
        }
    }
}

/// Reports a card that has the form of a statement and is comment, because the card before it is comment and marked
/// at `mark`.
pub(crate) fn report_statement_in_comment(card: &Columns<'_>, mark: Option<Cell>, findings: &mut Findings) {
    let word = card.word_from(1).map_or(0..0, |word| word.span);
    let mut message = findings
        .error(STATEMENT_IN_COMMENT, &word, "this card continues the comment before it and is ignored")
        .severity(Severity::Warning)
        .fix("blank column 72 of the card before");
    if let Some(mark) = mark {
        message = message.other(findings.label(&span_of(&[mark]), "continued here"));
    }
    findings.report(message);
}

/// Checks G8: a blank card may not be marked in column 72.
pub(crate) fn check_blank(columns: &Columns<'_>, findings: &mut Findings) {
    if let Some(mark) = columns.mark() {
        let message = findings
            .error(BLANK_CARD_MARKED, &span_of(&[mark]), "a blank card must not be marked in column 72")
            .fix("blank column 72");
        findings.report(message);
    }
}
