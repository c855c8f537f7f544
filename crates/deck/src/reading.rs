//! Reading a deck: the statements in order, each against what the earlier ones define.
//!
//! Reference: IOCP, section 1 (statement order), section 4; R103, R104.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::definitions::Definitions;
use crate::diagnostic::{Diagnostic, Severity, SourceFile, has_errors};
use crate::findings::Findings;
use crate::keyword::{self, Operation};
use crate::machine::Chosen;
use crate::machines::Machine;
use crate::message_numbers::{OTHER_FORMAT, RESOURCE_MISSING, RESOURCE_TWICE};
use crate::model::Deck;
use crate::partitions::Partitions;
use crate::script::Script;
use crate::statement::Statement;
use crate::{
    chpid, cntlunit, count_limits, coupling_rules, function, function_rules, id, iodevice, machine,
    other_formats, resource,
};

/// What a deck is read for.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Machine type and limits level to check against, whatever SYSTEM says; the type must be one of
    /// [`crate::machines::MACHINES`], others are as none.
    pub machine: Option<(u16, Option<u8>)>,
    /// Accept with warnings what manuals and mail print but IOCP would refuse.
    pub lenient: bool,
    /// The deck is to be written to an IOCDS: what may be missing while it is only verified is an error.
    pub write: bool,
}

/// What reading a deck gives.
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
    /// What could be understood of a deck with errors.
    partial: Option<Deck>,
}

impl Reading {
    /// The deck, or what could be understood of one with errors.
    pub fn understood(&self) -> Option<&Deck> {
        self.deck.as_ref().or(self.partial.as_ref())
    }
}

/// Reads an IOCP deck. Any text is accepted; what is wrong with it is in the diagnostics. Checking goes on after
/// an error, except that a bad or missing RESOURCE ends it.
pub fn read(source: Arc<SourceFile>) -> Reading {
    read_with(source, &ReadOptions::default())
}

/// [`read`] with options.
pub fn read_with(source: Arc<SourceFile>, options: &ReadOptions) -> Reading {
    let mut script = Script::parse_with(&source, options.lenient);
    let machine = machine::choose(&script, options);
    if script.is_foreign() && !script.stage_1 {
        let (what, fix) = other_formats::recognise(&source.text);
        let first = script.statements.first().map(|one| one.operation.span.clone()).unwrap_or_default();
        let message = Diagnostic::error(OTHER_FORMAT, &source, first, format!("this is {what}")).fix(fix);
        script.diagnostics.clear();
        let Chosen { machine, assumed, .. } = machine;
        return Reading { deck: None, diagnostics: vec![message], script, machine, assumed, partial: None };
    }
    let mut pass = Pass {
        script: &script,
        definitions: Definitions::new(machine.machine),
        findings: Findings::new(&source).lenient(options.lenient),
        resource: None,
        id: None,
        stopped_at: None,
    };
    if !script.stage_1 {
        machine::report(&machine, &script, &mut pass.findings);
        pass.run();
    }
    let Pass { definitions, findings, stopped_at, .. } = pass;
    let end = stopped_at.unwrap_or(source.text.len());
    let mut diagnostics = std::mem::take(&mut script.diagnostics);
    diagnostics.retain(|message| message.at.span.start <= end);
    diagnostics.extend(findings.into_list());
    join_unknown_partitions(&mut diagnostics);
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
    Reading { deck, diagnostics, script, machine: machine.machine, assumed: machine.assumed, partial }
}

/// A partition that RESOURCE lacks is one mistake, wherever it is named.
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

struct Pass<'a> {
    script: &'a Script,
    definitions: Definitions,
    findings: Findings,
    /// RESOURCE and ID, once seen.
    resource: Option<&'a Statement>,
    id: Option<&'a Statement>,
    /// Byte offset up to which messages count, when RESOURCE is bad or missing.
    stopped_at: Option<usize>,
}

impl<'a> Pass<'a> {
    fn run(&mut self) {
        for (index, statement) in self.script.statements.iter().enumerate() {
            let Some(operation) = statement.kind else { continue };
            self.findings.about(statement.subject());
            self.statement(index, statement, operation);
            if self.stopped_at.is_some() {
                return;
            }
        }
        if self.resource.is_none() && !self.is_basic() {
            self.findings.about("");
            self.resource_missing(0..0, self.script.source.text.len());
        }
        function_rules::check_uids(&self.definitions, &mut self.findings);
        function_rules::check_adapters(&self.definitions, &mut self.findings);
        count_limits::check(&self.definitions, &mut self.findings);
        coupling_rules::check_mates(&self.definitions, &mut self.findings);
    }

    fn statement(&mut self, index: usize, statement: &'a Statement, operation: Operation) {
        match operation {
            Operation::Id => self.id(index, statement),
            Operation::Resource => self.resource(statement),
            Operation::Uuid | Operation::Chpid | Operation::Function
                if self.resource.is_none() && !self.is_basic() =>
            {
                self.resource_missing(statement.operation.span.clone(), statement.span.end);
            }
            Operation::Uuid => {
                if self.check(statement, operation) {
                    function::read_uuid(statement, &mut self.definitions, &mut self.findings);
                }
            }
            Operation::Function => {
                if self.check(statement, operation) {
                    function::read(statement, &mut self.definitions, &mut self.findings);
                }
            }
            Operation::Chpid => {
                if self.resource.is_none() && self.definitions.partitions.is_empty() {
                    self.definitions.partitions = Partitions::undivided();
                }
                if self.check(statement, operation) {
                    chpid::read(statement, &mut self.definitions, &mut self.findings);
                } else {
                    self.definitions.channel_errors = true;
                }
            }
            Operation::Cntlunit => {
                if self.check(statement, operation) {
                    cntlunit::read(statement, &mut self.definitions, &mut self.findings);
                } else {
                    self.definitions.unit_errors = true;
                }
            }
            Operation::Iodevice => {
                if self.check(statement, operation) {
                    iodevice::read(statement, &mut self.definitions, &mut self.findings);
                }
            }
        }
    }

    /// The deck is for BASIC mode: its machine has that mode, and nothing in the deck speaks of partitions.
    fn is_basic(&self) -> bool {
        let resource = |statement: &Statement| statement.kind == Some(Operation::Resource);
        self.definitions.machine.has_basic_mode()
            && !self.script.unknown_operation
            && !self.script.statements.iter().any(resource)
            && self.partition_keyword().is_none()
    }

    /// The first keyword of a CHPID statement that divides channels between partitions.
    fn partition_keyword(&self) -> Option<std::ops::Range<usize>> {
        let chpids = self.script.statements.iter().filter(|one| one.kind == Some(Operation::Chpid));
        let mut found = chpids.flat_map(|one| {
            let lists = ["PART", "NOTPART"].into_iter().filter_map(|keyword| one.value(keyword));
            let lists = lists.map(|value| value.span.clone());
            lists.chain(one.flag("SHARED").map(|flag| flag.span.clone()))
        });
        found.next()
    }

    /// The checks of form. False when the meaning cannot be judged.
    fn check(&mut self, statement: &Statement, operation: Operation) -> bool {
        if !statement.well_formed {
            return false;
        }
        let before = self.findings.errors();
        keyword::check(statement, operation, &mut self.findings);
        self.findings.errors() == before
    }

    /// R103, R104.
    fn id(&mut self, index: usize, statement: &'a Statement) {
        let place = &statement.operation.span;
        let message = if let Some(first) = self.id {
            let first = self.findings.label(&first.operation.span, "the first ID");
            self.findings.error(104, place, "only the first ID counts; this one is ignored").other(first)
        } else if index > 0 {
            self.findings.error(103, place, "ID must come first; this one is ignored")
        } else {
            self.id = Some(statement);
            if self.check(statement, Operation::Id) {
                id::read(statement, &mut self.definitions, &mut self.findings);
            }
            return;
        };
        let message = message.severity(Severity::Warning).fix("keep one ID, before all other statements");
        self.findings.report(message);
    }

    /// A bad RESOURCE ends the pass: nothing can be judged without the partitions.
    fn resource(&mut self, statement: &'a Statement) {
        if let Some(first) = self.resource {
            let message = self
                .findings
                .error(RESOURCE_TWICE, &statement.operation.span, "RESOURCE is coded twice")
                .other(self.findings.label(&first.operation.span, "the first RESOURCE"))
                .fix("put all partitions into one RESOURCE");
            self.findings.report(message);
            return;
        }
        self.resource = Some(statement);
        let before = self.findings.errors();
        let clean = self.check(statement, Operation::Resource);
        if clean {
            resource::read(statement, &mut self.definitions, &mut self.findings);
        }
        if !clean || self.findings.errors() > before {
            self.stopped_at = Some(statement.span.end);
        }
    }

    /// Says so, unless an operation that was not understood may have been meant for it.
    fn resource_missing(&mut self, span: std::ops::Range<usize>, end: usize) {
        self.stopped_at = Some(end);
        if self.script.unknown_operation {
            return;
        }
        let later = self.script.statements.iter().find(|other| other.kind == Some(Operation::Resource));
        let message = self.findings.error(
            RESOURCE_MISSING,
            &span,
            "a RESOURCE statement is needed before CHPID, FUNCTION and UUID",
        );
        let message = match later {
            Some(later) => message
                .other(self.findings.label(&later.operation.span, "RESOURCE is here"))
                .fix("move RESOURCE up"),
            None => match self.partition_keyword().filter(|_| self.definitions.machine.has_basic_mode()) {
                Some(span) => message
                    .other(self.findings.label(&span, "this speaks of partitions"))
                    .fix("add RESOURCE PART=((name,1)), or drop PART, NOTPART and SHARED for BASIC mode"),
                None => message.fix("add RESOURCE PART=((CSS(0),(name,1)))"),
            },
        };
        self.findings.report(message);
    }
}
