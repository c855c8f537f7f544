//! The library with an engine in its own process in the place of a card, for tests that load it into programs.

#[allow(dead_code)]
#[path = "../tests/zlib/in_process.rs"]
mod in_process;

/// Sets the engine before the program begins.
#[used]
#[allow(unsafe_code)]
// SAFETY: the section holds pointers to functions without arguments that the dynamic linker calls when the library is loaded.
#[unsafe(link_section = ".init_array")]
static SET: extern "C" fn() = set;

extern "C" fn set() {
    z::connect_by(in_process::connect);
}
