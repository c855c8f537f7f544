//! zHyperLinks of a working link: what the keys of both files become, and the messages about those that cannot be used.

use halftrack_config::{ChannelFile, read_channel, read_control_unit};
use halftrack_input::messages::{study as numbers, toml_file};
use halftrack_input::{Diagnostic, SourceFile, has_errors};

/// Asserts that `found` is one message with that number and those words.
#[track_caller]
fn one_of(found: &[Diagnostic], number: u16, words: &str) {
    let [one] = found else { panic!("{found:?}") };
    assert!(one.number == number && one.message.contains(words), "{one}");
}

/// Returns what becomes of a channel file with these keys at the top, in tables of links, and in its stream.
fn channel(top: &str, links: &str, stream: &str) -> (Option<ChannelFile>, Vec<Diagnostic>) {
    let text = format!(
        "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n{top}\n\
         [[path]]\nchpid = \"40\"\nconnect = \"127.0.0.1:3225\"\nwwpn = \"50:05:07:64:00:00:00:40\"\n{links}\n\
         [[stream]]\nname = \"db2\"\ndevices = [\"00\"]\nclosed = {{ jobs = 1 }}\n{stream}\n"
    );
    read_channel(&SourceFile::new("channel.toml", text))
}

const LINK: &str = "[[zhyperlink]]\nsocket = \"a.zhl\"\n";
const READS: &str = "program = { block = \"4K\" }\nsynchronous = \"read\"";

#[test]
fn links_of_a_host_have_defaults_and_streams_use_them() {
    let (file, found) =
        channel("", &format!("{LINK}[[zhyperlink]]\nsocket = \"b.zhl\"\nmetres = 40\n"), READS);
    assert_eq!(found.len(), 0);
    let file = file.expect("a file");
    let links = file.synchronous_links.iter().map(|link| (link.functions, link.timeout_us, link.metres));
    assert_eq!(links.collect::<Vec<_>>(), [(4, 100, 0.0), (4, 100, 40.0)]);
    assert!(file.streams[0].synchronous.covers(false) && !file.streams[0].synchronous.covers(true));
}

#[test]
fn links_that_cannot_be_used_are_refused() {
    let refused = |top: &str, links: &str, stream: &str, number, words: &str| {
        one_of(&channel(top, links, stream).1, number, words);
    };
    refused("", "", READS, numbers::NO_SYNCHRONOUS_LINK, "without a `[[zhyperlink]]`");
    refused("path_group = false", LINK, READS, numbers::NO_SYNCHRONOUS_LINK, "by its path group");
    let many: String = (0..17).map(|link| format!("[[zhyperlink]]\nsocket = \"{link}.zhl\"\n")).collect();
    refused("", &many, READS, numbers::NO_SYNCHRONOUS_LINK, "17 zHyperLinks: a machine has at most 16");
    for (program, why) in [
        ("record_bytes = 5120", "a record of 5120 bytes"),
        ("record_bytes = 4088", "no multiple of 16"),
        ("block = \"4K\", records = 2", "an I/O of 2 records"),
    ] {
        let stream = format!("program = {{ {program} }}\nsynchronous = \"all\"");
        refused("", LINK, &stream, numbers::NEVER_SYNCHRONOUS, why);
    }
    for keys in ["metres = 150.5", "timeout_us = 0", "timeout_us = 10001", "functions = 65"] {
        assert!(has_errors(&channel("", &format!("{LINK}{keys}\n"), READS).1), "{keys}");
    }
    assert!(has_errors(&channel("", &format!("{LINK}{LINK}"), READS).1), "two links to one socket");
}

#[test]
fn an_adapter_reads_and_does_not_write_unless_its_file_enables_it() {
    let file = |adapters: &str| {
        let text = "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n\
            [[port]]\nid = \"0030\"\nlisten = \"127.0.0.1:3225\"\nwwpn = \"50:05:07:63:00:00:00:30\"\n\
            [[logical_control_unit]]\ncuadd = \"00\"\n[[logical_control_unit.volume]]\nunit_address = \"00\"\n\
            file = \"a.ckd\"\n"
            .to_owned();
        read_control_unit(&SourceFile::new("control-unit.toml", text + adapters))
    };
    let adapter = |id: &str, socket: &str| format!("[[zhyperlink]]\nid = \"{id}\"\nsocket = \"{socket}\"\n");
    let (one, found) = file(&adapter("0100", "a.zhl"));
    assert_eq!(found.len(), 0);
    let adapters = one.expect("a file").synchronous_adapters;
    assert_eq!((adapters[0].functions, adapters[0].reads, adapters[0].writes), (16, true, false));
    for (first, second) in [(("0100", "a"), ("0100", "b")), (("0100", "a"), ("0101", "a"))] {
        let (_, found) = file(&(adapter(first.0, first.1) + &adapter(second.0, second.1)));
        one_of(&found, toml_file::NAMED_TWICE, "named twice");
    }
    assert!(has_errors(&file(&adapter("1", "a")).1), "an interface id has four digits");
}
