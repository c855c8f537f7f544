//! A deck by form: every card and every statement, whatever it means, and nothing lost.
//!
//! Reference: IOCP, sections 1, 8 (stage-1 decks) and 9 (traps 1, 3, 6).

use std::sync::Arc;

use halftrack_input::messages::deck::{
    BEYOND_THE_CARD, CHARACTER_ACCEPTED, COLUMN_ACCEPTED, ELLIPSIS, LOWER_CASE, OPERAND_TOO_LONG,
    OPERATION_IN_COLUMN_1, OTHER_FORMAT, STAGE_1, TAB,
};
use halftrack_input::messages::iocp::CHARACTER;
use halftrack_input::{Diagnostic, Located, Severity, SourceFile};

use crate::syntax::annotations::PREFIXES;
use crate::syntax::cards::{Card, CardRole, Cell, Columns, INDENT, LAST_COLUMN, MARK_COLUMN, Word, span_of};
use crate::syntax::continuation::{
    self, Gathered, begins_statement, check_blank, report_statement_in_comment,
};
use crate::syntax::findings::Findings;
use crate::syntax::keyword::{Operation, is_stage_1};
use crate::syntax::operand::{self, Item};
use crate::syntax::statement::{Fields, Statement, beside, check_name, fields, hidden, stray};

/// Longest operand of one statement, in characters, cards joined (G6).
pub const OPERAND_LENGTH_MAX: usize = 1024;

/// The cards and statements of one deck.
#[derive(Debug, Clone)]
pub struct Script {
    /// The text that all spans point into.
    pub source: Arc<SourceFile>,
    /// Every card, in order; their lines together are the text, byte for byte.
    pub cards: Vec<Card>,
    /// Every statement, in order, also those that cannot be understood.
    pub statements: Vec<Statement>,
    /// Messages about form.
    pub diagnostics: Vec<Diagnostic>,
    /// Statements of an MVS stage-1 deck were seen: the rest cannot be judged as IOCP.
    pub stage_1: bool,
    /// Byte offset of the first operation that was not understood.
    pub unknown_operation: Option<usize>,
    /// Cards of JCL stand around the deck.
    pub(crate) has_jcl: bool,
}

impl Script {
    /// Splits `source` into cards and statements. Never fails: what cannot be understood becomes a message.
    pub fn parse(source: &Arc<SourceFile>) -> Self {
        Self::parse_with(source, false)
    }

    /// Parses as [`Script::parse`] does; `lenient` accepts with warnings what IOCP would refuse.
    pub fn parse_with(source: &Arc<SourceFile>, lenient: bool) -> Self {
        let mut reader = Reader {
            text: &source.text,
            cards: Card::split(&source.text),
            findings: Findings::new(source).lenient(lenient),
            statements: Vec::new(),
            reported: Reported::default(),
        };
        let mut index = 0;
        while index < reader.cards.len() {
            index = reader.step(index);
        }
        let Reported { stage_1, unknown_operation, jcl: has_jcl, .. } = reader.reported;
        Self {
            source: Arc::clone(source),
            cards: reader.cards,
            statements: reader.statements,
            diagnostics: reader.findings.into_list(),
            stage_1,
            unknown_operation,
            has_jcl,
        }
    }

    /// Returns true when no card is a statement of IOCP, and some are something else.
    pub(crate) fn is_foreign(&self) -> bool {
        (!self.statements.is_empty() || self.has_jcl)
            && self.statements.iter().all(|statement| statement.kind.is_none())
    }

    /// HCD's annotation cards (G21), verbatim and without line end.
    pub fn annotations(&self) -> impl Iterator<Item = &str> {
        let annotations = self.cards.iter().filter(|card| card.role == CardRole::Annotation);
        annotations.map(|card| &self.source.text[card.text.clone()])
    }
}

/// Messages already reported that occur once in a deck.
#[derive(Debug, Default)]
struct Reported {
    tab: bool,
    operation_in_column_1: bool,
    ellipsis: bool,
    stage_1: bool,
    unknown_operation: Option<usize>,
    jcl: bool,
    lower_case: bool,
    curly: bool,
    beyond: bool,
    stray: bool,
}

struct Reader<'a> {
    text: &'a str,
    cards: Vec<Card>,
    findings: Findings,
    statements: Vec<Statement>,
    reported: Reported,
}

impl<'a> Reader<'a> {
    fn columns(&self, index: usize) -> Option<Columns<'a>> {
        self.cards.get(index).map(|card| Columns::of(self.text, card))
    }

    /// Reads what begins on card `index` and returns the card after it.
    fn step(&mut self, index: usize) -> usize {
        let Some(columns) = self.columns(index) else { return index + 1 };
        self.findings.about("");
        let text = &self.text[self.cards[index].text.clone()];
        let is_filling =
            text.chars().all(|ch| matches!(ch, '\0' | '\u{1a}' | ' ')) && !text.trim().is_empty();
        if columns.is_blank(1..=LAST_COLUMN) || is_filling {
            self.cards[index].role = CardRole::Blank;
            check_blank(&columns, &mut self.findings);
            self.check_beyond(index);
            return index + 1;
        }
        if columns.at(1) == '*' {
            return self.comment(index, &columns);
        }
        if text.starts_with("//") || text.starts_with("/*") {
            self.jcl(index);
            return index + 1;
        }
        if self.indented_comment(index, &columns) {
            return index + 1;
        }
        let end = self.statement(index, &columns);
        for card in index..end {
            self.check_tab(card);
            self.check_beyond(card);
        }
        end
    }

    /// Takes a remark whose `*` has lost its place in column 1.
    fn indented_comment(&mut self, index: usize, columns: &Columns<'_>) -> bool {
        let Some(column) = columns.first_from(1).filter(|&column| columns.at(column) == '*') else {
            return false;
        };
        self.cards[index].role = CardRole::Comment;
        let star = span_of(&[columns.cell(column)]);
        let fix = "put the * into column 1";
        let words = "the * of a comment card must be in column 1";
        let message = self.findings.accepted_leniently((179, COLUMN_ACCEPTED), &star, words, fix);
        self.findings.report(message);
        true
    }

    /// Reports text behind column 72 that is no sequence number: most likely operand of a card that is too long.
    /// Where nothing is before it a statement is lost.
    fn check_beyond(&mut self, index: usize) {
        let role = self.cards[index].role;
        let text = &self.text[self.cards[index].text.clone()];
        // Columns are bytes at least: shorter cards have nothing there.
        if text.len() <= MARK_COLUMN || !matches!(role, CardRole::Statement | CardRole::Blank) {
            return;
        }
        let Some((at, _)) = text.char_indices().nth(MARK_COLUMN) else { return };
        let beyond = &text[at..];
        let Some(sign) = beyond.find(['=', '(', ')']).or(beyond.find(',')) else { return };
        let start = self.cards[index].text.start + at;
        let span = start..start + sign + 1;
        if role == CardRole::Blank {
            let words = "nothing of this card is read: its text is behind column 72";
            let fix = "begin the statement before column 16";
            self.findings.report(self.findings.error(BEYOND_THE_CARD, &span, words).fix(fix));
        } else if !std::mem::replace(&mut self.reported.beyond, true) {
            let message = self
                .findings
                .error(BEYOND_THE_CARD, &span, "text behind column 72 is not read")
                .severity(Severity::Advice)
                .fix("cut the operand at column 71, mark column 72, go on in column 16 of the next card");
            self.findings.report(message);
        }
    }

    /// Takes a comment card and the cards it is continued over (trap 3: only over cards blank in columns 1-15).
    fn comment(&mut self, index: usize, columns: &Columns<'_>) -> usize {
        let text = &self.text[self.cards[index].text.clone()];
        let annotation = PREFIXES.iter().any(|prefix| text.starts_with(prefix));
        self.cards[index].role = if annotation { CardRole::Annotation } else { CardRole::Comment };
        let mut mark = columns.mark();
        let mut next = index + 1;
        while mark.is_some()
            && let Some(card) = self.columns(next)
            && card.is_blank(INDENT)
            && !card.is_blank(1..=LAST_COLUMN)
        {
            if begins_statement(&card) {
                report_statement_in_comment(&card, mark, &mut self.findings);
            }
            self.cards[next].role = CardRole::Comment;
            mark = card.mark();
            next += 1;
        }
        next
    }

    /// Reports a card of JCL, which the system takes away before IOCP reads.
    fn jcl(&mut self, index: usize) {
        self.cards[index].role = CardRole::Comment;
        if !self.reported.jcl {
            self.reported.jcl = true;
            let span = self.cards[index].text.clone();
            let message = self
                .findings
                .error(OTHER_FORMAT, &span, "cards of JCL are around the deck and are ignored")
                .severity(Severity::Warning)
                .fix("keep the cards between SYSIN and /* alone");
            self.findings.report(message);
        }
    }

    fn check_tab(&mut self, index: usize) {
        let tab = self.columns(index).and_then(|columns| columns.tab);
        if let (Some(at), false) = (tab, self.reported.tab) {
            self.reported.tab = true;
            self.findings.about("");
            let length = self.text[at..].chars().next().map_or(1, char::len_utf8);
            let message = self.findings.accepted_leniently(
                (TAB, CHARACTER_ACCEPTED),
                &(at..at + length),
                "a tab (or no-break space) is in this card, and cards have fixed columns",
                "replace the tabs of the deck with blanks, to every eighth column",
            );
            self.findings.report(message);
        }
    }

    fn statement(&mut self, index: usize, columns: &Columns<'_>) -> usize {
        let Fields { name, operation, operation_in_column_1, operand_column } = fields(columns);
        // A name alone stands where the operation should be.
        let (name, operation) = if operation.is_some() { (name, operation) } else { (None, name) };
        let Some(operation) = operation else { return index + 1 };
        let word = operation.text.to_ascii_uppercase();
        let coded = Operation::from_word(&word);
        let kind = coded.or_else(|| Operation::meant_by(&word, &columns.text_from(operand_column)));
        self.findings.about(word.as_str());
        if operation_in_column_1 && kind.is_some() {
            self.operation_in_column_1(&operation.span);
        }
        let before = self.findings.errors();
        let gathered =
            continuation::gather(self.text, &mut self.cards, index, operand_column, kind, &mut self.findings);
        let cards_end = gathered.cards_end;
        let start = name.as_ref().map_or(operation.span.start, |name| name.span.start);
        let end = gathered.operand.last().map_or(operation.span.end, |cell| cell.end());
        let mut statement = Statement {
            name: name.as_ref().map(|name| Located::new(name.text.clone(), name.span.clone())),
            operation: Located::new(word, operation.span.clone()),
            kind,
            items: Vec::new(),
            cards: index..cards_end,
            operand_end: gathered.operand_end,
            beside: beside(&gathered.comments),
            span: start..end.max(operation.span.end).min(self.text.len()),
            well_formed: kind.is_some() && !gathered.cut_short,
            hidden: hidden(&gathered.comments),
        };
        if let Some(kind) = kind {
            if coded.is_none() {
                let fix = format!("did you mean {}?", kind.word());
                let span = &statement.operation.span;
                self.findings.report(self.findings.error(179, span, "is not a statement of IOCP").fix(fix));
            }
            if let Some(name) = &name {
                self.name(name);
            }
            let lower_case = Some(&operation.span).filter(|_| statement.operation.value != operation.text);
            if let Some(cell) = gathered.curly {
                self.curly(cell);
            }
            self.operand(&mut statement, gathered, lower_case.cloned());
        } else {
            if self.findings.errors() == before {
                self.unknown(&statement);
            }
            statement.items = items_of_unknown(gathered, self.findings.source());
        }
        self.statements.push(statement);
        cards_end
    }

    /// Reports text in the place of names, once where it is before every card.
    fn name(&mut self, name: &Word) {
        if stray(&name.text).is_none() || !std::mem::replace(&mut self.reported.stray, true) {
            check_name(name, &mut self.findings);
        }
    }

    /// Reads the operand into `statement`; `lower_case` is the place of an operation in lower case.
    fn operand(
        &mut self,
        statement: &mut Statement,
        gathered: Gathered,
        lower_case: Option<std::ops::Range<usize>>,
    ) {
        let Gathered { mut operand, cut_short, .. } = gathered;
        if let Some(span) = lower_case.or(raise(&mut operand)) {
            raise(&mut operand);
            if !std::mem::replace(&mut self.reported.lower_case, true) {
                let message = self.findings.accepted_leniently(
                    (LOWER_CASE, CHARACTER_ACCEPTED),
                    &span,
                    "lower-case letters are outside a string",
                    "write the statements of the deck in upper case",
                );
                self.findings.report(message);
            }
        }
        if cut_short {
            return;
        }
        if operand.len() > OPERAND_LENGTH_MAX {
            let words = format!("the operand has {} characters, limit {OPERAND_LENGTH_MAX}", operand.len());
            let over = span_of(&operand[OPERAND_LENGTH_MAX..]);
            self.findings.report(self.findings.error(OPERAND_TOO_LONG, &over, words));
            statement.well_formed = false;
            return;
        }
        if let Some(at) = ellipsis(&operand) {
            self.ellipsis(span_of(&operand[at..at + 3]));
            statement.well_formed = false;
            return;
        }
        let comma_may_end = statement.kind == Some(Operation::Id);
        let (items, whole) = operand::parse(&operand, comma_may_end, &mut self.findings);
        statement.items = items;
        statement.well_formed = whole;
    }

    /// Reports an apostrophe of a word processor.
    fn curly(&mut self, cell: Cell) {
        if !std::mem::replace(&mut self.reported.curly, true) {
            let shown = self.text[cell.at..].chars().next().filter(|ch| !ch.is_control());
            let words = match shown {
                Some(ch) => format!("{ch} is not an apostrophe"),
                None => "this is not an apostrophe".to_owned(),
            };
            let message = self.findings.accepted_leniently(
                (CHARACTER, CHARACTER_ACCEPTED),
                &span_of(&[cell]),
                words,
                "write ' wherever a string begins or ends",
            );
            self.findings.report(message);
        }
    }

    /// Reports trap 6.
    fn ellipsis(&mut self, span: std::ops::Range<usize>) {
        if !self.reported.ellipsis {
            self.reported.ellipsis = true;
            let message = self
                .findings
                .error(ELLIPSIS, &span, "`...` marks omitted text; this deck is not complete")
                .fix("write out the omitted text, here and wherever `...` is");
            self.findings.report(message);
        }
    }

    /// Reports trap 1.
    fn operation_in_column_1(&mut self, span: &std::ops::Range<usize>) {
        if !self.reported.operation_in_column_1 {
            self.reported.operation_in_column_1 = true;
            let message = self
                .findings
                .error(OPERATION_IN_COLUMN_1, span, "the operation is in column 1, where a name belongs")
                .severity(Severity::Warning)
                .fix("put a blank into column 1, here and wherever a statement begins in column 1");
            self.findings.report(message);
        }
    }

    /// Reports a statement that IOCP does not have.
    fn unknown(&mut self, statement: &Statement) {
        let word = &statement.operation.value;
        if word.len() > 1 && word.chars().all(|ch| matches!(ch, '.' | ',')) {
            self.ellipsis(statement.operation.span.clone());
        } else if is_stage_1(word) {
            if !self.reported.stage_1 {
                let message = self
                    .findings
                    .error(
                        STAGE_1,
                        &statement.operation.span,
                        "this is a statement of an MVS stage-1 deck, not of IOCP",
                    )
                    .fix("read the IOCP deck of this configuration; stage-1 decks define other objects");
                self.findings.report(message);
            }
            self.reported.stage_1 = true;
        } else {
            let span = &statement.operation.span;
            self.reported.unknown_operation.get_or_insert(span.start);
            let (words, fix) = self.unknown_words(statement);
            self.findings.report(self.findings.error(179, span, words).fix(fix));
        }
    }

    /// Returns the fault of an operation that is none of IOCP's, and its fix. In column 1 only a name can be.
    fn unknown_words(&self, statement: &Statement) -> (&'static str, String) {
        let card = &self.cards[statement.cards.start];
        let text = &self.text[statement.span.clone()];
        let all =
            "statements are ID, RESOURCE, UUID, CHPID, CNTLUNIT, IODEVICE and FUNCTION, in column 2 or later";
        if card.text.start != statement.operation.span.start {
            ("is not a statement of IOCP", all.to_owned())
        } else if !text.contains(' ') {
            ("no operation follows the name", all.to_owned())
        } else if text.contains('=') {
            let word = &statement.operation.value;
            let fix = format!("write {word} CHPID or the statement that is meant, a blank between them");
            ("this is a name, and no operation follows it", fix)
        } else {
            ("is not a statement of IOCP", all.to_owned())
        }
    }
}

/// Returns the operands of a statement that is none of IOCP's, where they can be parsed; their faults are not
/// reported.
fn items_of_unknown(gathered: Gathered, source: &Arc<SourceFile>) -> Vec<Item> {
    let Gathered { mut operand, cut_short, .. } = gathered;
    raise(&mut operand);
    let (items, is_whole) = operand::parse(&operand, false, &mut Findings::new(source));
    if is_whole && !cut_short { items } else { Vec::new() }
}

/// Makes letters outside strings upper case; the place of the first lower-case word.
fn raise(operand: &mut [Cell]) -> Option<std::ops::Range<usize>> {
    let mut quoted = false;
    let mut first = None;
    for (index, cell) in operand.iter_mut().enumerate() {
        if cell.ch == '\'' {
            quoted = !quoted;
        }
        if !quoted && cell.ch.is_ascii_lowercase() {
            first.get_or_insert(index);
            cell.ch = cell.ch.to_ascii_uppercase();
        }
    }
    let first = first?;
    let word = operand[first..].iter().take_while(|cell| cell.ch.is_ascii_alphanumeric()).count();
    Some(span_of(&operand[first..first + word]))
}

/// Finds three dots in `operand` outside a string.
fn ellipsis(operand: &[Cell]) -> Option<usize> {
    let mut quoted = false;
    operand.windows(3).position(|three| {
        quoted ^= three[0].ch == '\'';
        !quoted && three.iter().all(|cell| cell.ch == '.')
    })
}
