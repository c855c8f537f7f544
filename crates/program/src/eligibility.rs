//! Whether a request can go in transport mode (zHPF): the rule that a driver applies.

use thiserror::Error;

use crate::shape::Operation;
use crate::tccb::CHECK_WORD_BYTES;

/// Unit of the limit on the bytes of one transport-mode operation.
pub const LIMIT_UNIT_BYTES: u32 = 65_536;
/// Limit in units of [`LIMIT_UNIT_BYTES`] of a path whose R bit is off.
const LIMIT_WITHOUT_R: u16 = 1;

/// Facts about one channel path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PathFacts {
    /// F: the path can carry transport mode.
    pub transport_mode: bool,
    /// R: `limit_64k` is valid; otherwise the limit is one unit.
    pub limit_valid: bool,
    /// Most data of one operation, in units of 65,536 bytes ("MDC").
    pub limit_64k: u16,
}

impl PathFacts {
    const fn effective_limit_64k(&self) -> u16 {
        if self.limit_valid { self.limit_64k } else { LIMIT_WITHOUT_R }
    }
}

/// Facts about the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeviceFacts {
    /// General node-element qualifier, byte 17, bit 0x04: transport mode.
    pub transport_mode_qualifier: bool,
    /// Subsystem feature byte 40, bit 0x80: transport mode.
    pub transport_mode_feature: bool,
    /// Subsystem feature byte 40, bit 0x20: transfers over several tracks.
    pub multitrack: bool,
}

impl DeviceFacts {
    /// A device with every transport-mode feature.
    pub const FULL: Self =
        Self { transport_mode_qualifier: true, transport_mode_feature: true, multitrack: true };

    /// Reads the facts from byte 17 of the general node-element qualifier and from the subsystem's feature
    /// bytes; features beyond the bytes given are off.
    pub fn from_bytes(qualifier_17: u8, features: &[u8]) -> Self {
        let feature_40 = features.get(40).copied().unwrap_or(0);
        Self {
            transport_mode_qualifier: qualifier_17 & 0x04 != 0,
            transport_mode_feature: feature_40 & 0x80 != 0,
            multitrack: feature_40 & 0x20 != 0,
        }
    }
}

/// Facts about the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestFacts {
    /// Read or update write.
    pub operation: Operation,
    /// Bytes of user data.
    pub bytes: u32,
    /// Tracks touched.
    pub tracks: u16,
    /// The records have one length and no keys.
    pub uniform_without_keys: bool,
}

/// Facts that the rule uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EligibilityFacts<'a> {
    /// System switch: ZHPF=YES.
    pub zhpf: bool,
    /// The channel subsystem reports the facility (FCX).
    pub channel_subsystem: bool,
    /// Every usable path to the device.
    pub paths: &'a [PathFacts],
    /// The device.
    pub device: DeviceFacts,
    /// The request.
    pub request: RequestFacts,
}

/// Why a request goes in command mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Ineligible {
    /// ZHPF=NO.
    #[error("the system runs with ZHPF=NO")]
    SwitchedOff,
    /// The channel subsystem has not the facility.
    #[error("the channel subsystem does not offer transport mode")]
    ChannelSubsystem,
    /// There is no usable path.
    #[error("the device has no usable path")]
    NoPath,
    /// A usable path does not carry transport mode.
    #[error("path {path} does not carry transport mode")]
    Path {
        /// Its place among the usable paths, from 0.
        path: usize,
    },
    /// The device has not the facility.
    #[error("the device does not offer transport mode")]
    Device,
    /// Records of several lengths, or with keys.
    #[error("the records are not uniform, or have keys")]
    NotUniform,
    /// Several tracks, and the device does one.
    #[error("the request touches {tracks} tracks and the device transfers one")]
    Multitrack {
        /// Tracks touched.
        tracks: u16,
    },
    /// More bytes than the paths allow.
    #[error("the request moves {bytes} bytes and the paths allow {limit_bytes}")]
    TooLong {
        /// Bytes of the request, check words included.
        bytes: u64,
        /// Bytes allowed.
        limit_bytes: u64,
    },
}

/// Applies the rule.
///
/// # Errors
/// The first reason, in the order of [`Ineligible`], why the request cannot go in transport mode.
pub fn eligibility(facts: &EligibilityFacts<'_>) -> Result<(), Ineligible> {
    if !facts.zhpf {
        return Err(Ineligible::SwitchedOff);
    }
    if !facts.channel_subsystem {
        return Err(Ineligible::ChannelSubsystem);
    }
    if let Some(path) = facts.paths.iter().position(|path| !path.transport_mode) {
        return Err(Ineligible::Path { path });
    }
    let limit_64k = facts.paths.iter().map(PathFacts::effective_limit_64k).min().ok_or(Ineligible::NoPath)?;
    if !facts.device.transport_mode_qualifier || !facts.device.transport_mode_feature {
        return Err(Ineligible::Device);
    }
    let request = &facts.request;
    if !request.uniform_without_keys {
        return Err(Ineligible::NotUniform);
    }
    if request.tracks > 1 && !facts.device.multitrack {
        return Err(Ineligible::Multitrack { tracks: request.tracks });
    }
    let bytes = bytes_with_check_words(request);
    let limit_bytes = u64::from(limit_64k) * u64::from(LIMIT_UNIT_BYTES);
    if bytes > limit_bytes {
        return Err(Ineligible::TooLong { bytes, limit_bytes });
    }
    Ok(())
}

fn bytes_with_check_words(request: &RequestFacts) -> u64 {
    let crossings = match request.operation {
        Operation::Read => 0,
        Operation::UpdateWrite => u64::from(request.tracks.saturating_sub(1)),
    };
    u64::from(request.bytes) + crossings * u64::from(CHECK_WORD_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: PathFacts = PathFacts { transport_mode: true, limit_valid: true, limit_64k: 3 };
    const FOUR_K: RequestFacts =
        RequestFacts { operation: Operation::Read, bytes: 4096, tracks: 1, uniform_without_keys: true };

    fn judge<'a>(change: impl FnOnce(&mut EligibilityFacts<'a>)) -> Result<(), Ineligible> {
        let mut facts = EligibilityFacts {
            zhpf: true,
            channel_subsystem: true,
            paths: &[PATH; 4],
            device: DeviceFacts::FULL,
            request: FOUR_K,
        };
        change(&mut facts);
        eligibility(&facts)
    }

    #[test]
    fn a_4k_read_of_a_full_device_goes_in_transport_mode() {
        assert_eq!(judge(|_| ()), Ok(()));
    }

    #[test]
    fn every_condition_is_needed() {
        assert_eq!(judge(|facts| facts.zhpf = false), Err(Ineligible::SwitchedOff));
        assert_eq!(judge(|facts| facts.channel_subsystem = false), Err(Ineligible::ChannelSubsystem));
        assert_eq!(judge(|facts| facts.paths = &[]), Err(Ineligible::NoPath));
        let one_without = [PATH, PATH, PathFacts { transport_mode: false, ..PATH }];
        assert_eq!(judge(|facts| facts.paths = &one_without), Err(Ineligible::Path { path: 2 }));
        let refused = Err(Ineligible::Device);
        assert_eq!(judge(|facts| facts.device.transport_mode_qualifier = false), refused);
        assert_eq!(judge(|facts| facts.device.transport_mode_feature = false), refused);
        assert_eq!(judge(|facts| facts.request.uniform_without_keys = false), Err(Ineligible::NotUniform));
    }

    #[test]
    fn several_tracks_need_the_feature() {
        let one_track = DeviceFacts { multitrack: false, ..DeviceFacts::FULL };
        assert_eq!(judge(|facts| facts.device = one_track), Ok(()));
        let two = judge(|facts| (facts.device, facts.request.tracks) = (one_track, 2));
        assert_eq!(two, Err(Ineligible::Multitrack { tracks: 2 }));
    }

    #[test]
    fn the_shortest_limit_of_the_paths_counts() {
        let half_tracks = RequestFacts { bytes: 167_988, tracks: 3, ..FOUR_K };
        assert_eq!(judge(|facts| facts.request = half_tracks), Ok(()));
        let short = [PATH, PathFacts { limit_64k: 2, ..PATH }];
        assert_eq!(
            judge(|facts| (facts.request, facts.paths) = (half_tracks, &short)),
            Err(Ineligible::TooLong { bytes: 167_988, limit_bytes: 131_072 })
        );
        let unknown = [PathFacts { limit_valid: false, ..PATH }];
        assert_eq!(
            judge(|facts| (facts.request, facts.paths) = (half_tracks, &unknown)),
            Err(Ineligible::TooLong { bytes: 167_988, limit_bytes: 65_536 })
        );
    }

    #[test]
    fn check_words_of_writes_count() {
        let exact = RequestFacts { bytes: 3 * 65_536, tracks: 4, ..FOUR_K };
        assert_eq!(judge(|facts| facts.request = exact), Ok(()));
        let write = RequestFacts { operation: Operation::UpdateWrite, ..exact };
        assert_eq!(
            judge(|facts| facts.request = write),
            Err(Ineligible::TooLong { bytes: 3 * 65_536 + 12, limit_bytes: 3 * 65_536 })
        );
    }

    #[test]
    fn facts_come_from_the_bytes_of_the_device() {
        let mut features = [0; 41];
        features[40] = 0xA0;
        assert_eq!(DeviceFacts::from_bytes(0x04, &features), DeviceFacts::FULL);
        features[40] = 0x80;
        assert!(!DeviceFacts::from_bytes(0x04, &features).multitrack);
        assert!(!DeviceFacts::from_bytes(0x04, &features[..40]).transport_mode_feature);
        assert!(!DeviceFacts::from_bytes(0xFB, &features).transport_mode_qualifier);
    }
}
