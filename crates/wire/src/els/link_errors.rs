//! RLS and its LS_ACC: the link error status block of a port (FC-LS).

use crate::error::ParseError;
use halftrack_base::Octets;

/// Errors of a link that its port has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LinkErrors {
    /// Link failures.
    pub link_failures: u32,
    /// Losses of synchronisation.
    pub sync_losses: u32,
    /// Losses of signal.
    pub signal_losses: u32,
    /// Errors of primitive sequences.
    pub primitive_errors: u32,
    /// Invalid transmission words.
    pub invalid_words: u32,
    /// Frames with an invalid CRC.
    pub invalid_crcs: u32,
}

impl LinkErrors {
    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        Ok(Self {
            link_failures: octets.word()?,
            sync_losses: octets.word()?,
            signal_losses: octets.word()?,
            primitive_errors: octets.word()?,
            invalid_words: octets.word()?,
            invalid_crcs: octets.word()?,
        })
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        let words = [
            self.link_failures,
            self.sync_losses,
            self.signal_losses,
            self.primitive_errors,
            self.invalid_words,
            self.invalid_crcs,
        ];
        words.iter().for_each(|word| into.extend_from_slice(&word.to_be_bytes()));
    }
}
