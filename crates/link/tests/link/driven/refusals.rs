//! Requests that a control unit refuses to a channel, and streams that the volumes cannot serve.

use crate::driven::site::{make_volumes, run_in_process};

fn error(port_keys: &str, rest: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    run_in_process(directory.path(), port_keys, rest, false).unwrap_err().to_string()
}

fn stream(devices: &str, keys: &str) -> String {
    format!(
        "[run]\nios = 10\n[[stream]]\nname = \"oltp\"\ndevices = [\"{devices}\"]\n\
         program = {{ block = \"4K\" }}\nclosed = {{ jobs = 1 }}\n{keys}"
    )
}

#[test]
fn a_host_that_is_not_listed_is_told_so() {
    let hosts = "hosts = [\"50:05:07:64:00:00:00:77\"]";
    let said = error(hosts, &stream("00", ""));
    assert!(said.contains("path 40: 50:05:07:63:00:00:00:30: refused with LS_RJT"), "{said}");
}

#[test]
fn a_device_that_is_not_there_is_named() {
    let said = error("", &stream("00-02", ""));
    assert!(said.contains("unit 02 cannot be varied online: the control unit has no such device"), "{said}");
}

#[test]
fn an_image_that_is_not_there_is_named() {
    let said = error("", &format!("cuadd = \"07\"\n---\n{}", stream("00", "")));
    assert!(said.contains("no logical path to control-unit image 07"), "{said}");
}

#[test]
fn cylinders_that_the_volume_does_not_have_are_refused() {
    let said = error("", &stream("00", "cylinders = \"1-6\""));
    assert!(said.contains("stream 0: unit 00 has 6 cylinders, the last of them is 5"), "{said}");
}

#[test]
fn two_lengths_on_one_track_are_refused() {
    let two = stream("00", "")
        + "[[stream]]\nname = \"other\"\ndevices = [\"00\"]\ncylinders = \"3\"\n\
           program = { block = \"half-track\" }\nclosed = { jobs = 1 }\n";
    let said = error("", &two);
    assert!(said.contains("stream 1: stream oltp wants records of another length"), "{said}");
}
