//! A host-adapter port: its fibre, its logins, and its side of FICON or of FCP.

mod dispatch;
mod fcp_side;
mod ficon_side;
mod side;

use halftrack_base::Time;
use halftrack_fabric::{NPort, NPortParameters, PortEvent, PortProtocol, Role};
use halftrack_subsystem::ImageSet;
use halftrack_wire::WorldWideName;
use halftrack_wire::choices::{COMMAND_FRAME_PAYLOAD_BYTES, PRLI_TRANSPORT_MODE};
use halftrack_wire::els::SbLogin;

use fcp_side::{FcpSide, OFFER};
use ficon_side::FiconSide;
use side::{PortParts, Side, Taken};

use super::PortOptions;
use super::entrance::Entrance;
use super::notice::{Notice, NoticeKind};
use super::port_counters::PortCounters;
use super::units::UnitTable;
use crate::clock::HostClock;
use crate::connection_notice::ConnectionNotice;
use crate::fibre::{Closing, Fibre, FibreOptions, FrameTap};
use crate::lobby::Occupant;
use crate::plug::Plugged;
use crate::transport::Transport;

/// Takes notices.
pub type Notices<'a> = &'a mut dyn FnMut(&Notice<'_>);

/// A host-adapter port.
pub struct HostAdapterPort<T> {
    options: PortOptions,
    number: u16,
    logins: NPort,
    side: Side,
    fibre: Option<Fibre<T>>,
    /// The state machine of logins has had the event that the link is up.
    linked: bool,
    entrance: Entrance,
    counters: PortCounters,
    /// Frames have come that are still to be taken.
    has_more: bool,
}

impl<T: Transport> HostAdapterPort<T> {
    /// Creates a port without a fibre, number `number` of its control unit, to these images.
    pub fn new(options: PortOptions, number: u16, images: ImageSet) -> Self {
        let logins = NPort::new(NPortParameters {
            port_name: options.port_name,
            node_name: options.node_name,
            role: Role::ControlUnit,
            receive_credit: options.credits,
            frame_payload_bytes: COMMAND_FRAME_PAYLOAD_BYTES as u16,
            node: options.node,
            protocol: if options.fcp.is_some() {
                PortProtocol::Fcp(OFFER)
            } else {
                PortProtocol::Ficon(Some(transport_mode(options.first_transfer_bytes)))
            },
            peers: Vec::new(),
            hosts: options.hosts.clone(),
        });
        let side = if options.fcp.is_some() {
            Side::Fcp(Box::new(FcpSide::new(&options)))
        } else {
            Side::Ficon(Box::new(FiconSide::new(&options, images)))
        };
        Self {
            options,
            number,
            logins,
            side,
            fibre: None,
            linked: false,
            entrance: Entrance::default(),
            counters: PortCounters::default(),
            has_more: false,
        }
    }

    /// Returns what the port is.
    pub fn options(&self) -> &PortOptions {
        &self.options
    }

    /// Returns whether the port has no fibre.
    pub fn is_dark(&self) -> bool {
        self.fibre.is_none()
    }

    /// Returns the fibre.
    pub fn fibre_mut(&mut self) -> Option<&mut Fibre<T>> {
        self.fibre.as_mut()
    }

    /// Returns the exchanges that are open.
    pub fn open_exchanges(&self) -> usize {
        self.side.open()
    }

    /// Returns what the port did since it was made.
    pub fn counters(&self) -> PortCounters {
        let mut counters = self.counters.clone();
        if let Some(fibre) = &self.fibre {
            counters.add_fibre(fibre.counters());
        }
        counters.exchanges = self.side.counts();
        counters.skip_reported();
        counters
    }

    /// Returns a fibre for the port, the `nonce`-th of the control unit, whose clock this is.
    pub fn fibre_of(&self, now: Time, plugged: Plugged<T>, nonce: u64, clock: Option<HostClock>) -> Fibre<T> {
        let options = FibreOptions {
            own_name: self.options.port_name,
            receive_credit: self.options.credits,
            check_crc: true,
            clock,
        };
        if plugged.opened {
            Fibre::open(plugged.transport, options, nonce, now)
        } else {
            Fibre::accept(plugged.transport, options, now)
        }
    }

    /// Takes a fibre, which the other end opened or not.
    pub fn plug(&mut self, mut fibre: Fibre<T>, is_accepted: bool, tap: Option<Box<dyn FrameTap>>) {
        if let Some(tap) = tap {
            fibre.set_tap(tap);
        }
        self.counters.connections += 1;
        self.entrance.enter(is_accepted);
        self.fibre = Some(fibre);
    }

    /// Returns whether the port of this name may log in.
    pub(super) fn admits(&self, name: WorldWideName) -> bool {
        let hosts = self.options.hosts.as_ref();
        name != self.options.port_name && hosts.is_none_or(|hosts| hosts.contains(&name))
    }

    /// Returns the name of the port at the other end of the fibre, when it is logged in.
    pub(super) fn direct_peer(&self) -> Option<WorldWideName> {
        self.logins.direct_peer()
    }

    /// Asks it whether it is still there.
    pub(super) fn probe(&mut self, now: Time) {
        self.logins.probe(now);
    }

    /// Returns who has the port.
    pub(super) fn occupant(&self) -> Occupant {
        if self.is_dark() { Occupant::None } else { self.entrance.occupant(&self.logins) }
    }

    /// Returns how the fibre came about.
    pub(super) fn entrance_mut(&mut self) -> &mut Entrance {
        &mut self.entrance
    }

    /// Returns the time until which the port does not connect again.
    pub fn holds_off(&self, now: Time) -> Option<Time> {
        self.entrance.holds_off(now)
    }

    /// Runs one turn: takes received frames, sends what may be sent; true when there was something to do.
    pub fn turn(&mut self, now: Time, units: &mut UnitTable, notices: Notices<'_>) -> bool {
        if self.fibre.is_none() {
            return false;
        }
        let result = self.work(now, units, notices);
        result.unwrap_or_else(|why| {
            self.close(now, &why, units, notices);
            true
        })
    }

    fn work(&mut self, now: Time, units: &mut UnitTable, notices: Notices<'_>) -> Result<bool, Closing> {
        let Some(fibre) = &mut self.fibre else { return Ok(false) };
        let more = std::mem::take(&mut self.has_more);
        let mut worked = fibre.receive(now)? | self.entrance.take_octets() | more;
        self.logins.take_invalid_crcs(now, fibre.counters().damaged);
        loop {
            let more = worked && self.take_frames(now, units)?;
            self.take_events(now, units, notices);
            if !more {
                break;
            }
        }
        self.side.end_turn(now, self.number, units);
        let Some(fibre) = &mut self.fibre else { return Ok(worked) };
        while fibre.can_send() && (self.logins.poll_frame(fibre) || self.side.poll_frame(now, fibre)) {
            worked = true;
            fibre.send_if_many(now)?;
        }
        fibre.flush(now, !worked)?;
        self.entrance.check_refused(&self.logins)?;
        Ok(worked)
    }

    /// Takes frames up to one that is of logins or logical paths; true after such a one.
    fn take_frames(&mut self, now: Time, units: &mut UnitTable) -> Result<bool, Closing> {
        let Some(fibre) = &mut self.fibre else { return Ok(false) };
        if !self.linked {
            let hosts = self.options.hosts.as_deref();
            let may = fibre.attached().map(|attached| attached.narrow(hosts));
            self.logins.set_hosts(may.unwrap_or_else(|| self.options.hosts.clone()));
        }
        let mut parts = PortParts {
            now,
            number: self.number,
            logins: &mut self.logins,
            counters: &mut self.counters,
            fibre,
            linked: &mut self.linked,
        };
        match self.side.take_frames(&mut parts, units)? {
            Taken::Login => return Ok(true),
            Taken::Some => {
                self.has_more = true;
                return Ok(false);
            }
            Taken::All => {}
        }
        if fibre.is_up() && !self.linked {
            self.linked = true;
            self.logins.handle_link_up(now);
        }
        Ok(false)
    }

    /// Follows what became of logins and logical paths.
    fn take_events(&mut self, now: Time, units: &mut UnitTable, notices: Notices<'_>) {
        while let Some(event) = self.logins.poll_event() {
            let Some(kind) = self.take_login_event(now, event, units) else { continue };
            notices(&Notice { at: now, port: &self.options.id, kind });
        }
        while let Some(kind) = self.side.poll_notice(now, self.number, &self.logins, units) {
            notices(&Notice { at: now, port: &self.options.id, kind });
        }
    }

    fn take_login_event(
        &mut self,
        now: Time,
        event: PortEvent,
        units: &mut UnitTable,
    ) -> Option<NoticeKind<'static>> {
        Some(match event {
            PortEvent::ProbeAnswered => {
                self.entrance.note_probe_answered();
                return None;
            }
            PortEvent::ExchangeRequested(request) => {
                self.side.answer(&request, &mut self.logins);
                return None;
            }
            PortEvent::IncidentNoted(incident) => NoticeKind::Incident(incident),
            PortEvent::IncidentReported(_) => return None,
            PortEvent::Attached { address, credit, fabric } => {
                self.side.set_address(address);
                if let Some(fibre) = &mut self.fibre {
                    fibre.set_credit(credit);
                }
                NoticeKind::Attached { address, fabric }
            }
            PortEvent::PeerLoggedIn { .. } | PortEvent::FcpPeerLoggedIn { .. } => {
                let kind = self.side.log_in(now, self.number, &event, units)?;
                if let Some(fibre) = &mut self.fibre {
                    fibre.set_ending(false);
                }
                kind
            }
            PortEvent::PeerLoggedOut { peer, name, why } => {
                let has_others = self.side.log_out(now, self.number, peer, units);
                if let Some(fibre) = &mut self.fibre {
                    fibre.set_ending(!has_others);
                }
                NoticeKind::LoggedOut { peer, name, why }
            }
            PortEvent::Refused { name, why } => {
                self.counters.logins_refused += 1;
                self.entrance.refuse(now, &self.logins, name, why.to_string());
                NoticeKind::Refused { name, why }
            }
        })
    }

    /// Timers may be due.
    pub fn handle_timeout(&mut self, now: Time, units: &mut UnitTable, notices: Notices<'_>) {
        let Some(fibre) = &mut self.fibre else { return };
        let checked = fibre.handle_timeout(now).and_then(|()| self.entrance.check_login(now, &self.logins));
        if let Err(why) = checked {
            self.close(now, &why, units, notices);
            return;
        }
        self.notify_clock(now, notices);
        self.logins.handle_timeout(now);
        self.side.handle_timeout(now, self.number, units);
    }

    /// Returns the time at which [`HostAdapterPort::handle_timeout`] wants to be called.
    pub fn poll_timeout(&self) -> Option<Time> {
        let fibre = self.fibre.as_ref()?.poll_timeout();
        let others = [self.logins.poll_timeout(), self.side.poll_timeout(), self.entrance.poll_timeout()];
        others.into_iter().flatten().chain([fibre]).min()
    }

    /// Tells whether the age of frames is checked, when that has changed.
    fn notify_clock(&mut self, at: Time, notices: Notices<'_>) {
        let is_in = self.entrance.occupant(&self.logins) == Occupant::LoggedIn;
        let Some(fibre) = self.fibre.as_ref().filter(|fibre| is_in && fibre.is_up()) else { return };
        if self.entrance.take_clock(fibre.has_common_clock()) == Some(false) {
            let kind = NoticeKind::Connection(ConnectionNotice::NoCommonClock(&fibre.peer()));
            notices(&Notice { at, port: &self.options.id, kind });
        }
    }

    /// Says LOGO to every host, before the link is closed in order.
    pub fn log_out(&mut self, now: Time) {
        self.logins.log_out(now);
    }

    /// Gives the fibre up: exchanges end, logins and logical paths are over, nothing else is touched.
    pub fn close(&mut self, now: Time, why: &Closing, units: &mut UnitTable, notices: Notices<'_>) {
        let Some(fibre) = self.fibre.take() else { return };
        self.counters.add_fibre(fibre.counters());
        self.linked = false;
        if let Some(code) = why.incident() {
            self.logins.note_incident(now, code);
        }
        self.side.handle_link_down(now, self.number, units);
        self.logins.handle_link_down();
        let peer = &fibre.peer();
        let kind = NoticeKind::Connection(ConnectionNotice::Closed { peer, why });
        notices(&Notice { at: now, port: &self.options.id, kind });
        self.take_events(now, units, notices);
        self.side.forget_hosts();
    }
}

/// Returns the parameters of PRLI: transport mode, with a first burst of writes or without.
fn transport_mode(first_transfer_bytes: u32) -> SbLogin {
    let first_transfer_4k = u16::try_from(first_transfer_bytes / 4096).unwrap_or(u16::MAX);
    let first = if first_transfer_4k > 0 { SbLogin::FIRST_TRANSFER_READY_DISABLED } else { 0 };
    SbLogin { first_transfer_4k, initiation_delay_s: 0, flags: PRLI_TRANSPORT_MODE | first }
}
