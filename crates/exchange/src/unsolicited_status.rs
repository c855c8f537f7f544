//! Status that a control unit presents by itself, outside of a program: attention.
//!
//! ```text
//! control unit: Pending ─ status is sent ─► Presented ─ status accepted ─► over
//!                  ▲                          │  │
//!                  └──── no answer ◄──────────┘  └─ stack status ─► Pending, later
//! ```
//!
//! Each status and its answer are one information unit in an exchange of its own. A status that is sent again has the token
//! of the first time, by which the channel finds that it has taken it.

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

use halftrack_base::{Span, Time};
use halftrack_wire::choices::{FIRST_CCW_NUMBER, FIRST_IU_COUNT, STATUS_EXCHANGES};
use halftrack_wire::command_iu::CommandIuView;
use halftrack_wire::fc_header::{NO_EXCHANGE, fc_type};
use halftrack_wire::heading::{FromSide, Place, heading};
use halftrack_wire::timers::STATUS_TIMEOUT_US;
use halftrack_wire::{
    Address, Body, CommandMode, ControlDib, ControlFunction, DataFlags, Dib, Eof, FcFrame, FcHeader,
    FrameSink, Iu, IuData, IuKind, Sof, StatusDib,
};

/// Time after which a status is presented again that was not answered, or was stacked.
const AGAIN: Span = Span::from_us(STATUS_TIMEOUT_US);
/// Bits of a token.
const TOKEN: u32 = 0x00FF_FFFF;

/// A device as a channel reaches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatusPath {
    /// Address of the other end's port.
    pub peer: u32,
    /// Channel-image id.
    pub channel_image: u8,
    /// Control-unit-image id.
    pub control_unit_image: u8,
    /// Device (unit) address.
    pub device: u8,
}

impl StatusPath {
    fn of(peer: u32, address: &Address) -> Self {
        let &Address { channel_image, control_unit_image, device, .. } = address;
        Self { peer, channel_image, control_unit_image, device }
    }
}

/// Returns whether a frame carries such a status, or the answer to one.
#[must_use]
pub fn is_of_status(frame: &FcFrame<'_>) -> bool {
    let header = &frame.header;
    let is_device_level = matches!(header.fc_type, fc_type::SB_CHANNEL | fc_type::SB_CONTROL_UNIT);
    is_device_level && STATUS_EXCHANGES.contains(&header.ox_id)
}

/// Sends information units of one frame, each in an exchange of its own.
#[derive(Debug)]
struct SingleFrames {
    from: FromSide,
    address: u32,
    next_exchange: u16,
}

impl SingleFrames {
    fn new(from: FromSide) -> Self {
        Self { from, address: 0, next_exchange: *STATUS_EXCHANGES.start() }
    }

    fn send(&mut self, path: &StatusPath, token: u32, dib: Dib, sink: &mut impl FrameSink) {
        let &StatusPath { peer, channel_image, control_unit_image, device } = path;
        let address = Address { channel_image, control_unit_image, device, token };
        let fields =
            CommandMode { flags: DataFlags::default(), ccw: FIRST_CCW_NUMBER, iu_count: FIRST_IU_COUNT, dib };
        let iu = Iu { address, body: Body::CommandMode(fields), data: IuData::None };
        let heading = heading(&iu, self.from, Place { first: true, last: true, keeps_initiative: false });
        let header = FcHeader {
            r_ctl: heading.r_ctl,
            d_id: peer,
            s_id: self.address,
            fc_type: heading.fc_type,
            f_ctl: heading.frame_control(true),
            ox_id: next(&mut self.next_exchange, &STATUS_EXCHANGES),
            rx_id: NO_EXCHANGE,
            parameter: heading.parameter,
            ..FcHeader::default()
        };
        let octets = iu.emit().expect("an IU without data has room in a frame");
        sink.frame(Sof::Initiate3, &header, &[&octets], Eof::Terminate);
    }
}

fn next(exchange: &mut u16, ids: &RangeInclusive<u16>) -> u16 {
    let taken = *exchange;
    *exchange = if taken == *ids.end() { *ids.start() } else { taken + 1 };
    taken
}

#[derive(Debug, Clone, Copy)]
struct Presented {
    status: u8,
    token: u32,
    /// When it is sent: now, when nothing, and when it was sent and is not answered by then.
    at: Option<Time>,
}

/// Control unit's part: the status of each device that is pending, one at a time.
#[derive(Debug)]
pub struct StatusPresenter {
    frames: SingleFrames,
    pending: BTreeMap<StatusPath, Presented>,
    next_token: u32,
}

impl Default for StatusPresenter {
    fn default() -> Self {
        Self { frames: SingleFrames::new(FromSide::ControlUnit), pending: BTreeMap::new(), next_token: 1 }
    }
}

impl StatusPresenter {
    /// Takes the address that the port was given.
    pub fn set_address(&mut self, address: u32) {
        self.frames.address = address;
    }

    /// Presents a device status; one that is pending on the path is joined with it.
    pub fn present(&mut self, path: StatusPath, status: u8) {
        let token = self.next_token;
        self.next_token = self.next_token % TOKEN + 1;
        let pending = self.pending.entry(path).or_insert(Presented { status: 0, token, at: None });
        *pending = Presented { status: pending.status | status, token, at: None };
    }

    /// Takes the answer to a status.
    pub fn handle_frame(&mut self, now: Time, frame: &FcFrame<'_>) {
        let Some((address, dib)) = unit_of(frame, fc_type::SB_CHANNEL) else { return };
        let path = StatusPath::of(frame.header.s_id, &address);
        let Some(presented) = self.pending.get_mut(&path).filter(|one| one.token == address.token) else {
            return;
        };
        match dib.kind() {
            IuKind::StatusAccepted => {
                self.pending.remove(&path);
            }
            IuKind::StackStatus => presented.at = Some(now.saturating_add(AGAIN)),
            _ => {}
        }
    }

    /// Sends at most one frame; false when there is none to send. The caller holds a buffer credit for it.
    pub fn poll_frame(&mut self, now: Time, sink: &mut impl FrameSink) -> bool {
        let Some((path, presented)) = self.pending.iter_mut().find(|(_, presented)| presented.at.is_none())
        else {
            return false;
        };
        presented.at = Some(now.saturating_add(AGAIN));
        let status = StatusDib { device_status: presented.status, ..StatusDib::default() };
        self.frames.send(path, presented.token, Dib::Status(status), sink);
        true
    }

    /// Returns the time at which [`StatusPresenter::handle_timeout`] wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.pending.values().filter_map(|presented| presented.at).min()
    }

    /// Presents again what was not answered in time.
    pub fn handle_timeout(&mut self, now: Time) {
        for presented in self.pending.values_mut() {
            presented.at = presented.at.filter(|at| *at > now);
        }
    }

    /// Forgets what is pending for a port that has logged out, or for all of them.
    pub fn forget(&mut self, peer: Option<u32>) {
        self.pending.retain(|path, _| peer.is_some_and(|peer| peer != path.peer));
    }
}

/// Channel's part: takes every status and accepts it.
#[derive(Debug)]
pub struct StatusTaker {
    frames: SingleFrames,
    /// Tokens of the last status of each device.
    taken: BTreeMap<StatusPath, u32>,
    answers: VecDeque<(StatusPath, u32)>,
}

impl Default for StatusTaker {
    fn default() -> Self {
        let frames = SingleFrames::new(FromSide::Channel);
        Self { frames, taken: BTreeMap::new(), answers: VecDeque::new() }
    }
}

impl StatusTaker {
    /// Takes the address that the port was given.
    pub fn set_address(&mut self, address: u32) {
        self.frames.address = address;
    }

    /// Takes a frame; returns the device and its status, each once.
    pub fn handle_frame(&mut self, frame: &FcFrame<'_>) -> Option<(StatusPath, u8)> {
        let (address, Dib::Status(status)) = unit_of(frame, fc_type::SB_CONTROL_UNIT)? else { return None };
        let path = StatusPath::of(frame.header.s_id, &address);
        self.answers.push_back((path, address.token));
        let is_new = self.taken.insert(path, address.token) != Some(address.token);
        is_new.then_some((path, status.device_status))
    }

    /// Sends at most one frame; false when there is none to send. The caller holds a buffer credit for it.
    pub fn poll_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        let Some((path, token)) = self.answers.pop_front() else { return false };
        let accepted = Dib::Control(ControlDib::plain(ControlFunction::StatusAccepted));
        self.frames.send(&path, token, accepted, sink);
        true
    }

    /// Forgets what was taken from a port that has logged out, or from all of them.
    pub fn forget(&mut self, peer: Option<u32>) {
        self.taken.retain(|path, _| peer.is_some_and(|peer| peer != path.peer));
        self.answers.retain(|(path, _)| peer.is_some_and(|peer| peer != path.peer));
    }
}

/// Returns the address and the header of the unit in a frame of this type; none where it cannot be read.
fn unit_of(frame: &FcFrame<'_>, sender: u8) -> Option<(Address, Dib)> {
    let view = CommandIuView::new(frame.payload).ok().filter(|_| frame.header.fc_type == sender)?;
    view.check_lrc().ok()?;
    Some((view.address(), view.dib().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: StatusPath =
        StatusPath { peer: 0x01_0200, channel_image: 3, control_unit_image: 4, device: 0x0A };
    const OWN: u32 = 0x01_0300;
    const ATTENTION: u8 = 0x80;

    /// Frames as they were sent.
    #[derive(Default)]
    struct Sent(Vec<(FcHeader, Vec<u8>)>);

    impl FrameSink for Sent {
        fn frame(&mut self, _sof: Sof, header: &FcHeader, parts: &[&[u8]], _eof: Eof) {
            self.0.push((*header, parts.concat()));
        }
    }

    fn presenter() -> StatusPresenter {
        let mut presenter = StatusPresenter::default();
        presenter.set_address(OWN);
        presenter
    }

    fn taker() -> StatusTaker {
        let mut taker = StatusTaker::default();
        taker.set_address(PATH.peer);
        taker
    }

    fn at(us: u64) -> Time {
        Time::ZERO.saturating_add(Span::from_us(us))
    }

    fn one_frame(send: impl FnOnce(&mut Sent) -> bool) -> Option<(FcHeader, Vec<u8>)> {
        let mut sent = Sent::default();
        assert_eq!(send(&mut sent), !sent.0.is_empty());
        sent.0.pop()
    }

    fn frame((header, payload): &(FcHeader, Vec<u8>)) -> FcFrame<'_> {
        FcFrame { header: *header, optional: &[], payload }
    }

    #[test]
    fn a_status_is_taken_once_and_accepted() {
        let (mut presenter, mut taker) = (presenter(), taker());
        presenter.present(PATH, ATTENTION);
        let sent = one_frame(|sink| presenter.poll_frame(at(0), sink)).unwrap();
        assert!(is_of_status(&frame(&sent)));
        let seen = StatusPath { peer: OWN, ..PATH };
        assert_eq!(taker.handle_frame(&frame(&sent)), Some((seen, ATTENTION)));
        assert!(one_frame(|sink| presenter.poll_frame(at(0), sink)).is_none(), "it is not sent twice");
        let answer = one_frame(|sink| taker.poll_frame(sink)).unwrap();
        assert!(is_of_status(&frame(&answer)));
        presenter.handle_frame(at(1), &frame(&answer));
        assert_eq!(presenter.poll_timeout(), None);
        presenter.present(PATH, ATTENTION);
        let sent = one_frame(|sink| presenter.poll_frame(at(2), sink)).unwrap();
        assert_eq!(taker.handle_frame(&frame(&sent)), Some((seen, ATTENTION)), "another one is another one");
    }

    /// Whichever of the two frames is lost, the status is taken exactly once.
    #[test]
    fn a_loss_is_made_good() {
        for is_answer_lost in [false, true] {
            let (mut presenter, mut taker) = (presenter(), taker());
            presenter.present(PATH, ATTENTION);
            let mut taken = 0;
            for attempt in 0..3 {
                let now = at(attempt * STATUS_TIMEOUT_US);
                presenter.handle_timeout(now);
                let Some(sent) = one_frame(|sink| presenter.poll_frame(now, sink)) else { continue };
                if attempt == 0 && !is_answer_lost {
                    continue;
                }
                taken += u32::from(taker.handle_frame(&frame(&sent)).is_some());
                let answer = one_frame(|sink| taker.poll_frame(sink)).unwrap();
                if attempt > 0 {
                    presenter.handle_frame(now, &frame(&answer));
                }
            }
            assert_eq!((taken, presenter.poll_timeout()), (1, None), "{is_answer_lost}");
        }
    }

    /// The answer to a status that another one has joined does not end the pair.
    #[test]
    fn an_answer_to_an_older_status_has_no_effect() {
        let (mut presenter, mut taker) = (presenter(), taker());
        presenter.present(PATH, ATTENTION);
        let older = one_frame(|sink| presenter.poll_frame(at(0), sink)).unwrap();
        presenter.present(PATH, 0x04);
        taker.handle_frame(&frame(&older));
        let answer = one_frame(|sink| taker.poll_frame(sink)).unwrap();
        presenter.handle_frame(at(0), &frame(&answer));
        let newer = one_frame(|sink| presenter.poll_frame(at(0), sink)).unwrap();
        assert_eq!(taker.handle_frame(&frame(&newer)).map(|(_, status)| status), Some(0x84));
    }

    #[test]
    fn nothing_is_owed_to_a_port_that_is_gone() {
        let mut presenter = presenter();
        presenter.present(PATH, ATTENTION);
        presenter.forget(Some(OWN));
        assert!(one_frame(|sink| presenter.poll_frame(at(0), sink)).is_some());
        presenter.forget(Some(PATH.peer));
        assert_eq!(presenter.poll_timeout(), None);
    }
}
