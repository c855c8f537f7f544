//! Where a fibre ends, as the plant writes it: a director port `11.20`, a host-adapter port `BOXA.0030` or a channel
//! `pchid 104`.

use std::fmt;

use crate::channel_plug::ChannelPlug;
use crate::cpc_name::CpcName;
use crate::identity::ChannelIdentity;

/// A port of a director.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectorPort {
    /// Director: the deck's `SWITCH=` and the switch byte of two-byte links.
    pub director: u8,
    /// Port address: the last byte of link addresses.
    pub port: u8,
}

/// A host-adapter port of a control unit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AdapterPort {
    /// Name of the control unit in the plant.
    pub control_unit: String,
    /// Interface id, four hexadecimal digits.
    pub port: String,
}

/// Where the fibre of a channel may end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// At a director.
    Director(DirectorPort),
    /// At a control unit.
    ControlUnit(AdapterPort),
    /// At another channel, with channel-to-channel devices.
    Channel(ChannelPlug),
}

impl fmt::Display for DirectorPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02X}.{:02X}", self.director, self.port)
    }
}

impl fmt::Display for AdapterPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.control_unit, self.port)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Director(port) => port.fmt(f),
            Self::ControlUnit(port) => port.fmt(f),
            Self::Channel(plug) => plug.fmt(f),
        }
    }
}

impl DirectorPort {
    /// Syntax that [`DirectorPort::parse`] accepts, in words.
    pub const WORDS: &'static str = "a director port such as \"11.20\"";

    /// Returns two hexadecimal digits of the director, a point, two of the port.
    pub fn parse(text: &str) -> Option<Self> {
        let (director, port) = text.split_once('.')?;
        Some(Self { director: hex(director, 2)? as u8, port: hex(port, 2)? as u8 })
    }
}

impl Place {
    /// Syntax that [`Place::parse`] accepts, in words.
    pub const WORDS: &'static str = "a director port such as \"11.20\", a host-adapter port such as \"BOXA.0030\" or a channel such as \"pchid 104\"";

    /// Returns a director port; a control-unit name of three characters or more, a point, and an interface id; or a channel.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(port) = DirectorPort::parse(text) {
            return Some(Self::Director(port));
        }
        if let Some(plug) = channel(text) {
            return Some(Self::Channel(plug));
        }
        let (name, port) = text.split_once('.')?;
        let control_unit = control_unit_name(name)?;
        Some(Self::ControlUnit(AdapterPort { control_unit, port: interface_id(port)? }))
    }
}

/// Returns `pchid 104`, `pchid B.104` on a machine with a name, or `chpid 40`.
fn channel(text: &str) -> Option<ChannelPlug> {
    let (key, plug) = text.split_once(' ')?;
    let (cpc, digits) = match plug.split_once('.') {
        Some((cpc, digits)) => (CpcName::parse(cpc)?, digits),
        None => (CpcName::UNNAMED, plug),
    };
    let port = match key {
        "pchid" => ChannelIdentity::Pchid(hex(digits, 3)? as u16),
        "chpid" => ChannelIdentity::Chpid(hex(digits, 2)? as u8),
        _ => return None,
    };
    Some(ChannelPlug { cpc, port })
}

/// Words for [`control_unit_name`].
pub const NAME_WORDS: &str = "a name of 3 to 8 characters A-Z and 0-9";

/// Returns a control-unit name; three characters at least keep it apart from a director's id.
pub fn control_unit_name(text: &str) -> Option<String> {
    let fits = (3..=8).contains(&text.len());
    let known = text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (fits && known).then(|| text.to_owned())
}

/// Words for [`interface_id`].
pub const INTERFACE_WORDS: &str = "an interface id of four hexadecimal digits such as \"0030\"";

/// Returns an interface id of four hexadecimal digits, in upper case.
pub fn interface_id(text: &str) -> Option<String> {
    hex(text, 4).map(|id| format!("{id:04X}"))
}

/// Parses exactly `digits` hexadecimal digits (at most eight).
pub fn hex(text: &str, digits: usize) -> Option<u32> {
    let well_formed = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    well_formed.then(|| u32::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_apart_by_their_form() {
        let director = DirectorPort { director: 0x11, port: 0xE0 };
        assert_eq!(Place::parse("11.e0"), Some(Place::Director(director)));
        let port = AdapterPort { control_unit: "BOXA".into(), port: "003F".into() };
        assert_eq!(Place::parse("BOXA.003f"), Some(Place::ControlUnit(port)));
        for plug in ["pchid 104", "pchid B.1F0", "chpid 40"] {
            assert_eq!(Place::parse(plug).map(|place| place.to_string()).as_deref(), Some(plug));
        }
        for wrong in ["pchid 10", "pchid b.104", "pchid  104", "port 104", "chpid 100"] {
            assert_eq!(Place::parse(wrong), None, "{wrong}");
        }
        for wrong in ["", "11", "1.20", "11.2", "11.200", "BOXA.30", "boxa.0030", "B.0030", "11.é", "+1.20"]
        {
            assert_eq!(Place::parse(wrong), None, "{wrong}");
        }
    }
}
