//! Memory of the caller, which the system copies: a pointer that leads to no storage is an answer.

use std::ffi::c_void;
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

use crate::codes::Fault;
use crate::layout::{RegionName, RendezvousName, Run, RunResult};

/// Octets of which a page is sure: an access within so many, aligned, meets one page.
const CHUNK_BYTES: usize = 256;

/// Structure of the header: any octets are one.
///
/// # Safety
/// Every pattern of bits is a value.
pub unsafe trait Plain: Copy {}

// SAFETY: octets, integers and pointers that nobody follows.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for usize {}
// SAFETY: as above.
unsafe impl Plain for RegionName {}
// SAFETY: as above.
unsafe impl Plain for RendezvousName {}
// SAFETY: as above.
unsafe impl Plain for Run {}
// SAFETY: as above.
unsafe impl Plain for RunResult {}

/// Call of the system that copies octets between a process and another one, here itself.
type Transfer = unsafe extern "C" fn(
    libc::pid_t,
    *const libc::iovec,
    libc::c_ulong,
    *const libc::iovec,
    libc::c_ulong,
    libc::c_ulong,
) -> isize;

/// Has the system copy between own and caller's octets; false when it does not do such copies here.
///
/// # Errors
/// [`Fault::BadPointer`].
///
/// # Safety
/// So many octets are the own ones, to be read or written by `transfer`.
unsafe fn transferred(
    transfer: Transfer,
    own: *mut c_void,
    callers: *mut c_void,
    bytes: usize,
) -> Result<bool, Fault> {
    if callers.is_null() {
        return Err(Fault::BadPointer);
    }
    let own = libc::iovec { iov_base: own, iov_len: bytes };
    let callers = libc::iovec { iov_base: callers, iov_len: bytes };
    // SAFETY: own octets are the caller's of this function; the system checks those at the other address.
    let copied = unsafe { transfer(libc::getpid(), &own, 1, &callers, 1, 0) };
    match usize::try_from(copied) {
        Ok(copied) if copied == bytes => Ok(true),
        // The first page was there, and another one was not.
        Ok(_) => Err(Fault::BadPointer),
        Err(_) => match io::Error::last_os_error().raw_os_error() {
            // Containers may forbid the call.
            Some(libc::ENOSYS | libc::EPERM | libc::EACCES) => Ok(false),
            _ => Err(Fault::BadPointer),
        },
    }
}

/// Copies `count` structures of the caller.
///
/// # Errors
/// [`Fault::BadPointer`].
///
/// # Safety
/// Storage is what `address` leads to, if the system does not check that.
pub unsafe fn load_all<T: Plain>(address: *const T, count: usize) -> Result<Vec<T>, Fault> {
    let mut loaded = Vec::<T>::with_capacity(count);
    let bytes = count * size_of::<T>();
    let (own, callers) = (loaded.as_mut_ptr().cast(), address.cast_mut().cast());
    // SAFETY: the vector has room for so many octets.
    if !unsafe { transferred(libc::process_vm_readv, own, callers, bytes) }? {
        // SAFETY: the room is as above; that the rest is storage is the caller's promise. It need not be aligned.
        unsafe { ptr::copy_nonoverlapping(address.cast::<u8>(), own.cast::<u8>(), bytes) };
    }
    // SAFETY: so many structures were written, and any octets are one.
    unsafe { loaded.set_len(count) };
    Ok(loaded)
}

/// Copies a structure of the caller.
///
/// # Errors
/// [`Fault::BadPointer`].
///
/// # Safety
/// As [`load_all`].
pub unsafe fn load<T: Plain>(address: *const T) -> Result<T, Fault> {
    let mut loaded = MaybeUninit::<T>::uninit();
    let (own, callers) = (loaded.as_mut_ptr().cast(), address.cast_mut().cast());
    // SAFETY: there is room for the structure.
    if !unsafe { transferred(libc::process_vm_readv, own, callers, size_of::<T>()) }? {
        // SAFETY: as in `load_all`.
        unsafe { ptr::copy_nonoverlapping(address.cast::<u8>(), own.cast::<u8>(), size_of::<T>()) };
    }
    // SAFETY: it was written, and any octets are one.
    Ok(unsafe { loaded.assume_init() })
}

/// Copies a structure to the caller.
///
/// # Errors
/// [`Fault::BadPointer`].
///
/// # Safety
/// As [`load_all`], of storage that can be written and nobody else uses.
pub unsafe fn store<T: Plain>(address: *mut T, mut value: T) -> Result<(), Fault> {
    let own = (&raw mut value).cast::<c_void>();
    // SAFETY: the value is so long.
    if !unsafe { transferred(libc::process_vm_writev, own, address.cast(), size_of::<T>()) }? {
        // SAFETY: as in `load_all`.
        unsafe { ptr::copy_nonoverlapping(own.cast::<u8>(), address.cast::<u8>(), size_of::<T>()) };
    }
    Ok(())
}

/// Copies a text of the caller, without the zero behind it, of at most `most_bytes`; none when it is longer.
///
/// # Errors
/// [`Fault::BadPointer`].
///
/// # Safety
/// As [`load_all`], up to the zero.
pub unsafe fn load_text(address: *const u8, most_bytes: usize) -> Result<Option<Vec<u8>>, Fault> {
    let mut text = Vec::new();
    while text.len() <= most_bytes {
        let next = address.wrapping_add(text.len());
        // Nothing of another page is read, where there may be none.
        let chunk_bytes = CHUNK_BYTES - next.addr() % CHUNK_BYTES;
        // SAFETY: where the system checks nothing, the page of an octet of the text is storage.
        let chunk = unsafe { load_all(if address.is_null() { address } else { next }, chunk_bytes) }?;
        let end = chunk.iter().position(|octet| *octet == 0);
        text.extend_from_slice(&chunk[..end.unwrap_or(chunk_bytes)]);
        if end.is_some() {
            return Ok(Some(text).filter(|text| text.len() <= most_bytes));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_copied_from_any_address() {
        let octets: Vec<u8> = (0..100).collect();
        // SAFETY: the octets are there.
        let token = unsafe { load(octets[3..].as_ptr().cast::<RendezvousName>()) }.expect("storage");
        assert_eq!(token.octets[..], octets[3..19]);
        let mut room = [0_u8; 20];
        // SAFETY: as above.
        unsafe { store(room[1..].as_mut_ptr().cast::<RendezvousName>(), token) }.expect("storage");
        assert_eq!((room[0], &room[1..17], room[17]), (0, &octets[3..19], 0));
    }

    #[test]
    fn pointers_that_lead_nowhere_are_answers() {
        for address in
            [ptr::null_mut(), ptr::without_provenance_mut(8), ptr::without_provenance_mut(usize::MAX)]
        {
            // SAFETY: the system checks the address.
            unsafe {
                assert_eq!(load::<RendezvousName>(address).err(), Some(Fault::BadPointer));
                assert_eq!(store(address, RendezvousName::default()), Err(Fault::BadPointer));
                assert_eq!(load_text(address.cast(), 100), Err(Fault::BadPointer));
            }
        }
        let text = b"read only";
        // SAFETY: as above; literals cannot be written.
        let stored = unsafe { store(text.as_ptr().cast_mut(), b'w') };
        assert_eq!((stored, text), (Err(Fault::BadPointer), b"read only"));
    }

    #[test]
    fn texts_end_at_a_zero() {
        let text = [&[b'a'; 700][..], b"\0bcd"].concat();
        // SAFETY: the text ends.
        unsafe {
            assert_eq!(load_text(text.as_ptr(), 700), Ok(Some(text[..700].to_vec())));
            assert_eq!(load_text(text[700..].as_ptr(), 0), Ok(Some(Vec::new())));
            assert_eq!(load_text(text.as_ptr(), 699), Ok(None));
            assert_eq!(load_text(text.as_ptr(), 10), Ok(None));
        }
    }
}
