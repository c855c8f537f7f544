//! Frames that cross the fibres of the channels, with virtual time. Channels hand chunks to the recorder; it changes nothing in
//! a run.
//!
//! ```text
//! chunk of a group ─► how many frames, when ──┐
//! last chunk ──────► IUs of the group ─► sequences ─► frames ─► in order of time
//! ```
//!
//! A chunk gives the instants at which its frames cross, and only the last chunk of a group gives the IUs. So frames are
//! made when a group is whole. They are the frames of the working link: the same sequences, made by `exchange`.

mod recorder;

use std::collections::BTreeSet;

use halftrack_base::Time;
use halftrack_wire::{Eof, Sof};

pub(crate) use recorder::Recorder;

/// Frames of a run, in order of time.
#[derive(Debug, Default)]
pub struct Capture {
    channels: Vec<String>,
    frames: Vec<Recorded>,
    octets: Vec<u8>,
    is_full: bool,
    /// Channels of which frames were encrypted on the fibre.
    encrypted: BTreeSet<u32>,
}

/// A frame and where its octets are.
#[derive(Debug, Clone, Copy)]
struct Recorded {
    at: Time,
    channel: u32,
    inbound: bool,
    sof: Sof,
    eof: Eof,
    begin: usize,
    bytes: u16,
}

/// A frame that crossed a channel's fibre.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CapturedFrame<'a> {
    /// The channel, among [`Capture::channels`].
    pub channel: usize,
    /// From the control unit.
    pub inbound: bool,
    /// When its first bit went out, or its last one came in.
    pub at: Time,
    /// Start of frame.
    pub sof: Sof,
    /// FC header to CRC.
    pub frame: &'a [u8],
    /// End of frame.
    pub eof: Eof,
}

impl Capture {
    /// Names of all channels: `CHPID 0.40`, the lowest CSS for a spanned one.
    #[must_use]
    pub fn channels(&self) -> &[String] {
        &self.channels
    }

    /// Iterates over the frames, in order of time.
    pub fn frames(&self) -> impl Iterator<Item = CapturedFrame<'_>> {
        self.frames.iter().map(|&Recorded { at, channel, inbound, sof, eof, begin, bytes }| CapturedFrame {
            channel: channel as usize,
            inbound,
            at,
            sof,
            frame: &self.octets[begin..begin + usize::from(bytes)],
            eof,
        })
    }

    /// Returns true when frames of a channel, by its index, were encrypted on the fibre; in the capture they are in clear text.
    #[must_use]
    pub fn is_encrypted(&self, channel: usize) -> bool {
        u32::try_from(channel).is_ok_and(|channel| self.encrypted.contains(&channel))
    }

    /// Returns true when more frames crossed than the capture was to take.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.is_full
    }
}
