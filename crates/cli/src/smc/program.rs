//! Programs that no library can be loaded in front of.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use object::elf::{FileHeader64, PT_INTERP};
use object::read::elf::{FileHeader as _, ProgramHeader as _};
use rustix::process::{getegid, geteuid};

/// Bits of programs that run as their user, and as their group.
const SETUID: u32 = 0o4000;
const SETGID: u32 = 0o2000;
/// Octets in which the headers of a program lie.
const HEAD_BYTES: u64 = 4096;
/// Scripts whose interpreters are scripts, at most, as Linux has it.
const SCRIPTS_MAX: usize = 4;

/// Reason for which no library is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// No loader is called.
    Static,
    /// The loader takes no libraries from the environment.
    Setuid,
}

/// Returns what keeps a program from having the library, as far as its file shows it.
pub fn obstacle(program: &OsStr) -> Option<Obstacle> {
    let mut path = found(program)?;
    for _ in 0..=SCRIPTS_MAX {
        let own = (geteuid().as_raw(), getegid().as_raw());
        if changes_rights(&fs::metadata(&path).ok()?, own) {
            return Some(Obstacle::Setuid);
        }
        let mut head = Vec::new();
        File::open(&path).ok()?.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
        match interpreter(&head) {
            Some(next) => path = next,
            None => return is_static(&head).then_some(Obstacle::Static),
        }
    }
    None
}

/// Returns whether a program runs as another user or group than these: only then the loader heeds nobody.
fn changes_rights(program: &Metadata, (user, group): (u32, u32)) -> bool {
    let has = |bit: u32| program.permissions().mode() & bit != 0;
    (has(SETUID) && program.uid() != user) || (has(SETGID) && program.gid() != group)
}

/// Finds a program as a shell does.
fn found(program: &OsStr) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(program.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|path| path.is_file())
}

/// Returns the interpreter of a script.
fn interpreter(head: &[u8]) -> Option<PathBuf> {
    let line = head.strip_prefix(b"#!")?.split(|octet| *octet == b'\n').next()?;
    let word = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?;
    Some(OsString::from_vec(word.to_vec()).into())
}

/// Returns whether a program has no loader.
fn is_static(head: &[u8]) -> bool {
    let Ok(header) = FileHeader64::<object::Endianness>::parse(head) else { return false };
    let Ok(endian) = header.endian() else { return false };
    let segments = header.program_headers(endian, head);
    segments.is_ok_and(|segments| segments.iter().all(|segment| segment.p_type(endian) != PT_INTERP))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_out() {
        assert_eq!(obstacle(OsStr::new("sh")), None);
        assert_eq!(obstacle(OsStr::new("no-such-program")), None);
        let directory = tempfile::tempdir().unwrap();
        let script = directory.path().join("script");
        let made = |text: &[u8], mode: u32| {
            fs::write(&script, text).unwrap();
            fs::set_permissions(&script, fs::Permissions::from_mode(mode)).unwrap();
            obstacle(script.as_os_str())
        };
        assert_eq!(made(b"#! /bin/sh\n", 0o755), None);
        assert_eq!(made(b"#!/bin/sh\n", 0o4755), None, "it is this user's own");
        let file = fs::metadata(&script).unwrap();
        let own = (file.uid(), file.gid());
        assert!(!changes_rights(&file, own) && changes_rights(&file, (own.0 + 1, own.1)));
        // The loader itself needs no other.
        let loader = fs::read_dir("/lib64").into_iter().flatten().flatten().map(|entry| entry.path());
        for loader in loader.filter(|path| path.to_string_lossy().contains("ld-linux")) {
            assert_eq!(obstacle(loader.as_os_str()), Some(Obstacle::Static));
        }
    }
}
