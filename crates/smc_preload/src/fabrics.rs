//! Fabric of this process, and the ends of its link groups over RoCE.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use halftrack_smc::link_group::Role;
use halftrack_smc::message::clc::{Diagnosis, Endpoint};
use halftrack_smc::message::{AlertToken, Gid, Mac, Mtu, PeerId};
use halftrack_smc_host::SharedEnd;
use halftrack_smc_udp::{Bells, Fabric, Settings};

use crate::names::{element_size, stack};
use crate::own::Protected;

/// Environment variable with the fabric.
const FABRIC_VARIABLE: &str = "HALFTRACK_SMC_FABRIC";
/// Fabric of RoCE version 2 over UDP.
const ROCE_UDP: &str = "roce-udp";
/// Port that proposals over RoCE name: the first address of loopback, since the port of a group is made for its peer.
pub const PROPOSED: Gid = Gid([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1]);
/// Largest packet: 1,024 octets, as RoCE over Ethernet with frames of 1,500 has it.
const MTU: Mtu = Mtu(3);
/// Elements of a buffer (our choice).
const ELEMENTS: u8 = 8;
/// Trials to find addresses of loopback whose ports are free.
const TRIALS: u32 = 200;

/// End of a link group over RoCE, with the process that its thread is in.
#[derive(Debug)]
pub struct RoceFabric {
    // Dropped first.
    _protected: Vec<Protected>,
    fabric: Fabric,
}

static IS_ROCE: LazyLock<bool> =
    LazyLock::new(|| std::env::var(FABRIC_VARIABLE).is_ok_and(|fabric| fabric == ROCE_UDP));

/// Ends by role and peer, and the process that has their threads.
type Ends = HashMap<(bool, PeerId), Arc<RoceFabric>>;
static ENDS: Mutex<Option<(u32, Ends)>> = Mutex::new(None);

/// Returns whether the fabric is RoCE.
pub fn is_roce() -> bool {
    *IS_ROCE
}

/// Returns the end of the group with a server.
///
/// # Errors
/// A group that is not there; no sockets.
pub fn of_client(server: PeerId, is_first_contact: bool) -> Result<Arc<RoceFabric>, Diagnosis> {
    with_ends(|ends| {
        if is_first_contact {
            let fabric = Arc::new(RoceFabric::new(Role::Client).map_err(|_| Diagnosis::NO_SMC_R_DEVICE)?);
            ends.insert((false, server), Arc::clone(&fabric));
            return Ok(fabric);
        }
        ends.get(&(false, server)).cloned().ok_or(Diagnosis::SYNCHRONISATION)
    })
}

/// Returns the end of the group with a client.
///
/// # Errors
/// No sockets.
pub fn of_server(client: PeerId) -> Result<Arc<RoceFabric>, Diagnosis> {
    with_ends(|ends| {
        if let Some(fabric) = ends.get(&(true, client)) {
            return Ok(Arc::clone(fabric));
        }
        let fabric = Arc::new(RoceFabric::new(Role::Server).map_err(|_| Diagnosis::NO_SMC_R_DEVICE)?);
        ends.insert((true, client), Arc::clone(&fabric));
        Ok(fabric)
    })
}

fn with_ends<R>(action: impl FnOnce(&mut Ends) -> R) -> R {
    let mut ends = ENDS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if ends.as_ref().is_some_and(|(of, _)| *of != process) {
        // Their threads are the parent's: nothing of them can be ended here.
        std::mem::forget(ends.take());
    }
    let (_, ends) = ends.get_or_insert_with(|| (process, Ends::new()));
    action(ends)
}

/// Ends all groups, once the octets of connections that are closed have arrived.
pub fn end_all() {
    if !is_roce() {
        return;
    }
    // A child of a process with threads may have the lock of a thread that it has not.
    let Ok(mut ends) = ENDS.try_lock() else { return };
    match ends.take() {
        Some((process, own)) if process == std::process::id() => {
            drop(ends);
            drop(own);
        }
        of_parent => std::mem::forget(of_parent),
    }
}

impl RoceFabric {
    fn new(role: Role) -> io::Result<Self> {
        static NUMBERS: AtomicU32 = AtomicU32::new(0);
        let mut last = io::Error::from(io::ErrorKind::AddrInUse);
        for _ in 0..TRIALS {
            let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
            match Self::at(role, std::process::id().wrapping_mul(61).wrapping_add(number)) {
                Ok(fabric) => return Ok(fabric),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Starts an end whose ports have two addresses of loopback, made of a number.
    fn at(role: Role, number: u32) -> io::Result<Self> {
        let [_, high, middle, low] = number.to_be_bytes();
        let port = |port: u8| {
            let address = Ipv4Addr::new(127, high / 2 + 64 * (port + 1), middle, low);
            let mac = Mac([0x02, port, 127, high, middle, low]);
            Some((mac, IpAddr::V4(address)))
        };
        let fabric = Fabric::start(Settings {
            role,
            peer: stack(),
            ports: [port(0), port(1)],
            mtu: MTU,
            size: element_size(),
            elements: ELEMENTS,
            seed: number,
            copies: None,
        })?;
        Ok(Self { _protected: fabric.descriptors().iter().map(Protected::new).collect(), fabric })
    }

    /// Makes the own end of an accept.
    ///
    /// # Errors
    /// A first contact is under way, or no element is free.
    pub fn accept(&self) -> Result<Endpoint, Diagnosis> {
        self.fabric.accept()
    }

    /// Takes an accept, and makes the own end of the confirm.
    ///
    /// # Errors
    /// The server's end does not fit.
    pub fn confirm(&self, accept: &Endpoint) -> Result<Endpoint, Diagnosis> {
        self.fabric.confirm(accept)
    }

    /// Takes the confirm for an accept.
    ///
    /// # Errors
    /// The client's end does not fit.
    pub fn confirmed(&self, connection: AlertToken, confirm: &Endpoint) -> Result<(), Diagnosis> {
        self.fabric.confirmed(connection, confirm)
    }

    /// Carries a connection.
    pub fn carry(&self, connection: AlertToken, inner: SharedEnd, program: Arc<SharedEnd>, bells: Bells) {
        self.fabric.carry(connection, inner, program, bells);
    }
}
