//! Reading a deck: its form, then the statements in order, then the meaning of all messages together.
//!
//! Each statement has a file, which reads its operands, has them checked by [`crate::rules`] against the definitions
//! before it, and adds its own.

mod access;
mod chpid;
mod cntlunit;
mod coupling;
mod function;
mod id;
mod iodevice;
mod machine;
mod pass;
mod resource;
mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use halftrack_input::messages::deck::{LEFT_OUT, OTHER_FORMAT};
use halftrack_input::{Diagnostic, Severity, SourceFile, has_errors};

use crate::model::Deck;
use crate::model::machines::Machine;
use crate::reading::machine::Chosen;
use crate::reading::pass::Passed;
use crate::rules::definitions::Definitions;
use crate::syntax::findings::Findings;
use crate::syntax::other_formats;
use crate::syntax::script::Script;

/// The options of a reading.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Machine type and limits level to check against, whatever SYSTEM has; the type must be one of
    /// [`crate::model::machines::MACHINES`], others are as none.
    pub machine: Option<(u16, Option<u8>)>,
    /// Accept with warnings what manuals and mail print but IOCP would refuse.
    pub lenient: bool,
    /// The deck is to be written to an IOCDS: what may be missing while it is only verified is an error.
    pub write: bool,
}

/// The result of a reading.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The deck; there when and only when no diagnostic is an error.
    pub deck: Option<Deck>,
    /// All messages, in the order of their places in the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Cards and statements.
    pub script: Script,
    /// The machine whose limits were checked.
    pub machine: &'static Machine,
    /// No machine was named, neither in the deck nor by who reads it.
    pub assumed: bool,
    /// The statements that are not in the deck as they stand, as indices into the script's: not understood, breaking a
    /// rule, or behind the place where reading ended. Empty when there is a deck.
    pub left_out: Vec<usize>,
    /// The part of a deck with errors that was understood.
    partial: Option<Deck>,
}

impl Reading {
    /// Returns the deck, or the part of one with errors that was understood.
    pub fn understood(&self) -> Option<&Deck> {
        self.deck.as_ref().or(self.partial.as_ref())
    }

    /// Returns the definitions of the statements that were understood whole. It is without those that were [left
    /// out](Self::left_out), of which [`Self::understood`] may have a part.
    pub fn taken_in(&self) -> Option<Cow<'_, Deck>> {
        let deck = self.understood()?;
        if self.left_out.is_empty() {
            return Some(Cow::Borrowed(deck));
        }
        let out: Vec<&Range<usize>> =
            self.left_out.iter().map(|&index| &self.script.statements[index].span).collect();
        // Statements are in the order of the text.
        let is_in = |at: &Range<usize>| {
            let next = out.partition_point(|span| span.end <= at.start);
            out.get(next).is_none_or(|span| at.start < span.start)
        };
        let mut deck = deck.clone();
        deck.channel_paths.retain(|one| is_in(&one.chpid.span));
        deck.control_units.retain(|one| is_in(&one.number.span));
        deck.devices.retain(|one| is_in(&one.number.span));
        deck.functions.retain(|one| is_in(&one.fid.span));
        if deck.id.machine_type.as_ref().is_some_and(|one| !is_in(&one.span)) {
            deck.id.machine_type = None;
        }
        Some(Cow::Owned(deck))
    }
}

/// Reads an IOCP deck. Any text is accepted; what is wrong with it is in the diagnostics. Checking goes on after
/// an error, except that a bad or missing RESOURCE ends it.
pub fn read(source: Arc<SourceFile>) -> Reading {
    read_with(source, &ReadOptions::default())
}

/// Reads a deck as [`read`] does, with options.
pub fn read_with(source: Arc<SourceFile>, options: &ReadOptions) -> Reading {
    let mut script = Script::parse_with(&source, options.lenient);
    let machine = machine::choose(&script, options);
    if script.is_foreign() && !script.stage_1 {
        let (what, fix) = other_formats::recognise(&source.text);
        let first = script.statements.first().map(|one| one.operation.span.clone()).unwrap_or_default();
        let message = Diagnostic::error(OTHER_FORMAT, &source, first, format!("this is {what}")).fix(fix);
        script.diagnostics.clear();
        let Chosen { machine, assumed, .. } = machine;
        let left_out = (0..script.statements.len()).collect();
        let diagnostics = vec![message];
        return Reading { deck: None, diagnostics, script, machine, assumed, left_out, partial: None };
    }
    let mut findings = Findings::new(&source).lenient(options.lenient);
    if !script.stage_1 {
        machine::report(&machine, &script, &mut findings);
    }
    let Passed { definitions, findings, left_out, form_ends_at } =
        pass::run(&script, Definitions::new(machine.machine), findings);
    let mut diagnostics = std::mem::take(&mut script.diagnostics);
    diagnostics.retain(|message| form_ends_at.is_none_or(|end| message.at.span.start <= end));
    diagnostics.extend(findings.into_list());
    join_unknown_partitions(&mut diagnostics);
    diagnostics.extend(unexplained(&script, &diagnostics, &left_out));
    if options.write {
        diagnostics.iter_mut().filter(|message| message.number == 139).for_each(|message| {
            message.severity = Severity::Error;
        });
    }
    diagnostics.sort_by_key(|message| message.at.span.start);
    let level = options.machine.and_then(|(_, level)| level);
    let understood = definitions.into_deck(&source, level);
    let (deck, partial) =
        if has_errors(&diagnostics) { (None, Some(understood)) } else { (Some(understood), None) };
    let Chosen { machine, assumed, .. } = machine;
    Reading { deck, diagnostics, script, machine, assumed, left_out, partial }
}

/// Returns an error for a reading that left statements out and has none. The check is independent of the code that
/// leaves statements out.
fn unexplained(script: &Script, diagnostics: &[Diagnostic], left_out: &[usize]) -> Option<Diagnostic> {
    let first = &script.statements[*left_out.first().filter(|_| !has_errors(diagnostics))?];
    let words = match left_out.len() {
        1 => "this statement was not understood".to_owned(),
        count => format!("this statement and {} more were not understood", count - 1),
    };
    Some(
        Diagnostic::error(LEFT_OUT, &script.source, first.span.clone(), words)
            .fix("correct it, or take it out"),
    )
}

/// Joins reports of a partition that RESOURCE lacks: it is one mistake, wherever it is named.
fn join_unknown_partitions(diagnostics: &mut Vec<Diagnostic>) {
    let mut first: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut kept = 0;
    diagnostics.retain(|message| {
        let more = message.number == 149 && {
            let words = message.message.rsplit(": ").next().unwrap_or_default().to_owned();
            let entry = first.entry(words).or_insert((kept, 0));
            entry.1 += 1;
            entry.1 > 1
        };
        kept += usize::from(!more);
        !more
    });
    for (index, count) in first.into_values().filter(|(_, count)| *count > 1) {
        diagnostics[index].message += &format!(", and is named in {} more places", count - 1);
    }
}
