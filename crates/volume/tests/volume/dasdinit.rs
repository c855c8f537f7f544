//! New volumes are those of `dasdinit` of Hercules, byte for byte. Without it a
//! test passes with a note, but for `HALFTRACK_HERCULES=required`.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use halftrack_program::{DeviceType, Geometry};
use halftrack_volume::{NewFormat, VolumeDevice, VolumeSerial, create};

/// Runs `dasdinit` in a directory; whether there is one.
fn dasdinit(directory: &Path, arguments: &str) -> bool {
    let run = Command::new("dasdinit").args(arguments.split(' ')).current_dir(directory).output();
    let Ok(output) = run else {
        let required = std::env::var("HALFTRACK_HERCULES").is_ok_and(|value| value == "required");
        assert!(!required, "Hercules is not installed");
        // Not `eprintln`, which the harness hides from whoever reads that the tests passed.
        std::io::stderr()
            .write_all(b"NOT CHECKED: new volumes beside dasdinit, which is not installed\n")
            .unwrap();
        return false;
    };
    assert!(output.status.success(), "{arguments}: {output:?}");
    true
}

#[test]
fn new_volumes_are_those_of_dasdinit() {
    let directory = tempfile::tempdir().unwrap();
    let devices = [
        (DeviceType::D3375, "3375"),
        (DeviceType::D3380, "3380"),
        (DeviceType::D3390, "3390"),
        (DeviceType::D9345, "9345"),
    ];
    for (device, name) in devices {
        if !dasdinit(directory.path(), &format!("{name} {name} VOL#A 3")) {
            return;
        }
        let ours = directory.path().join("ours");
        let geometry = Geometry::of_type(device, 3).unwrap();
        create(&ours, VolumeDevice::Ckd(geometry), NewFormat::Plain, VolumeSerial::new("vol#a")).unwrap();
        assert!(
            std::fs::read(&ours).unwrap() == std::fs::read(directory.path().join(name)).unwrap(),
            "{name}"
        );
        std::fs::remove_file(ours).unwrap();
    }
    dasdinit(directory.path(), "-r raw 3390 2");
    dasdinit(directory.path(), "fba 9336 VOLFBA 1000");
    dasdinit(directory.path(), "-r fbaraw 9336 64");
    let ours = |name| directory.path().join(name);
    let ckd = VolumeDevice::Ckd(Geometry::with_cylinders(2).unwrap());
    create(&ours("o1"), ckd, NewFormat::Plain, None).unwrap();
    create(&ours("o2"), VolumeDevice::Fba { blocks: 1000 }, NewFormat::Plain, VolumeSerial::new("VOLFBA"))
        .unwrap();
    create(&ours("o3"), VolumeDevice::Fba { blocks: 64 }, NewFormat::Plain, None).unwrap();
    for (own, theirs) in [("o1", "raw"), ("o2", "fba"), ("o3", "fbaraw")] {
        assert!(std::fs::read(ours(own)).unwrap() == std::fs::read(ours(theirs)).unwrap(), "{theirs}");
    }
}
