//! The compilers of C and C++, and the library that is linked.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::presence::{is_there, runs};

/// Header of zlib, by which programs inflate.
const ZLIB: &str = "/usr/include/zlib.h";

/// Returns the directory of the crate.
pub fn crate_directory() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the library that cargo has built for this test.
fn library() -> PathBuf {
    let own = env::current_exe().expect("a test has a file");
    let path = own.with_file_name("libhalftrack_zedc_c.so");
    assert!(path.exists(), "{} is built with this test", path.display());
    path
}

/// Compiles a program in C; returns its path, which any user can run. None when there is no compiler.
pub fn compiled(source: &Path, name: &str, directory: &Path) -> Option<PathBuf> {
    if !runs("cc") || !is_there("programs in C with zlib (zlib1g-dev)", Path::new(ZLIB).exists()) {
        return None;
    }
    let library_beside = directory.join("libhalftrack_zedc_c.so");
    std::fs::copy(library(), library_beside).expect("the library is copied");
    let program = directory.join(name);
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-pthread"]);
    compiler.arg("-I").arg(crate_directory().join("include")).arg("-o").arg(&program).arg(source);
    compiler.arg("-L").arg(directory).args(["-lhalftrack_zedc_c", "-lz", "-Wl,-rpath,$ORIGIN"]);
    checked(&mut compiler);
    Some(program)
}

/// Compiles a file and links nothing.
pub fn checked(compiler: &mut Command) {
    let output = compiler.output().expect("the compiler runs");
    assert!(output.status.success(), "{compiler:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The header stands alone in C and in C++, with every warning.
#[test]
fn the_header_is_c_and_cpp() {
    let header = crate_directory().join("include/halftrack_zedc.h");
    for (compiler, language, standard) in
        [("cc", "c", "-std=c99"), ("c++", "c++", "-std=c++98"), ("c++", "c++", "-std=c++17")]
    {
        if runs(compiler) {
            let mut command = Command::new(compiler);
            let warnings = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"];
            checked(command.args(["-x", language, standard]).args(warnings).arg(&header));
        }
    }
}
