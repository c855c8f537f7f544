//! Streams that are deflated: by a card from the first call on, or by software.

mod card;
mod parameters;
mod reset;

use libc::c_int;
use libz_rs_sys::{Z_BLOCK, Z_NO_FLUSH, Z_OK, z_stream, z_streamp};

pub use card::CardDeflation;
pub use parameters::Parameters;

use crate::settings::Settings;
use crate::stream::{Kind, Stream};
use crate::{buffers, connections};

/// Longest header in front of a stream of a card; a longer one, with long names, is written by software.
const HEADER_BYTES_MAX: usize = 4 << 10;

/// Place where the stream is deflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Nothing was deflated.
    Undecided,
    /// Software, up to the next reset.
    Software,
    /// A card, and software behind it when the card was lost.
    Card,
}

/// Part of the state that is of deflation.
pub struct Deflation {
    parameters: Parameters,
    phase: Phase,
    /// There in the phase of a card, and kept for the next one.
    card: Option<CardDeflation>,
}

impl Kind for Deflation {
    const MARK: u64 = u64::from_ne_bytes(*b"HTdeflat");
}

impl Deflation {
    /// Makes the state of a stream of these parameters.
    pub const fn new(parameters: Parameters) -> Self {
        Self { parameters, phase: Phase::Undecided, card: None }
    }

    /// Returns the state of a stream that a card has begun.
    pub fn card_mut(&mut self) -> Option<&mut CardDeflation> {
        self.card.as_mut().filter(|_| self.phase == Phase::Card)
    }

    /// Returns whether anything was deflated.
    pub fn is_undecided(&self) -> bool {
        self.phase == Phase::Undecided
    }

    /// Leaves a stream that nothing was deflated of to software.
    pub fn leave_to_software(&mut self) {
        if self.is_undecided() {
            self.phase = Phase::Software;
        }
    }

    /// Returns the parameters.
    pub const fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// Sets parameters.
    pub fn set_parameters(&mut self, level: c_int, strategy: c_int) {
        self.parameters.level = level;
        self.parameters.strategy = strategy;
    }

    /// Returns whether a card deflates with such parameters.
    pub fn is_for_card(&self) -> bool {
        self.parameters.is_for_card()
    }

    /// Frees the memory of the card. Returns whether a stream that the card has begun was not ended.
    pub fn free(&mut self, strm: &mut z_stream) -> bool {
        let is_open = self.card_mut().is_some_and(|card| !card.is_ended());
        if let Some(mut card) = self.card.take() {
            card.free(strm);
        }
        is_open
    }

    /// Copies the state for another stream, which has the same functions; none when there is no memory.
    pub fn copied(&mut self, strm: &z_stream) -> Option<Self> {
        let card = match self.card_mut() {
            Some(card) => Some(card.copied(strm)?),
            None => None,
        };
        Some(Self { parameters: self.parameters, phase: self.phase, card })
    }
}

impl Stream<Deflation> {
    /// Deflates as `deflate` does.
    pub fn deflate(&mut self, strm: &mut z_stream, flush: c_int) -> c_int {
        if self.own.is_undecided() && is_call_valid(strm, flush) {
            self.own.phase = if self.begin_card(strm, flush) { Phase::Card } else { Phase::Software };
        }
        if let Some(card) = self.own.card_mut() {
            return card.deflate(strm, flush);
        }
        // SAFETY: the software finds its own state, and the application's buffers.
        self.software(strm, |strm| unsafe { libz_rs_sys::deflate(strm, flush) })
    }

    /// Begins another stream with the same parameters, by a function of the software.
    pub fn reset(&mut self, strm: &mut z_stream, by: unsafe extern "C" fn(z_streamp) -> c_int) -> c_int {
        let is_clean = self.own.is_undecided();
        self.own.phase = Phase::Undecided;
        let parameters = self.own.parameters;
        // SAFETY: the software finds its own state.
        self.software(strm, |strm| unsafe {
            if !is_clean {
                reset::finish(strm);
            }
            reset::reset(strm, by, parameters)
        })
    }

    /// Begins the stream for a card when the policy allows it; returns whether it did.
    fn begin_card(&mut self, strm: &mut z_stream, flush: c_int) -> bool {
        let is_due = connections::is_configured()
            && strm.avail_in as usize >= Settings::of_process().deflate_minimum_bytes.max(1)
            && flush != Z_BLOCK
            && !buffers::is_overlapping(strm)
            && self.own.is_for_card()
            && connections::try_connect();
        if !is_due {
            return false;
        }
        // SAFETY: the software finds its own state.
        let header_bound = self.software(strm, |strm| unsafe { libz_rs_sys::deflateBound(strm, 0) });
        if header_bound as usize > HEADER_BYTES_MAX {
            return false;
        }
        let mut card = match self.own.card.take() {
            Some(mut card) => {
                card.rewind(self.own.parameters);
                card
            }
            None => CardDeflation::new(self.own.parameters),
        };
        let is_ready = card.try_provide(strm);
        if is_ready {
            self.write_header(strm, &mut card);
        }
        self.own.card = Some(card);
        is_ready
    }

    /// Has the software write the header of the format, which it does when it is called without input.
    fn write_header(&mut self, strm: &mut z_stream, card: &mut CardDeflation) {
        let mut header = [0; HEADER_BYTES_MAX];
        let mut call = *strm;
        (call.avail_in, call.next_out, call.avail_out) = (0, header.as_mut_ptr(), header.len() as _);
        // SAFETY: the call has the state of the software, no input, and an output of its length.
        let result = self.software(&mut call, |call| unsafe { libz_rs_sys::deflate(call, Z_NO_FLUSH) });
        debug_assert_eq!(result, Z_OK, "nothing but a header is written");
        strm.adler = call.adler;
        card.begin(&header[..header.len() - call.avail_out as usize]);
    }
}

/// Returns whether a call is none that every stream refuses without a change.
fn is_call_valid(strm: &z_stream, flush: c_int) -> bool {
    (Z_NO_FLUSH..=Z_BLOCK).contains(&flush)
        && !strm.next_out.is_null()
        && strm.avail_out > 0
        && (strm.avail_in == 0 || !strm.next_in.is_null())
}
