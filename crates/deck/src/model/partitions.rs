//! The logical partitions of RESOURCE, and sets of them.

use std::ops::{BitAnd, BitOr, BitOrAssign, Range, Sub};

use halftrack_input::Diagnostic;

use crate::model::{Partition, UNDIVIDED};
use crate::syntax::findings::Findings;
use crate::syntax::operand::Value;

/// A set of logical partitions: one bit for each MIF id of each channel subsystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PartitionSet(u128);

impl PartitionSet {
    /// Returns the partition with MIF id `mif` (1-15, or 0 for a machine that is not divided) in `css` (0-7).
    fn one(css: u8, mif: u8) -> Self {
        Self(1 << (u32::from(css & 7) * 16 + u32::from(mif & 15)))
    }

    /// Returns the members in `css`.
    pub(crate) fn in_css(self, css: u8) -> Self {
        Self(self.0 & (0xFFFF << (u32::from(css & 7) * 16)))
    }

    /// Returns true when it has no member.
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitAnd for PartitionSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for PartitionSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for PartitionSet {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Sub for PartitionSet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// The partition of the machine's own console: it owns no I/O (R192).
pub(crate) const CONSOLE: &str = "MCS_1";

/// All partitions, in the order of RESOURCE.
#[derive(Debug, Clone, Default)]
pub(crate) struct Partitions {
    list: Vec<Partition>,
}

impl Partitions {
    pub(crate) fn new(list: Vec<Partition>) -> Self {
        Self { list }
    }

    /// Returns the one image of a machine in BASIC mode: it owns every channel.
    pub(crate) fn undivided() -> Self {
        Self::new(vec![Partition { css: 0, name: Some(UNDIVIDED.to_owned()), mif: 0, span: 0..0 }])
    }

    pub(crate) fn into_list(self) -> Vec<Partition> {
        self.list
    }

    /// Returns true before RESOURCE.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns true when RESOURCE has partitions in `css`.
    pub(crate) fn has_css(&self, css: u8) -> bool {
        self.list.iter().any(|partition| partition.css == css)
    }

    /// Returns the channel subsystem that a missing tag means: 0, when it is the only one (G17).
    pub(crate) fn untagged_css(&self) -> Option<u8> {
        self.list.iter().all(|partition| partition.css == 0).then_some(0)
    }

    /// Returns all named partitions of `css`; reserved ones own nothing.
    pub(crate) fn named_in(&self, css: u8) -> PartitionSet {
        let mut set = PartitionSet::default();
        let owns =
            |one: &&Partition| one.css == css && one.name.as_deref().is_some_and(|name| name != CONSOLE);
        for partition in self.list.iter().filter(owns) {
            set |= PartitionSet::one(css, partition.mif);
        }
        set
    }

    /// Returns members of `set` as (CSS, name).
    pub(crate) fn names(&self, set: PartitionSet) -> Vec<(u8, String)> {
        let member =
            |partition: &&Partition| !(set & PartitionSet::one(partition.css, partition.mif)).is_empty();
        let named = self.list.iter().filter(member);
        named.filter_map(|partition| Some((partition.css, partition.name.clone()?))).collect()
    }

    /// Returns all named partitions of the machine.
    pub(crate) fn all_named(&self) -> PartitionSet {
        let named = self.list.iter().filter(|partition| partition.name.is_some());
        named.fold(PartitionSet::default(), |set, one| set | PartitionSet::one(one.css, one.mif))
    }

    /// Returns the set that the names `values` make, of whatever CSS they are (R149, R156).
    pub(crate) fn resolve_any(&self, values: &[&Value], findings: &mut Findings) -> PartitionSet {
        let mut set = PartitionSet::default();
        let mut seen: Vec<(&str, &Range<usize>)> = Vec::new();
        for value in values {
            let name = value.sole().text().unwrap_or_default();
            if let Some((_, first)) = seen.iter().find(|(earlier, _)| *earlier == name) {
                findings.report(self.named_twice(name, value, first, findings));
                continue;
            }
            seen.push((name, &value.span));
            match self.find(name) {
                Some(partition) => set |= PartitionSet::one(partition.css, partition.mif),
                None => {
                    let words = format!("partition \"{value}\" is not defined in RESOURCE");
                    findings
                        .report(findings.error(149, &value.span, words).fix(self.known(self.all_named())));
                }
            }
        }
        set
    }

    /// Builds R156.
    fn named_twice(
        &self,
        name: &str,
        value: &Value,
        first: &Range<usize>,
        findings: &Findings,
    ) -> Diagnostic {
        findings
            .error(156, &value.span, format!("duplicate partition {name} in the list"))
            .other(findings.label(first, "named first here"))
            .fix("name it once")
    }

    fn known(&self, set: PartitionSet) -> String {
        let names: Vec<String> = self.names(set).into_iter().map(|(_, name)| name).collect();
        format!("RESOURCE has {}", names.join(", "))
    }

    /// Returns the partition called `name`.
    fn find(&self, name: &str) -> Option<&Partition> {
        self.list.iter().find(|partition| partition.name.as_deref() == Some(name))
    }

    /// Returns the set that the names `values` make in `css` (R149, R156). `0` alone means no partition.
    pub(crate) fn resolve(&self, css: u8, values: &[Value], findings: &mut Findings) -> PartitionSet {
        let mut set = PartitionSet::default();
        if let [only] = values
            && only.atom() == Some("0")
        {
            return set;
        }
        let mut seen: Vec<(&str, &Range<usize>)> = Vec::new();
        for value in values {
            let name = value.sole().text().unwrap_or_default();
            if let Some((_, first)) = seen.iter().find(|(earlier, _)| *earlier == name) {
                findings.report(self.named_twice(name, value, first, findings));
                continue;
            }
            if name == CONSOLE {
                let message = findings.error(192, &value.span, "MCS_1 may not own I/O");
                findings.report(message.fix("take MCS_1 out of the list"));
                continue;
            }
            match self.find(name) {
                Some(partition) if partition.css == css => {
                    seen.push((name, &value.span));
                    set |= PartitionSet::one(css, partition.mif);
                }
                other => self.unknown(css, value, other, findings),
            }
        }
        set
    }

    /// Reports R149.
    fn unknown(&self, css: u8, value: &Value, elsewhere: Option<&Partition>, findings: &mut Findings) {
        let message =
            findings.error(149, &value.span, format!("partition \"{value}\" is not defined in CSS {css}"));
        let message = match elsewhere {
            Some(partition) => message
                .other(findings.label(&partition.span, format!("it belongs to CSS {}", partition.css)))
                .fix(format!("name it under CSS({})", partition.css)),
            None => {
                let names: Vec<String> =
                    self.names(self.named_in(css)).into_iter().map(|(_, name)| name).collect();
                message.fix(format!("CSS {css} has {}", names.join(", ")))
            }
        };
        findings.report(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(css: u8, name: Option<&str>, mif: u8) -> Partition {
        Partition { css, name: name.map(str::to_owned), mif, span: 0..0 }
    }

    #[test]
    fn reserved_partitions_own_nothing() {
        let all = Partitions::new(vec![
            partition(0, Some("A"), 1),
            partition(0, None, 2),
            partition(1, Some("B"), 15),
        ]);
        assert_eq!(all.names(all.named_in(0) | all.named_in(1)), [(0, "A".to_owned()), (1, "B".to_owned())]);
        assert_eq!(all.untagged_css(), None);
    }

    #[test]
    fn a_set_splits_by_css() {
        let set = PartitionSet::one(0, 15) | PartitionSet::one(1, 1);
        assert_eq!(set.in_css(1), PartitionSet::one(1, 1));
        assert_eq!(set - set.in_css(0), PartitionSet::one(1, 1));
        assert!(set.in_css(7).is_empty());
    }
}
