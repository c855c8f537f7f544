//! `D PCIE`: the PCIe functions of a system.
//!
//! Source: reference, displays, 6.7.

use std::fmt::Write;

use halftrack_deck::model::function_types::FUNCTION_TYPES;
use halftrack_deck::model::{Adapter, Function};
use serde::Serialize;

use super::command::PcieArea;
use super::view::View;

/// Functions as `D PCIE` shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PcieDisplay {
    #[serde(skip)]
    pub(super) area: AreaShown,
    /// The functions.
    pub functions: Vec<FunctionLine>,
}

/// Part of the functions that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AreaShown {
    Functions,
    Clients(u32),
    Drivers,
}

/// One function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunctionLine {
    /// Function identifier, eight hexadecimal digits.
    pub pfid: String,
    /// Device type.
    pub device_type: String,
    /// `CNFG` configured, `STBY` standing by.
    pub status: &'static str,
    /// PCHID or VCHID.
    pub pchid: Option<String>,
    /// Virtual function.
    pub vfn: Option<String>,
}

impl PcieDisplay {
    pub(super) fn new(view: &View<'_>, area: PcieArea) -> Self {
        let mut functions: Vec<FunctionLine> =
            view.machine.deck.functions.iter().flat_map(|one| lines(view, one)).collect();
        functions.sort_by(|a, b| a.pfid.cmp(&b.pfid));
        let area = match area {
            PcieArea::All => AreaShown::Functions,
            PcieArea::Drivers => AreaShown::Drivers,
            PcieArea::Function(pfid) => {
                functions.retain(|line| line.pfid == format!("{pfid:08X}"));
                AreaShown::Clients(pfid)
            }
        };
        Self { area, functions }
    }

    /// Returns the number of the message.
    pub(super) fn number(&self) -> &'static str {
        match self.area {
            AreaShown::Functions => "IQP022I",
            AreaShown::Drivers => "IQP023I",
            AreaShown::Clients(_) => "IQP024I",
        }
    }

    /// Formats the display as z/OS prints it. Address spaces are not simulated: theirs is dots.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("PCIE      .... ACTIVE\n");
        match self.area {
            AreaShown::Functions if self.functions.is_empty() => {
                text.push_str("NO PCIE DEVICES ARE AVAILABLE\n");
            }
            AreaShown::Functions => self.push_functions(&mut text),
            AreaShown::Clients(pfid) if self.functions.is_empty() => {
                writeln!(text, "PFID {pfid:08X} DOES NOT EXIST").expect("text takes everything");
            }
            AreaShown::Clients(_) => {
                self.push_functions(&mut text);
                text.push_str("CLIENT ASIDS: NONE\n");
            }
            AreaShown::Drivers => self.push_drivers(&mut text),
        }
        text
    }

    fn push_functions(&self, text: &mut String) {
        text.push_str("PFID     DEVICE TYPE NAME         STATUS  ASID  JOBNAME  PCHID VFN\n");
        for line in &self.functions {
            let FunctionLine { pfid, device_type, status, pchid, vfn } = line;
            let (pchid, vfn) = (pchid.as_deref().unwrap_or("...."), vfn.as_deref().unwrap_or(""));
            let line = format!("{pfid} {device_type:<24} {status:<6}                  {pchid}  {vfn}");
            writeln!(text, "{}", line.trim_end()).expect("text takes everything");
        }
    }

    fn push_drivers(&self, text: &mut String) {
        text.push_str("DEVICE TYPE NAME         PFIDS\n");
        let mut kinds: Vec<&str> = self.functions.iter().map(|line| line.device_type.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            let count = self.functions.iter().filter(|line| line.device_type == kind).count();
            writeln!(text, "{kind:<24} {count:>5}").expect("text takes everything");
        }
    }
}

/// Returns a line for each function of a statement that the system has or may be given.
fn lines(view: &View<'_>, function: &Function) -> Vec<FunctionLine> {
    let has = function.access.as_ref().is_some_and(|access| view.is_in(std::slice::from_ref(access)));
    if !has && !view.is_in(&function.candidates) {
        return Vec::new();
    }
    let adapter = function.adapter.as_ref().map(|adapter| adapter.value);
    let plugged = match (adapter, view.known.plugged.or(view.machine.plugged.as_ref())) {
        (None, _) => false,
        (Some(Adapter::Pchid(pchid)), Some(plugged)) => plugged.contains(&pchid),
        // What is virtual needs no card, and without a hardware file nothing is known to be missing.
        (Some(_), _) => true,
    };
    let kind = function.kind.as_ref().map_or("", |kind| &kind.value);
    let device_type = FUNCTION_TYPES.iter().find(|one| one.name == kind).map_or(kind, |one| one.what);
    let conditions = view.known.moment.map_or(&[][..], |moment| &moment.functions);
    let status = |pfid: u16| {
        let found = conditions.iter().find(|one| (one.cpc, one.pfid) == (view.cpc, pfid)).filter(|_| has);
        found.map_or(if has && plugged { "CNFG" } else { "STBY" }, |one| one.state)
    };
    let line = |nth: u16| FunctionLine {
        pfid: format!("{:08X}", u32::from(function.fid.value) + u32::from(nth)),
        device_type: device_type.to_owned(),
        status: status(function.fid.value.saturating_add(nth)),
        pchid: adapter.map(|adapter| match adapter {
            Adapter::Pchid(number) | Adapter::Vchid(number) => format!("{number:04X}"),
        }),
        vfn: function.vf.as_ref().map(|vf| format!("{:04X}", u32::from(vf.value) + u32::from(nth))),
    };
    (0..function.count).map(line).collect()
}
