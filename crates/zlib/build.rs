//! Compiles the one function that Rust cannot define: one with a variable number of arguments.

fn main() {
    println!("cargo::rerun-if-changed=src/gz/printf.c");
    cc::Build::new().file("src/gz/printf.c").compile("gzprintf");
}
