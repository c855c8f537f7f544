//! The ends of channel-to-channel connections that a deck defines.

use std::fmt;
use std::ops::Range;

use super::devices::{DeviceRun, runs};
use crate::model::unit::is_channel_to_channel;
use crate::model::{ChannelPath, ControlUnit, Deck, DeviceRange, Path};

/// An image of a machine: a partition by its channel subsystem and MIF id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Image {
    /// Index of the deck.
    pub deck: usize,
    /// Channel subsystem.
    pub css: u8,
    /// MIF image id.
    pub mif: u8,
    /// Name.
    pub name: String,
}

impl Image {
    /// Returns the images of `deck`, the one of index `at`: its partitions that have a name.
    pub fn all(deck: &Deck, at: usize) -> impl Iterator<Item = Image> {
        deck.partitions.iter().filter_map(move |partition| {
            let name = partition.name.clone()?;
            Some(Image { deck: at, css: partition.css, mif: partition.mif, name })
        })
    }

    /// Returns the CUADD that leads to it over a channel that is `spanned` or not.
    pub fn cuadd(&self, spanned: bool) -> u8 {
        if spanned { self.css << 4 | self.mif } else { self.mif }
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.css, self.name)
    }
}

/// A port of a director: switch number or address, and port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port {
    /// The director.
    pub switch: u8,
    /// The port.
    pub port: u8,
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02X}{:02X}", self.switch, self.port)
    }
}

/// One end: a control unit on one path as one partition uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The partition whose end it is.
    pub image: Image,
    /// Number of the control unit.
    pub unit: u16,
    /// CHPID.
    pub chpid: u8,
    /// Index of the CHPID statement in its deck.
    pub channel: usize,
    /// The channel is in several channel subsystems.
    pub spanned: bool,
    /// The channel is shared by partitions.
    pub shared: bool,
    /// `TYPE=` of the channel.
    pub channel_type: String,
    /// Where the link leads; `None` point-to-point.
    pub link: Option<Port>,
    /// The link has two bytes.
    pub two_byte_link: bool,
    /// `CUADD=`.
    pub cuadd: Option<u8>,
    /// First unit address and how many.
    pub addresses: (u8, u16),
    /// `UNIT=` of the control unit.
    pub unit_type: String,
    /// Devices by number, in the longest runs.
    pub devices: Vec<DeviceRun>,
    /// Number of the control unit in the deck's text.
    pub span: Range<usize>,
}

impl End {
    /// Returns the unit addresses, such as `00-0F`.
    pub fn unit_addresses(&self) -> String {
        let (first, count) = self.addresses;
        format!("{first:02X}-{:02X}", (u16::from(first) + count).saturating_sub(1))
    }

    /// Returns the image that it leads to, as coded.
    pub fn target(&self) -> String {
        self.cuadd.map_or_else(|| "-".to_owned(), |cuadd| format!("{cuadd:02X}"))
    }

    /// Returns the channel that it is on: index of the deck, and of the CHPID statement.
    pub fn channel_key(&self) -> (usize, usize) {
        (self.image.deck, self.channel)
    }

    /// Returns true when its CUADD is that of the partition that has it, which a shared control unit offers besides.
    pub(super) fn is_own_image(&self) -> bool {
        self.cuadd == Some(self.image.cuadd(self.spanned))
    }

    /// Returns true when its CUADD leads to the partition of `other`. An ESCON channel that one partition has needs
    /// none.
    pub(super) fn leads_to(&self, other: &End) -> bool {
        match self.cuadd {
            Some(cuadd) => cuadd == other.image.cuadd(other.spanned),
            None => !other.shared,
        }
    }
}

/// Returns the ends that `deck`, the one of index `at`, defines.
pub(super) fn ends(deck: &Deck, at: usize) -> Vec<End> {
    let units = deck.control_units.iter().filter(|unit| is_channel_to_channel(&unit.unit.value));
    let mut ends = Vec::new();
    for unit in units {
        let is_mine =
            |device: &&DeviceRange| device.control_units.iter().any(|named| named.value == unit.number.value);
        let devices: Vec<&DeviceRange> = deck.devices.iter().filter(is_mine).collect();
        for path in &unit.paths {
            let mut channels = deck.channel_paths.iter().enumerate();
            let channel = channels
                .find(|(_, channel)| channel.css.contains(&path.css) && channel.chpid.value == path.chpid);
            let Some((index, channel)) = channel else { continue };
            let users = Image::all(deck, at).filter(|image| {
                let who = (image.css, image.name.clone());
                let sees =
                    |device: &&DeviceRange| device.candidates.is_empty() || device.candidates.contains(&who);
                who.0 == path.css
                    && channel.access.contains(&who)
                    && (devices.is_empty() || devices.iter().any(sees))
            });
            ends.extend(users.map(|image| end(image, unit, path, (index, channel), &devices)));
        }
    }
    ends
}

fn end(
    image: Image,
    unit: &ControlUnit,
    path: &Path,
    (index, channel): (usize, &ChannelPath),
    devices: &[&DeviceRange],
) -> End {
    let switch = channel.switch.as_ref().map(|switch| switch.value).unwrap_or_default();
    let who = (image.css, image.name.clone());
    let mine =
        devices.iter().filter(|device| device.candidates.is_empty() || device.candidates.contains(&who));
    End {
        image,
        unit: unit.number.value,
        chpid: path.chpid,
        channel: index,
        spanned: channel.css.len() > 1,
        shared: channel.shared,
        channel_type: channel.channel_type.value.clone(),
        link: path.link.map(|link| Port { switch: link.switch.unwrap_or(switch), port: link.port }),
        two_byte_link: path.link.is_some_and(|link| link.switch.is_some()),
        cuadd: unit.cuadd.as_ref().map(|cuadd| cuadd.value),
        addresses: unit.unit_addresses.first().copied().unwrap_or((0, 0x100)),
        unit_type: unit.unit.value.clone(),
        devices: runs(&mine.copied().collect::<Vec<_>>()),
        span: unit.number.span.clone(),
    }
}
