//! Channels, control units and directors in real time over a transport; never virtual time, and never a rule of the
//! protocol: those live in the state machines above.
//!
//! | file | what lives there |
//! | --- | --- |
//! | [`clock`] | time since the process began |
//! | [`buffers`], [`transport`], [`tcp`], [`in_process`] | how octets cross to the other process or thread |
//! | [`access`] | proof of identity and encryption of a TCP connection |
//! | [`driver`] | a channel with its I/O driver |
//! | [`fibre`], [`capture`] | a link: frames, credits both ways, time-outs; what it carries as a file |
//! | `lobby` | connections without a login |
//! | [`plug`], [`plugs`], [`connection_notice`] | where the fibre of a port comes from, and notices of it |
//! | `exchange_status` | the state of an exchange as a port answers it |
//! | [`control_unit`] | volumes behind host-adapter ports |
//! | [`ctc`] | channels of two systems connected to each other |
//! | [`islink`] | a system at one end of an ISFC logical link |
//! | [`director`] | a switch between links |
//! | [`faulty`], [`line_effects`] | faults of a script in front of a transport; their effects on frames |
//! | [`synchronous`] | synchronous I/O over shared memory, at either end |
//! | [`poller`], [`stop`] | when to poll again, and when to end |

pub mod access;
pub mod buffers;
pub mod capture;
pub mod clock;
pub mod connection_notice;
pub mod connector;
pub mod control_unit;
pub mod ctc;
pub mod director;
pub mod driver;
mod exchange_status;
pub mod faulty;
pub mod fibre;
pub mod frame_kind;
pub mod in_process;
pub mod islink;
pub mod line_effects;
mod lobby;
pub mod plug;
pub mod plugs;
pub mod poller;
pub mod stop;
pub mod synchronous;
pub mod tcp;
mod timing;
pub mod transport;

pub use buffers::{InBuffer, OutBuffer};
pub use capture::LinkCapture;
pub use clock::{Clock, HostClock};
pub use connection_notice::ConnectionNotice;
pub use control_unit::ControlUnit;
pub use director::Director;
pub use driver::Drive;
pub use fibre::{Closing, Fibre, FibreCounters, FibreOptions, FrameDirection, FrameTap, Incoming};
pub use frame_kind::FrameKind;
pub use in_process::InProcessTransport;
pub use poller::Poller;
pub use stop::{StopHandle, StopSignal};
pub use tcp::TcpTransport;
pub use transport::{Received, Transport};
