//! Structures of the header.

use std::ffi::c_void;

/// Token of a process that uses cards (`fpz4_rendezvous_token`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(C)]
pub struct RendezvousName {
    /// Octets.
    pub octets: [u8; 16],
}

/// Token of a region (`fpz4_region_token`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct RegionName {
    /// Octets.
    pub octets: [u8; 8],
}

/// Run of octets in a region (`fpz4_segment`).
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Run {
    /// Region.
    pub region: RegionName,
    /// Address of its first octet.
    pub address: *mut c_void,
    /// Length.
    pub bytes: u32,
}

/// Result of a request (`fpz4_result`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct RunResult {
    /// Octets of input.
    pub consumed_bytes: u32,
    /// Octets of output.
    pub produced_bytes: u32,
    /// CRC-32 of the data that are not compressed.
    pub crc32: u32,
    /// Adler-32 of them.
    pub adler32: u32,
    /// Time to the begin of the work.
    pub queue_us: u64,
    /// Time in the engine.
    pub execution_us: u64,
}
