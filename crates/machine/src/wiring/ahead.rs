//! Machines so large that their events fetch ahead what they will touch.

use halftrack_config::Configuration;
use halftrack_engine::Prefetch;

use super::Wiring;
use super::path_wire::PathWire;

/// State that stays near a processor whatever is touched, bytes: half of a small second cache.
const NEAR_BYTES: usize = 256 << 10;
/// State that events touch of a channel or port, with its links, and of a device, bytes.
const STATION_BYTES: usize = 1024;
const DEVICE_BYTES: usize = 192;

/// Returns true when the machine of `configuration` has more state than stays near a processor.
pub(super) fn is_worth(configuration: &Configuration) -> bool {
    let groups = configuration.lcus.iter().flat_map(|lcu| &lcu.path_groups);
    let paths: usize = groups.map(|group| group.paths.len()).sum();
    let stations = configuration.channels.len() + configuration.ports.len();
    let bytes =
        paths * size_of::<PathWire>() + stations * STATION_BYTES + configuration.devices.len() * DEVICE_BYTES;
    bytes > NEAR_BYTES
}

impl Wiring {
    /// Asks for `path`, where there is one.
    #[inline(always)]
    pub(crate) fn fetch_path(&self, path: u32) {
        if let Some(path) = self.paths.get(path as usize) {
            Prefetch::whole(path);
        }
    }
}
