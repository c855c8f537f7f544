//! The functions of zlib, as C calls them.
//!
//! Every symbol of the library is defined here or in `gz`, so that no state of ours ever comes before another library. What no
//! card has a part in is the software's function, which finds its own state in the stream.
//!
//! Callers keep the contract of the manual of zlib: it is the safety section of every function.
#![allow(unsafe_code, non_snake_case, clippy::missing_safety_doc)]

mod checks;
mod deflate;
mod inflate;
mod inflate_back;
mod whole;

pub use checks::*;
pub use deflate::*;
pub use inflate::*;
pub use inflate_back::*;
pub use whole::*;

/// Defines functions that are those of the software.
macro_rules! of_software {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            // Some of them are safe.
            #[allow(unused_unsafe)]
            // SAFETY: that of the caller.
            unsafe { libz_rs_sys::$name($($argument),*) }
        }
    )*};
}
pub(crate) use of_software;

/// Returns whether the application was made for this structure, as zlib checks it.
///
/// # Safety
/// `version` is null, or has an octet.
unsafe fn is_version_compatible(version: *const libc::c_char, stream_bytes: libc::c_int) -> bool {
    // SAFETY: that of the caller; the own version is a text.
    !version.is_null()
        && unsafe { *version == *libz_rs_sys::zlibVersion() }
        && usize::try_from(stream_bytes) == Ok(size_of::<libz_rs_sys::z_stream>())
}
