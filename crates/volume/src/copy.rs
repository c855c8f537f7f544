//! Copies of volumes, unit by unit, from any format to any.

use std::path::{Path, PathBuf};

use halftrack_program::TrackAddress;

use crate::blocks::Blocks;
use crate::create::{NewFormat, VolumeDevice, write_volume};
use crate::create_options::CreateOptions;
use crate::fba_layout::GROUP_BLOCKS;
use crate::layout::LayoutError;
use crate::medium::Medium;
use crate::open::Volume;
use crate::open_error::OpenError;
use crate::track_image::track_address;
use crate::tracks::{TrackFault, Tracks};

impl<M: Medium> Volume<M> {
    /// Returns the device.
    pub fn device(&self) -> VolumeDevice {
        match self {
            Self::Ckd(volume) => VolumeDevice::Ckd(*volume.geometry()),
            Self::Fba(volume) => VolumeDevice::Fba { blocks: volume.blocks() },
        }
    }

    /// Copies the volume to a new one at `path`; `from` is its name in messages. Returns the files made.
    ///
    /// # Errors
    /// A track of the volume cannot be read; a file is there already, or cannot be written; the format cannot
    /// hold the device.
    pub fn copy(&mut self, from: &Path, path: &Path, format: NewFormat) -> Result<Vec<PathBuf>, OpenError> {
        self.copy_with(from, path, format, &mut CreateOptions { replaces: false, watch: &mut |_, _| {} })
    }

    /// Copies as [`Volume::copy`], perhaps in the place of another volume, and with reports of progress.
    ///
    /// # Errors
    /// Errors of [`Volume::copy`]; a file that would be replaced is in use.
    pub fn copy_with(
        &mut self,
        from: &Path,
        path: &Path,
        format: NewFormat,
        making: &mut CreateOptions<'_>,
    ) -> Result<Vec<PathBuf>, OpenError> {
        write_volume(path, self.device(), format, making, |unit, into| {
            self.append_unit(unit, into).map_err(|error| OpenError::Layout { path: from.to_owned(), error })
        })
    }

    /// Appends the octets of a unit: a track from home address to end marker, or the blocks of a group.
    fn append_unit(&mut self, unit: u32, into: &mut Vec<u8>) -> Result<(), LayoutError> {
        match self {
            Self::Ckd(volume) => {
                let address = track_address(volume.geometry(), unit).unwrap_or_default();
                let fault = match volume.track(address) {
                    Ok(track) => {
                        into.extend_from_slice(track.image());
                        return Ok(());
                    }
                    Err(fault) => fault,
                };
                Err(why(&unit_name(address), fault, volume.take_failure()))
            }
            Self::Fba(volume) => {
                let first = unit * GROUP_BLOCKS;
                for block in first..volume.blocks().min(first + GROUP_BLOCKS) {
                    match volume.read(block) {
                        Ok(octets) => into.extend_from_slice(octets),
                        Err(fault) => {
                            return Err(why(&format!("block {block}"), fault, volume.take_failure()));
                        }
                    }
                }
                Ok(())
            }
        }
    }
}

/// Returns the name of a track in messages.
pub(crate) fn unit_name(address: TrackAddress) -> String {
    format!("cylinder {} head {}", address.cylinder(), address.head())
}

fn why(name: &str, fault: TrackFault, trouble: Option<LayoutError>) -> LayoutError {
    let reason = trouble.map_or_else(|| fault.to_string(), |trouble| trouble.to_string());
    let fix = "`halftrack volume check` offers a repair";
    LayoutError::Corrupt(format!("{name}: {reason}; {fix}"))
}
