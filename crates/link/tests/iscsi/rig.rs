//! A target of thin units in files, behind a gateway.

use std::path::{Path, PathBuf};

use halftrack_scsi::{Identity, LogicalUnit, Lun, Masking, Target, TargetPort};
use tempfile::TempDir;

use crate::gateway::Gateway;
use crate::thin_file::ThinFile;

/// Bytes of the blocks of each unit, by its number.
const BLOCK_BYTES: [u32; 3] = [512, 4096, 512];
/// Number of the unit with blocks of 512 bytes, eight of which are a physical one.
pub const SHORT_UNIT: u32 = 0;
/// Number of the unit with blocks of 4096 bytes.
pub const LONG_UNIT: u32 = 1;
/// Number of the unit that refuses writes.
pub const READ_ONLY_UNIT: u32 = 2;
/// Bytes of a unit.
const UNIT_BYTES: u64 = 64 << 20;
/// Tasks of a unit.
const DEPTH: usize = 128;
/// Ports of the target.
const PORTS: u16 = 2;

/// A target with its files.
pub struct Rig {
    directory: TempDir,
    files: Vec<PathBuf>,
    pub gateway: Gateway<ThinFile>,
}

impl Rig {
    /// Creates the files of the units, and starts a gateway.
    pub fn start() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let create = |number: usize| {
            ThinFile::create(&directory.path().join(format!("unit{number}")), UNIT_BYTES).expect("a file")
        };
        let files: Vec<_> = (0..BLOCK_BYTES.len()).map(create).collect();
        let gateway = Gateway::start(target(&files), PORTS);
        Self { directory, files, gateway }
    }

    /// Takes the power away, and starts another gateway over the same files.
    pub fn restart(self) -> Self {
        let Self { directory, files, gateway } = self;
        drop(gateway.stop());
        let gateway = Gateway::start(target(&files), PORTS);
        Self { directory, files, gateway }
    }

    /// Returns the directory of the files.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }
}

fn target(files: &[PathBuf]) -> Target<ThinFile> {
    let mut masking = Masking::default();
    let mut units = Vec::new();
    for (number, (path, block_bytes)) in (0..).zip(files.iter().zip(BLOCK_BYTES)) {
        let blocks = ThinFile::open(path, block_bytes).expect("the file of a unit");
        let blocks = if number == READ_ONLY_UNIT { blocks.read_only() } else { blocks };
        units.push(LogicalUnit::new(blocks, identity(number), DEPTH));
        masking.show_to_everybody(Lun::of_number(number).expect("a small number"), units.len() - 1);
    }
    let port = |relative_id| TargetPort {
        relative_id,
        name: 0x5005_0763_0000_0000 + u64::from(relative_id),
        group: relative_id,
    };
    Target::new((1..=PORTS).map(port).collect(), units, masking)
}

fn identity(number: u32) -> Identity {
    let mut identifier = [0x60; 16];
    identifier[12..].copy_from_slice(&number.to_be_bytes());
    Identity {
        vendor: *b"HALFTRCK",
        product: *b"FIXED BLOCK     ",
        revision: *b"0001",
        serial: format!("GATE{number:04}"),
        identifier,
    }
}
