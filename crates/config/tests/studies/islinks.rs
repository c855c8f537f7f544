//! Logical links of ISFC: the devices that they find, and the messages about impossible ones.

use std::path::Path;

use halftrack_base::Span;
use halftrack_catalog::Catalog;
use halftrack_config::{IsLinkWork, Loaded, StudyFiles, configure};
use halftrack_input::SourceFile;
use halftrack_input::messages::{study as numbers, toml_file};
use halftrack_isfc::relocation::{Changes, Otherwise};

/// Returns what the published study makes of this workload.
fn loaded(islinks: &str) -> Loaded {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/published/isfc");
    let files = StudyFiles::read(&directory).expect("a study of the repository");
    let workload = SourceFile::new("workload.toml", islinks);
    configure(&StudyFiles { workload, ..files }, &Catalog::load(&[]).0)
}

fn link(keys: &str) -> String {
    format!("[[islink]]\nname = 'L'\nsystems = ['VMA', 'VMB']\n{keys}\n")
}

/// Returns channels at both ends and numbers of the devices of the only link.
fn devices(keys: &str) -> Vec<(u32, u32, u16)> {
    let loaded = loaded(&link(keys));
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    let configuration = loaded.configuration.unwrap_or_else(|| panic!("{lines:#?}"));
    let [link] = &configuration.islinks[..] else { panic!("one link") };
    for device in &link.devices {
        assert_eq!(device.numbers[0], device.numbers[1]);
        assert!(device.links.iter().all(|links| links.len() == 2), "in at the director and out again");
    }
    let of =
        |device: &halftrack_config::IsLinkDevice| (device.channels[0], device.channels[1], device.numbers[0]);
    link.devices.iter().map(of).collect()
}

#[track_caller]
fn refused(islinks: &str, number: u16, words: &str) {
    let lines: Vec<_> = loaded(islinks).diagnostics.iter().map(ToString::to_string).collect();
    let found = loaded(islinks).diagnostics;
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(found[0].number == number && found[0].message.contains(words), "{}", lines[0]);
    // A value of another kind has what is expected in its message.
    assert!(found[0].fix.is_some() || number == toml_file::UNEXPECTED_VALUE);
}

#[test]
fn numbering_and_wiring_are_those_of_the_deck() {
    let unstriped =
        devices("devices = '1000-1FFF'\nwiring = 'straight'\nchannels = 2\ndevices_per_channel = 2");
    assert_eq!(unstriped, [(0, 0, 0x1000), (0, 0, 0x1001), (1, 1, 0x1030), (1, 1, 0x1031)]);
    let striped =
        devices("devices = '2000-2FFF'\nwiring = 'straight'\nchannels = 2\ndevices_per_channel = 2");
    assert_eq!(striped, [(0, 0, 0x2000), (1, 1, 0x2004), (0, 0, 0x2020), (1, 1, 0x2024)]);
    let crossed = devices("devices = '2000-2FFF'\nwiring = 'crossed'\nchannels = 3\ndevices_per_channel = 1");
    let ends: Vec<_> = crossed.iter().map(|(first, second, _)| (*first, *second)).collect();
    assert_eq!(ends, [(0, 1), (1, 2), (2, 0)]);
    let own = devices("devices = '4000-4FFF'\nwiring = 'straight'\nchannels = 1\ndevices_per_channel = 1");
    assert_eq!(own, [(8, 16, 0x4000)]);
    assert_eq!(devices("devices = ['1001', '1003-1004']").len(), 3);
    for (channels, each) in [(1, 16), (2, 8), (3, 5), (4, 4), (5, 3), (8, 2)] {
        let keys = format!("devices = '2000-2FFF'\nwiring = 'straight'\nchannels = {channels}\n");
        assert_eq!(devices(&(keys + "devices_per_channel = 'most'")).len(), channels * each);
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let two = "channels = 2\ndevices_per_channel = 9\ndevices = '1000-1FFF'\nwiring = 'straight'";
    refused(&link(two), numbers::TOO_MANY_LINK_DEVICES, "would have 17 devices");
    let systems = |one: &str, other: &str| {
        format!("[[islink]]\nname = 'L'\nsystems = ['{one}', '{other}']\ndevices = '1000'\n")
    };
    refused(&systems("VMA", "VMC"), numbers::NO_ISLINK_SYSTEM, "no partition VMC");
    refused(&systems("VMA", "VMA"), numbers::NO_ISLINK_SYSTEM, "both ends");
    refused(&link("devices = '0FFF'"), numbers::NOT_CHANNEL_TO_CHANNEL, "no IODEVICE has device 0FFF");
    let from = link("devices = '1000'\n[[islink.bulk]]\nfrom = 'VMC'");
    refused(&from, numbers::NO_ISLINK_SYSTEM, "VMC is no end");
    let twice = link("devices = '1000'") + &link("devices = '1000'").replace("'L'", "'M'");
    refused(&twice, numbers::DEVICE_IN_TWO_LINKS, "is in islink L and in islink M");
    let one = "[[islink]]\nname = 'L'\nsystems = ['VMA']\n";
    refused(one, toml_file::UNEXPECTED_VALUE, "expected the two systems");
}

/// Returns a link with a guest that has these keys beside those that it needs.
fn guest(keys: &str) -> String {
    link(&format!(
        "devices = '1000'\n[[islink.relocate]]\nguest = 'G'\nfrom = 'VMB'\nmemory = '1G'\nat_s = 0.5\n{keys}"
    ))
}

#[test]
fn work_of_a_link_is_read_with_its_defaults() {
    let keys = "[[islink.request]]\nname = 'R'\nfrom = 'VMA'\nrequest = '4K'\nresponse = '1M'\n";
    let loaded = loaded(&(guest("working_set = '64M'\ndirty_pages_per_s = 9") + keys));
    let configuration = loaded.configuration.expect("the study is right");
    let [requests, guest] = &configuration.islinks[0].flows[..] else { panic!("two flows") };
    let IsLinkWork::Requests(of) = &requests.work else { panic!("{requests:?}") };
    assert_eq!((requests.from, of.depth, of.think, of.count), (0, 1, Span::ZERO, None));
    assert_eq!((of.sizes.request_bytes, of.sizes.response_bytes), (4096, 1 << 20));
    let IsLinkWork::Relocation(of) = &guest.work else { panic!("{guest:?}") };
    assert_eq!((guest.from, of.at, of.plan.passes_max), (1, Span::from_ms(500), 16));
    assert_eq!(of.plan.changes, Changes::Modelled { pages_per_s: 9, working_set_pages: 16_384 });
    assert_eq!((of.plan.otherwise, of.plan.quiesce_max), (Otherwise::Cancel, Span::from_s(10)));
}

#[test]
fn work_that_cannot_be_is_refused_with_its_place() {
    refused(&guest("working_set = '2G'"), numbers::RELOCATION, "working set");
    refused(&guest("passes = 2\nimmediate = true"), numbers::RELOCATION, "`immediate` has one pass");
    let late = guest("").replace("at_s = 0.5", "at_s = 9.0");
    refused(&late, numbers::RELOCATION, "after the end of the run");
    let stranger = guest("").replace("from = 'VMB'", "from = 'VMC'");
    refused(&stranger, numbers::NO_ISLINK_SYSTEM, "VMC is no end");
    refused(&guest("quiesce_ms = -1"), toml_file::UNEXPECTED_VALUE, "quiesce_ms");
    let twice = guest("") + "[[islink.relocate]]\nguest = 'G'\nfrom = 'VMA'\nmemory = '1G'\nat_s = 0.1\n";
    refused(&twice, toml_file::NAMED_TWICE, "guest G");
    let requests = |keys: &str| {
        let keys = format!("devices = '1000'\n[[islink.request]]\nname = 'R'\nfrom = 'VMA'\n{keys}");
        link(&keys)
    };
    refused(&requests("request = '17M'\nresponse = '1'"), toml_file::UNEXPECTED_VALUE, "`request`");
    refused(&requests("request = '1'"), toml_file::MISSING_KEY, "response");
    refused(&requests("request = '1'\nresponse = '1'\ndepth = 0"), toml_file::UNEXPECTED_VALUE, "depth");
}
