//! A system's file made into a link, its channels and its streams, or every message about it.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use halftrack_base::Span;
use halftrack_config::islink_file::{IslinkChannelEntry, IslinkFile, read_islink};
use halftrack_input::messages::islink as numbers;
use halftrack_input::{Diagnostic, has_errors, read_file};
use halftrack_isfc::{Incarnation, Level, Settings, SystemName};
use halftrack_link::Clock;
use halftrack_link::access::LinkRole;
use halftrack_link::ctc::{CtcChannelOptions, CtcSystem};
use halftrack_link::driver::{DiskPlan, DiskRun};
use halftrack_link::faulty::ProcessParts;
use halftrack_link::islink::{LogicalLink, Streams};
use halftrack_link::plug::{Plug, TcpPlug};
use halftrack_wire::WorldWideName;

use super::devices::{DeckLink, deck_link, partition};
use super::disks::{DeckDisks, deck_disks};
use super::streams::open_streams;
use crate::deck::opening as deck_opening;
use crate::diagnostics;
use crate::failure::Failure;
use crate::link_access::{Accesses, LinkAccessReader, PortEntry};
use crate::link_port::LinkPort;

/// Octets of a block.
const BLOCK_BYTES: u32 = 1 << 20;
/// Octets that are kept until the other system has confirmed them: two blocks a device and as many that wait.
const SEND_BYTES: u64 = 64 << 20;
/// Octets in order that may wait for the application.
const RECEIVE_BYTES: u64 = 32 << 20;
/// Time after which a device whose other side is not ready is tried again.
const RETRY: Span = Span::from_ms(500);

/// Parts of a system.
pub struct Opened {
    /// Contents of the file.
    pub file: IslinkFile,
    deck: DeckLink,
    disks: Option<DeckDisks>,
    plugs: Vec<TcpPlug>,
    streams: Streams,
}

/// Opens everything that the file at `path` names.
///
/// # Errors
/// Mistakes of the file, of its deck, files that cannot be opened, addresses that are taken: all of them are shown.
pub fn open(path: &Path) -> Result<Opened, Failure> {
    let unusable = || Failure::Islink { file: path.to_owned() };
    let (file, mut found) = match read_file(path) {
        Ok(source) => read_islink(&source),
        Err(error) => (None, vec![*error]),
    };
    let Some(file) = file.filter(|_| !has_errors(&found)) else {
        diagnostics::show(&found)?;
        return Err(unusable());
    };
    check_names(&file, &mut found);
    let deck = read_deck(&file, path, &mut found);
    let accesses = read_accesses(&file, path, &mut found);
    let streams = open_streams(&file, path, &mut found);
    let plugs = if has_errors(&found) { Vec::new() } else { open_plugs(&file, accesses, &mut found) };
    diagnostics::show(&found)?;
    match (deck, has_errors(&found)) {
        (Some((deck, disks)), false) => Ok(Opened { file, deck, disks, plugs, streams }),
        _ => Err(unusable()),
    }
}

fn check_names(file: &IslinkFile, found: &mut Vec<Diagnostic>) {
    if file.node.as_ref() == Some(&file.system) {
        let message = format!("{} is the own system", file.system);
        let fix = "give `node` the name of the other system";
        let span = file.partition.span.clone();
        found.push(Diagnostic::error(numbers::SAME_LINK_NODE, &file.source, span, message).fix(fix));
    }
}

/// Reads the deck of the file, and its channels, devices and disks in it.
fn read_deck(
    file: &IslinkFile,
    path: &Path,
    found: &mut Vec<Diagnostic>,
) -> Option<(DeckLink, Option<DeckDisks>)> {
    let place = beside(path, &file.deck.value);
    let mut wrong = |message: String| {
        let fix = "see with `halftrack deck check` why, or name another deck";
        let span = file.deck.span.clone();
        found.push(Diagnostic::error(numbers::NO_CTC_DECK, &file.source, span, message).fix(fix));
    };
    let opened = deck_opening::open(&place)
        .and_then(|deck| deck_opening::read(&place, &deck, &halftrack_deck::ReadOptions::default()));
    let Ok(reading) = opened else {
        wrong(format!("{} cannot be read as a deck", place.display()));
        return None;
    };
    if has_errors(&reading.diagnostics) {
        wrong(format!("{} breaks rules of IOCP", place.display()));
        return None;
    }
    let deck = reading.understood()?;
    let partition = partition(file, deck, found)?;
    let link = deck_link(file, deck, partition, found);
    let disks = file.disks.as_ref().and_then(|entry| deck_disks(file, entry, (deck, partition), found));
    Some((link, disks))
}

fn read_accesses(file: &IslinkFile, path: &Path, found: &mut Vec<Diagnostic>) -> Accesses {
    let mut reader = LinkAccessReader::new(path, &file.source, LinkRole::Channel, file.tls.as_ref(), found);
    let mut accesses = Vec::new();
    for channel in &file.channels {
        accesses.push(reader.access_of(&PortEntry {
            id: &format!("{:02X}", channel.chpid.value),
            place: &channel.place,
            port_name: channel.port_name,
            hosts: None,
            attached: channel.attached.as_ref(),
            span: &channel.span,
        }));
    }
    accesses
}

fn open_plugs(file: &IslinkFile, accesses: Accesses, found: &mut Vec<Diagnostic>) -> Vec<TcpPlug> {
    let mut plugs = Vec::new();
    for (channel, access) in file.channels.iter().zip(accesses) {
        let name = format!("{:02X}", channel.chpid.value);
        match LinkPort::open(&channel.place, &name, &file.source, &channel.span) {
            Ok(port) => plugs.push(port.with_access(access).plug),
            Err(error) => found.push(*error),
        }
    }
    plugs
}

/// Returns a file whose name is relative to the directory of the one at `path`.
pub fn beside(path: &Path, name: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(name)
}

impl Opened {
    /// Returns the parts of this process that a script of faults may name.
    pub fn parts(&self) -> ProcessParts {
        ProcessParts::Channel {
            chpids: self.file.channels.iter().map(|channel| channel.chpid.value).collect(),
        }
    }

    /// Returns the link and its streams; `plug` wraps the source of each channel's fibre.
    ///
    /// # Errors
    /// A name that is none of a system, or devices that are no link's.
    pub fn into_link<P: Plug>(
        self,
        path: &Path,
        clock: Clock,
        plug: impl Fn(TcpPlug, usize) -> P,
    ) -> Result<(LogicalLink<P>, Streams, Option<DiskRun>), Failure> {
        let run = self.disk_run(&clock);
        let Self { file, deck, disks, plugs, streams } = self;
        let name = |name: &str| {
            let parsed: Result<SystemName, _> = name.parse();
            parsed.map_err(|error| Failure::Drive(format!("{}: {name}: {error}", path.display())))
        };
        let settings = Settings {
            system: name(&file.system)?,
            collection: name(&file.collection)?,
            level: Level::SIXTEEN_DEVICES,
            incarnation: incarnation(),
            node: file.node.as_deref().map(name).transpose()?,
            block_bytes: BLOCK_BYTES,
            send_bytes: SEND_BYTES,
            receive_bytes: RECEIVE_BYTES,
            retry: Some(RETRY),
        };
        let channels = file.channels.iter().zip(deck.channels).zip(plugs).enumerate();
        let channels = channels.map(|(place, ((entry, channel), own))| {
            let options = CtcChannelOptions {
                chpid: entry.chpid.value,
                port_name: entry.port_name,
                node_name: node_name(entry),
                partner: entry.partner,
                images: channel.images,
                credits: entry.credits,
                units: channel.units,
                clock: clock.host(),
                disks: run.as_ref().zip(disks.as_ref()).and_then(|(run, disks)| disks.unit(run, place)),
            };
            (options, plug(own, place))
        });
        let link = LogicalLink::new(CtcSystem::new(channels), settings, &deck.devices);
        let link = link.map_err(|(device, error)| Failure::Drive(format!("device {device}: {error}")))?;
        Ok((link, streams, run))
    }

    /// Returns the streams of I/O to the disks.
    fn disk_run(&self, clock: &Clock) -> Option<DiskRun> {
        let (disks, entry) = (self.disks.as_ref()?, self.file.disks.as_ref()?);
        let channels = disks.paths.iter().map(|(place, _)| &self.file.channels[*place]);
        let first = disks.paths.first().map(|(place, _)| *place)?;
        let plan = DiskPlan {
            node: node_name(&self.file.channels[first]),
            images: (self.deck.channels[first].images.0, disks.image),
            paths: channels.map(|channel| (channel.chpid.value, channel.port_name)).collect(),
            format: entry.format,
            run: entry.run,
            streams: disks.streams.clone(),
            path_wait: self.file.patience,
        };
        Some(DiskRun::new(plan, clock))
    }
}

/// Returns the name of a channel's node.
fn node_name(channel: &IslinkChannelEntry) -> WorldWideName {
    WorldWideName(channel.port_name.0 & !0xFF)
}

/// Returns the number of this start: the time, ns, which is later at each.
fn incarnation() -> Incarnation {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Incarnation(since.as_nanos() as u64)
}
