//! The groups that a description is made of.

use halftrack_deck::model::channel_types::ChannelType;

/// A range of two-digit hexadecimal numbers, such as CHPIDs or ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) first: u8,
    pub(super) last: u8,
}

impl Range {
    /// Parses `40` or `40-47`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let two = |text: &str| u8::from_str_radix(text, 16).ok().filter(|_| text.len() == 2);
        let range = Self { first: two(first)?, last: two(last)? };
        (range.first <= range.last).then_some(range)
    }

    pub(super) fn numbers(self) -> impl Iterator<Item = u8> {
        self.first..=self.last
    }

    pub(super) fn len(self) -> usize {
        usize::from(self.last - self.first) + 1
    }
}

/// Channels of one type, consecutive CHPIDs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Channels {
    pub(super) kind: &'static ChannelType,
    pub(super) chpids: Range,
    /// Channel subsystems that they are in.
    pub(super) css: Vec<u8>,
    /// One for each CHPID, or none at all.
    pub(super) pchids: Vec<u16>,
    pub(super) vchid: Option<u16>,
    /// Director.
    pub(super) switch: Option<u8>,
    pub(super) pnetid: Option<String>,
    /// Devices behind each of them: number of the first control unit and device, and how many.
    pub(super) devices: Option<(u16, u16)>,
}

/// Unit types of control unit and devices behind a channel that is an adapter itself.
pub(super) struct Adapter {
    pub(super) unit: &'static str,
    pub(super) device: &'static str,
    /// It has a device for its diagnosis at unit address FE.
    pub(super) has_diagnosis: bool,
}

impl Channels {
    /// Returns the adapter behind channels of the type (reference: IOCP, section 5.1).
    pub(super) fn adapter(&self) -> Option<Adapter> {
        let adapter = |unit, device, has_diagnosis| Some(Adapter { unit, device, has_diagnosis });
        match self.kind.name {
            "OSD" | "OSE" | "OSH" => adapter("OSA", "OSA", true),
            "OSC" => adapter("OSC", "3270-X", false),
            "IQD" => adapter("IQD", "IQD", false),
            "FCP" => adapter("FCP", "FCP", false),
            _ => None,
        }
    }
}

/// A director with its control port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Director {
    pub(super) switch: u8,
    /// Number of its control unit and device.
    pub(super) number: u16,
}

/// A box of disks: logical control units with consecutive images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Storage {
    /// Number of the first control unit and of its first device; those of the next are 100 (hex) higher.
    pub(super) number: u16,
    pub(super) count: u16,
    pub(super) bases: u16,
    pub(super) aliases: u16,
    pub(super) unit: String,
    /// Ports by director.
    pub(super) ports: Vec<(u8, Range)>,
}

/// PCIe functions of one adapter port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Functions {
    pub(super) fid: u16,
    pub(super) count: u16,
    pub(super) kind: String,
    pub(super) pchid: Option<u16>,
    pub(super) vchid: Option<u16>,
    pub(super) port: Option<u8>,
    pub(super) vf: Option<u16>,
    pub(super) pnetid: Option<String>,
    /// The partition that has them, then those that may get them.
    pub(super) lpars: Vec<String>,
}
