//! Volumes that halftrack makes, and fills with channel programs, are read back by Hercules' utilities.

use crate::hercules::cards::{cards, ebcdic};
use crate::hercules::filled::fill;
use crate::hercules::layout;
use crate::hercules::tools::Hercules;

/// Makes a volume of ten cylinders with `halftrack volume create` and fills it.
pub fn written(hercules: &Hercules, options: &[&str], image: &str) {
    let made = ["create", image, "--type", "3390", "--cylinders", "10", "--volser", "HTK001"];
    hercules.volume(&[&made, options].concat());
    fill(&hercules.path(image), 10, 1);
}

/// Returns the contents that [`written`] writes into HTK.SHORT.
fn short() -> Vec<u8> {
    let mut octets = cards(layout::short_lines());
    octets[..5].copy_from_slice(&ebcdic("FIRST", 5));
    octets
}

const FORMS: [&[&str]; 3] = [&[], &["--compress", "zlib"], &["--compress", "bzip2"]];

#[test]
fn data_sets_are_listed_and_read_by_the_utilities() {
    let Some(hercules) = Hercules::find() else { return };
    for (number, options) in FORMS.into_iter().enumerate() {
        let image = &format!("htk{number}");
        written(&hercules, options, image);
        let said = String::from_utf8(hercules.run("dasdls", &[image])).expect("text");
        let names: Vec<_> = said.lines().filter(|line| line.starts_with("HTK.")).map(str::trim).collect();
        assert_eq!(names, ["HTK.SCATTER", "HTK.SHORT", "HTK.SOURCE"], "{options:?}: {said}");
        hercules.run("dasdseq", &[image, "htk.scatter"]);
        assert!(hercules.read("htk.scatter") == cards(layout::scattered_lines()), "{options:?}");
        hercules.run("dasdseq", &[image, "htk.short"]);
        assert!(hercules.read("htk.short") == short(), "{options:?}");
    }
}

#[test]
fn members_are_listed_and_unloaded_by_the_utilities() {
    let Some(hercules) = Hercules::find() else { return };
    for (number, options) in FORMS.into_iter().enumerate() {
        let image = &format!("htk{number}");
        written(&hercules, options, image);
        assert_eq!(hercules.members_text(image, "htk.source/?"), "empty\nlarge\nsmall\n");
        hercules.run("dasdpdsu", &[image, "HTK.SOURCE"]);
        for (name, lines) in layout::members() {
            let unloaded = hercules.read(&format!("{}.mac", name.to_lowercase()));
            assert!(unloaded == cards(lines.clone()), "{options:?}: {name} differs");
            let ours = hercules.volume(&["read", image, &format!("HTK.SOURCE({name})")]);
            assert!(ours == unloaded, "{options:?}: halftrack reads {name} otherwise");
        }
        let small = hercules.members_text(image, "htk.source/small:c");
        assert_eq!(small, "SMALL 0\nSMALL 1\nSMALL 2\n");
    }
}

#[test]
fn volumes_of_several_files_are_read_over_their_border() {
    let Some(hercules) = Hercules::find_for_large() else { return };
    hercules.volume(&["create", "large.ckd", "--type", "3390-3", "--volser", "HTK001"]);
    let length = |name: &str| std::fs::metadata(hercules.path(name)).expect(name).len();
    // As `dasdinit` makes them; not made here for comparison, since it writes 2.8 GB for that.
    assert_eq!(hercules.names(), ["large_1.ckd", "large_2.ckd"]);
    assert_eq!([length("large_1.ckd"), length("large_2.ckd")], [2_147_397_632, 699_034_112]);
    // The second file begins with cylinder 2519, and the partitioned data set there.
    fill(&hercules.path("large_1.ckd"), 3339, 2518);
    let small = hercules.members_text("large_1.ckd", "htk.source/small:c");
    assert_eq!(small, "SMALL 0\nSMALL 1\nSMALL 2\n");
    hercules.run("dasdseq", &["large_1.ckd", "htk.scatter"]);
    assert!(hercules.read("htk.scatter") == cards(layout::scattered_lines()));
}
