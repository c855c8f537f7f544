//! Channel-to-channel devices of ESCON as a logical link finds them, and the messages about channels that do not fit.

use std::path::Path;

use halftrack_catalog::Catalog;
use halftrack_config::{Interface, Loaded, StudyFiles, configure};
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, SourceFile};

const LINK: &str = "[[islink]]\nname = 'L'\nsystems = ['VMA', 'VMB']\n";
const DISKS: &str = "[[stream]]\nname = 'S'\nlpar = 'VMA'\ndevices = ['1000']\nread_share = 1.0\nhit_ratio = 1.0\n\
                     program = { block = '4K', records = 1 }\nprotocol = 'command'\nclosed = { jobs = 1 }\n";
/// Devices of FICON between both systems, behind a director of their own: statements and plant.
const FICON: [&str; 2] = [
    "         CHPID PATH=(70),SHARED,SWITCH=12,TYPE=FC
         CNTLUNIT CUNUMBR=5000,PATH=(70),LINK=(81),CUADD=1,            *
               UNITADD=((00,004)),UNIT=FCTC
         IODEVICE ADDRESS=(5000,004),UNITADD=00,                       *
               CUNUMBR=(5000),UNIT=FCTC
",
    "[[card]]\ncpc = 'Z900'\ntype = 'ficon-express'\nchpids = ['70']\n\
     [[card]]\ncpc = 'G6'\ntype = 'ficon-g5g6'\nchpids = ['71']\n\
     [[cable]]\ncpc = 'Z900'\nchpid = '70'\nto = '12.80'\nkm = 0.1\n\
     [[cable]]\ncpc = 'G6'\nchpid = '71'\nto = '12.81'\nkm = 0.1\n[[director]]\nid = '12'\ntype = 'director-2g'\n",
];

/// Returns the repository's study of SCTC devices with these replacements in decks and plant, with this workload.
fn loaded(replacements: &[(&str, &str)], workload: &str) -> Loaded {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/serial-ctc");
    let mut files = StudyFiles::read(&directory).expect("a study of the repository");
    let changed = |file: &SourceFile| {
        let text = replacements.iter().fold(file.text.to_string(), |text, (from, to)| text.replace(from, to));
        SourceFile::new(file.name.to_string(), text)
    };
    let ficon = |file: &SourceFile, [from, to]: [&str; 2]| {
        if !workload.contains("# FICON") {
            return changed(file);
        }
        changed(&SourceFile::new(file.name.to_string(), file.text.to_string() + &FICON[0].replace(from, to)))
    };
    files.deck = ficon(&files.deck, ["", ""]);
    for deck in files.further_decks.values_mut() {
        let second = ficon(deck, ["(70)", "(71)"]);
        *deck =
            changed(&SourceFile::new(second.name.to_string(), second.text.replace("LINK=(81)", "LINK=(80)")));
    }
    let more = if workload.contains("# FICON") { FICON[1] } else { "" };
    files.plant = changed(&SourceFile::new("plant.toml", files.plant.text.to_string() + more));
    files.workload = SourceFile::new("workload.toml", workload);
    configure(&files, &Catalog::load(&[]).0)
}

fn lines(loaded: &Loaded) -> Vec<String> {
    loaded.diagnostics.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn refused(replacements: &[(&str, &str)], workload: &str, number: u16, words: &[&str]) {
    let found = loaded(replacements, workload);
    let lines = lines(&found);
    let errors: Vec<&Diagnostic> = found.diagnostics.iter().filter(|one| one.number == number).collect();
    let error = errors.first().unwrap_or_else(|| panic!("{lines:#?}"));
    assert!(words.iter().all(|words| error.message.contains(words)), "{lines:#?}");
    assert!(error.fix.is_some() && found.configuration.is_none(), "{lines:#?}");
}

/// The function of the adapter is at the channel of TYPE=CTC, whichever end of the link has it.
#[test]
fn the_function_is_at_the_channel_of_type_ctc() {
    for (systems, function_end) in [("'VMA', 'VMB'", 1), ("'VMB', 'VMA'", 0)] {
        let found = loaded(&[], &LINK.replace("'VMA', 'VMB'", systems));
        let lines = lines(&found);
        let configuration = found.configuration.unwrap_or_else(|| panic!("{lines:#?}"));
        let [link] = &configuration.islinks[..] else { panic!("one link") };
        assert_eq!(link.devices.len(), 4);
        for device in &link.devices {
            assert_eq!(device.function_end, function_end);
            let interface = |end: u8| {
                let channel = &configuration.channels[device.channels[usize::from(end)] as usize];
                channel.hardware.circuit.map(|circuit| circuit.interface)
            };
            assert_eq!(interface(function_end), Some(Interface::EsconFunction));
            assert_eq!(interface(1 - function_end), Some(Interface::Escon));
        }
    }
}

#[test]
fn two_channels_of_one_type_are_refused() {
    for (from, to) in [("TYPE=CTC", "TYPE=CNC"), ("TYPE=CNC", "TYPE=CTC")] {
        let words = [format!("UNIT=SCTC on channel 50, which is {to}"), format!("channel 51, which is {to}")];
        let without_disks = ("UNIT=2105", "UNIT=TAPE");
        refused(&[(from, to), without_disks], LINK, numbers::ISLINK_CHANNELS, &[&words[0], &words[1]]);
    }
}

#[test]
fn sctc_on_channels_of_ficon_is_refused() {
    let only_ficon = "# FICON\n".to_owned() + LINK;
    let words = ["CNTLUNIT 5000 of VMA is UNIT=SCTC on channel 70, which is TYPE=FC"];
    let escon_elsewhere = ("LINK=(61),CUADD=1", "LINK=(6F),CUADD=5");
    refused(&[("FCTC", "SCTC"), escon_elsewhere], &only_ficon, numbers::ISLINK_CHANNELS, &words);
}

#[test]
fn a_link_of_both_kinds_is_refused() {
    let both = "# FICON\n".to_owned() + LINK;
    let words = ["device 5000 with UNIT=FCTC", "device 4000 with UNIT=SCTC"];
    refused(&[], &both, numbers::MIXED_ISLINK, &words);
    let found = loaded(&[], &(both.clone() + "devices = '4000-4003'\n"));
    assert!(found.configuration.is_some(), "{:#?}", lines(&found));
    refused(&[], &(both + "devices = '5000-5003'\n"), numbers::NO_TURNAROUND, &["ficon-express"]);
}

/// A channel of TYPE=CTC leads to channels alone.
#[test]
fn disks_on_a_channel_of_type_ctc_are_refused() {
    assert!(loaded(&[], DISKS).configuration.is_some());
    let found = loaded(&[("TYPE=CNC", "TYPE=CTC")], DISKS);
    let lines = lines(&found);
    assert!(
        found.configuration.is_none() && found.diagnostics.iter().all(|one| one.fix.is_some()),
        "{lines:#?}"
    );
    assert!(lines.iter().any(|line| line.contains("CTC")), "{lines:#?}");
}

/// A plant may be silent about a channel of TYPE=CTC that no logical link needs.
#[test]
fn an_idle_channel_of_type_ctc_needs_no_card() {
    let card = "[[card]]\ncpc = \"G6\"\ntype = \"escon\"\nchpids = [\"51\"]\n";
    let cable = "[[cable]]\ncpc = \"G6\"\nchpid = \"51\"\nto = \"11.61\"\nkm = 0.1\n";
    let found = loaded(&[(card, ""), (cable, "")], DISKS);
    assert!(found.configuration.is_some(), "{:#?}", lines(&found));
    assert!(loaded(&[(cable, "")], DISKS).configuration.is_some());
    refused(&[(card, ""), (cable, "")], LINK, numbers::NO_ISLINK_PAIR, &["from VMA to VMB"]);
}

/// ESCON goes 3 km without repeaters, between channels too.
#[test]
fn a_cable_that_is_too_long_is_refused() {
    let km = ("to = \"11.61\"\nkm = 0.1", "to = \"11.61\"\nkm = 4");
    refused(&[km], LINK, numbers::TOO_FAR, &["without repeaters"]);
}
