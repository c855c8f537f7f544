//! A channel with channel-to-channel devices and disks at once: one port, one fibre to a director.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel as messages};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use halftrack_base::{Span, Time};
use halftrack_isfc::{BLOCK_BYTES_MAX, DeviceNumber, Incarnation, Level, Settings};
use halftrack_link::ctc::{CtcChannelOptions, CtcDeviceId, CtcSystem, DiskUnit};
use halftrack_link::driver::{DiskPlan, DiskRun};
use halftrack_link::islink::{
    DevicePlace, Incoming, LogicalLink, Outgoing, PatternSink, PatternSource, Service, ServiceNotice,
    ServiceReport, ServiceSurroundings, Streams, pattern,
};
use halftrack_link::plug::TcpPlug;
use halftrack_link::{Clock, FrameDirection, FrameTap};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::{Eof, FcHeader, Sof, WorldWideName};

use crate::driven::site::{Cable, channel, control_unit_toml, make_volumes, run, serve, tcp};
use crate::driven::switched::{listen, start};

/// Unit addresses of the channel-to-channel devices.
const UNITS: [u8; 4] = [0, 1, 2, 3];
/// Link address of the control unit of disks.
const DISKS: u8 = 0x06;
/// Addresses of the own port, the partner's and the control unit's.
const OWN: u32 = 0x61_0400;
const PARTNER: u32 = 0x61_0500;
const CONTROL_UNIT: u32 = 0x61_0600;

/// A director with the channels of two systems, the control unit of disks, and a port for one more channel.
struct Site {
    /// Places for the two systems, and for one more channel.
    places: [String; 3],
    /// Cables of the second system and of the control unit.
    partner: Cable,
    disks: Cable,
}

impl Site {
    fn new(directory: &Path) -> Self {
        make_volumes(directory, 2);
        let ports = [(); 4].map(|()| listen());
        let (listeners, places): (Vec<_>, Vec<_>) = ports.into_iter().unzip();
        let links = ["04", "05", "06", "07"];
        let ports = links.map(|link| format!("[[port]]\nlink = \"{link}\"\nlisten = \"0\"\n"));
        start(0x61, listeners, None, &ports.concat());
        let (partner, disks) = (Cable::to(&places[1]), Cable::to(&places[2]));
        drop(serve(directory, &control_unit_toml(1, ""), vec![TcpPlug::connect(&disks.place)]));
        let places = [places[0].clone(), partner.place.clone(), places[3].clone()];
        Self { places, partner, disks }
    }
}

fn port_name(system: usize) -> WorldWideName {
    WorldWideName([0x5005_0764_0000_0040, 0x5005_0764_0001_0040][system])
}

/// Returns streams of I/O for `seconds` to the disks.
fn disk_plan(seconds: f64) -> DiskPlan {
    let text = format!(
        "---\n[run]\nduration_s = {seconds}\n[[stream]]\nname = \"oltp\"\ndevices = [\"00\", \"01\"]\n\
         cylinders = \"1-2\"\nprogram = {{ block = \"4K\" }}\nread_share = 0.6\nclosed = {{ jobs = 4 }}\n"
    );
    let file = channel(&["127.0.0.1:1".to_owned()], &text);
    DiskPlan {
        node: WorldWideName(port_name(0).0 & !0xFF),
        images: (1, 0),
        paths: vec![(0x40, port_name(0))],
        format: true,
        run: file.run,
        streams: file.streams,
        path_wait: Span::from_s(10),
    }
}

/// Frames of a link, as a test reads them: the way and the heading.
type Frames = Rc<RefCell<Vec<(FrameDirection, FcHeader)>>>;

struct Recorder(Frames);

impl FrameTap for Recorder {
    fn frame(&mut self, way: FrameDirection, _: Time, _: Sof, frame: &[u8], _: Eof) {
        self.0.borrow_mut().push((way, FcHeader::parse(frame).expect("a heading")));
    }
}

/// Result of a system.
struct Ran {
    report: ServiceReport,
    /// I/Os, and whether every one was right.
    disks: Option<(u64, bool, u32)>,
    frames: Vec<(FrameDirection, FcHeader)>,
}

/// Returns the end of a logical link over the channel of a system.
fn logical_link(index: usize, system: CtcSystem<TcpPlug>) -> LogicalLink<TcpPlug> {
    let device = |unit| DevicePlace {
        number: DeviceNumber(0xD000 + u16::from(unit)),
        id: CtcDeviceId { channel: 0, unit },
    };
    let settings = Settings {
        system: ["VMA", "VMB"][index].parse().unwrap(),
        collection: "DEMO".parse().unwrap(),
        level: Level::SIXTEEN_DEVICES,
        incarnation: Incarnation(1),
        node: None,
        block_bytes: BLOCK_BYTES_MAX,
        send_bytes: 64 << 20,
        receive_bytes: 32 << 20,
        retry: Some(Span::from_ms(200)),
    };
    LogicalLink::new(system, settings, &UNITS.map(device)).unwrap()
}

/// Runs a system, which sends and receives so many octets, in a thread. Returns the thread, and a message when the disks have come
/// online for the first time.
fn system(index: usize, place: &str, bytes: u64, plan: Option<DiskPlan>) -> (JoinHandle<Ran>, Receiver<()>) {
    let place = place.to_owned();
    let (online, messages) = messages();
    let thread = thread::spawn(move || {
        let clock = Clock::start();
        let disks = plan.map(|plan| DiskRun::new(plan, &clock));
        let options = CtcChannelOptions {
            chpid: 0x40,
            port_name: port_name(index),
            node_name: WorldWideName(port_name(index).0 & !0xFF),
            partner: port_name(1 - index),
            images: if index == 0 { (1, 2) } else { (2, 1) },
            credits: 64,
            units: UNITS.to_vec(),
            clock: clock.host(),
            disks: disks.as_ref().map(|disks| DiskUnit::new(None, DISKS, disks.path_options())),
        };
        let link = logical_link(index, CtcSystem::new([(options, TcpPlug::connect(&place))]));
        let (sent, received) = (1 + index as u32, 2 - index as u32);
        let source = PatternSource::new(pattern(), sent, Some(bytes));
        let sink = PatternSink::new(pattern(), received);
        let streams = Streams {
            outgoing: vec![Outgoing { stream: sent, source: Box::new(source) }],
            incoming: vec![Incoming { stream: received, sink: Box::new(sink) }],
            conversations: Vec::new(),
        };
        let mut service = Service::new(link, streams);
        if let Some(disks) = disks {
            service.set_disks(disks);
        }
        let frames = Frames::default();
        let report = service
            .run(
                &clock,
                Span::from_s(60),
                &mut ServiceSurroundings {
                    taps: &mut |_| Some(Box::new(Recorder(Rc::clone(&frames)))),
                    progress: &mut |_| (),
                    notices: &mut |_, notice| {
                        if let ServiceNotice::Disks(_, None) = notice {
                            let _ = online.send(());
                        }
                    },
                    stop: None,
                },
            )
            .unwrap();
        let result = service.disks().and_then(DiskRun::result);
        let disks = result.map(|result| {
            let report = result.as_ref().unwrap();
            let ios = report.streams[0].statistics.ios();
            (ios, report.is_right(), report.paths[0].losses)
        });
        drop(service);
        Ran { report, disks, frames: frames.take() }
    });
    (thread, messages)
}

fn of_exchanges(
    frames: &[(FrameDirection, FcHeader)],
) -> impl Iterator<Item = (usize, FrameDirection, &FcHeader)> {
    let kinds = [fc_type::SB_CHANNEL, fc_type::SB_CONTROL_UNIT, fc_type::FCP];
    let frames = frames.iter().enumerate().map(|(at, (way, header))| (at, *way, header));
    frames.filter(move |(_, _, header)| kinds.contains(&header.fc_type))
}

/// Returns the places of the first and the last frame of each exchange that the own port opened with `peer`.
fn spans(frames: &[(FrameDirection, FcHeader)], peer: u32) -> Vec<(usize, usize)> {
    let mut spans = BTreeMap::new();
    for (at, way, header) in of_exchanges(frames) {
        if way == FrameDirection::Out && header.d_id == peer && header.fc_type != fc_type::SB_CONTROL_UNIT {
            spans.entry(header.ox_id).or_insert((at, at)).1 = at;
        }
    }
    spans.into_values().collect()
}

/// Both kinds of frames leave one port for two others, exchanges of both are open at once, and all octets are right: those of the
/// streams of the link, those that were read from disks, and those that another channel finds on the disks afterwards.
#[test]
fn one_port_carries_channel_to_channel_and_disk_exchanges_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let site = Site::new(directory.path());
    let (bytes, seconds) = (96 << 20, 1.0);
    let (other, _) = system(1, &site.places[1], bytes, None);
    let (own, _) = system(0, &site.places[0], bytes, Some(disk_plan(seconds)));
    let (own, other) = (own.join().unwrap(), other.join().unwrap());
    for ran in [&own, &other] {
        assert_eq!(
            (ran.report.sent[0].1, ran.report.received[0].1, ran.report.channel_losses),
            (bytes, bytes, 0)
        );
    }
    let (ios, is_right, losses) = own.disks.expect("disks");
    assert!(ios > 10 && is_right && losses == 0, "{ios} {is_right} {losses}");

    let peers: BTreeSet<_> = of_exchanges(&own.frames)
        .map(|(_, way, header)| match way {
            FrameDirection::Out => (header.s_id, header.d_id),
            FrameDirection::In => (header.d_id, header.s_id),
        })
        .collect();
    assert_eq!(peers, BTreeSet::from([(OWN, PARTNER), (OWN, CONTROL_UNIT)]));
    let (of_partner, of_disks) = (spans(&own.frames, PARTNER), spans(&own.frames, CONTROL_UNIT));
    let is_within = |outer: &(usize, usize), inner: &(usize, usize)| outer.0 < inner.0 && inner.1 < outer.1;
    let meets = of_partner.iter().any(|outer| of_disks.iter().any(|inner| is_within(outer, inner)));
    assert!(meets, "a start for a disk begins and ends while one for the partner is open");
    // Frames of one sequence to the partner have frames to the control unit between them.
    let to_partner: Vec<_> =
        of_exchanges(&own.frames).filter(|(_, way, _)| *way == FrameDirection::Out).collect();
    let is_parted = to_partner.windows(3).any(|frames| {
        let [before, between, after] = [frames[0].2, frames[1].2, frames[2].2];
        between.d_id == CONTROL_UNIT
            && before.d_id == PARTNER
            && (before.ox_id, before.seq_id) == (after.ox_id, after.seq_id)
    });
    assert!(is_parted, "frames of both take turns on the fibre");

    let text = "---\n[run]\nios = 300\ncontents = \"pattern\"\n[[stream]]\nname = \"again\"\ndevices = [\"00\", \"01\"]\n\
                cylinders = \"1-2\"\nprogram = { block = \"4K\" }\nclosed = { jobs = 2 }\n";
    let text = text.replace("---\n", "---\ncontrol_unit_port = \"50:05:07:63:00:00:00:30\"\n");
    let file = channel(&[site.places[2].clone()], &text);
    let connectors = tcp(&file);
    let report = run(file, connectors, false).unwrap();
    assert!(report.is_right() && report.streams[0].statistics.verified_bytes > 1_000_000, "{report:?}");
}

/// The control unit's cable is pulled: its path is lost and comes back, and the logical link has no loss.
#[test]
fn a_lost_control_unit_does_not_disturb_the_logical_link() {
    let directory = tempfile::tempdir().unwrap();
    let site = Site::new(directory.path());
    let (other, _) = system(1, &site.places[1], 64 << 20, None);
    let (own, online) = system(0, &site.places[0], 64 << 20, Some(disk_plan(4.0)));
    online.recv_timeout(Duration::from_secs(30)).expect("the disks are online");
    thread::sleep(Duration::from_millis(700));
    site.disks.pull();
    online.recv_timeout(Duration::from_secs(30)).expect("the disks are online again");
    let (own, other) = (own.join().unwrap(), other.join().unwrap());
    assert_eq!((own.report.channel_losses, other.report.channel_losses), (0, 0));
    let (ios, is_right, losses) = own.disks.expect("disks");
    assert!(ios > 10 && is_right && losses == 1, "{ios} {is_right} {losses}");
}

/// The partner's cable is pulled: the logical link comes back and loses nothing, and the path to the disks stays.
#[test]
fn a_lost_partner_does_not_disturb_the_disks() {
    let directory = tempfile::tempdir().unwrap();
    let site = Site::new(directory.path());
    let (other, _) = system(1, &site.places[1], 256 << 20, None);
    let (own, online) = system(0, &site.places[0], 256 << 20, Some(disk_plan(2.0)));
    online.recv_timeout(Duration::from_secs(30)).expect("the disks are online");
    thread::sleep(Duration::from_millis(300));
    site.partner.pull();
    let (own, other) = (own.join().unwrap(), other.join().unwrap());
    assert!(own.report.channel_losses > 0 && other.report.channel_losses > 0);
    let (ios, is_right, losses) = own.disks.expect("disks");
    assert!(ios > 10 && is_right && losses == 0, "{ios} {is_right} {losses}");
}
