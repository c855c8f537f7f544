//! Compiles the functions that Rust cannot define: those with a variable number of arguments.

fn main() {
    println!("cargo::rerun-if-changed=src/calls/dprintf.c");
    cc::Build::new().file("src/calls/dprintf.c").compile("dprintf");
}
