//! A disassembled text assembles to the same storage and the same ORBs.

use halftrack_exec::{Function, Image, assemble, disassemble, disassemble_tccb};
use halftrack_input::SourceFile;
use halftrack_program::{CcwFormat, IdawFormat, Orb, OrbFlags, OrbProgram};
use proptest::prelude::*;

fn image_of(text: &str) -> Image {
    let source = SourceFile::new("again.ccw", text);
    let program = assemble(&source, &|_| Err("no files".to_owned()));
    Image::from(&program.unwrap_or_else(|found| panic!("{text}\n{found:#?}")))
}

fn command_orb(format: CcwFormat, address: u32) -> Orb {
    let flags = OrbFlags::PREFETCH | OrbFlags::MIDAWS;
    let idaw_format = IdawFormat::TwoWith2K;
    let program = OrbProgram::Command { flags, ccw_format: format, idaw_format, address };
    Orb { interruption_parameter: 7, key: 3, path_mask: 0x80, program, priorities: None }
}

#[test]
fn the_words_come_back() {
    let text = "storage 1048576\n\
                start format 1 midaws @0x1000\n    \
                define-extent CC 16 (mask inhibit-writes block-size 4096 extent 0/0-3338/14) @0x2000\n    \
                search-id-equal CC 5 (record 0/0/3) @0x2020\n    \
                tic *-8\n    \
                read-data-mt CC SLI MIDA 4096 @0x2040\n    \
                data midaw(flags last count 4096 address 0x3000) @0x2040\n    \
                0x33 1 @0x2080\n\
                data C'VOLUME' @0x5000\n";
    assert_eq!(disassemble(&image_of(text)), text);
}

#[test]
fn transport_mode_comes_back() {
    let text = "start transport\nprefix-read (define-extent (extent 0/0-9/14))\ninput 4096\n";
    let image = image_of(text);
    let again = disassemble(&image);
    assert_eq!(image_of(&again), image);
    assert!(again.contains("prefix-read 4096 (define-extent (extent 0/0-9/14)"), "{again}");
}

#[test]
fn a_tccb_by_itself_is_read() {
    let mut tccb = vec![0x7F, 0, 0, 0, 0, 0, 0, 20, 0x1F, 0xFE, 0, 0, 0, 0, 0, 0];
    tccb.extend([0xA6, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x10, 4]);
    let text = disassemble_tccb(&tccb);
    assert!(text.contains("read-track-data 4096\n"), "{text}");
    assert!(disassemble_tccb(&tccb[..9]).contains("data X'7F00"));
    assert!(disassemble_tccb(&[]).contains("start transport"));
}

#[test]
fn what_cannot_be_said_in_words_is_said_in_octets() {
    let segments = [
        (0x1000, vec![0x03, 0x00, 0x00, 0x08, 0x40, 0xFF, 0x00, 0x01]),
        (0x1008, vec![0x08, 0, 0x10, 0, 1, 2, 3, 4]),
    ];
    let image = Image::start(0x10000, &segments, command_orb(CcwFormat::Zero, 0x1000));
    let text = disassemble(&image);
    assert_eq!(image_of(&text), image);
    assert!(text.contains("raw X'0300000840FF0001'"), "{text}");
    let outside = Image::start(0x10000, &[], command_orb(CcwFormat::One, 0x7FFF_FFF8));
    assert_eq!(image_of(&disassemble(&outside)), outside);
}

/// Returns the octets that are often CCWs of parameters.
fn chain() -> impl Strategy<Value = Vec<u8>> {
    let command =
        prop::sample::select(vec![0x63, 0x47, 0x4B, 0xE7, 0x31, 0x08, 0x06, 0x85, 0x1F, 0x03, 0x07, 0x00]);
    let flags = prop::sample::select(vec![0x40, 0x60, 0x80, 0x41, 0x44, 0x00]);
    let count = prop::sample::select(vec![0_u16, 5, 6, 16, 20, 32, 64, 70]);
    let ccw = (command, flags, count, 0x1000_u32..0x1200).prop_map(|(command, flags, count, address)| {
        let [high, low] = count.to_be_bytes();
        let mut octets = vec![command, flags, high, low];
        octets.extend(address.to_be_bytes());
        octets
    });
    prop::collection::vec(ccw, 0..8).prop_map(|ccws| ccws.concat())
}

proptest! {
    #[test]
    fn any_storage_comes_back(
        chain in chain(),
        data in prop::collection::vec((0x1000_u64..0x1200, prop::collection::vec(any::<u8>(), 0..70)), 0..4),
        zero in any::<bool>(),
        at in 0_u32..0x20,
    ) {
        let mut segments = vec![(0x1000, chain)];
        segments.extend(data);
        let format = if zero { CcwFormat::Zero } else { CcwFormat::One };
        let image = Image::start(0x4000, &segments, command_orb(format, 0x1000 + at * 8));
        prop_assert_eq!(image_of(&disassemble(&image)), image);
    }

    #[test]
    fn any_transport_blocks_come_back(
        tcw in prop::collection::vec(any::<u8>(), 64),
        area in prop::collection::vec(any::<u8>(), 0..80),
        likely in any::<bool>(),
    ) {
        let mut octets = tcw;
        if likely {
            octets[..8].copy_from_slice(&[0, 0, 0, 0, 0, 0x16, 0, 0]);
            octets[24..40].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0x11, 0]);
            octets[48..].fill(0);
        }
        let mut tccb = vec![0x7F, 0, 0, 0, 0, 0, 0, 28, 0x1F, 0xFE, 0, 0, 0, 0, 0, 0];
        tccb.extend([0x47, 0, 0, 8, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        tccb.extend(area);
        let program = OrbProgram::Transport { address: 0x1000 };
        let orb = Orb { interruption_parameter: 0, key: 0, path_mask: 0xFF, program, priorities: None };
        let image = Image::new(0x4000, &[(0x1000, octets), (0x1100, tccb)], vec![Function::Start(orb)]);
        prop_assert_eq!(image_of(&disassemble(&image)), image);
    }
}
