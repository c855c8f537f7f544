//! Programs run on the tracks of the twin, whose data are known by their length only.

use halftrack_control_unit::EckdDevice;
use halftrack_exec::{
    Report, RunOptions, TraceKind, assemble, ipl, ipl_listing, ipl_program, run, run_listing,
};
use halftrack_input::SourceFile;
use halftrack_program::{Geometry, Model};
use halftrack_volume::UniformTracks;

fn device() -> EckdDevice<UniformTracks> {
    EckdDevice::new(UniformTracks::new(Geometry::of(Model::Model3), 4096))
}

fn report(text: &str) -> Report {
    let source = SourceFile::new("test.ccw", text);
    let program = assemble(&source, &|_| Err("no files".to_owned()));
    let program = program.unwrap_or_else(|found| panic!("{found:#?}"));
    run(&program, &mut device(), RunOptions { trace: true, ..RunOptions::default() })
}

/// Returns the failed expectations of a text's run.
fn failed(text: &str) -> Vec<String> {
    let report = report(text);
    let failed = report.steps.iter().flat_map(|step| &step.failed);
    failed.map(|failed| format!("{}: {}", failed.line, failed.message)).collect()
}

const READ: &str = "start prefetch\n\
    define-extent CC (mask inhibit-writes block-size 4096 extent 0/0-3338/14)\n\
    locate-record CC (operation read-data count 1 search 100/3/5 transfer-length 4096)\n";

#[test]
fn a_read_ends_normally_and_is_traced() {
    let report = report(&format!("{READ}read-data 4096 show\n"));
    assert!(report.as_expected);
    let step = &report.steps[0];
    assert_eq!(step.trace.iter().filter(|record| record.kind == TraceKind::Ccw).count(), 3);
    let parameters = step.trace[0].parameters.as_deref();
    assert_eq!(parameters, Some("(mask inhibit-writes block-size 4096 extent 0/0-3338/14)"));
    assert_eq!(step.trace[2].moved.iter().map(|moved| moved.bytes).sum::<u64>(), 4096);
    assert_eq!(step.shown[0].octets.0.len(), 4096);
    let ending = step.ending.as_ref().unwrap();
    assert_eq!(ending.summary, "channel end, device end; residual count 0");
    let text = run_listing(&report);
    for part in [
        "line 1: start\n",
        "locate-record CC 16 @0x",
        "4096 bytes to ",
        "channel end, device end; 4096 bytes moved",
        "IRB 00C04007",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn incorrect_length_is_said_in_the_words_of_the_manual() {
    let text = format!("{READ}read-data 4192\n");
    assert_eq!(
        failed(&text),
        ["1: this did not end normally: channel end, device end; incorrect length; residual count 96"]
    );
    let expected = format!("{text}expect subchannel-status incorrect-length\nexpect residual 96\n");
    assert_eq!(failed(&expected), [""; 0]);
    let device_only = format!("{text}expect device-status channel-end+device-end\n");
    assert_eq!(
        failed(&device_only),
        ["1: the subchannel status is incorrect length; expect it, or fix the program"]
    );
}

#[test]
fn a_unit_check_brings_sense() {
    let text = "start\nread-data 4096\nexpect device-status channel-end+device-end+unit-check\nexpect sense command-reject\n\
                expect sense-bytes 7 X'04'\n";
    let report = report(text);
    let sense = report.steps[0].ending.as_ref().unwrap().sense_words.clone().unwrap_or_default();
    assert!(!sense.is_empty(), "{report:?}");
    let failed = failed(&text.replace("X'04'", "X'07'"));
    assert!(
        failed.iter().any(|one| one.starts_with("5: sense bytes 7: 07 was expected; it is ")),
        "{failed:?}"
    );
}

#[test]
fn a_loop_of_transfers_in_channel_ends_as_a_program_check() {
    assert_eq!(failed("start\nno-op CC SLI 1\ntic *\nexpect subchannel-status program-check\n"), [""; 0]);
    assert_eq!(failed("start\ntic *\nexpect subchannel-status program-check\nexpect residual 0\n"), [""; 0]);
}

#[test]
fn protected_storage_is_respected() {
    let text = format!(
        "key 4 @0x20000 4096\n{}read-data 4096 @0x20000\nexpect subchannel-status protection-check\n",
        READ.replace("start", "start key 3")
    );
    assert_eq!(failed(&text), [""; 0]);
}

#[test]
fn a_suspended_program_is_resumed() {
    let text = "start suspend\nno-op CC SLI 1\nagain: no-op SUSPEND SLI 1\nexpect suspended\n\
                store X'20' @again+1\nresume\nexpect normal\n";
    assert_eq!(failed(text), [""; 0]);
    assert_eq!(failed("start suspend\nno-op SUSPEND SLI 1\n"), ["1: this did not end normally: suspended"]);
    assert_eq!(failed("start suspend\nno-op SUSPEND SLI 1\nhalt\n"), [""; 0]);
    assert_eq!(failed("start\nno-op SLI 1\nresume\n"), ["3: this did not end normally: condition code 2"]);
    assert_eq!(failed("start\nno-op SLI 1\nresume\nexpect condition-code 2\nclear\n"), [""; 0]);
}

const TRANSPORT: &str = "start transport\n\
    prefix-read (define-extent (mask inhibit-writes block-size 4096 extent 0/0-3338/14\n\
        extended-attributes regular-data-format+extended-parameters records-per-track 12)\n\
      locate-record-extended (operation read-tracks auxiliary 0xE8 imbedded-command read-track-data count 1\n\
        search 100/3/5 transfer-length 4096))\n";

#[test]
fn transport_mode_is_traced_too() {
    let report = report(&format!("{TRANSPORT}input 4096 tidaws\nexpect normal\nexpect residual 0\n"));
    assert!(report.as_expected, "{report:#?}");
    let text = run_listing(&report);
    for part in [
        "tcw (",
        "tcah (length 84)",
        "+0000  prefix-read 4096",
        "(define-extent (mask",
        "tidaw (flags last count 4096",
        "TCW address",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn a_wrong_transport_count_is_found_by_the_device() {
    let text = format!("{TRANSPORT}input 4096\ntcat (transport-count 4096)\n");
    let failed = failed(&text);
    assert!(failed[0].contains("device-detected program check, reason 7"), "{failed:?}");
}

#[test]
fn an_operation_is_interrogated_when_cancelled() {
    let text = format!(
        "{TRANSPORT}input 4096\ntcw (interrogate-address ask)\n\
         ask: start transport held\ninterrogate (reason timeout)\ntcah (action interrogate)\n\
         cancel\n"
    );
    assert_eq!(failed(&text), [""; 0]);
    let report = report(&text);
    let answer = report.steps[1].ending.as_ref().unwrap().interrogation.clone().unwrap_or_default();
    assert!(answer.starts_with("answered"), "{answer}");
    assert_eq!(report.steps[0].ending.as_ref().unwrap().interrogation, None);
}

#[test]
fn a_load_runs_what_it_read() {
    let program = ipl_program().unwrap();
    let load = ipl(&program, &mut device(), RunOptions { trace: true, ..RunOptions::default() });
    let first = &load.report.steps[0].trace[0];
    assert_eq!(first.text, "read-ipl CC SLI 24 @0x0");
    assert!(ipl_listing(&load).contains("PSW "));
}

#[test]
fn runs_are_plain_values_in_json() {
    let report = report(&format!("{READ}read-data 4096\n"));
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["steps"][0]["ending"]["residual"], 0);
    assert_eq!(json["steps"][0]["trace"][1]["kind"], "ccw");
    assert_eq!(json["steps"][0]["trace"][1]["octets"].as_str().unwrap()[..8], *"47400010");
}
