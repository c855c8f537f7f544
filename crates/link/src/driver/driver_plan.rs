//! Streams of an I/O driver, and where they go.

use std::collections::BTreeMap;

use halftrack_config::ChannelFile;
use halftrack_config::channel_file::{DriveRun, DriveStream};

/// Streams of an I/O driver, and where they go.
#[derive(Debug, Clone, Copy)]
pub struct DriverPlan<'a> {
    /// Control-unit image.
    pub control_unit_image: u8,
    /// Paths of the group.
    pub paths: usize,
    /// Base of each alias.
    pub aliases: &'a BTreeMap<u8, u8>,
    /// Length of the run, and expected contents.
    pub run: DriveRun,
    /// Streams.
    pub streams: &'a [DriveStream],
}

impl<'a> From<&'a ChannelFile> for DriverPlan<'a> {
    fn from(file: &'a ChannelFile) -> Self {
        Self {
            control_unit_image: file.control_unit_image,
            paths: file.paths.len(),
            aliases: &file.aliases,
            run: file.run,
            streams: &file.streams,
        }
    }
}

/// Returns the bases that streams go to, ascending.
pub(super) fn bases(streams: &[DriveStream]) -> Vec<u8> {
    let mut units: Vec<_> =
        streams.iter().flat_map(|stream| &stream.stream.devices).map(|&unit| unit as u8).collect();
    units.sort_unstable();
    units.dedup();
    units
}
