//! Statements of one end.

use std::collections::BTreeSet;

use super::devices::DeviceRun;
use crate::syntax::layout::lay_out;

/// One end to be defined: a control unit on one channel, and its devices.
pub(super) struct NewEnd<'a> {
    /// Number of the control unit.
    pub unit: u16,
    /// CHPID.
    pub chpid: u8,
    /// Channel subsystems in which it is on the channel.
    pub css: BTreeSet<u8>,
    /// `LINK=` in the form of the channel; `None` point-to-point.
    pub link: Option<String>,
    /// `CUADD=`.
    pub cuadd: u8,
    /// `UNIT=`.
    pub unit_type: &'a str,
    /// First unit address and how many.
    pub addresses: (u8, u16),
    /// Its devices; a statement for each run.
    pub devices: Vec<DeviceRun>,
    /// Device candidate list; empty on a channel that is not shared.
    pub candidates: &'a [(u8, String)],
}

impl NewEnd<'_> {
    /// Returns the cards of its CNTLUNIT and IODEVICE statements.
    pub(super) fn cards(&self) -> String {
        let (first, count) = self.addresses;
        let mut operands = vec![
            format!("CUNUMBR={:04X}", self.unit),
            format!("PATH={}", self.by_css(|_| format!("{:02X}", self.chpid))),
            format!("UNITADD=(({first:02X},{count:03}))"),
        ];
        operands.extend(self.link.as_ref().map(|link| format!("LINK={}", self.by_css(|_| link.clone()))));
        operands.extend([format!("CUADD={:02X}", self.cuadd), format!("UNIT={}", self.unit_type)]);
        let mut text = statement("CNTLUNIT", &operands);
        for run in &self.devices {
            let mut operands = vec![
                format!("ADDRESS=({:04X},{:03})", run.number, run.count),
                format!("UNITADD={:02X}", run.unit_address),
                format!("CUNUMBR=({:04X})", self.unit),
            ];
            if !self.candidates.is_empty() {
                let names = |css: u8| {
                    let here = self.candidates.iter().filter(|(of, _)| *of == css);
                    here.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(",")
                };
                operands.push(format!("PARTITION={}", self.by_css(names)));
            }
            operands.push(format!("UNIT={}", self.unit_type));
            text += &statement("IODEVICE", &operands);
        }
        text
    }

    /// Formats a value for each channel subsystem: `((CSS(0),40),(CSS(1),40))`.
    fn by_css(&self, value: impl Fn(u8) -> String) -> String {
        let each: Vec<String> = self.css.iter().map(|&css| format!("(CSS({css}),{})", value(css))).collect();
        format!("({})", each.join(","))
    }
}

fn statement(operation: &str, operands: &[String]) -> String {
    let cards = lay_out(&format!("         {operation} "), operands);
    cards.into_iter().map(|card| card + "\n").collect()
}
