//! The library with the interface of zlib, over an engine in the process in the place of a card.
//!
//! Its functions are those of C, and every call of one is unsafe.
#![allow(unsafe_code)]

mod abi;
mod bounds;
mod callbacks;
mod deflation;
mod files;
mod in_process;
mod inflation;
mod losses;
mod memory;
mod policy;
mod programs;

mod refusals;

/// Sets the engine before any test begins.
#[used]
// SAFETY: the section holds pointers to functions without arguments that are called before `main`.
#[unsafe(link_section = ".init_array")]
static SET: extern "C" fn() = set;

extern "C" fn set() {
    // SAFETY: there is one thread yet.
    unsafe { std::env::set_var("HALFTRACK_ZEDC", "in the process") };
    z::connect_by(in_process::connect);
}

/// Returns text that shrinks.
fn text(bytes: usize) -> Vec<u8> {
    let lines = (0_u32..).flat_map(|at| format!("record {at} of data set {}\n", at % 37).into_bytes());
    lines.take(bytes).collect()
}

/// Returns octets that do not shrink.
fn incompressible(bytes: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    std::iter::repeat_with(next).take(bytes).collect()
}
