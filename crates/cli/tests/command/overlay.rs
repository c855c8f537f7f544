//! `--catalog`: a new channel generation is one file.

use std::fs;

use crate::support::{Study, code, number, reports, repository, stderr, stdout};

/// Makes a study whose card is a generation that only the user's catalog has.
fn next_generation(bus_mb_per_s: u32) -> Study {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("plant.toml", |text| text.replace("type = \"fex32s\"", "type = \"fex64s\""));
    let built_in = fs::read_to_string(repository().join("catalog/channel/fex32s.toml")).expect("card");
    let faster = built_in
        .replace("Express32S", "Express64S")
        .replace("[bus_mb_per_s]\nvalue = 6100", &format!("[bus_mb_per_s]\nvalue = {bus_mb_per_s}"));
    assert!(faster.contains(&format!("value = {bus_mb_per_s}")));
    fs::create_dir_all(study.beside("catalog/channel")).expect("directory");
    fs::write(study.beside("catalog/channel/fex64s.toml"), faster).expect("card");
    study
}

fn ios_per_s(study: &Study) -> f64 {
    let catalog = study.beside("catalog");
    let object = reports(study, &["--catalog", catalog.to_str().expect("path")]);
    number(&object, "/summary/streams/0/rate_per_s/mean")
}

#[test]
fn a_new_channel_generation_is_one_file_and_its_numbers_count() {
    // A bus of 100 MB/s carries at most 24,414 blocks of 4096 bytes a second.
    let slow = ios_per_s(&next_generation(100));
    assert!((20_000.0..24_500.0).contains(&slow), "{slow}");
    assert!(ios_per_s(&next_generation(12_200)) > 2.0 * slow);
}

#[test]
fn without_the_overlay_the_generation_is_unknown() {
    let refused = next_generation(12_200).halftrack("run", &[]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("fex64s"), "{}", stderr(&refused));
}

#[test]
fn a_broken_catalog_file_is_bad_input() {
    let study = next_generation(12_200);
    let card = study.beside("catalog/channel/fex64s.toml");
    let text = fs::read_to_string(&card).expect("card");
    let broken = text.replacen("value = 2\n", "value = \"two\"\n", 1);
    let line = 1 + broken.lines().position(|line| line.contains("\"two\"")).expect("a number of the card");
    fs::write(&card, broken).expect("card");
    let catalog = study.beside("catalog");
    let refused = study.halftrack("bench", &["--catalog", catalog.to_str().expect("path")]);
    assert_eq!((code(&refused), stdout(&refused)), (2, ""));
    assert!(stderr(&refused).contains(&format!("fex64s.toml:{line}:")), "{}", stderr(&refused));
}
