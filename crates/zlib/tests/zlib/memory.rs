//! Memory is the application's: all of it is freed, and none is an error or software.

use libz_rs_sys::{Z_FINISH, Z_MEM_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END};

use crate::abi::{Library, Stream, inflated_elsewhere};
use crate::in_process::{Faults, requests, set_faults};
use crate::text;

/// A stream that gets no memory at any one allocation is refused when it is initialized, and goes on in software later.
#[test]
fn any_allocation_can_fail() {
    let data = text(100_000);
    let mut outcomes = Vec::new();
    for fails_at in 1..20 {
        set_faults(Faults::default());
        let mut stream = match Stream::deflate_with(Library::Own, 6, 31, 0, fails_at) {
            Err(code) => {
                assert_eq!(code, Z_MEM_ERROR);
                outcomes.push("refused");
                continue;
            }
            Ok(stream) => stream,
        };
        let mut output = Vec::new();
        for piece in [&data[..20_000], &data[20_000..]] {
            assert_eq!(stream.run(piece, 1_000, Z_NO_FLUSH, &mut output), Z_OK);
        }
        assert_eq!(stream.run(&[], 1_000, Z_FINISH, &mut output), Z_STREAM_END);
        assert_eq!(stream.end(), Z_OK);
        assert_eq!(stream.allocations.live.get(), 0);
        assert!(inflated_elsewhere(&output, 31) == data);
        let is_all_given = stream.allocations.made.get() < fails_at;
        outcomes.push(if requests() > 0 { "card" } else { "software" });
        if is_all_given {
            break;
        }
    }
    // The software's state and ours; output, window and raw stream; the input is collected.
    let expected = ["refused", "refused", "software", "software", "software", "software", "card"];
    assert_eq!(outcomes, expected);
}

/// A copy that gets no memory at any one allocation is refused, and the stream goes on.
#[test]
fn any_allocation_of_a_copy_can_fail() {
    let data = text(100_000);
    for fails_at in 1.. {
        set_faults(Faults::default());
        let mut stream = Stream::deflate(6, 15);
        let mut output = Vec::new();
        assert_eq!(stream.run(&data[..50_000], 1_000, Z_NO_FLUSH, &mut output), Z_OK);
        let before = stream.allocations.live.get();
        stream.allocations.fails_at.set(stream.allocations.made.get() + fails_at);
        let is_last = match stream.copied() {
            Ok(_) => true,
            Err(code) => {
                assert_eq!(code, Z_MEM_ERROR);
                false
            }
        };
        assert_eq!(stream.allocations.live.get(), before, "nothing of the copy is left");
        assert_eq!(stream.run(&data[50_000..], 1_000, Z_FINISH, &mut output), Z_STREAM_END);
        assert!(inflated_elsewhere(&output, 15) == data);
        if is_last {
            assert_eq!(fails_at, 7, "six allocations: the software's two, three queues, and our state");
            return;
        }
    }
}

#[test]
fn a_stream_that_is_inflated_frees_its_memory() {
    let data = text(100_000);
    set_faults(Faults::default());
    let mut output = Vec::new();
    Stream::deflate(6, 15).run(&data, 1_000_000, Z_FINISH, &mut output);
    for fails_at in 1..4 {
        match Stream::inflate_with(Library::Own, 15, fails_at) {
            Err(code) => assert_eq!(code, Z_MEM_ERROR),
            Ok(mut stream) => {
                let step = stream.step(&output, 200_000, Z_NO_FLUSH);
                assert!(matches!(step.code, Z_STREAM_END | Z_MEM_ERROR), "{}", step.code);
                assert_eq!(stream.end(), Z_OK);
                assert_eq!(stream.allocations.live.get(), 0);
            }
        }
    }
}
