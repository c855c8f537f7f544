//! Whether a request can go in transport mode (zHPF): the rule that a driver applies.

use thiserror::Error;

use crate::shape::Operation;
use crate::tccb::CHECK_WORD_BYTES;

/// Unit of the limit on the bytes of one transport-mode operation.
pub const LIMIT_UNIT_BYTES: u32 = 65_536;
/// Limit in units of [`LIMIT_UNIT_BYTES`] of a path whose R bit is off.
const LIMIT_WITHOUT_R: u16 = 1;

/// What the description of one channel path says.
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

/// What the device says of itself.
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

/// What the request is.
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

/// Everything the rule looks at.
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
