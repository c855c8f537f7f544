//! Messages that cross the fibre between the host's and the storage's logical process.

use halftrack_base::{Span, Time};
use halftrack_engine::Order;
use halftrack_exchange::{Identity, PlanId};

use crate::events::cargo::Cargo;
use crate::events::crossing::{BriefInterrupt, Interrupt, RetryCause, Start};
use crate::events::drive::{BriefDrive, Drive};
use crate::events::ended::{BriefEnded, Ended};
use crate::events::event::Notice;
use crate::events::outlet::Destination;
use crate::events::slab::Slab;
use crate::wiring::Wiring;
use crate::wiring::lost_steps::LostSteps;

/// The identity of all bursts and frames of one exchange.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Envelope {
    /// The exchange, by the host's slot.
    pub exchange: u32,
    /// Its path.
    pub path: u32,
    /// How often the channel's fibre had been lost when it was opened: what was on a lost fibre never arrives.
    pub epoch: u32,
    /// The plan it was opened with.
    pub plan: PlanId,
    /// Device (unit) address.
    pub device: u8,
    /// Channel-image id: the partition's MIF id.
    pub channel_image: u8,
}

impl Envelope {
    /// Returns the addresses of the exchange, for building its IUs; its token is the host's slot.
    pub(crate) fn identity(&self, w: &Wiring) -> Identity {
        let lcu = w.paths[self.path as usize].lcu as usize;
        Identity {
            channel_image: self.channel_image,
            control_unit_image: w.configuration.lcus[lcu].image,
            device: self.device,
            token: self.exchange & 0x00FF_FFFF,
        }
    }
}

/// How a burst or frame is under way.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Parcel {
    /// Whose it is.
    pub envelope: Envelope,
    /// The hop that it travels or waits for, among all hops.
    pub hop: u32,
    /// First of its exchange.
    pub opens: bool,
    /// Last of its exchange from the control unit.
    pub closes: bool,
    /// From control unit to channel.
    pub inbound: bool,
    /// The information units that end with it and of which a frame was lost on the way.
    pub lost: LostSteps,
    /// From the arrival of its head to that of its tail at the end of the last link.
    pub tail_lag: Span,
    /// The end of the wait for what its sender has next.
    pub pump: Pump,
    /// Its note beside its frames.
    pub note: Note,
}

/// The instant before which the sender of a parcel does not prepare what it has next for the link; it has nothing by default. The
/// parcel must have entered the fibre, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pump(Time);

impl Default for Pump {
    fn default() -> Self {
        Self(Time::MAX)
    }
}

impl Pump {
    /// Makes the wait of a sender that has more from `from` on.
    #[inline(always)]
    pub(crate) fn from(from: Time) -> Self {
        Self(from)
    }

    /// Makes the wait of a sender that has more at once, if it `has_more` at all.
    #[inline(always)]
    pub(crate) fn at_once(has_more: bool) -> Self {
        if has_more { Self(Time::ZERO) } else { Self::default() }
    }

    /// Returns true when the sender has more.
    #[inline(always)]
    pub(crate) fn has_more(self) -> bool {
        self != Self::default()
    }

    /// Returns when the sender prepares it, of what has `entered` the fibre then.
    #[inline(always)]
    pub(crate) fn after(self, entered: Time) -> Time {
        self.0.max(entered)
    }
}

/// The note of a parcel beside its frames: two words, of one meaning to the control unit and another from it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Note(Span, Span);

impl Note {
    /// Makes a note to the control unit, with a frame that opens an exchange: the track that is to be looked up, where one
    /// is.
    pub(crate) fn of_track(track: Option<u32>) -> Self {
        Self(Span::from_ps(track.map_or(0, |track| u64::from(track) + 1)), Span::ZERO)
    }

    /// Returns the track that is to be looked up.
    pub(crate) fn track(self) -> Option<u32> {
        self.0.as_ps().checked_sub(1).map(|track| track as u32)
    }

    /// Makes a note from the control unit: connect and disconnect time with the ending status.
    #[inline]
    pub(crate) fn reported(connect: Span, disconnect: Span) -> Self {
        Self(connect, disconnect)
    }

    /// Returns connect and disconnect time.
    #[inline]
    pub(crate) fn times(self) -> (Span, Span) {
        (self.0, self.1)
    }
}

/// The command of an exchange in the express lane, which is all that its channel sends, on its way over a short route.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ExpressCommand {
    /// Whose it is.
    pub envelope: Envelope,
    /// From the arrival of its head to that of its tail, ps.
    pub tail_lag_ps: u32,
}

/// The answer of an exchange in the express lane, on its way over a short route. The host has all else with the exchange.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ExpressAnswer {
    /// The exchange, by the host's slot.
    pub exchange: u32,
    /// From the arrival of its head to that of its tail, ps.
    pub tail_lag_ps: u32,
    /// Connect time; it has waited for nothing that would be disconnect time.
    pub connect: Span,
}

impl ExpressCommand {
    /// Makes a transit of it, as any other.
    pub(crate) fn transit(self, w: &Wiring) -> Transit {
        let Self { envelope, tail_lag_ps } = self;
        let hop = w.paths[envelope.path as usize].outbound.last();
        let tail_lag = Span::from_ps(u64::from(tail_lag_ps));
        let parcel = Parcel { envelope, opens: true, hop, tail_lag, ..Parcel::default() };
        Transit { parcel, cargo: Cargo::of_plan(w.express.known(envelope.plan).command) }
    }
}

impl ExpressAnswer {
    /// Makes a transit of it, as any other, with the `envelope` of its exchange.
    pub(crate) fn transit(self, w: &Wiring, envelope: Envelope) -> Transit {
        let hop = w.paths[envelope.path as usize].inbound.last();
        let tail_lag = Span::from_ps(u64::from(self.tail_lag_ps));
        let note = Note::reported(self.connect, Span::ZERO);
        let (closes, inbound) = (true, true);
        let parcel = Parcel { envelope, hop, closes, inbound, tail_lag, note, ..Parcel::default() };
        Transit { parcel, cargo: Cargo::of_plan(w.express.known(envelope.plan).answer) }
    }
}

/// A burst or frame under way.
#[derive(Debug, Default)]
pub(crate) struct Transit {
    /// How it is under way.
    pub parcel: Parcel,
    /// Its load.
    pub cargo: Cargo,
}

impl Transit {
    /// Takes the transit out of `slab` and gives its slot back.
    #[inline(always)]
    pub(crate) fn take(slab: &mut Slab<Transit>, slot: u32) -> Transit {
        let transit = &mut slab[slot];
        let taken = Transit { parcel: transit.parcel, cargo: transit.cargo.take() };
        slab.give(slot);
        taken
    }
}

/// One message between the logical processes, with the key of the event that it becomes.
#[derive(Debug)]
pub(crate) struct Message {
    /// When it takes effect.
    pub at: Time,
    /// Its place among events of that instant.
    pub order: Order,
    /// Its content.
    pub body: Body,
}

/// The content of a message.
#[derive(Debug)]
pub(crate) enum Body {
    /// The command of an exchange in the express lane arrives at the control unit.
    ExpressCommand(ExpressCommand),
    /// The command of an exchange in the express lane is at a director, from where it goes on.
    ExpressCommandAtDirector(ExpressCommand),
    /// The answer of an express exchange arrives at the channel.
    ExpressAnswer(ExpressAnswer),
    /// A receive buffer of a link was freed.
    Credit {
        /// The link whose sender gets it back.
        link: u32,
    },
    /// The control unit's half of an exchange is over without a last frame that could report it.
    Closed {
        /// The exchange.
        exchange: u32,
    },
    /// Frames of an exchange were lost on their way from the receiver of this message.
    Lost {
        /// The exchange.
        exchange: u32,
    },
    /// A notice of the circuit of an exchange.
    Circuit {
        /// The exchange.
        exchange: u32,
        /// The notice.
        notice: Notice,
    },
    /// A circuit between channels is over.
    CircuitOver {
        /// The device.
        device: u32,
    },
    /// A CP has executed START SUBCHANNEL.
    Start(Start),
    /// An IOP has processed an interrupt.
    Interrupt(BriefInterrupt),
    /// An IOP has done its part of a start.
    Drive(BriefDrive),
    /// An IOP has done its part of a retry.
    Redrive {
        /// The I/O.
        io: u32,
    },
    /// A start is over.
    Ended(BriefEnded),
    /// A start is to be tried again.
    Retry {
        /// The I/O.
        io: u32,
        /// Why.
        cause: RetryCause,
    },
    /// A message of more octets than most have.
    Long(Box<Long>),
    /// A control unit that had answered busy is free.
    ControlUnitEnd {
        /// The logical control unit.
        lcu: u32,
    },
}

/// The content of a few messages between threads. All of it is in one box, so that a message of another kind is dropped at
/// no cost.
#[derive(Debug)]
pub(crate) enum Long {
    /// Frames come to the end point or a director.
    Frames(Destination, Transit),
    /// An IOP has processed the interrupt of an I/O that took too long for few octets, or failed.
    Interrupt(Interrupt),
    /// An IOP has done its part of a start that has waited too long for few octets.
    Drive(Drive),
    /// A start is over that took too long for few octets, or failed.
    Ended(Ended),
}

// Every message that crosses to another thread is read out of another processor's cache: content that few have is boxed.
const _: () = assert!(size_of::<Message>() == 48);
