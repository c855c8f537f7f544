//! Programs that put the option into segments and keep what the peer's had, with names and numbers of linux/bpf.h.

use super::assembly::{Assembly, If, R0, R1, R2, R3, R4, R5, R6, R7, R8, R10};
use super::{MARK, SHOWN, SHOWN_BY_BOTH};

/// Events (`BPF_SOCK_OPS_..._CB`).
const CONNECT: i32 = 3;
const ACTIVE_ESTABLISHED: i32 = 4;
const PASSIVE_ESTABLISHED: i32 = 5;
const LISTEN: i32 = 11;
const OPTION_LENGTH: i32 = 14;
const OPTION_WRITE: i32 = 15;
/// Fields of `struct bpf_sock_ops`.
const ARGUMENT: i16 = 4;
const EVENT_FLAGS: i16 = 84;
const SOCKET: i16 = 184;
const TCP_FLAGS: i16 = 212;
/// Functions (`bpf_...`).
const SETSOCKOPT: i32 = 49;
const SOCK_OPS_CB_FLAGS_SET: i32 = 59;
const SK_STORAGE_GET: i32 = 107;
const LOAD_HDR_OPT: i32 = 142;
const STORE_HDR_OPT: i32 = 143;
const RESERVE_HDR_OPT: i32 = 144;
/// Options are to be written (`BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG`).
const WRITES_OPTIONS: i32 = 1 << 6;
/// A SYN cookie is sent: nothing of the SYN is kept (`BPF_WRITE_HDR_TCP_SYNACK_COOKIE`).
const IS_COOKIE: i32 = 2;
/// Options are searched in the SYN (`BPF_LOAD_HDR_OPT_TCP_SYN`).
const IN_SYN: i32 = 1;
/// Values are made where there is none (`BPF_SK_STORAGE_GET_F_CREATE`).
const CREATE: i32 = 1;
/// Flags of a segment.
const SYN: i32 = 0x02;
const SYN_ACK: i32 = 0x12;
/// Level of TCP, and its option by which an accepted socket keeps its SYN.
const TCP: i32 = 6;
const TCP_SAVE_SYN: i32 = 27;
/// Option: kind 254, its length, and SMCR in EBCDIC (RFC 7609, 3.1; RFC 6994).
const OPTION: [u8; 8] = [0xFE, 6, 0xE2, 0xD4, 0xC3, 0xD9, 0, 0];
const OPTION_BYTES: i32 = 6;
/// Place of the option on the stack.
const ON_STACK: i16 = -8;
/// Fields of `struct bpf_sockopt`.
const VALUE: i16 = 8;
const VALUE_END: i16 = 16;
const LEVEL: i16 = 24;
const NAME: i16 = 28;
const LENGTH: i16 = 32;
const RESULT: i16 = 36;
/// Length by which the kernel's own part is left out.
const LEAVE_OUT: i32 = -1;

impl Assembly {
    /// Finds the number of the socket, whose place is then in R0; goes to `none` without one.
    fn number_of_socket(&mut self, map: i32, none: &'static str) -> &mut Self {
        self.load_pointer(R2, R6, SOCKET).go_if(R2, If::Equal, 0, none);
        self.map(R1, map).set(R3, 0).set(R4, 0).call(SK_STORAGE_GET).go_if(R0, If::Equal, 0, none)
    }

    /// Searches the option; goes to `none` without it.
    fn search(&mut self, flags: i32, none: &'static str) -> &mut Self {
        self.copy(R1, R6).copy(R2, R10).plus(R2, ON_STACK.into()).set(R3, OPTION_BYTES).set(R4, flags);
        self.call(LOAD_HDR_OPT).go_if(R0, If::Negative, 0, none)
    }

    /// Begins or ends the writing of options.
    fn set_writing(&mut self, is_writing: bool) -> &mut Self {
        self.load(R2, R6, EVENT_FLAGS);
        if is_writing {
            self.or(R2, WRITES_OPTIONS)
        } else {
            self.and(R2, !WRITES_OPTIONS)
        };
        self.copy(R1, R6).call(SOCK_OPS_CB_FLAGS_SET).go("end")
    }
}

/// Returns the program of the events of TCP.
pub fn tcp_events(map: i32) -> Vec<u64> {
    let [first, second] =
        [0, 4].map(|at| i32::from_le_bytes(*OPTION[at..].first_chunk().expect("eight octets")));
    let mut it = Assembly::default();
    it.copy(R6, R1).store_number(R10, ON_STACK, first).store_number(R10, ON_STACK + 4, second);
    it.load(R7, R6, 0);
    for (event, label) in [
        (CONNECT, "connect"),
        (LISTEN, "listen"),
        (OPTION_LENGTH, "options"),
        (OPTION_WRITE, "options"),
        (ACTIVE_ESTABLISHED, "active"),
        (PASSIVE_ESTABLISHED, "passive"),
    ] {
        it.go_if(R7, If::Equal, event, label);
    }
    it.go("end");
    // A socket that was connected before has no peer that has shown anything.
    it.label("connect").number_of_socket(map, "end").store_number(R0, 0, SHOWN).set_writing(true);
    it.label("listen").number_of_socket(map, "end");
    it.store_number(R10, ON_STACK, 1).copy(R1, R6).set(R2, TCP).set(R3, TCP_SAVE_SYN);
    it.copy(R4, R10).plus(R4, ON_STACK.into()).set(R5, 4).call(SETSOCKOPT).go_if(R0, If::NotEqual, 0, "end");
    it.set_writing(true);
    it.label("options").load(R8, R6, TCP_FLAGS).and(R8, SYN_ACK);
    it.go_if(R8, If::Equal, SYN_ACK, "answer").go_if(R8, If::NotEqual, SYN, "end");
    it.number_of_socket(map, "end").go("room or option");
    it.label("answer").load(R2, R6, ARGUMENT).go_if(R2, If::AnyBit, IS_COOKIE, "end").search(IN_SYN, "end");
    it.label("room or option").go_if(R7, If::Equal, OPTION_WRITE, "option");
    it.copy(R1, R6).set(R2, OPTION_BYTES).set(R3, 0).call(RESERVE_HDR_OPT).go("end");
    it.label("option").copy(R1, R6).copy(R2, R10).plus(R2, ON_STACK.into()).set(R3, OPTION_BYTES).set(R4, 0);
    it.call(STORE_HDR_OPT).go("end");
    it.label("active").number_of_socket(map, "end").copy(R8, R0);
    it.search(0, "shown").store_number(R8, 0, SHOWN_BY_BOTH).go("shown");
    it.label("passive").number_of_socket(map, "end").copy(R8, R0);
    it.search(IN_SYN, "shown").store_number(R8, 0, SHOWN_BY_BOTH);
    it.label("shown").set_writing(false);
    it.label("end").end(1);
    it.words()
}

/// Returns the program that marks a socket.
pub fn option_set(map: i32) -> Vec<u64> {
    let mut it = Assembly::default();
    begin_option(&mut it);
    it.map(R1, map).load_pointer(R2, R6, 0).set(R3, 0).set(R4, CREATE).call(SK_STORAGE_GET);
    it.go_if(R0, If::Equal, 0, "end").store_number(R0, 0, SHOWN).set(R1, LEAVE_OUT).store(R6, LENGTH, R1);
    it.label("end").end(1);
    it.words()
}

/// Returns the program that answers what was shown.
pub fn option_read(map: i32) -> Vec<u64> {
    let mut it = Assembly::default();
    begin_option(&mut it);
    it.load_pointer(R7, R6, VALUE).load_pointer(R8, R6, VALUE_END).copy(R1, R7).plus(R1, 4);
    it.go_if_both(R1, If::Greater, R8, "end");
    it.map(R1, map).load_pointer(R2, R6, 0).set(R3, 0).set(R4, 0).call(SK_STORAGE_GET).set(R1, 0);
    it.go_if(R0, If::Equal, 0, "answer").load(R1, R0, 0);
    it.label("answer").store(R7, 0, R1).set(R1, 4).store(R6, LENGTH, R1).set(R1, 0).store(R6, RESULT, R1);
    it.label("end").end(1);
    it.words()
}

/// Goes to the end for other options.
fn begin_option(it: &mut Assembly) {
    it.copy(R6, R1).load(R1, R6, LEVEL).go_if(R1, If::NotEqual, MARK.0, "end");
    it.load(R1, R6, NAME).go_if(R1, If::NotEqual, MARK.1, "end");
}
