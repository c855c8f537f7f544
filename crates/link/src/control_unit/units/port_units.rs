//! The devices as exchanges of one port see them.

use halftrack_engine::Prefetch;
use halftrack_exchange::{Opened, Start, Units};
use halftrack_wire::FcFrame;

use super::super::look_ahead::located;
use super::super::unit_device::UnitDevice;
use super::{HostPort, PathKey, UnitTable};

/// The devices of a control unit as exchanges of one of its ports see them.
#[derive(Debug)]
pub struct PortUnits<'a> {
    pub(super) table: &'a mut UnitTable,
    pub(super) port: u16,
    pub(super) hosts: &'a [HostPort],
}

impl PortUnits<'_> {
    /// Returns the data that a frame will read whose turn is later.
    #[inline]
    pub fn look_ahead(&self, frame: &FcFrame<'_>) -> Prefetch {
        let prefetch = located(frame).and_then(|(address, target)| {
            self.table.prefetch(address.control_unit_image, address.device, &target)
        });
        prefetch.unwrap_or_default()
    }
}

impl Units for PortUnits<'_> {
    type Device = UnitDevice;

    #[inline]
    fn open(&mut self, start: &Start) -> Opened<UnitDevice> {
        let host = self.hosts.iter().find(|host| host.address == start.peer);
        let (name, node) = host.map_or(Default::default(), |host| (host.name, host.node));
        let path = PathKey { port: self.port, host: name, channel_image: start.channel_image };
        self.table.open(start, path, node)
    }

    #[inline]
    fn close(&mut self, device: UnitDevice) {
        self.table.close_device(&device);
    }
}
