//! Tests of whole images, on a file in memory.

mod damage;
mod hercules;
mod writing;

use std::io;

use super::*;
use crate::layout::{Layout, LayoutError};
use crate::medium::Medium;
use crate::redo::RedoRecord;

/// A device of 45 tracks.
const SMALL: CckdDevice = CckdDevice::Ckd { device_type: 0x90, cylinders: 3, heads: 15, track_bytes: 56_832 };
/// A device of three level-2 tables.
const THREE_TABLES: CckdDevice =
    CckdDevice::Ckd { device_type: 0x90, cylinders: 40, heads: 15, track_bytes: 56_832 };

/// A file in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Octets(Vec<u8>);

impl Medium for Octets {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let octets = usize::try_from(offset).ok().and_then(|begin| self.0.get(begin..)?.get(..into.len()));
        into.copy_from_slice(octets.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let end = offset as usize + bytes.len();
        if self.0.len() < end {
            self.0.resize(end, 0);
        }
        self.0[offset as usize..end].copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.0.resize(bytes as usize, 0);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns an empty image.
fn empty(device: CckdDevice, null_format: NullFormat, compression: Compression) -> Octets {
    let mut file = Octets::default();
    CckdWriter::new(&mut file, device, null_format, compression).unwrap().finish().unwrap();
    file
}

/// Returns a track of `unit` with record zero and records of `lengths`, whose octets follow from `seed`.
fn track(device: CckdDevice, unit: u32, lengths: &[u16], seed: u8) -> Vec<u8> {
    let mut octets = device.unit_header(unit).to_vec();
    let [_, c0, c1, h0, h1] = device.unit_header(unit);
    for (record, &data_bytes) in [8].iter().chain(lengths).enumerate() {
        let [d0, d1] = data_bytes.to_be_bytes();
        octets.extend_from_slice(&[c0, c1, h0, h1, record as u8, 0, d0, d1]);
        let at = |at: u16| {
            if record == 0 { 0 } else { (at / 16) as u8 ^ seed ^ (at as u8).wrapping_mul(at as u8) }
        };
        octets.extend((0..data_bytes).map(at));
    }
    octets.extend_from_slice(&[0xFF; 8]);
    octets
}

fn read(image: &CckdImage, file: &Octets, unit: u32) -> Result<Vec<u8>, LayoutError> {
    let mut into = vec![0xEE];
    image.read(std::slice::from_ref(file), unit, &mut into)?;
    Ok(into)
}

/// Writes a unit in a transaction of its own.
fn write(image: &mut CckdImage, file: &mut Octets, unit: u32, octets: &[u8]) {
    let mut redo = RedoRecord::new();
    image.write(std::slice::from_ref(file), unit, octets, &mut redo).unwrap();
    apply(file, &redo);
}

fn apply(file: &mut Octets, redo: &RedoRecord) {
    for piece in redo.pieces() {
        assert_eq!(piece.file, 0);
        file.write_at(piece.offset, piece.octets).unwrap();
    }
}

fn all_units(file: &Octets) -> Vec<Vec<u8>> {
    let image = CckdImage::open(file).unwrap();
    (0..Layout::<Octets>::units(&image)).map(|unit| read(&image, file, unit).unwrap()).collect()
}

fn null_units(device: CckdDevice, format: NullFormat) -> Vec<Vec<u8>> {
    let unit = |unit| {
        let mut octets = Vec::new();
        format.fill(device, unit, &mut octets);
        octets
    };
    (0..device.units().unwrap()).map(unit).collect()
}

/// Makes all writes so far permanent.
fn settle(image: &mut CckdImage) {
    Layout::<Octets>::settled(image);
}
