//! The devices of a link, from the deck of its system.

use halftrack_config::islink_file::{IslinkChannelEntry, IslinkFile};
use halftrack_deck::ctc::{End, connections};
use halftrack_deck::model::{Deck, Partition};
use halftrack_input::messages::islink as numbers;
use halftrack_input::{Diagnostic, Label, Located};
use halftrack_isfc::{DeviceNumber, MAX_DEVICES};
use halftrack_link::ctc::CtcDeviceId;
use halftrack_link::islink::DevicePlace;

/// Unit type of channel-to-channel devices between FICON channels.
const FCTC: &str = "FCTC";

/// A channel of the deck as the link uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeckChannel {
    /// Image of the system, and of the one at the other end.
    pub images: (u8, u8),
    /// Unit addresses of its devices in the link.
    pub units: Vec<u8>,
}

/// Channels and devices of a link.
#[derive(Debug, Default)]
pub struct DeckLink {
    /// Channels, in the order of the file.
    pub channels: Vec<DeckChannel>,
    /// Devices.
    pub devices: Vec<DevicePlace>,
}

/// A device number, its channel's place and its unit address.
type Candidate = (u16, usize, u8);

/// Returns the channels and devices of the link of `file` in its deck; messages are added to `found`.
pub fn deck_link(
    file: &IslinkFile,
    deck: &Deck,
    partition: &Partition,
    found: &mut Vec<Diagnostic>,
) -> DeckLink {
    let ends = connections(&[deck], &[]).ends;
    let (mine, escon): (Vec<&End>, Vec<&End>) =
        ends.iter().filter(|end| is_of(end, partition)).partition(|end| is_ficon(end));
    let mut candidates = Vec::new();
    let mut channels = Vec::new();
    for (place, channel) in file.channels.iter().enumerate() {
        let of_channel: Vec<&End> =
            mine.iter().copied().filter(|end| end.chpid == channel.chpid.value).collect();
        let Some(images) = images(&of_channel, partition) else {
            let escon = escon.iter().find(|end| end.chpid == channel.chpid.value);
            found.push(
                escon
                    .map_or_else(|| no_channel(file, channel), |end| escon_channel(file, deck, channel, end)),
            );
            continue;
        };
        channels.push(DeckChannel { images, units: Vec::new() });
        for end in of_channel {
            let devices = end.devices.iter().flat_map(|run| run.devices());
            candidates.extend(devices.map(|(number, unit)| (number, place, unit)));
        }
    }
    candidates.sort_unstable();
    let chosen = choose(file, candidates, found);
    if channels.len() < file.channels.len() {
        return DeckLink::default();
    }
    for (_, place, unit) in &chosen {
        channels[*place].units.push(*unit);
    }
    let device = |(number, channel, unit): Candidate| DevicePlace {
        number: DeviceNumber(number),
        id: CtcDeviceId { channel, unit },
    };
    DeckLink { channels, devices: chosen.into_iter().map(device).collect() }
}

/// Returns the partition of the file.
pub fn partition<'d>(
    file: &IslinkFile,
    deck: &'d Deck,
    found: &mut Vec<Diagnostic>,
) -> Option<&'d Partition> {
    let Located { value: text, span } = &file.partition;
    let (css, name) = text.split_once('.').map_or((None, text.as_str()), |(css, name)| (Some(css), name));
    let is_named = |partition: &&Partition| {
        partition.name.as_deref() == Some(name) && css.is_none_or(|css| css.parse() == Ok(partition.css))
    };
    let named: Vec<&Partition> = deck.partitions.iter().filter(is_named).collect();
    if let [partition] = named[..] {
        return Some(partition);
    }
    let known: Vec<String> = deck
        .partitions
        .iter()
        .filter_map(|one| one.name.as_ref().map(|name| format!("{}.{name}", one.css)))
        .collect();
    let count = if named.is_empty() { "no partition" } else { "several partitions" };
    let message = format!("the deck has {count} {text}; it has {}", known.join(", "));
    let fix = "name one of them, with its channel subsystem: \"0.VMA\"";
    found.push(Diagnostic::error(numbers::NO_CTC_DECK, &file.source, span.clone(), message).fix(fix));
    None
}

/// Returns whether this is an end of FICON channels that leads from the partition to another one.
pub fn is_of(end: &End, partition: &Partition) -> bool {
    end.image.css == partition.css
        && Some(&end.image.name) == partition.name.as_ref()
        && end.cuadd != Some(end.image.cuadd(end.spanned))
}

fn is_ficon(end: &End) -> bool {
    end.channel_type == "FC" && end.unit_type == FCTC
}

/// Returns the images of the two systems, as the ends of a channel have them.
fn images(ends: &[&End], partition: &Partition) -> Option<(u8, u8)> {
    let first = ends.first()?;
    let own = if first.spanned { partition.css << 4 | partition.mif } else { partition.mif };
    Some((own, first.cuadd?))
}

fn no_channel(file: &IslinkFile, channel: &IslinkChannelEntry) -> Diagnostic {
    let chpid = channel.chpid.value;
    let message =
        format!("CHPID {chpid:02X} has no control unit of UNIT=FCTC that {} may use", file.partition.value);
    let fix = "see the ends with `halftrack deck ctc`, and name one of their channels";
    let span = channel.chpid.span.clone();
    Diagnostic::error(numbers::NO_CTC_CHANNEL, &file.source, span, message).fix(fix)
}

/// Returns the message about a channel whose control unit is one of ESCON, or has the unit type of one.
fn escon_channel(file: &IslinkFile, deck: &Deck, channel: &IslinkChannelEntry, end: &End) -> Diagnostic {
    let End { chpid, unit, unit_type, channel_type, .. } = end;
    let message = format!(
        "CHPID {chpid:02X}, of TYPE={channel_type}, has control unit {unit:04X} of UNIT={unit_type}: ESCON has no frames here"
    );
    let fix = "name a channel of TYPE=FC with control units of UNIT=FCTC; SCTC devices move data in `halftrack run`";
    let span = channel.chpid.span.clone();
    let place = Label::new(&deck.source, end.span.clone(), "its control unit");
    Diagnostic::error(numbers::ESCON_CTC_CHANNEL, &file.source, span, message).other(place).fix(fix)
}

/// Returns the candidates that the file names, or all.
fn choose(file: &IslinkFile, candidates: Vec<Candidate>, found: &mut Vec<Diagnostic>) -> Vec<Candidate> {
    let mut chosen = Vec::new();
    let span = match &file.devices {
        None => {
            chosen = candidates;
            file.channels.first().map_or(0..0, |channel| channel.span.clone())
        }
        Some(ranges) => {
            for range in ranges {
                for number in range.value.first..=range.value.last {
                    match candidates.iter().find(|candidate| candidate.0 == number) {
                        Some(candidate) => chosen.push(*candidate),
                        None => {
                            let message = format!("device {number:04X} is no FCTC device of these channels");
                            let fix = "see the devices of the channels with `halftrack deck ctc`";
                            let wrong = Diagnostic::error(
                                numbers::NO_LINK_DEVICE,
                                &file.source,
                                range.span.clone(),
                                message,
                            );
                            found.push(wrong.fix(fix));
                            break;
                        }
                    }
                }
            }
            ranges.last().map_or(0..0, |range| range.span.clone())
        }
    };
    chosen.sort_unstable();
    chosen.dedup();
    if chosen.len() > MAX_DEVICES {
        let (count, seventeenth) = (chosen.len(), chosen[MAX_DEVICES].0);
        let message = format!("the link has {count} devices; {seventeenth:04X} is the 17th");
        let fix = "name 16 devices under `[link]`";
        let wrong = Diagnostic::error(numbers::TOO_MANY_LINK_DEVICES, &file.source, span, message);
        found.push(wrong.fix(fix));
    }
    chosen
}
