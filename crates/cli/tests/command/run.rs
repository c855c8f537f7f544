//! `halftrack run` on studies of the repository.

use crate::support::{Study, code, number, reports, stderr, stdout};

const CHANNEL_PATH_ACTIVITY: &str = "C H A N N E L   P A T H   A C T I V I T Y";
const IO_QUEUING_ACTIVITY: &str = "I/O   Q U E U I N G   A C T I V I T Y";
const DIRECT_ACCESS_DEVICE_ACTIVITY: &str = "D I R E C T   A C C E S S   D E V I C E   A C T I V I T Y";

#[test]
fn a_study_gives_the_three_reports_and_a_summary() {
    let output = Study::short("fex32s-zhpf-4k").halftrack("run", &[]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let text = stdout(&output);
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} is missing in:\n{text}"));
    let places = [
        place(CHANNEL_PATH_ACTIVITY),
        place(IO_QUEUING_ACTIVITY),
        place(DIRECT_ACCESS_DEVICE_ACTIVITY),
        place("READ4K"),
        place("laws: "),
    ];
    assert!(places.is_sorted(), "{places:?}");
    assert!(text.contains("\n 40 FC_S "), "the channel has its row:\n{text}");
    assert!(!text.contains("VIOLATED"));
}

#[test]
fn only_the_last_interval_is_printed() {
    let output = Study::short("fex32s-zhpf-4k").halftrack("run", &[]);
    assert_eq!(stdout(&output).matches(CHANNEL_PATH_ACTIVITY).count(), 1);
}

#[test]
fn json_has_every_system_and_agrees_with_itself() {
    let object = reports(&Study::short("z16-oltp"), &[]);
    let systems = object["systems"].as_object().expect("an object of systems");
    assert_eq!(systems.keys().collect::<Vec<_>>(), ["PROD1", "PROD2"]);
    for (name, system) in systems {
        for report in ["channel_path_activity", "io_queuing_activity", "direct_access_device_activity"] {
            assert!(system[report].is_object(), "{name} {report}");
        }
    }
    let streams = object["summary"]["streams"].as_array().expect("an array of streams");
    assert_eq!(streams.len(), 4);
    assert!(streams.iter().all(|stream| stream["completed"].as_u64() > Some(0)), "{streams:?}");
}

#[test]
fn a_system_can_be_chosen_and_must_have_work() {
    let study = Study::short("z16-oltp");
    let chosen = study.halftrack("run", &["--system", "PROD2"]);
    assert_eq!(code(&chosen), 0);
    assert_ne!(stdout(&chosen), stdout(&study.halftrack("run", &[])));
    let unknown = study.halftrack("run", &["--system", "TEST9"]);
    assert_eq!((code(&unknown), stdout(&unknown)), (2, ""));
    let said = stderr(&unknown);
    assert!(said.contains("TEST9") && said.contains("PROD1, PROD2"), "{said}");
}

#[test]
fn the_seed_of_the_command_line_wins() {
    let study = Study::short("z16-oltp");
    let with = |seed: &str| stdout(&study.halftrack("run", &["--seed", seed])).to_owned();
    assert_eq!(with("1"), stdout(&study.halftrack("run", &[])));
    assert!(with("2").contains("seed 2"));
    assert_ne!(with("1").replace("seed 1", "seed 2"), with("2"));
}

#[test]
fn frame_fidelity_is_said_and_agrees_with_burst() {
    let study = Study::short("fex32s-zhpf-4k");
    let completed =
        |fidelity: &str| number(&reports(&study, &["--fidelity", fidelity]), "/summary/streams/0/completed");
    let (burst, frame) = (completed("burst"), completed("frame"));
    assert!((burst / frame - 1.0).abs() < 0.02, "{burst} I/Os in bursts, {frame} by frames");
}
