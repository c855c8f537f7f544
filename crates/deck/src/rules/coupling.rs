//! Keywords that coupling links need beside their type, and the two ends of an internal one.
//!
//! Reference: IOCP, sections 2.1 (LSYSTEM), 2.4; R122, R369.

use halftrack_input::Severity;
use halftrack_input::messages::deck::COUPLING_MATE;

use crate::model::channel_types::ChannelType;
use crate::rules::definitions::Definitions;
use crate::syntax::findings::Findings;
use crate::syntax::statement::Statement;

/// Returns the keywords that a type cannot do without.
fn required(kind: &ChannelType) -> &'static [&'static str] {
    match kind.name {
        "CIB" | "CS5" => &["AID", "PORT", "CPATH", "CSYSTEM"],
        "CL5" | "CL6" => &["PORT"],
        "ICP" => &["CPATH"],
        _ => &[],
    }
}

/// Checks R122 for the keywords of `kind`, R369.
pub(crate) fn check(
    statement: &Statement,
    kind: &ChannelType,
    definitions: &mut Definitions,
    findings: &mut Findings,
) {
    // A z800 and its elders find the other end by themselves.
    if !definitions.machine.has_pchids() {
        return;
    }
    if let Some(missing) = required(kind).iter().find(|keyword| statement.item(keyword).is_none()) {
        let words = format!("TYPE={} needs {missing}", kind.name);
        findings.report(findings.error(122, &statement.operation.span, words).fix(format!("add {missing}=")));
    }
    let named = definitions.id.lsystem.is_some();
    let leaves_machine = matches!(kind.name, "CIB" | "CL5" | "CL6" | "CS5");
    if leaves_machine && !named && !std::mem::replace(&mut definitions.lsystem_missed, true) {
        let words = format!("TYPE={} needs LSYSTEM, the name of this machine, in ID", kind.name);
        let message = findings.error(369, &statement.operation.span, words).fix("add LSYSTEM=name to ID");
        findings.report(message);
    }
}

/// Checks that the ends of internal links name each other, once all channels are read.
pub(crate) fn check_mates(definitions: &Definitions, findings: &mut Findings) {
    for channel in &definitions.channels {
        let path = &channel.path;
        let Some(cpath) = path.cpath.as_ref().filter(|_| path.channel_type.value == "ICP") else { continue };
        let mate = definitions.channel_index.get(&cpath.value).and_then(|&at| definitions.channels.get(at));
        let points_back = |value: (u8, u8)| path.css.contains(&value.0) && value.1 == path.chpid.value;
        let fits =
            mate.is_some_and(|mate| mate.path.cpath.as_ref().is_some_and(|cpath| points_back(cpath.value)));
        if !fits {
            findings.about(format!("CHPID {:02X}", path.chpid.value));
            let words = format!(
                "channel {:02X} in CSS {} does not name this one in its CPATH",
                cpath.value.1, cpath.value.0
            );
            let message = findings
                .error(COUPLING_MATE, &cpath.span, words)
                .severity(Severity::Advice)
                .fix("let the two ends of an internal link name each other");
            findings.report(message);
        }
    }
}
