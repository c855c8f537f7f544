//! A difference as text, one change a line.

use std::collections::BTreeSet;
use std::fmt;

use super::{Aspect, Change, ChangeKind, Difference, Entity, PathLoss};

/// Values that identify an addition or deletion.
const TELLING: [&str; 5] = ["TYPE", "PCHID", "VCHID", "UNIT", "MIF"];
/// Columns before the values.
const HEAD: usize = 27;

/// Formats devices such as `1000-107F(0)`.
fn devices(set: u8, first: u16, count: u32) -> String {
    format!("{}({set})", range(first, count))
}

fn range(first: u16, count: u32) -> String {
    if count == 1 {
        format!("{first:04X}")
    } else {
        format!("{first:04X}-{:04X}", u32::from(first) + count - 1)
    }
}

impl Change {
    /// Returns the statement and its key: `CHPID 0,1.41`, `IODEVICE 1000-107F(0)`.
    pub fn subject(&self) -> String {
        match &self.entity {
            Entity::Machine => "ID".to_owned(),
            Entity::ChannelSubsystem(css) => format!("RESOURCE CSS {css}"),
            Entity::Partition { css, name } => format!("LPAR {css}.{name}"),
            Entity::Channel { chpid, css } => {
                let css: Vec<String> = css.iter().map(u8::to_string).collect();
                let last = u32::from(*chpid) + self.count - 1;
                let last = if self.count == 1 { String::new() } else { format!("-{last:02X}") };
                format!("CHPID {}.{chpid:02X}{last}", css.join(","))
            }
            Entity::ControlUnit(number) => format!("CNTLUNIT {number:04X}"),
            Entity::Device { set, number } => format!("IODEVICE {}", devices(*set, *number, self.count)),
            Entity::Function(fid) => format!("FUNCTION {}", range(*fid, self.count)),
        }
    }
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        write!(f, "{} {} -> {}", self.name, value(&self.before), value(&self.after))
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = match self.kind {
            ChangeKind::Modified => self.aspects.iter().map(ToString::to_string).collect(),
            ChangeKind::Added | ChangeKind::Deleted => {
                let value = |name: &str| {
                    let aspect = self.aspects.iter().find(|aspect| aspect.name == name)?;
                    Some(format!("{name}={}", aspect.after.as_ref().or(aspect.before.as_ref())?))
                };
                TELLING.iter().filter_map(|name| value(name)).collect()
            }
        };
        let head = format!("{:6} {}", self.kind.name(), self.subject());
        f.write_str(format!("{head:HEAD$}  {}", words.join(", ")).trim_end())
    }
}

impl fmt::Display for PathLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chpids =
            |list: &[u8]| list.iter().map(|chpid| format!("{chpid:02X}")).collect::<Vec<_>>().join(" ");
        let what = if self.after == 0 { "LOSES ALL  " } else { "LOSES PATHS" };
        let devices = devices(self.set, self.first, self.count);
        let who = format!("{}.{}", self.css, self.lpar);
        write!(f, "{what}  {who:10}  {devices:12}  {} -> {}", self.before, self.after)?;
        if self.after > 0 {
            write!(f, "  without {}", chpids(&self.lost))?;
        }
        if !self.gained.is_empty() {
            write!(f, ", newly {}", chpids(&self.gained))?;
        }
        Ok(())
    }
}

impl Difference {
    /// Counts the devices that some partition loses altogether, and those that only lose paths, each once.
    pub fn devices_lost(&self) -> (usize, usize) {
        let numbers = |gone: bool| -> BTreeSet<(u8, u8, u32)> {
            let losses = self.losses.iter().filter(|loss| (loss.after == 0) == gone);
            losses
                .flat_map(|loss| {
                    (0..loss.count).map(|step| (loss.css, loss.set, u32::from(loss.first) + step))
                })
                .collect()
        };
        let gone = numbers(true);
        (distinct(&gone), distinct(&numbers(false).difference(&gone).copied().collect()))
    }
}

/// Counts devices, whatever their channel subsystem.
fn distinct(devices: &BTreeSet<(u8, u8, u32)>) -> usize {
    devices.iter().map(|(_, set, number)| (set, number)).collect::<BTreeSet<_>>().len()
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for change in &self.changes {
            writeln!(f, "{change}")?;
        }
        for loss in &self.losses {
            writeln!(f, "{loss}")?;
        }
        let [modified, deleted, added] =
            [ChangeKind::Modified, ChangeKind::Deleted, ChangeKind::Added].map(|kind| self.count(kind));
        let (gone, fewer) = self.devices_lost();
        write!(f, "activation: {modified} modified, {deleted} deleted, {added} added")?;
        let losses = [(gone, "lost to a partition"), (fewer, "with fewer paths")];
        for (count, what) in losses.into_iter().filter(|(count, _)| *count > 0) {
            let devices = if count == 1 { "device" } else { "devices" };
            write!(f, "; {count} {devices} {what}")?;
        }
        writeln!(f)
    }
}
