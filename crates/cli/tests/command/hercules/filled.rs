//! A volume filled with data sets by channel programs.

use std::path::Path;

use halftrack_control_unit::EckdDevice;
use halftrack_volume::{Mode, Volume};

use crate::hercules::cards::{cards, ebcdic};
use crate::hercules::channel_program::{format_track, update};
use crate::hercules::layout;

/// Fills a volume with channel programs; data sets begin at `first_cylinder`.
pub fn fill(image: &Path, cylinders: u16, first_cylinder: u32) {
    let volume = Volume::open(image, Mode::Sync).expect("the volume opens");
    let Volume::Ckd(tracks) = volume else { panic!("a CKD volume was made") };
    let mut device = EckdDevice::new(tracks);
    update(&mut device, layout::track(0, 0), 3, &layout::label("HTK001"));
    for (at, records) in layout::tracks(cylinders, first_cylinder) {
        format_track(&mut device, at, &records);
    }
    // A block is written over, as a program that updates in place does.
    let mut block = cards(layout::short_lines().into_iter().take(40));
    block[..5].copy_from_slice(&ebcdic("FIRST", 5));
    update(&mut device, layout::short(first_cylinder), 1, &block);
    device.into_tracks().close().expect("the files can be written");
}
