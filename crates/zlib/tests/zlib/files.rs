//! Files of the format gzip.

use std::ffi::CString;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use libc::{c_int, c_uint};
use libz_rs_sys::{Z_FINISH, Z_HUFFMAN_ONLY, Z_OK, Z_STREAM_ERROR, Z_SYNC_FLUSH, gzFile};
use tempfile::TempDir;

use crate::in_process::{Faults, requests, set_faults};
use crate::text;

fn c_path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("no zero")
}

fn open(path: &Path, mode: &str) -> gzFile {
    let (path, mode) = (c_path(path), CString::new(mode).expect("no zero"));
    // SAFETY: both are texts.
    unsafe { z::gzopen(path.as_ptr(), mode.as_ptr()) }
}

fn write(file: gzFile, data: &[u8]) -> c_int {
    // SAFETY: the file is open; the data have their length.
    unsafe { z::gzwrite(file, data.as_ptr().cast(), data.len() as c_uint) }
}

fn close(file: gzFile) -> c_int {
    // SAFETY: the file is open, and not used afterwards.
    unsafe { z::gzclose(file) }
}

/// Reads a file by another library.
fn read_elsewhere(path: &Path) -> Vec<u8> {
    let mut data = Vec::new();
    let file = fs::File::open(path).expect("the file is there");
    MultiGzDecoder::new(file).read_to_end(&mut data).expect("another library reads it");
    data
}

#[test]
fn files_are_written_by_a_card_and_read() {
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("file.gz");
    let data = text(2_500_000);
    for pieces in [100, 5_000, 8_192, 100_000, 2_500_000] {
        for first in 0..4 {
            set_faults(Faults { first, ..Faults::default() });
            let file = open(&path, "wb6");
            for piece in data.chunks(pieces) {
                assert_eq!(write(file, piece), piece.len() as c_int);
            }
            // SAFETY: the file is open.
            assert_eq!(unsafe { z::gztell(file) }, data.len() as i64);
            assert_eq!(close(file), Z_OK);
            assert_eq!(requests(), if first == 0 { 3 } else { first });
            assert!(read_elsewhere(&path) == data, "{pieces} {first}");
        }
    }
    let file = open(&path, "rb");
    let mut read = vec![0; data.len() + 1];
    // SAFETY: the file is open; the room has its length.
    let bytes = unsafe { z::gzread(file, read.as_mut_ptr().cast(), read.len() as c_uint) };
    assert_eq!((bytes, close(file)), (data.len() as c_int, Z_OK));
    assert!(read[..data.len()] == data);
}

#[test]
fn every_function_of_writing_gives_its_data() {
    set_faults(Faults::default());
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("file.gz");
    let file = open(&path, "wb");
    // SAFETY: the file is open, and texts are texts.
    unsafe {
        assert_eq!(z::gzbuffer(file, 10_000), 0);
        assert_eq!(z::gzputc(file, c_int::from(b'a')), c_int::from(b'a'));
        assert_eq!(z::gzbuffer(file, 10_000), -1, "too late");
        assert_eq!(z::gzputs(file, c"text".as_ptr()), 4);
        assert_eq!(z::gzfwrite(b"abcdef".as_ptr().cast(), 2, 3, file), 3);
        assert_eq!(z::gzfwrite(b"abcdef".as_ptr().cast(), usize::MAX, 3, file), 0);
        z::gzclearerr(file);
        assert_eq!(z::gzseek(file, 5, libc::SEEK_CUR), 16);
        assert_eq!(z::gzseek(file, 3, libc::SEEK_SET), -1, "not back");
        assert_eq!(z::gzflush(file, Z_SYNC_FLUSH), Z_OK);
        assert_eq!(z::gzoffset(file), fs::metadata(&path).expect("a file").len() as i64);
        assert_eq!(z::gzsetparams(file, 9, Z_HUFFMAN_ONLY), Z_OK);
        assert_eq!(write(file, &text(20_000)), 20_000);
        assert_eq!(z::gzflush(file, Z_FINISH), Z_OK);
        assert_eq!(write(file, &text(20_000)), 20_000);
        assert_eq!(z::gzflush(file, 9), Z_STREAM_ERROR);
        // Functions of reading are errors.
        assert_eq!(
            (z::gzgetc(file), z::gzungetc(1, file), z::gzrewind(file), z::gzeof(file)),
            (-1, -1, -1, 0)
        );
        assert_eq!(z::gzread(file, [0_u8; 4].as_mut_ptr().cast(), 4), -1);
        assert_eq!(z::gzclose_r(file), Z_STREAM_ERROR);
        assert_eq!(z::gzclose_w(file), Z_OK);
    }
    let expected = [&b"atextabcdef\0\0\0\0\0"[..], &text(20_000), &text(20_000)].concat();
    assert!(read_elsewhere(&path) == expected);
    let file = open(&path, "ab");
    assert_eq!(write(file, b"more"), 4);
    assert_eq!(close(file), Z_OK);
    assert!(read_elsewhere(&path) == [&expected[..], b"more"].concat(), "a file goes on");
}

#[test]
fn errors_of_files_have_their_text() {
    set_faults(Faults::default());
    let directory = TempDir::new().expect("a directory");
    assert!(open(&directory.path().join("absent/file"), "wb").is_null());
    assert_eq!(close(open(&directory.path().join("file"), "wx")), Z_OK);
    assert!(open(&directory.path().join("file"), "wx").is_null(), "it is there");
    let file = open(Path::new("/dev/full"), "wb");
    assert_eq!(write(file, &text(20_000)), 20_000, "it is collected");
    // SAFETY: the file is open; the text is one.
    unsafe {
        assert_eq!(z::gzflush(file, Z_SYNC_FLUSH), libz_rs_sys::Z_ERRNO);
        let mut error = 0;
        let text = std::ffi::CStr::from_ptr(z::gzerror(file, &mut error)).to_str().expect("text");
        assert_eq!(error, libz_rs_sys::Z_ERRNO);
        assert!(text.starts_with("/dev/full: No space left"), "{text}");
    }
    assert_eq!(write(file, b"more"), 0, "the error is kept");
    assert_eq!(close(file), libz_rs_sys::Z_ERRNO);
}
