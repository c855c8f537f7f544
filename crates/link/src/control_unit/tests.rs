//! A port and a host, their time an argument.

use std::sync::Arc;

use halftrack_exchange::program::{ChainCommand, CommandChain};
use halftrack_exchange::{Carrier, ChannelPort, Login, Program, Target};
use halftrack_fabric::{NPort, NPortParameters, PortEvent, PortProtocol, Role};
use halftrack_program::Geometry;
use halftrack_subsystem::{LogicalPath, LogicalPaths, PathRole};
use halftrack_volume::{Mode, NewFormat, VolumeDevice, create};
use halftrack_wire::els::{Els, NodeDescriptor, ServiceParameters};
use halftrack_wire::fc_header::{fc_type, routing};
use halftrack_wire::{
    ChainFlags, Eof, FcHeader, FrameControl, FrameProtection, FrameSink, IuData, Sof, StartNumber,
    WorldWideName,
};
use tempfile::TempDir;

use super::*;
use crate::InProcessTransport;
use crate::fibre::{Fibre, FibreOptions};
use crate::frame_kind::FrameKind;
use crate::plug::Plugged;

const HOST: WorldWideName = WorldWideName(0x5005_0764_0000_0040);
const BOX: WorldWideName = WorldWideName(0x5005_0763_0000_0030);
const NOW: Time = Time::ZERO;

/// A host's port at the other end of the fibre.
struct Host {
    fibre: Fibre<InProcessTransport>,
    logins: NPort,
    paths: LogicalPaths,
    exchanges: ChannelPort,
    peer: u32,
}

impl Host {
    fn new(transport: InProcessTransport) -> Self {
        let options = FibreOptions { own_name: HOST, receive_credit: 64, check_crc: true, clock: None };
        let mut logins = NPort::new(NPortParameters {
            port_name: HOST,
            node_name: HOST,
            role: Role::Channel,
            receive_credit: 64,
            frame_payload_bytes: 2112,
            node: NodeDescriptor::default(),
            protocol: PortProtocol::Ficon(None),
            peers: Vec::new(),
            hosts: None,
        });
        logins.handle_link_up(NOW);
        let fibre = Fibre::open(transport, options, 1, NOW);
        let paths = LogicalPaths::new(PathRole::Channel);
        Self { fibre, logins, paths, exchanges: ChannelPort::new(8), peer: 0 }
    }

    fn turn(&mut self) {
        while self.fibre.receive(NOW).unwrap() {}
        while let Some(incoming) = self.fibre.next_frame().unwrap() {
            match FrameKind::of(&incoming.frame) {
                FrameKind::LinkService => drop(self.logins.handle_frame(NOW, &incoming.frame)),
                FrameKind::LinkControl => drop(self.paths.handle_frame(NOW, &incoming.frame)),
                FrameKind::Device | FrameKind::Unknown => {}
            }
        }
        while let Some(event) = self.logins.poll_event() {
            match event {
                PortEvent::Attached { credit, address, .. } => {
                    self.fibre.set_credit(credit);
                    self.paths.set_address(address);
                }
                PortEvent::PeerLoggedIn { peer, .. } => {
                    self.peer = peer;
                    self.paths.establish(NOW, LogicalPath { peer, channel_image: 1, control_unit_image: 0 });
                }
                _ => {}
            }
        }
        while self.fibre.can_send()
            && (self.logins.poll_frame(&mut self.fibre) || self.paths.poll_frame(&mut self.fibre))
        {}
        self.fibre.flush(NOW, true).unwrap();
    }
}

/// Returns a control unit's port with a volume at 00.
fn port() -> (TempDir, UnitTable, HostAdapterPort<InProcessTransport>) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("work01.ckd");
    let geometry = Geometry::with_cylinders(1).unwrap();
    create(&file, VolumeDevice::Ckd(geometry), NewFormat::Plain, None).unwrap();
    let mut units = UnitTable::default();
    let volume = UnitVolume { image: 0, unit_address: 0, aliases: Vec::new(), file, mode: Mode::Sync };
    units.open_volume(&volume).unwrap();
    let options = PortOptions {
        id: "0030".to_owned(),
        port_name: BOX,
        node_name: BOX,
        node: NodeDescriptor::default(),
        credits: 64,
        open_exchanges: 8,
        hosts: Some(vec![HOST]),
        iu_pacing: 16,
        first_transfer_bytes: 0,
        fcp: None,
    };
    let images = units.images().collect();
    (directory, units, HostAdapterPort::new(options, 0, images))
}

/// Returns a write whose data take several frames.
fn write() -> Program {
    let output = IuData::Bytes(vec![7; 8000]);
    let command = ChainCommand { command: 0x05, flags: ChainFlags::SLI, count: 8000, output };
    Program::Command(Arc::new(CommandChain::new(vec![command]).unwrap()))
}

#[test]
fn what_belongs_to_the_old_login_has_no_effect_after_a_new_one() {
    let (_directory, mut units, mut port) = port();
    let (near, far) = InProcessTransport::pair().unwrap();
    let fibre = port.fibre_of(NOW, Plugged { transport: far, opened: false }, 1, None);
    port.plug(fibre, true, None);
    let mut host = Host::new(near);
    let mut told = Vec::new();
    let mut work = |port: &mut HostAdapterPort<_>, units: &mut UnitTable| {
        port.turn(NOW, units, &mut |notice| told.push(notice.to_string()));
    };
    for _ in 0..40 {
        host.turn();
        work(&mut port, &mut units);
    }
    assert!(host.paths.is_established(host.peer, 1, 0), "{}", port.is_dark());
    let login = Login {
        frame_payload_bytes: 2112,
        initial_pacing: 16,
        granted_pacing: 0,
        first_transfer_bytes: 0,
        transfer_ready_bytes: 0,
        carrier: Carrier::Ficon,
        window_bytes: 0,
        protection: FrameProtection::NONE,
    };
    let s_id = host.logins.address();
    let number = StartNumber::new(1);
    let target =
        Target { s_id, d_id: host.peer, login, channel_image: 1, control_unit_image: 0, device: 0, number };
    assert!(host.exchanges.start(NOW, &target, &write(), 1));
    assert!(host.exchanges.poll_frame(&mut host.fibre));
    host.fibre.flush(NOW, true).unwrap();
    work(&mut port, &mut units);
    assert_eq!(port.open_exchanges(), 1);
    // A new login, and behind it what was left of the write, at once.
    let f_ctl = FrameControl::FIRST_SEQUENCE.with(FrameControl::END_SEQUENCE).with(FrameControl::INITIATIVE);
    let (r_ctl, fc_type, ox_id) = (routing::ELS_REQUEST, fc_type::EXTENDED_LINK_SERVICE, 0xF700);
    let header = FcHeader { r_ctl, d_id: host.peer, s_id, fc_type, f_ctl, ox_id, ..FcHeader::default() };
    let payload = Els::Plogi(ServiceParameters::class_3(HOST, HOST, 2112, 64)).emit();
    host.fibre.frame(Sof::Initiate3, &header, &[&payload], Eof::Terminate);
    while host.exchanges.poll_frame(&mut host.fibre) {}
    host.fibre.flush(NOW, true).unwrap();
    work(&mut port, &mut units);
    let counters = port.counters();
    assert_eq!((port.open_exchanges(), counters.exchanges.abandoned), (0, 1), "{told:?}");
    let dropped: u64 = counters.discarded.values().sum();
    assert!(dropped >= 3, "the other frames of the write: {:?}", counters.discarded);
}
