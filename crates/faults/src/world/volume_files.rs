//! The files of a world's volume: the image and its journal.

use std::io;
use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs};

use halftrack_program::Geometry;
use halftrack_volume::{MemoryMedium, NewFormat, VolumeDevice, create, file_names, replay_unchecked};
use halftrack_workload::{Pattern, RecordId, UNWRITTEN};
use tempfile::TempDir;

use super::disk::Files;
use crate::machine::{CONTENTS_SEED, FcpHost};

/// File of the volume.
const VOLUME_FILE: &str = "a.ckd";

/// The files of a volume.
pub struct VolumeFiles {
    directory: TempDir,
    /// The journal that the first end of the process left.
    old_journal: Option<Vec<u8>>,
}

impl VolumeFiles {
    /// Returns the files of a new volume of one cylinder in a directory, and of the logical units of a host over FCP. The records
    /// of those are in place, as nobody has written them yet.
    ///
    /// # Errors
    /// Why one cannot be made.
    pub fn create(directory: TempDir, fcp: Option<&FcpHost>) -> Result<Self, String> {
        let geometry = Geometry::with_cylinders(1).ok_or("a volume of one cylinder")?;
        let files = Self { directory, old_journal: None };
        create(&files.volume(), VolumeDevice::Ckd(geometry), NewFormat::Plain, None)
            .map_err(|error| format!("the volume cannot be made: {error}"))?;
        files.fill_holes().map_err(|error| format!("the volume cannot be written: {error}"))?;
        for (host, lun) in fcp.iter().flat_map(|host| host.luns().map(move |lun| (host, lun))) {
            let written = fs::write(files.image(lun), unwritten(host, lun));
            written.map_err(|error| format!("the unit {lun} cannot be written: {error}"))?;
        }
        Ok(files)
    }

    /// Returns the path of the image of a logical unit.
    pub fn image(&self, lun: u32) -> PathBuf {
        self.directory.path().join(FcpHost::image(lun))
    }

    /// Fills the holes of the image: a file in memory is mapped only without any, and a map is read faster.
    fn fill_holes(&self) -> io::Result<()> {
        fs::write(self.volume(), fs::read(self.volume())?)
    }

    /// Returns where they are.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the path of the image.
    pub fn volume(&self) -> PathBuf {
        self.directory.path().join(VOLUME_FILE)
    }

    /// Returns the files as they are.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn read(&self) -> io::Result<Files> {
        let entries = fs::read_dir(self.directory.path())?;
        let file = |entry: fs::DirEntry| fs::read(entry.path()).map(|octets| (entry.path(), octets));
        entries.map(|entry| entry.and_then(file)).collect::<io::Result<BTreeMap<_, _>>>()
    }

    /// Writes files.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn write(&self, files: &Files) -> io::Result<()> {
        files.iter().try_for_each(|(path, octets)| fs::write(path, octets))
    }

    /// Keeps the journal of a process that has ended, unless there is one.
    pub fn keep_journal(&mut self) {
        if self.old_journal.is_none() {
            self.old_journal = fs::read(file_names::journal(&self.volume())).ok();
        }
    }

    /// Replays the journal that was kept into the image, whatever is there by now: a bug put back.
    ///
    /// # Errors
    /// Files that cannot be read or written; a journal that cannot be replayed.
    pub fn replay_old_journal(&self) -> io::Result<()> {
        let Some(journal) = &self.old_journal else { return Ok(()) };
        let mut image = [MemoryMedium::new(fs::read(self.volume())?)];
        replay_unchecked(&mut image, &MemoryMedium::new(journal.clone())).map_err(io::Error::other)?;
        fs::write(self.volume(), image[0].bytes())
    }
}

/// Returns the octets of a new logical unit.
fn unwritten(host: &FcpHost, lun: u32) -> Vec<u8> {
    let pattern = Pattern::new(CONTENTS_SEED);
    let mut octets = Vec::new();
    for track in 0..host.records() {
        let id = RecordId { volume: lun.into(), track, record: 1 };
        pattern.append(id, UNWRITTEN, host.record_bytes(), &mut octets);
    }
    octets
}
