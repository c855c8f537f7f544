//! Formats only: turns FICON information units into octets and back; never holds state, time or a policy.
//!
//! | file | format |
//! | --- | --- |
//! | [`sb_header`], [`iu_header`], [`dib`] | the 32-octet overhead of a command-mode information unit |
//! | [`command_iu`] | a whole command-mode information unit |
//! | [`transport_iu`] | transport-mode information units and ABTS/BA_ACC |
//! | [`fcp`] | information units of SCSI over Fibre Channel |
//! | [`transfer_ready`] | transfer ready, of transport mode and of FCP |
//! | [`device_frame`] | dialogue over a circuit (ESCON, parallel); values only, without octets |
//! | [`iu_parts`] | the octets of an information unit without a copy of its data |
//! | [`link_control`] | link-control information units: logical paths |
//! | [`iu`] | common parts of both modes: [`Iu`], [`IuKind`], [`IuData`] |
//! | [`fc_frame`], [`fc_header`], [`optional_headers`], [`delimiter`], [`frame_sink`] | FC-2 frames |
//! | [`start_number`] | the number that orders the starts of a subchannel |
//! | [`heading`] | contents of the frame headers of an IU |
//! | [`els`], [`ct`] | extended link services; requests to the name server |
//! | [`fcip`] | frames in a stream of octets |
//! | [`capture`] | frames in a pcapng file |
//! | [`synchronous`] | requests and answers of synchronous I/O in shared memory |
//! | [`switch_link`], [`link_state`] | services between switches; the state of their links |
//! | [`world_wide_name`] | the name of a port or node |
//! | [`frames`] | how many FC-2 frames a payload takes |
//! | [`timers`] | R_T_TOV, hold time, E_D_TOV, life of a frame, R_A_TOV; REC_TOV, RR_TOV |
//! | [`choices`] | every decision that no public document settles |
//!
//! Every format has a *view* (a checked borrow of octets) or works on fixed-size arrays, and a *representation* (a
//! plain struct) with `parse` and `emit`. No parser panics, whatever the octets.

pub mod capture;
pub mod choices;
pub mod command_iu;
pub mod crc;
pub mod ct;
pub mod delimiter;
pub mod device_frame;
pub mod dib;
pub mod els;
pub mod error;
pub mod fc_frame;
pub mod fc_header;
pub mod fcip;
pub mod fcp;
mod frame_protection;
pub mod frame_sink;
pub mod frames;
pub mod heading;
pub mod iu;
pub mod iu_header;
pub mod iu_parts;
pub mod kind;
pub mod link_control;
pub mod link_state;
pub mod lrc;
pub mod optional_headers;
pub mod sb_header;
pub mod start_number;
pub mod switch_link;
pub mod synchronous;
pub mod timers;
pub mod transfer_ready;
pub mod transport_iu;
pub mod transport_response;
pub mod world_wide_name;

pub use capture::{CaptureError, CaptureReader, CaptureWriter, CapturedFrame, InterfaceId};
pub use delimiter::{Eof, Sof};
pub use device_frame::{CIRCUIT_FRAMING_BYTES, DeviceFrame};
pub use dib::{ChainFlags, CommandDib, ControlDib, ControlFunction, Dib, StatusDib, StatusFlags};
pub use els::{Els, ElsReply};
pub use error::{EmitError, ParseError};
pub use fc_frame::{FcFrame, emit_frame};
pub use fc_header::{FcHeader, FrameControl};
pub use frame_protection::FrameProtection;
pub use frame_sink::FrameSink;
pub use frames::{FRAMING_BYTES, frame_count, last_frame_bytes, wire_bytes};
pub use heading::{FromSide, Heading, Place};
pub use iu::{Address, Body, CommandMode, Iu, IuData};
pub use iu_header::DataFlags;
pub use iu_parts::IuParts;
pub use kind::IuKind;
pub use link_control::{LinkControl, LinkFunction};
pub use start_number::StartNumber;
pub use transfer_ready::TransferReady;
pub use transport_iu::TransportPart;
pub use transport_response::TransportResponse;
pub use world_wide_name::WorldWideName;
