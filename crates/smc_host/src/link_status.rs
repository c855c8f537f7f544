//! Links by which the octets of a connection go, where they leave the memory of the host.

/// Fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fabric {
    /// Memory that both ends share.
    #[default]
    SharedMemory,
    /// RoCE version 2 over UDP.
    RoceUdp,
}

/// Status of the links of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkStatus {
    /// Fabric.
    pub fabric: Fabric,
    /// State of the link group, in the order of Linux' tools: none, single, symmetric, asymmetric at this end, at the peer's.
    pub group_state: u8,
    /// Active links.
    pub links: u8,
    /// Connections that the group has moved from a link that was lost.
    pub failovers: u32,
}

impl LinkStatus {
    /// Returns the status as a word.
    pub(crate) fn word(self) -> u64 {
        let fabric = u64::from(self.fabric == Fabric::RoceUdp);
        fabric
            | u64::from(self.group_state) << 8
            | u64::from(self.links) << 16
            | u64::from(self.failovers) << 32
    }

    /// Returns the status of a word.
    pub(crate) const fn of_word(word: u64) -> Self {
        Self {
            fabric: if word & 1 == 1 { Fabric::RoceUdp } else { Fabric::SharedMemory },
            group_state: (word >> 8) as u8,
            links: (word >> 16) as u8,
            failovers: (word >> 32) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_comes_back_from_its_word() {
        let status = LinkStatus { fabric: Fabric::RoceUdp, group_state: 2, links: 3, failovers: 70_000 };
        assert_eq!(LinkStatus::of_word(status.word()), status);
        assert_eq!(LinkStatus::of_word(0), LinkStatus::default());
    }
}
