//! Synchronous I/O over zHyperLink: the links, who may use which, and the requests of streams.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_base::Span;

/// Synchronous I/O of a site.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SynchronousIo {
    /// The zHyperLinks, by CPC, PCHID and port.
    pub links: Vec<SynchronousLink>,
    /// Directions that each partition has switched on; empty where none has any.
    pub lpars: Vec<Directions>,
    /// Partitions whose systems are guests of z/VM: zHyperLink is for native ones.
    pub guests: BTreeSet<u32>,
    /// Directions that each control unit has switched on, by name of the control unit.
    pub control_units: Vec<Directions>,
    /// Indices of the links on which a partition has a function, by partition and control unit.
    pub reachable: BTreeMap<(u32, u32), Vec<u32>>,
}

impl SynchronousIo {
    /// Returns true where partition and control unit have the direction switched on.
    #[must_use]
    pub fn is_on(&self, lpar: u32, control_unit: u32, write: bool) -> bool {
        let on = |all: &[Directions], index: u32| all.get(index as usize).is_some_and(|one| one.has(write));
        on(&self.lpars, lpar) && on(&self.control_units, control_unit)
    }

    /// Returns the indices of the links from a partition to a control unit.
    #[must_use]
    pub fn links(&self, lpar: u32, control_unit: u32) -> &[u32] {
        self.reachable.get(&(lpar, control_unit)).map_or(&[], Vec::as_slice)
    }
}

/// Reads and writes, each switched on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Directions {
    /// Reads.
    pub read: bool,
    /// Writes.
    pub write: bool,
}

impl Directions {
    /// Both.
    pub const ALL: Self = Self { read: true, write: true };

    /// Returns true where writes are on, or reads.
    #[must_use]
    pub const fn has(self, write: bool) -> bool {
        if write { self.write } else { self.read }
    }
}

/// One zHyperLink.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SynchronousLink {
    /// Canonical name, such as `pchid 180.1 > BOXA`.
    pub name: String,
    /// Index of its control unit, by name; `None` for one without host-adapter ports.
    pub control_unit: Option<u32>,
    /// Time that a read holds it beside its transfer.
    pub hold_read: Span,
    /// Time that a write holds it beside its transfer.
    pub hold_write: Span,
    /// Data rate, bytes per second.
    pub bytes_per_s: u64,
    /// CP time of a request beyond the time that it holds the link.
    pub cpu: Span,
    /// CP time of a request that finds the link in use.
    pub busy_reject: Span,
    /// Time after which a request without an answer is given up.
    pub timeout: Span,
}

impl SynchronousLink {
    /// Returns the port of the adapter, such as `180.1`.
    #[must_use]
    pub fn place(&self) -> &str {
        let ends = self.name.strip_prefix("pchid ").unwrap_or(&self.name);
        ends.split_once(' ').map_or(ends, |(place, _)| place)
    }
}

/// Requests of a stream with synchronous I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SynchronousStream {
    /// Its reads.
    pub read: SynchronousRequest,
    /// Its writes.
    pub write: SynchronousRequest,
}

/// One kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SynchronousRequest {
    /// Data of one request, bytes.
    pub bytes: u32,
    /// It is one record, and no longer than a request may have.
    pub fits: bool,
    /// Address and length of its buffer are multiples of what the link needs.
    pub is_aligned: bool,
}

impl SynchronousStream {
    /// Returns its writes, or its reads.
    #[must_use]
    pub const fn request(&self, write: bool) -> &SynchronousRequest {
        if write { &self.write } else { &self.read }
    }
}
