//! Keys and certificates on sockets of this host: ends that prove their names, and ends that cannot.

mod certificates;
mod keys;
mod records;

use std::sync::Arc;

use halftrack_link::access::link_access::{Expected, Host};
use halftrack_link::access::{LinkAccess, LinkKey, LinkRole, TlsSettings};
use halftrack_link::connector::TcpConnector;
use halftrack_link::driver::{Drive, DriveError, Report, Surroundings};
use halftrack_wire::WorldWideName;

use crate::control_unit::channel;

/// Port of the control unit.
pub const UNIT: WorldWideName = WorldWideName(0x5005_0763_0000_0030);
/// Port of the channel, which the control unit's host list names.
pub const HOST: WorldWideName = WorldWideName(0x5005_0764_0000_0040);
/// Another port of the list.
pub const OTHER: WorldWideName = WorldWideName(0x5005_0764_0000_0041);

/// Returns a key.
pub fn key(octet: u8) -> LinkKey {
    LinkKey::parse(&[octet; 32]).unwrap()
}

/// Returns the requirements of the control unit's port: keys of its hosts, or certificates.
pub fn unit(keys: &[(WorldWideName, u8)], tls: Option<TlsSettings>) -> Option<Arc<LinkAccess>> {
    let with_key = |&(name, own): &(WorldWideName, u8)| Host { name, key: Some(key(own)) };
    let hosts = if keys.is_empty() {
        [HOST, OTHER].map(|name| Host { name, key: None }).into()
    } else {
        keys.iter().map(with_key).collect()
    };
    Some(Arc::new(LinkAccess {
        own_name: UNIT,
        role: LinkRole::ControlUnit,
        hosts: Some(hosts),
        expected: None,
        tls: tls.map(Arc::new),
    }))
}

/// Returns the requirements of a channel path whose port has this name.
pub fn path(own_name: WorldWideName, own: Option<u8>, tls: Option<TlsSettings>) -> Option<Arc<LinkAccess>> {
    let expected = Some(Expected { name: Some(UNIT), key: own.map(key) });
    let tls = tls.map(Arc::new);
    Some(Arc::new(LinkAccess { own_name, role: LinkRole::Channel, hosts: None, expected, tls }))
}

/// Formats, writes and reads; the path's port logs in as [`HOST`].
pub fn drive(address: &str, access: Option<Arc<LinkAccess>>) -> Result<Report, DriveError> {
    let file = channel(address);
    let connectors = vec![TcpConnector::new(address).with_access(access)];
    let mut around = Surroundings { taps: &mut |_| None, progress: &mut |_| {}, stop: None };
    Drive::new(file, connectors).run(true, &mut around)
}

/// Checks that a channel is refused, and returns the reason that it reports.
pub fn refused(address: &str, access: Option<Arc<LinkAccess>>) -> String {
    match drive(address, access) {
        Err(error @ DriveError::NoPath(_)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}
