//! Names of the files of a volume.
//!
//! Several files of a CKD volume are named as `dasdinit` of Hercules 3.13 names them: `a.ckd` gives `a_1.ckd`,
//! `a_2.ckd`; a character behind the last underline before the first dot, or the last of a name without dot, is
//! replaced. Behind 9 come the letters from A.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Most files of a volume: those that one character can number.
pub const MOST_FILES: u8 = 9 + 26;

/// Returns the character that numbers a file, from 1.
const fn digit(number: u8) -> char {
    match number {
        0..=9 => (b'0' + number) as char,
        _ => (b'A' + number - 10) as char,
    }
}

/// Returns the name and extension, which begins with the first dot.
fn parts(path: &Path) -> (String, String) {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.find('.') {
        Some(dot) => (name[..dot].to_owned(), name[dot..].to_owned()),
        None => (name, String::new()),
    }
}

/// Returns the name of the file `number` (from 1) of a new volume with this name.
pub fn member_of_new(path: &Path, number: u8) -> PathBuf {
    let (mut stem, extension) = parts(path);
    let underlined = stem.chars().rev().nth(1) == Some('_');
    if extension.is_empty() || underlined {
        stem.pop();
    } else {
        stem.push('_');
    }
    path.with_file_name(format!("{stem}{}{extension}", digit(number)))
}

/// Returns the file `number` of the volume whose file 1 is `first`.
pub fn member(first: &Path, number: u8) -> PathBuf {
    let (mut stem, extension) = parts(first);
    stem.pop();
    first.with_file_name(format!("{stem}{}{extension}", digit(number)))
}

/// Returns the first file of the volume with this name. It is the file itself, or that of the first of several when
/// there is no such file.
pub fn first(path: &Path) -> PathBuf {
    let member = member_of_new(path, 1);
    if !path.exists() && member.exists() { member } else { path.to_owned() }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns the journal beside the first file of a volume. It is beside the file itself, by whatever link it is named,
/// so that every name leads to the one journal.
pub fn journal(first: &Path) -> PathBuf {
    match first.canonicalize() {
        Ok(file) if first.is_symlink() => with_suffix(&file, ".journal"),
        _ => with_suffix(first, ".journal"),
    }
}

/// Returns where a file is kept as it was before it was repaired.
pub fn before_repair(path: &Path) -> PathBuf {
    with_suffix(path, ".before-repair")
}

/// Returns the name under which a file is made before it is whole.
pub fn unfinished(path: &Path) -> PathBuf {
    with_suffix(path, ".unfinished")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_has_the_journal_of_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("a.ckd"), directory.path().join("link"));
        std::fs::write(&file, []).unwrap();
        std::os::unix::fs::symlink("a.ckd", &link).unwrap();
        assert_eq!(journal(&link), journal(&file.canonicalize().unwrap()));
    }

    #[test]
    fn members_are_named_as_dasdinit_names_them() {
        let seen = [
            ("d.e/b9.ckd", "d.e/b9_1.ckd", "d.e/b9_2.ckd"),
            ("p.q.ckd", "p_1.q.ckd", "p_2.q.ckd"),
            ("nodot", "nodo1", "nodo2"),
            ("a_1.ckd", "a_1.ckd", "a_2.ckd"),
            ("x_y.ckd", "x_1.ckd", "x_2.ckd"),
        ];
        for (asked, first, second) in seen {
            let names = [1, 2].map(|number| member_of_new(Path::new(asked), number));
            assert_eq!(names, [first, second].map(PathBuf::from));
            assert_eq!(member(&names[0], 2), names[1]);
        }
        assert_eq!(member(Path::new("b_1.ckd"), 11), Path::new("b_B.ckd"));
        assert_eq!(journal(Path::new("a/b.ckd")), Path::new("a/b.ckd.journal"));
    }
}
