//! Answer of the control unit.

use super::MESSAGE_WORDS;

/// Reason of a control unit not to do what a request wants now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RemoteReject {
    /// The track is not in memory.
    CacheMiss,
    /// No such record, or of another length, or with a key.
    RecordNotFound,
    /// Contents of the record are not stored yet.
    TrackBusy,
    /// A chain that runs may touch the track.
    ExtentConflict,
    /// Written data would not be stored immediately.
    NotStored,
    /// Another host has the device reserved.
    Reserved,
    /// The host has no path group at the device.
    NoPathGroup,
    /// Reads, or writes, are switched off.
    NotEnabled,
    /// The volume is fenced, or its files failed.
    Fenced,
    /// The volume is not written.
    WriteInhibited,
    /// There is no device with count, key and data at the address.
    NotCapable,
    /// The control unit is not ready, or ends.
    NotReady,
    /// The request is against the rules.
    Malformed,
    /// The written data do not fit their check word.
    DamagedData,
}

impl RemoteReject {
    /// All reasons, in the order of their numbers.
    pub const ALL: [Self; 14] = [
        Self::CacheMiss,
        Self::RecordNotFound,
        Self::TrackBusy,
        Self::ExtentConflict,
        Self::NotStored,
        Self::Reserved,
        Self::NoPathGroup,
        Self::NotEnabled,
        Self::Fenced,
        Self::WriteInhibited,
        Self::NotCapable,
        Self::NotReady,
        Self::Malformed,
        Self::DamagedData,
    ];
}

/// Answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SynchronousAnswer {
    /// Success, or why nothing was read or written.
    pub result: Result<(), RemoteReject>,
    /// Data that were read or written, octets.
    pub data_bytes: u32,
    /// Check word of data that were read.
    pub check: u32,
}

impl SynchronousAnswer {
    /// Returns the answer that nothing was done.
    #[must_use]
    pub const fn reject(reason: RemoteReject) -> Self {
        Self { result: Err(reason), data_bytes: 0, check: 0 }
    }

    /// Returns the words of the answer.
    #[must_use]
    pub fn to_words(&self) -> [u64; MESSAGE_WORDS] {
        let number = |reason| RemoteReject::ALL.iter().position(|one| *one == reason).unwrap_or_default() + 1;
        let code = self.result.err().map_or(0, number) as u64;
        [code, u64::from(self.data_bytes), u64::from(self.check), 0, 0]
    }

    /// Returns the answer of words that somebody else has written; nothing of others.
    #[must_use]
    pub fn from_words(words: &[u64; MESSAGE_WORDS]) -> Option<Self> {
        let [code, data_bytes, check, ..] = *words;
        let result = match usize::try_from(code).ok()?.checked_sub(1) {
            None => Ok(()),
            Some(number) => Err(*RemoteReject::ALL.get(number)?),
        };
        let (data_bytes, check) = (u32::try_from(data_bytes).ok()?, u32::try_from(check).ok()?);
        Some(Self { result, data_bytes, check })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_what_it_was() {
        let results = RemoteReject::ALL.into_iter().map(Err).chain([Ok(())]);
        for result in results {
            let answer = SynchronousAnswer { result, data_bytes: 4096, check: u32::MAX };
            assert_eq!(SynchronousAnswer::from_words(&answer.to_words()), Some(answer));
        }
        assert_eq!(SynchronousAnswer::from_words(&[15, 0, 0, 0, 0]), None);
        assert_eq!(SynchronousAnswer::from_words(&[u64::MAX; MESSAGE_WORDS]), None);
    }
}
