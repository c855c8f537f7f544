//! Texts and the octets that they come to, to the octet.

use halftrack_exec::{Check, Function, Image, Program, assemble};
use halftrack_input::{Diagnostic, SourceFile};
use halftrack_program::OrbProgram;

fn no_files(name: &str) -> Result<Vec<u8>, String> {
    match name {
        "page.bin" => Ok(vec![0xAA; 4096]),
        _ => Err("no such file".to_owned()),
    }
}

fn program(text: &str) -> Program {
    let source = SourceFile::new("test.ccw", text);
    assemble(&source, &no_files).unwrap_or_else(|found| panic!("{}", lines(&found)))
}

fn lines(found: &[Diagnostic]) -> String {
    found.iter().map(|one| format!("{one}\n")).collect()
}

/// Returns the errors of a text.
fn errors(text: &str) -> String {
    let source = SourceFile::new("test.ccw", text);
    lines(&assemble(&source, &no_files).expect_err("the text has errors"))
}

fn octets(program: &Program, address: u64, bytes: usize) -> Vec<u8> {
    Image::from(program).octets(address, bytes).expect("in storage")
}

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn a_4k_read_of_three_ccws() {
    let program = program(
        "start format 1 @0x1000\n\
         define-extent CC (mask inhibit-writes block-size 4096 extent 0/0-3338/14) @0x2000\n\
         locate-record CC (operation read-data count 1 search 100/3/5 sector 77 transfer-length 4096) @0x2010\n\
         read-data-mt SLI 4096 @0x3000\n",
    );
    let ccws = hex("63400010 00002000 47400010 00002010 86201000 00003000");
    assert_eq!(octets(&program, 0x1000, 24), ccws);
    let parameters = hex("40C01000 00000000 00000000 0D0A000E 06800001 00640003 00640003 054D1000");
    assert_eq!(octets(&program, 0x2000, 32), parameters);
    let [step] = program.steps.as_slice() else { panic!("one start") };
    let Function::Start(orb) = &step.function else { panic!("a start") };
    assert!(matches!(orb.program, OrbProgram::Command { address: 0x1000, .. }));
}

#[test]
fn format_0_has_its_own_layout_and_places_are_found() {
    let program = program("start format 0\nno-op CC\nsense SLI\n");
    assert_eq!(octets(&program, 0x1000, 16), hex("03000000 40000001 04001010 20000020"));
}

#[test]
fn transfer_in_channel_goes_to_a_label_or_a_distance() {
    let program = program(
        "start @0x1000\nloop: search-id-equal CC (record 0/0/3) @0x2000\ntic loop\ntic *-16\ntic @loop+8\n",
    );
    assert_eq!(octets(&program, 0x1008, 24), hex("08000000 00001000 08000000 00001000 08000000 00001008"));
    assert_eq!(octets(&program, 0x2000, 5), [0, 0, 0, 0, 3]);
}

#[test]
fn everything_wrong_can_be_written() {
    let program = program(
        "start @0x1000\n\
         tic 0x1000\n\
         0x00 CD CC SUSPEND IDA MIDA 0 @0x80000001\n\
         raw X'FFFFFFFFFFFFFFFF'\n\
         data midaw(count 0 address 0x1FFF byte 0 0xFF) @0x3001\n",
    );
    assert_eq!(octets(&program, 0x1008, 16), hex("00C70000 80000001 FFFFFFFF FFFFFFFF"));
    assert_eq!(octets(&program, 0x3001, 16), hex("FF000000 00000000 00000000 00001FFF"));
}

#[test]
fn indirect_words_follow_the_area() {
    let program = program(
        "start idaw-blocks 2K midaws\nread-data CC idaws 4096 @0x8100\nread-data midaws 4128 @0x9FF0\n",
    );
    assert_eq!(octets(&program, 0x1000, 16), hex("06441000 00001010 06011020 00001030"));
    assert_eq!(octets(&program, 0x1010, 24), hex("00000000 00008100 00000000 00008800 00000000 00009000"));
    let midaws = hex("00000000 00000010 00000000 00009FF0 00000000 00001000 00000000 0000A000 \
                      00000000 00800010 00000000 0000B000");
    assert_eq!(octets(&program, 0x1030, 48), midaws);
}

#[test]
fn data_have_the_constants_of_the_assembler() {
    let program = program(
        "start\nno-op\ntable: data C'VOL1' CL6'AB' 2X'0F' XL4'01' CA'it''s' @0x2000\n\
         data address(table+4) address64(table) count-area(record 1/2/3 key-length 4 data-length 80) @0x2100\n\
         data file 'page.bin' @0x4000\n",
    );
    let data = hex("E5D6D3F1 C1C240404040 0F0F 00000001 69742773");
    assert_eq!(octets(&program, 0x2000, data.len()), data);
    let more = hex("00002004 0000000000002000 0001000203040050");
    assert_eq!(octets(&program, 0x2100, more.len()), more);
    assert_eq!(octets(&program, 0x4FFF, 2), [0xAA, 0]);
}

#[test]
fn a_transport_mode_read_as_the_reference_has_it() {
    let program = program(
        "start transport @0x1000\n\
         tcah () @0x1100\n\
         prefix-read (define-extent (mask inhibit-writes block-size 4096 extent 0/0-3338/14\n\
             extended-attributes regular-data-format+extended-parameters records-per-track 12)\n\
           locate-record-extended (operation read-tracks auxiliary 0xE8 imbedded-command read-track-data count 1\n\
             search 100/3/5 sector 77 transfer-length 4096))\n\
         input 4096 @0x3000\n",
    );
    let tcw = octets(&program, 0x1000, 64);
    assert_eq!(tcw[5], 0x4E);
    assert_eq!(tcw[16..24], hex("0000000000003000"));
    assert_eq!(tcw[32..48], hex("0000000000001100 00000000 00001000"));
    let tccb = octets(&program, 0x1100, 96);
    assert_eq!(tccb[..24], hex("7F000000 00000054 1FFE0000 00000000 EA000040 00001000"));
    assert_eq!(tccb[24..36], hex("01800000 00000000 00000000"));
    assert_eq!(tccb[36..68], hex("40C01000 00000042 00000000 0D0A000E 00000000 00000000 2000000C 00000000"));
    assert_eq!(tccb[68..88], hex("0CE8A601 00640003 00640003 054D1000 00000000"));
    assert_eq!(tccb[88..], hex("00000000 00001004"));
}

#[test]
fn check_words_are_counted_where_they_go_in() {
    let program = program(
        "start transport @0x1000\nprefix (format 1)\noutput 6144 tidaws (2048 insert-check-word 4096) @0x3000\n",
    );
    let tcw = octets(&program, 0x1000, 64);
    assert_eq!((tcw[1], tcw[5] & 3), (1, 1));
    assert_eq!(tcw[40..44], 6148_u32.to_be_bytes());
    let list = u64::from_be_bytes(tcw[8..16].try_into().unwrap());
    let tidaws = hex("08000000 00000800 00000000 00003000 00000000 00000800 00000000 00003800 \
                      80000000 00000800 00000000 00004000");
    assert_eq!(octets(&program, list, 48), tidaws);
}

#[test]
fn long_lists_of_tidaws_jump_at_each_page() {
    let program = program("start transport @0x1000\nread-track-data\ninput 2M tidaws @0x400000\n");
    let list = u64::from_be_bytes(octets(&program, 0x1010, 8).try_into().unwrap());
    assert_eq!(list % 4096, 0);
    let jump = octets(&program, list + 255 * 16, 16);
    assert_eq!(jump[0], 0x10);
    assert_eq!(u64::from_be_bytes(jump[8..].try_into().unwrap()), list + 4096);
    assert_eq!(octets(&program, list + 513 * 16, 1), [0x80]);
}

#[test]
fn expectations_belong_to_the_function_before_them() {
    let program = program(
        "start suspend\nsense expect X'80'\nexpect device-status channel-end+device-end+unit-check\n\
         expect sense no-record-found+imprecise-ending\nresume\nexpect suspended\nexpect bytes @0x2000 C'A'\n",
    );
    let checks: Vec<usize> = program.steps.iter().map(|step| step.checks.len()).collect();
    assert_eq!(checks, [3, 2]);
    assert_eq!(program.steps[0].checks[1].check, Check::DeviceStatus(0x0E));
    assert_eq!(program.steps[0].checks[2].check, Check::Sense(0x0009));
    assert_eq!(program.steps[1].checks[1].check, Check::Octets { address: 0x2000, octets: vec![0xC1] });
}

#[test]
fn mistakes_are_shown_with_line_column_and_remedy() {
    for (text, expected) in [
        (
            "start\nread-date CC 4096\n",
            "HTK802E test.ccw:2:1 `read-date` is neither a command nor a statement\n  fix: similar names are read-ipl",
        ),
        ("start\nread-data CC $\n", "HTK800E test.ccw:2:14 the character `$` where"),
        ("start\nread-data X'123'\n", "HTK804E test.ccw:2:11 3 hexadecimal digits where"),
        ("start\nread-data C'abc\n", "HTK804E test.ccw:2:11 text without a closing apostrophe where"),
        ("start\nread-data\n", "HTK811E test.ccw:2:1 this command needs a count, or data"),
        ("start\nread-data 70000\n", "HTK811E test.ccw:2:1 the count 70000 where"),
        ("start\nsense @nowhere 32\n", "HTK805E test.ccw:2:8 unknown label `nowhere`"),
        ("start\na: sense\na: sense\n", "HTK805E test.ccw:3:1 duplicate label `a`\n  see: test.ccw:2:1"),
        (
            "start\nlocate-record (colour 3)\n",
            "HTK802E test.ccw:2:16 locate-record has no field `colour`\n  fix: its fields are orientation",
        ),
        (
            "start\nlocate-record (operation reed)\n",
            "HTK802E test.ccw:2:26 `reed` is not a value of operation",
        ),
        ("start\nlocate-record (count 256)\n", "HTK803E test.ccw:2:22 256 where count of at most 255"),
        ("start\nlocate-record (count 1\n", "HTK807E test.ccw:2:15 this parenthesis is not closed"),
        ("start\nlocate-record (seek 1/16)\n", "HTK803E test.ccw:2:21 a CCHH names"),
        (
            "sense\n",
            "HTK806E test.ccw:1:1 this statement does not belong in a program of this kind\n  fix: write `start`",
        ),
        ("", "HTK806E test.ccw:1:1 `start` is missing in the text"),
        ("start\ndata file 'none'\n", "HTK809E test.ccw:2:11 none cannot be read: no such file"),
        ("start\ndata 9999999999X'00'\n", "HTK808E test.ccw:2:6 the constants of a text have at most"),
        (
            "storage 64K\nstart\nread-data 65535\n",
            "HTK808E test.ccw:3:1 this does not fit into the 65536 bytes",
        ),
        ("start @0x1001\nno-op\n", "HTK812E test.ccw:1:1 start subchannel refuses this ORB"),
        (
            "start format 0 \nsense @0x1000000\n",
            "HTK803E test.ccw:2:8 the address 0x1000000 where one from 0 to 0xFFFFFF",
        ),
        (
            "start\nsense X'01' @0x1000\nno-op @0x1000 8\ndata X'00' @0x1000\n",
            "HTK808E test.ccw:4:1 the octets at 0x1000 overlap",
        ),
        (
            "start\nseek-cylinder show hide (track 1/1)\n",
            "HTK802E test.ccw:2:20 `hide` is not an operand of a command",
        ),
        ("start\nwrite-data (count 3)\n", "HTK810E test.ccw:2:12 this command has no parameters with names"),
        ("start\nexpect abnormal\n", "HTK802E test.ccw:2:8 `abnormal` cannot be expected"),
        (
            "start\na: data X'00' @b\nb: data X'00' @a\n",
            "HTK805E test.ccw:2:16 this address depends on labels",
        ),
    ] {
        let errors = errors(text);
        assert!(errors.contains(expected), "{text}\n{expected}\n{errors}");
    }
}

#[test]
fn every_mistake_is_shown_at_once() {
    let errors = errors("start\nreed-data\nread-data\nwrite-data X'0'\n");
    assert_eq!(errors.matches("HTK").count(), 3, "{errors}");
}

#[test]
fn a_text_that_is_too_long_for_storage_is_told_once() {
    let errors = errors(&format!("storage 64K\nstart\n{}", "read-data 4096\n".repeat(500)));
    let expected =
        "HTK808E test.ccw:17:1 this and 485 more after it do not fit into the 65536 bytes of storage";
    assert!(errors.contains(expected), "{errors}");
    assert_eq!(errors.matches("HTK").count(), 1, "{errors}");
}

#[test]
fn nothing_is_unbounded() {
    let deep =
        format!("start\nprefix {}", "(locate-record-extended (extended-parameters prefix ".repeat(500));
    assert!(errors(&deep).contains("at most 8 deep"));
    let pieces =
        format!("start transport\nprefix ()\noutput 4096 tidaws ({}) @0x1000\n", "4294967295 ".repeat(20));
    assert!(errors(&pieces).contains("HTK808E"));
}
