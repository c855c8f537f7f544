//! The machine that a deck is for.
//!
//! The options may name it; else SYSTEM of the first ID that names a known machine does; else one is assumed.
//! Reference: IOCP, section 2.1 (SYSTEM), section 3.

use halftrack_input::Severity;
use halftrack_input::messages::deck::MACHINE_ASSUMED;
use halftrack_input::messages::iocp::SYSTEM_OVERRIDDEN;

use crate::model::channel_types::ChannelType;
use crate::model::function_types::FunctionType;
use crate::model::machines::{MACHINES, Machine};
use crate::reading::ReadOptions;
use crate::reading::id;
use crate::syntax::findings::Findings;
use crate::syntax::keyword::Operation;
use crate::syntax::script::Script;
use crate::syntax::statement::Statement;

/// The machine that a deck is checked against.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) machine: &'static Machine,
    /// Nobody named it.
    pub(crate) assumed: bool,
    /// The deck names another.
    overridden: bool,
}

/// Chooses the machine for `script`.
pub(crate) fn choose(script: &Script, options: &ReadOptions) -> Chosen {
    let ids = script.statements.iter().filter(|one| one.kind == Some(Operation::Id));
    let coded = ids.into_iter().find_map(id::machine_of);
    if let Some(machine) = options.machine.and_then(|(machine_type, _)| Machine::of(machine_type)) {
        return Chosen { machine, assumed: false, overridden: coded.is_some_and(|coded| coded != machine) };
    }
    match coded {
        Some(machine) => Chosen { machine, assumed: false, overridden: false },
        None => Chosen { machine: assume(script), assumed: true, overridden: false },
    }
}

/// Returns the default machine when it has all types that the deck uses, else the newest one that has.
fn assume(script: &Script) -> &'static Machine {
    let default = Machine::default_machine();
    let types: Vec<(Operation, &str)> = script.statements.iter().filter_map(type_of).collect();
    let has_functions = script.statements.iter().any(|one| one.kind == Some(Operation::Function));
    let fits = |machine: &&'static Machine| {
        (machine.fid_max.is_some() || !has_functions)
            && types.iter().all(|(operation, name)| match operation {
                Operation::Chpid => ChannelType::of(name).is_none_or(|kind| kind.exists_on(machine)),
                _ => FunctionType::of(name).is_none_or(|kind| kind.exists_on(machine)),
            })
    };
    // The table ends with the newest; of one generation the larger machine stands first.
    let mut newest_first: Vec<&'static Machine> = MACHINES.iter().collect();
    newest_first.sort_by_key(|machine| std::cmp::Reverse((machine.generation, machine.partition_count)));
    std::iter::once(default).chain(newest_first).find(fits).unwrap_or(default)
}

fn type_of(statement: &Statement) -> Option<(Operation, &str)> {
    let operation = statement.kind.filter(|kind| matches!(kind, Operation::Chpid | Operation::Function))?;
    Some((operation, statement.value("TYPE")?.sole().atom()?))
}

/// Says that a machine was assumed that is not the usual one, or that SYSTEM does not count.
pub(crate) fn report(chosen: &Chosen, script: &Script, findings: &mut Findings) {
    let machine = chosen.machine;
    if chosen.overridden {
        let system = script.statements.iter().filter(|one| one.kind == Some(Operation::Id));
        let span = system.into_iter().find_map(|id| Some(id.value("SYSTEM")?.span.clone()));
        let words = format!("SYSTEM is not used: checked as {} ({})", machine.machine_type, machine.name);
        let message = findings.error(SYSTEM_OVERRIDDEN, &span.unwrap_or_default(), words);
        findings.report(message.severity(Severity::Info));
    } else if chosen.assumed && machine != Machine::default_machine() {
        let words = format!(
            "no machine is named: {} ({}) is the newest that has all types of this deck",
            machine.machine_type, machine.name
        );
        let message = findings.error(MACHINE_ASSUMED, &(0..0), words).severity(Severity::Info);
        findings.report(message.fix(format!("add SYSTEM=({},1) to ID", machine.machine_type)));
    }
}
