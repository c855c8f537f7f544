//! Disks of a system, from its deck: their control unit, the channels that reach it, and their unit addresses.

use std::collections::BTreeSet;

use halftrack_config::channel_file::DriveStream;
use halftrack_config::islink_file::{DisksEntry, IslinkChannelEntry, IslinkFile};
use halftrack_config::{DeviceRange as DeviceNumbers, LinkPlace};
use halftrack_deck::ctc::connections;
use halftrack_deck::model::{ControlUnit, Deck, DeviceRange, LinkAddress, Partition, Path};
use halftrack_input::messages::islink as numbers;
use halftrack_input::{Diagnostic, Located};
use halftrack_link::ctc::DiskUnit;
use halftrack_link::driver::DiskRun;

use crate::islink::devices::is_of;

/// Disks of a system.
#[derive(Debug)]
pub struct DeckDisks {
    /// Control-unit image.
    pub image: u8,
    /// Channels that reach it, by place in the file, and its link address from each.
    pub paths: Vec<(usize, LinkAddress)>,
    /// Streams, whose devices are unit addresses.
    pub streams: Vec<DriveStream>,
}

impl DeckDisks {
    /// Returns the control unit as the channel in this place reaches it.
    pub fn unit(&self, run: &DiskRun, place: usize) -> Option<DiskUnit> {
        let (_, link) = self.paths.iter().find(|(channel, _)| *channel == place)?;
        Some(DiskUnit::new(link.switch, link.port, run.path_options()))
    }
}

/// A disk, and where its control unit is.
struct Disk<'d> {
    unit_address: u8,
    image: u8,
    /// Paths over channels of the file, by place.
    paths: Vec<(usize, &'d Path)>,
}

/// Why a disk cannot be used: number of the message, its text, and the mend.
type Wrong = (u16, String, String);

/// Returns the disks of `entry` in the deck of `file`; messages are added to `found`.
pub fn deck_disks(
    file: &IslinkFile,
    entry: &DisksEntry,
    (deck, partition): (&Deck, &Partition),
    found: &mut Vec<Diagnostic>,
) -> Option<DeckDisks> {
    let mut disks = DeckDisks { image: 0, paths: Vec::new(), streams: Vec::new() };
    let mut first: Option<(u8, Vec<(usize, LinkAddress)>)> = None;
    let mut is_right = true;
    for stream in &entry.streams {
        let mut units = BTreeSet::new();
        for range in &stream.devices {
            match units_of(file, (deck, partition), range, &mut first) {
                Ok(more) => units.extend(more),
                Err((number, message, fix)) => {
                    is_right = false;
                    let span = range.span.clone();
                    found.push(Diagnostic::error(number, &file.source, span, message).fix(fix));
                }
            }
        }
        let mut stream = stream.stream.clone();
        stream.stream.devices = units.into_iter().map(u32::from).collect();
        disks.streams.push(stream);
    }
    (disks.image, disks.paths) = first.filter(|_| is_right)?;
    Some(disks)
}

/// Returns the unit addresses of devices, which are in the control unit that `first` has, or become the first there.
fn units_of(
    file: &IslinkFile,
    (deck, partition): (&Deck, &Partition),
    range: &Located<DeviceNumbers>,
    first: &mut Option<(u8, Vec<(usize, LinkAddress)>)>,
) -> Result<Vec<u8>, Wrong> {
    let mut units = Vec::new();
    for number in range.value.first..=range.value.last {
        let disk = disk(file, (deck, partition), range.value.subchannel_set, number)?;
        let paths = switched(file, (deck, partition), number, &disk.paths)?;
        let (image, known) = first.get_or_insert_with(|| (disk.image, paths.clone()));
        if (*image, &*known) != (disk.image, &paths) {
            let message = format!("device {number:04X} is in another control unit than the disks before it");
            let fix = "name devices of one control unit; other ones take a file of their own".to_owned();
            return Err((numbers::NO_DISK_CHANNEL, message, fix));
        }
        units.push(disk.unit_address);
    }
    Ok(units)
}

/// Returns a disk with its paths over channels of the file.
fn disk<'d>(
    file: &IslinkFile,
    (deck, partition): (&'d Deck, &Partition),
    subchannel_set: u8,
    number: u16,
) -> Result<Disk<'d>, Wrong> {
    let who = (partition.css, partition.name.clone().unwrap_or_default());
    let may_use = |range: &&DeviceRange| {
        (range.number.value..=range.last()).contains(&number)
            && range.subchannel_set.of(partition.css) == subchannel_set
            && (range.candidates.is_empty() || range.candidates.contains(&who))
    };
    let fix = || format!("see the devices with `halftrack deck show {}`", file.deck.value);
    let Some(range) = deck.devices.iter().find(may_use) else {
        let message = format!("the deck has no device {number:04X} that {} may use", file.partition.value);
        return Err((numbers::NO_DISK, message, fix()));
    };
    let kind = &range.unit.value;
    let wrong = match () {
        () if Deck::is_channel_to_channel_unit(kind) => {
            Some("a channel-to-channel device, which a logical link has")
        }
        () if Deck::is_alias_unit(kind) => Some("an alias; streams name the bases"),
        () => None,
    };
    if let Some(wrong) = wrong {
        return Err((numbers::NO_DISK, format!("device {number:04X} of UNIT={kind} is {wrong}"), fix()));
    }
    let is_its = |unit: &&ControlUnit| range.control_units.iter().any(|its| its.value == unit.number.value);
    for unit in deck.control_units.iter().filter(is_its) {
        let over = |(place, channel): (usize, &IslinkChannelEntry)| {
            let is_over = |path: &&Path| path.css == partition.css && path.chpid == channel.chpid.value;
            unit.paths.iter().find(is_over).map(|path| (place, path))
        };
        let paths: Vec<_> = file.channels.iter().enumerate().filter_map(over).collect();
        if !paths.is_empty() {
            let unit_address = range.unit_address.wrapping_add((number - range.number.value) as u8);
            let image = unit.cuadd.as_ref().map_or(0, |cuadd| cuadd.value);
            return Ok(Disk { unit_address, image, paths });
        }
    }
    let message = format!("device {number:04X} has no control unit on a channel of this file");
    let fix =
        format!("see its channels with `halftrack deck show {} path --device {number:04X}`", file.deck.value);
    Err((numbers::NO_DISK_CHANNEL, message, fix))
}

/// Returns the link addresses of a control unit, which all lead through directors and to other ports than the partner's.
fn switched(
    file: &IslinkFile,
    (deck, partition): (&Deck, &Partition),
    number: u16,
    paths: &[(usize, &Path)],
) -> Result<Vec<(usize, LinkAddress)>, Wrong> {
    let ends = connections(&[deck], &[]).ends;
    let links = paths.iter().map(|&(place, path)| {
        let channel = &file.channels[place];
        let chpid = channel.chpid.value;
        let wrong = |why: String, fix: &str| {
            let message =
                format!("device {number:04X} is not behind a director from CHPID {chpid:02X}: {why}");
            Err((numbers::NO_DISK_DIRECTOR, message, fix.to_owned()))
        };
        let Some(link) = path.link else {
            return wrong(
                "its control unit has no LINK there".to_owned(),
                "code the port of the control unit in LINK",
            );
        };
        if let LinkPlace::Listen(_) = channel.place {
            let fix = "give `connect` the address of a director's port";
            return wrong("the channel listens for its partner".to_owned(), fix);
        }
        let is_partner = ends.iter().any(|end| {
            let at = end.link.filter(|_| is_of(end, partition) && end.chpid == chpid);
            at.is_some_and(|at| at.port == link.port && link.switch.is_none_or(|switch| switch == at.switch))
        });
        if is_partner {
            let fix = "code the port of the control unit in LINK";
            return wrong(format!("LINK {link} is the port of the partner"), fix);
        }
        Ok((place, link))
    });
    links.collect()
}
