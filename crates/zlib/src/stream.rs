//! States behind the `z_stream` of applications.
//!
//! The state of a stream is our own allocation, and holds that of the software. It begins with the number of its kind,
//! and names its `z_stream`, so that a stream of another kind, one that has ended, and a copy of the structure are refused as
//! zlib refuses them.

use std::ptr;

use libc::{c_uint, c_void, size_t};
use libz_rs_sys::{internal_state, z_stream, z_streamp};

/// Part of the state that is of a kind of stream.
pub trait Kind {
    /// Number at the begin of the state; no two kinds have the same.
    const MARK: u64;
}

/// State of a stream.
#[repr(C)]
pub struct Stream<K> {
    mark: u64,
    owner: *const z_stream,
    software: *mut internal_state,
    /// Part that is of its kind.
    pub own: K,
}

extern "C" fn allocate(_: *mut c_void, items: c_uint, bytes: c_uint) -> *mut c_void {
    // SAFETY: any product of sizes can be requested.
    unsafe { libc::malloc(items as size_t * bytes as size_t) }
}

unsafe extern "C" fn free(_: *mut c_void, address: *mut c_void) {
    // SAFETY: the caller hands over what `allocate` returned, or null.
    unsafe { libc::free(address) }
}

/// Sets functions that the application leaves open, as zlib does, before the software sets its own.
pub fn complete_allocator(strm: &mut z_stream) {
    if strm.zalloc.is_none() {
        strm.zalloc = Some(allocate);
        strm.opaque = ptr::null_mut();
    }
    if strm.zfree.is_none() {
        strm.zfree = Some(free);
    }
}

/// Alignment of what is [`allocated`], as that of `malloc`. An allocator of an application may have none: nginx hands over parts of
/// one piece of memory, of any length.
const ALIGNMENT_BYTES: usize = 16;

/// Allocates octets by the application's function, aligned; null when there are none.
///
/// # Safety
/// The functions of the stream are as zlib demands.
pub unsafe fn allocated(strm: &z_stream, bytes: usize) -> *mut u8 {
    let room = bytes.checked_add(2 * ALIGNMENT_BYTES).and_then(|room| c_uint::try_from(room).ok());
    let (Some(zalloc), Some(room)) = (strm.zalloc, room) else { return ptr::null_mut() };
    // SAFETY: that of the caller.
    let start = unsafe { zalloc(strm.opaque, 1, room) }.cast::<u8>();
    if start.is_null() {
        return start;
    }
    let behind_start = start.wrapping_add(ALIGNMENT_BYTES);
    let place = behind_start.wrapping_add(behind_start.align_offset(ALIGNMENT_BYTES));
    // SAFETY: the place is 16 to 31 octets behind the start, so that its octets are within the room, and so are the 8 before it,
    // which are as aligned as a pointer.
    unsafe { place.cast::<*mut u8>().sub(1).write(start) };
    place
}

/// Frees octets.
///
/// # Safety
/// They were [`allocated`] by the functions of this stream, and are not used any more.
pub unsafe fn freed(strm: &z_stream, address: *mut u8) {
    if let Some(zfree) = strm.zfree {
        // SAFETY: `allocated` wrote before the address where the memory starts; the rest is that of the caller.
        unsafe { zfree(strm.opaque, address.cast::<*mut u8>().sub(1).read().cast()) }
    }
}

impl<K: Kind> Stream<K> {
    /// Puts a state of ours around that of the software, which the stream has.
    ///
    /// Hands `own` back when there is no memory; the state of the software is then still in the stream.
    ///
    /// # Safety
    /// The software has initialized the stream.
    pub unsafe fn install(strm: &mut z_stream, own: K) -> Option<K> {
        // SAFETY: the functions of the stream are those that the software uses too.
        let place = unsafe { allocated(strm, size_of::<Self>()) }.cast::<Self>();
        if place.is_null() {
            return Some(own);
        }
        let state = Self { mark: K::MARK, owner: strm, software: strm.state, own };
        // SAFETY: the place has the size and the alignment, and nobody else has it.
        unsafe { place.write(state) };
        strm.state = place.cast();
        None
    }

    /// Returns the stream and its state; none when it is no stream of the kind.
    ///
    /// # Safety
    /// `strm` is null, or a `z_stream` that nobody else uses for the lifetime; its state is null, or at least 16 octets.
    pub unsafe fn of<'a>(strm: z_streamp) -> Option<(&'a mut z_stream, &'a mut Self)> {
        // SAFETY: that of the caller.
        let strm = unsafe { strm.as_mut() }?;
        let state = strm.state.cast::<Self>();
        if strm.zalloc.is_none() || strm.zfree.is_none() || state.is_null() || !state.is_aligned() {
            return None;
        }
        // SAFETY: every state begins with two words: ours, that of the software and that of zlib itself.
        let (mark, owner) =
            unsafe { ((&raw const (*state).mark).read(), (&raw const (*state).owner).read()) };
        if mark != K::MARK || !ptr::eq(owner, strm) {
            return None;
        }
        // SAFETY: a state with the mark was written by `install`, is of this stream alone, and was not removed: `remove` blanks
        // the mark.
        Some((strm, unsafe { &mut *state }))
    }

    /// Calls a function of the software, which finds its own state in the stream.
    pub fn software<R>(&mut self, strm: &mut z_stream, call: impl FnOnce(z_streamp) -> R) -> R {
        let own = strm.state;
        strm.state = self.software;
        let result = call(strm);
        self.software = strm.state;
        strm.state = own;
        result
    }

    /// Frees the state; the stream has none then.
    ///
    /// # Safety
    /// The stream is that of [`Self::of`]; the state of the software has ended. Nothing of the state is used any more.
    pub unsafe fn remove(strm: &mut z_stream) {
        let state = strm.state.cast::<Self>();
        // SAFETY: it is the state, by the caller. The write is volatile so that it is done although the memory is freed.
        unsafe { (&raw mut (*state).mark).write_volatile(0) };
        // SAFETY: `install` allocated it.
        unsafe { freed(strm, state.cast()) };
        strm.state = ptr::null_mut();
    }
}
