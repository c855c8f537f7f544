//! Where the data of one command go to and come from, as the device sees it.

/// A run of data: its octets, or their number only, where they are not kept (the twin's uniform tracks).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Octets<'a> {
    /// The octets themselves.
    Bytes(&'a [u8]),
    /// This many octets, not kept.
    Count(u32),
}

impl<'a> Octets<'a> {
    /// No data.
    pub const NONE: Self = Self::Count(0);

    /// Returns the octets of the run.
    pub fn len(&self) -> u32 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u32,
            Self::Count(count) => *count,
        }
    }

    /// Returns whether there is no octet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps at most the first `limit` octets.
    pub fn first(self, limit: u32) -> Self {
        match self {
            Self::Bytes(bytes) => Self::Bytes(&bytes[..bytes.len().min(limit as usize)]),
            Self::Count(count) => Self::Count(count.min(limit)),
        }
    }

    /// Returns the octets after the first `passed`; none when there are no more.
    pub fn after(self, passed: u32) -> Self {
        match self {
            Self::Bytes(bytes) => Self::Bytes(bytes.get(passed as usize..).unwrap_or_default()),
            Self::Count(count) => Self::Count(count.saturating_sub(passed)),
        }
    }

    /// Returns the octets, when they are kept; none of a count.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Count(_) => None,
        }
    }
}

/// The channel's side of the data of one command. It is the areas that the CCW, its data chain, and its indirect words
/// describe, or the buffer of an exchange.
///
/// A device moves its data, piece by piece; the port stops it where the counts of the program end or a storage access
/// fails. The device only sees fewer octets; the reason stays with the channel.
pub trait DataPort {
    /// Gives data read. Returns how many of the octets were taken: all, or fewer when the program's counts
    /// are used up.
    fn give(&mut self, octets: Octets<'_>) -> u32;

    /// Takes data of the program: the next run of at least one and at most `limit` octets. There are none when its
    /// counts are used up.
    fn take(&mut self, limit: u32) -> Octets<'_>;

    /// Takes the padding and check word that a link has behind the data of a track of a transport-mode write when
    /// another track follows. False when the check word does not fit the data. Areas in storage have neither: the
    /// channel inserts them.
    fn take_check_word(&mut self) -> bool {
        true
    }

    /// Takes octets until `into` is full or there are no more; returns how many came. Octets that are not
    /// kept are zeros.
    fn take_into(&mut self, into: &mut [u8]) -> usize {
        let mut filled = 0;
        while filled < into.len() {
            let run = self.take((into.len() - filled) as u32);
            let length = run.len() as usize;
            if length == 0 {
                break;
            }
            match run {
                Octets::Bytes(bytes) => into[filled..filled + length].copy_from_slice(bytes),
                Octets::Count(_) => into[filled..filled + length].fill(0),
            }
            filled += length;
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends its octets in runs of three.
    struct Threes(Vec<u8>, usize);

    impl DataPort for Threes {
        fn give(&mut self, _: Octets<'_>) -> u32 {
            0
        }

        fn take(&mut self, limit: u32) -> Octets<'_> {
            let from = self.1;
            self.1 = self.0.len().min(from + 3.min(limit as usize));
            Octets::Bytes(&self.0[from..self.1])
        }
    }

    #[test]
    fn runs_fill_a_buffer_as_far_as_they_go() {
        let mut into = [9; 8];
        assert_eq!(Threes(vec![1, 2, 3, 4, 5], 0).take_into(&mut into), 5);
        assert_eq!(into, [1, 2, 3, 4, 5, 9, 9, 9]);
        let mut into = [9; 4];
        assert_eq!(Threes(vec![1, 2, 3, 4, 5], 0).take_into(&mut into), 4);
        assert_eq!(into, [1, 2, 3, 4]);
    }

    #[test]
    fn runs_are_cut_alike_with_octets_or_without() {
        assert_eq!(Octets::Bytes(&[1, 2, 3]).first(2), Octets::Bytes(&[1, 2]));
        assert_eq!(Octets::Count(3).first(2), Octets::Count(2));
        assert_eq!(Octets::Count(3).first(9), Octets::Count(3));
        assert_eq!(Octets::Bytes(&[1, 2, 3]).after(2), Octets::Bytes(&[3]));
        assert_eq!(Octets::Count(3).after(2), Octets::Count(1));
        assert!(Octets::Bytes(&[1, 2, 3]).after(4).is_empty() && Octets::Count(3).after(4).is_empty());
        assert!(Octets::NONE.is_empty() && Octets::Bytes(&[]).is_empty());
    }
}
