//! The statements in order, each against what the earlier ones define.
//!
//! Reference: IOCP, section 1 (statement order), section 4; R103, R104.

use std::ops::Range;

use halftrack_input::Severity;
use halftrack_input::messages::deck::{RESOURCE_MISSING, RESOURCE_TWICE};

use crate::model::partitions::Partitions;
use crate::reading::{chpid, cntlunit, function, id, iodevice, resource};
use crate::rules::definitions::Definitions;
use crate::rules::{self, adapter_limits, count_limits};
use crate::syntax::findings::Findings;
use crate::syntax::keyword::{self, Operation};
use crate::syntax::script::Script;
use crate::syntax::statement::Statement;

/// The result of a pass over the statements of a deck.
pub(crate) struct Passed {
    pub(crate) definitions: Definitions,
    pub(crate) findings: Findings,
    /// The statements that are not in the definitions as they stand, as indices into the script's.
    pub(crate) left_out: Vec<usize>,
    /// Byte offset behind which messages about form count no more: a RESOURCE that cannot be read drags on.
    pub(crate) form_ends_at: Option<usize>,
}

/// Takes the statements of `script` in. Of a stage-1 deck all are left out: they mean other things.
pub(crate) fn run(script: &Script, definitions: Definitions, findings: Findings) -> Passed {
    let mut pass = Pass { script, definitions, findings, resource: None, id: None, end: None };
    let mut left_out = Vec::new();
    for (index, statement) in script.statements.iter().enumerate() {
        let is_read = pass.end.is_none() && !script.stage_1 && pass.take_in(index, statement);
        if !is_read {
            left_out.push(index);
        }
    }
    if pass.end.is_none() && !script.stage_1 {
        pass.finish();
    }
    let form_ends_at = match pass.end {
        Some(End::BadResource(at)) => Some(at),
        _ => None,
    };
    let Pass { definitions, findings, .. } = pass;
    Passed { definitions, findings, left_out, form_ends_at }
}

/// Why nothing more is judged: without partitions nothing can be.
#[derive(Debug, Clone, Copy)]
enum End {
    /// RESOURCE cannot be read; where it ends.
    BadResource(usize),
    /// There is no RESOURCE before the first statement that needs it.
    NoResource,
}

struct Pass<'a> {
    script: &'a Script,
    definitions: Definitions,
    findings: Findings,
    /// RESOURCE and ID, once seen.
    resource: Option<&'a Statement>,
    id: Option<&'a Statement>,
    /// Nothing more is judged.
    end: Option<End>,
}

impl<'a> Pass<'a> {
    /// Takes `statement` in; false when the definitions do not have it as it stands.
    fn take_in(&mut self, index: usize, statement: &'a Statement) -> bool {
        let Some(operation) = statement.kind else { return false };
        self.findings.about(statement.subject());
        let before = self.findings.errors();
        self.statement(index, statement, operation);
        statement.well_formed && self.end.is_none() && self.findings.errors() == before
    }

    /// Checks the rules that need all statements.
    fn finish(&mut self) {
        if self.resource.is_none() && !self.is_basic() {
            self.findings.about("");
            self.resource_missing(&(0..0));
        }
        rules::functions::check_uids(&self.definitions, &mut self.findings);
        rules::functions::check_adapters(&self.definitions, &mut self.findings);
        adapter_limits::check(&self.definitions, &mut self.findings);
        count_limits::check(&self.definitions, &mut self.findings);
        rules::coupling::check_mates(&self.definitions, &mut self.findings);
    }

    fn statement(&mut self, index: usize, statement: &'a Statement, operation: Operation) {
        match operation {
            Operation::Id => self.id(index, statement),
            Operation::Resource => self.resource(statement),
            Operation::Uuid | Operation::Chpid | Operation::Function
                if self.resource.is_none() && !self.is_basic() =>
            {
                self.resource_missing(&statement.operation.span);
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

    /// Returns true for a deck in BASIC mode: its machine has that mode, and no statement divides it into partitions.
    fn is_basic(&self) -> bool {
        let resource = |statement: &Statement| statement.kind == Some(Operation::Resource);
        self.definitions.machine.has_basic_mode()
            && !self.script.statements.is_empty()
            && !self.may_have_resource()
            && !self.script.statements.iter().any(resource)
            && self.partition_keyword().is_none()
    }

    /// Returns true when an operation that was not understood is where RESOURCE belongs, before all that need it.
    fn may_have_resource(&self) -> bool {
        let needs = |one: &&Statement| {
            matches!(one.kind, Some(Operation::Uuid | Operation::Chpid | Operation::Function))
        };
        let first = self.script.statements.iter().find(needs).map_or(usize::MAX, |one| one.span.start);
        self.script.unknown_operation.is_some_and(|unknown| unknown < first)
    }

    /// Returns the first keyword of a CHPID statement that divides channels between partitions.
    fn partition_keyword(&self) -> Option<Range<usize>> {
        let chpids = self.script.statements.iter().filter(|one| one.kind == Some(Operation::Chpid));
        let mut found = chpids.flat_map(|one| {
            let lists = ["PART", "NOTPART"].into_iter().filter_map(|keyword| one.value(keyword));
            let lists = lists.map(|value| value.span.clone());
            lists.chain(one.flag("SHARED").map(|flag| flag.span.clone()))
        });
        found.next()
    }

    /// Checks the form. Returns false when the meaning cannot be checked.
    fn check(&mut self, statement: &Statement, operation: Operation) -> bool {
        if !statement.well_formed {
            return false;
        }
        let before = self.findings.errors();
        keyword::check(statement, operation, &mut self.findings);
        self.findings.errors() == before
    }

    /// Takes in ID: R103, R104.
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

    /// Takes in RESOURCE. A bad one ends the pass: nothing can be checked without the partitions.
    fn resource(&mut self, statement: &'a Statement) {
        if let Some(first) = self.resource {
            let message = self
                .findings
                .error(RESOURCE_TWICE, &statement.operation.span, "duplicate RESOURCE statement")
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
            self.end = Some(End::BadResource(statement.span.end));
        }
    }

    /// Reports it, unless an operation that was not understood may have been meant for it.
    fn resource_missing(&mut self, span: &Range<usize>) {
        self.end = Some(End::NoResource);
        if self.may_have_resource() {
            return;
        }
        let later = self.script.statements.iter().find(|other| other.kind == Some(Operation::Resource));
        let message = self.findings.error(
            RESOURCE_MISSING,
            span,
            "a RESOURCE statement is needed before CHPID, FUNCTION and UUID",
        );
        let message = match later {
            Some(later) => message
                .other(self.findings.label(&later.operation.span, "RESOURCE is here"))
                .fix("move RESOURCE up"),
            None => match self.partition_keyword().filter(|_| self.definitions.machine.has_basic_mode()) {
                Some(span) => message
                    .other(self.findings.label(&span, "this names partitions"))
                    .fix("add RESOURCE PART=((name,1)), or drop PART, NOTPART and SHARED for BASIC mode"),
                None => message.fix("add RESOURCE PART=((CSS(0),(name,1)))"),
            },
        };
        self.findings.report(message);
    }
}
