//! A control unit in a thread of its own, with a small volume.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};

use halftrack_link::access::LinkAccess;
use halftrack_link::control_unit::{ControlUnit, PortOptions, UnitTable, UnitVolume};
use halftrack_link::plug::TcpPlug;
use halftrack_link::{Clock, StopHandle, StopSignal};
use halftrack_program::Geometry;
use halftrack_volume::{Mode, NewFormat, VolumeDevice, create};
use halftrack_wire::WorldWideName;
use halftrack_wire::els::NodeDescriptor;

pub struct Server {
    /// Where its one port listens.
    pub address: String,
    stop: StopHandle,
    thread: JoinHandle<Vec<String>>,
}

impl Server {
    /// Creates a volume of four cylinders at unit address 00, for every host or one.
    pub fn start(host: Option<&str>) -> Self {
        Self::guarded(host, None)
    }

    /// Creates one whose port requires what `access` has.
    pub fn guarded(host: Option<&str>, access: Option<Arc<LinkAccess>>) -> Self {
        let host: Option<WorldWideName> = host.map(|name| name.parse().expect("a name"));
        let (stop, handle) = StopSignal::by_hand().expect("a pair of sockets");
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || {
            let directory = tempfile::tempdir().expect("a directory");
            let file = directory.path().join("work01.ckd");
            let geometry = Geometry::with_cylinders(4).expect("cylinders");
            create(&file, VolumeDevice::Ckd(geometry), NewFormat::Plain, None).expect("a volume");
            let mut units = UnitTable::default();
            let volume =
                UnitVolume { image: 0, unit_address: 0, aliases: Vec::new(), file, mode: Mode::WriteBack };
            units.open_volume(&volume).expect("the volume");
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
            sender.send(listener.local_addr().expect("its address").to_string()).expect("the test listens");
            let plug = TcpPlug::listen(listener).expect("a plug").with_access(access);
            let options = options(host);
            let mut control_unit: ControlUnit<TcpPlug> =
                ControlUnit::new("BOXA", units, vec![(options, plug)], Clock::start());
            let mut told = Vec::new();
            control_unit.run(Some(&stop), &mut |notice| told.push(notice.to_string())).expect("it waits");
            control_unit.into_parts().0.close().expect("the volume is closed");
            told
        });
        Self { address: receiver.recv().expect("the address"), stop: handle, thread }
    }

    /// Ends it and returns its notices.
    pub fn end(self) -> Vec<String> {
        self.stop.stop();
        self.thread.join().expect("the control unit has not panicked")
    }
}

fn options(host: Option<WorldWideName>) -> PortOptions {
    PortOptions {
        id: "0030".to_owned(),
        port_name: WorldWideName(0x5005_0763_0000_0030),
        node_name: WorldWideName(0x5005_0763_0000_0001),
        node: NodeDescriptor::default(),
        credits: 256,
        open_exchanges: 64,
        hosts: host.map(|host| vec![host]),
        iu_pacing: 64,
        first_transfer_bytes: 65_536,
        fcp: None,
    }
}
