//! Check values, texts and bounds that need no stream.

use libc::{c_char, c_int, c_uint, c_ulong, size_t};
use libz_rs_sys::{Bytef, z_off_t, z_off64_t};

use super::of_software;

of_software! {
    /// Returns the Adler-32 of data behind those of `adler`.
    fn adler32(adler: c_ulong, buf: *const Bytef, len: c_uint) -> c_ulong;
    /// Returns the Adler-32 of data of any length.
    fn adler32_z(adler: c_ulong, buf: *const Bytef, len: size_t) -> c_ulong;
    /// Returns the Adler-32 of two pieces of data from theirs.
    fn adler32_combine(adler1: c_ulong, adler2: c_ulong, len2: z_off_t) -> c_ulong;
    /// Returns the Adler-32 of two pieces of data from theirs.
    fn adler32_combine64(adler1: c_ulong, adler2: c_ulong, len2: z_off64_t) -> c_ulong;
    /// Returns the CRC-32 of data behind those of `crc`.
    fn crc32(crc: c_ulong, buf: *const Bytef, len: c_uint) -> c_ulong;
    /// Returns the CRC-32 of data of any length.
    fn crc32_z(crc: c_ulong, buf: *const Bytef, len: size_t) -> c_ulong;
    /// Returns the CRC-32 of two pieces of data from theirs.
    fn crc32_combine(crc1: c_ulong, crc2: c_ulong, len2: z_off_t) -> c_ulong;
    /// Returns the CRC-32 of two pieces of data from theirs.
    fn crc32_combine64(crc1: c_ulong, crc2: c_ulong, len2: z_off64_t) -> c_ulong;
    /// Returns the operator of `crc32_combine_op` for a length.
    fn crc32_combine_gen(len2: z_off_t) -> c_ulong;
    /// Returns the operator of `crc32_combine_op` for a length.
    fn crc32_combine_gen64(len2: z_off64_t) -> c_ulong;
    /// Returns the CRC-32 of two pieces of data by an operator.
    fn crc32_combine_op(crc1: c_ulong, crc2: c_ulong, op: c_ulong) -> c_ulong;
    /// Returns the table of the CRC-32.
    fn get_crc_table() -> *const [u32; 256];
    /// Returns the version of the interface.
    fn zlibVersion() -> *const c_char;
    /// Returns the sizes of types and the options of the library.
    fn zlibCompileFlags() -> c_ulong;
    /// Returns the text of an error.
    fn zError(err: c_int) -> *const c_char;
}
