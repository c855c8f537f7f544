//! Operating systems of partitions: the level that each type of PCIe function needs.
//!
//! Source: PCIe paper of 2015, slides on deploying zEDC and on the 10GbE RoCE Express feature. For other types no
//! minimum is published with the papers at hand: there is no rule about them.

use std::fmt;

use halftrack_input::messages::deck::SOFTWARE_LEVEL;
use halftrack_input::{Diagnostic, Severity};

use crate::model::{Deck, Function};

/// An operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// z/OS.
    ZOs,
    /// z/VM, for its z/OS guests.
    ZVm,
    /// Linux.
    Linux,
}

impl System {
    const ALL: [System; 3] = [System::ZOs, System::ZVm, System::Linux];

    fn name(self) -> &'static str {
        match self {
            System::ZOs => "z/OS",
            System::ZVm => "z/VM",
            System::Linux => "Linux",
        }
    }
}

/// An operating system and its level, as version and release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Software {
    /// The system.
    pub system: System,
    /// Version and release.
    pub level: (u8, u8),
}

impl Software {
    /// Reads `z/OS 2.1`, `zos2.1`, `ZVM-6.3`.
    pub fn parse(text: &str) -> Option<Self> {
        let plain: String =
            text.chars().filter(|ch| !matches!(ch, '/' | ' ' | '-' | '_')).collect::<String>().to_lowercase();
        let name = |system: System| system.name().replace('/', "").to_lowercase();
        let system = System::ALL.into_iter().find(|system| plain.starts_with(&name(*system)))?;
        let level = plain[name(system).len()..].trim_start_matches('v');
        let (version, release) = level.split_once('.')?;
        Some(Self { system, level: (version.parse().ok()?, release.parse().ok()?) })
    }
}

impl fmt::Display for Software {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}.{}", self.system.name(), self.level.0, self.level.1)
    }
}

/// The level of a system that a type of function needs.
struct Need {
    kind: &'static str,
    system: System,
    least: (u8, u8),
    /// Older levels that can do a part.
    part: Option<Part>,
}

/// The first and the last level that can do a part, and which.
#[derive(Clone, Copy)]
struct Part {
    levels: ((u8, u8), (u8, u8)),
    words: &'static str,
}

const fn need(kind: &'static str, system: System, least: (u8, u8)) -> Need {
    Need { kind, system, least, part: None }
}

const NEEDS: [Need; 4] = [
    Need {
        part: Some(Part {
            levels: ((1, 12), (1, 13)),
            words: "which can inflate in software and writes nothing compressed",
        }),
        ..need("ZEDC", System::ZOs, (2, 1))
    },
    need("ZEDC", System::ZVm, (6, 3)),
    need("ROCE", System::ZOs, (2, 1)),
    need("ROCE", System::ZVm, (6, 3)),
];

/// Reports the functions that `software` in `partition` is too old for. A function that the partition has is an
/// error, one that it may get a warning.
///
/// # Errors
///
/// The names of all partitions, when none is called so.
pub fn check_software(
    deck: &Deck,
    partition: &str,
    software: Software,
) -> Result<Vec<Diagnostic>, Vec<String>> {
    if !deck.partitions.iter().any(|known| known.name.as_deref() == Some(partition)) {
        return Err(deck.partitions.iter().filter_map(|known| known.name.clone()).collect());
    }
    let too_old = |function: &Function| {
        let kind = function.kind.as_ref()?.value.as_str();
        let need = NEEDS.iter().find(|need| need.kind == kind && need.system == software.system)?;
        let has = function.access.as_ref().is_some_and(|(_, name)| name == partition);
        let may = function.candidates.iter().any(|(_, name)| name == partition);
        if software.level >= need.least || !(has || may) {
            return None;
        }
        let least = Software { level: need.least, ..software };
        let can = need.part.filter(|part| (part.levels.0..=part.levels.1).contains(&software.level));
        let can = can.map(|part| format!(", {}", part.words)).unwrap_or_default();
        let relation = if has { "runs" } else { "may get it and runs" };
        let words = format!(
            "FUNCTION {:04X}: TYPE={kind} needs {least}; {partition} {relation} {software}{can}",
            function.fid.value
        );
        let message = Diagnostic::error(SOFTWARE_LEVEL, &deck.source, function.fid.span.clone(), words);
        let message = if has { message } else { message.severity(Severity::Warning) };
        Some(message.fix(format!("take the function from {partition}, or give {partition} {least} or later")))
    };
    Ok(deck.functions.iter().filter_map(too_old).collect())
}

/// Returns true when `software` can use functions of type `kind`, as far as anything is known.
pub(crate) fn writes(kind: &str, software: Software) -> bool {
    let need = NEEDS.iter().find(|need| need.kind == kind && need.system == software.system);
    need.is_none_or(|need| software.level >= need.least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_written_in_many_ways() {
        let zos = Some(Software { system: System::ZOs, level: (2, 1) });
        assert_eq!(["z/OS 2.1", "zos2.1", "ZOS-2.1", "z/OS V2.1"].map(Software::parse), [zos; 4]);
        assert_eq!(Software::parse("z/VM 6.3").map(|one| one.to_string()).as_deref(), Some("z/VM 6.3"));
        assert_eq!(["", "z/OS", "AIX 7.1", "z/OS two.one", "z/OS 2"].map(Software::parse), [None; 5]);
    }
}
