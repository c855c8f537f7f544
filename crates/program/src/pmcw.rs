//! Path-management-control word: what of it decides how a subchannel behaves.

/// Path-management-control word, as far as starting programs depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pmcw {
    /// E: the subchannel may be used.
    pub is_enabled: bool,
    /// S: sense comes with the status of a unit check, in the extended-control word.
    pub has_concurrent_sense: bool,
    /// LPM: the paths that the program lets be used.
    pub logical_paths: u8,
    /// PIM: the paths that are there.
    pub installed_paths: u8,
    /// PAM: the paths that are available.
    pub available_paths: u8,
}

impl Pmcw {
    /// Enabled, with concurrent sense, and one path.
    pub const ONE_PATH: Self = Self {
        is_enabled: true,
        has_concurrent_sense: true,
        logical_paths: 0x80,
        installed_paths: 0x80,
        available_paths: 0x80,
    };

    /// Returns the paths that a start may use, if its ORB lets it.
    pub const fn usable_paths(&self) -> u8 {
        self.logical_paths & self.installed_paths & self.available_paths
    }
}

/// Which of a device and its paths have transport mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TransportSupport {
    /// The device has it.
    pub has_device: bool,
    /// The paths that have it.
    pub paths: u8,
}

impl Default for TransportSupport {
    /// Returns everything has it.
    fn default() -> Self {
        Self { has_device: true, paths: 0xFF }
    }
}
