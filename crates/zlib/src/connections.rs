//! Connections of the process to its cards.
//!
//! A connection is used by one call at a time and waits in a slot between calls. No lock is taken, so that a child finds none
//! that a thread of its parent held when it forked; connections of the parent are left alone by it.

use std::mem;
use std::path::Path;
use std::process;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use halftrack_zedc::{Answer, ReturnCode};

use crate::accelerator::Accelerator;
use crate::ring_accelerator::RingAccelerator;
use crate::settings::Settings;

/// Makes a connection to the cards of a directory.
pub type Connect = fn(&Path) -> Option<Box<dyn Accelerator + Send>>;

/// Most connections that wait; what more threads use at a time is made again.
const WAITING_MAX: usize = 16;

static CONNECT: OnceLock<Connect> = OnceLock::new();
static WAITING: [AtomicPtr<Connection>; WAITING_MAX] =
    [const { AtomicPtr::new(ptr::null_mut()) }; WAITING_MAX];

/// Connection of a process.
struct Connection {
    process_id: u32,
    accelerator: Box<dyn Accelerator + Send>,
    /// Room for what a request gives.
    output: Vec<u8>,
}

/// Sets how connections are made, in place of rings to the processes of cards. The first call counts.
pub fn connect_by(connect: Connect) {
    // A second call changes nothing.
    let _ = CONNECT.set(connect);
}

/// Returns whether the process has cards at all.
pub fn is_configured() -> bool {
    Settings::of_process().directory.is_some()
}

/// Does something with a connection of this process. Returns [`Answer::NoHardware`] when there is none.
///
/// # Errors
/// Any of `request`. A connection whose environment does not work any more is not used again.
pub fn with_accelerator<R>(
    request: impl FnOnce(&mut dyn Accelerator, &mut Vec<u8>) -> Result<R, Answer>,
) -> Result<R, Answer> {
    let mut connection = waiting().or_else(connect).ok_or(Answer::NoHardware)?;
    connection.output.clear();
    let result = request(&mut *connection.accelerator, &mut connection.output);
    let is_lost = result.as_ref().is_err_and(|answer| answer.return_code() == ReturnCode::Environment);
    if !is_lost {
        keep(connection);
    }
    result
}

/// Connects where no connection waits; returns whether there is one.
pub fn try_connect() -> bool {
    waiting().or_else(connect).map(keep).is_some()
}

fn connect() -> Option<Box<Connection>> {
    let directory = Settings::of_process().directory.as_deref()?;
    let connect = CONNECT.get().copied().unwrap_or(RingAccelerator::connect);
    let accelerator = connect(directory)?;
    Some(Box::new(Connection { process_id: process::id(), accelerator, output: Vec::new() }))
}

/// Takes a connection of this process that waits.
#[allow(unsafe_code)]
fn waiting() -> Option<Box<Connection>> {
    for slot in &WAITING {
        let taken = slot.swap(ptr::null_mut(), Ordering::AcqRel);
        if taken.is_null() {
            continue;
        }
        // SAFETY: slots hold null or what `keep` made of a box, and the exchange gave it to this call alone.
        let connection = unsafe { Box::from_raw(taken) };
        if connection.process_id == process::id() {
            return Some(connection);
        }
        // The parent uses it: its end must not be reported to the card.
        mem::forget(connection);
    }
    None
}

/// Has a connection wait. It is ended when all slots are taken.
#[allow(unsafe_code)]
fn keep(connection: Box<Connection>) {
    let kept = Box::into_raw(connection);
    for slot in &WAITING {
        if slot.compare_exchange(ptr::null_mut(), kept, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            return;
        }
    }
    // SAFETY: it came from a box above, and no slot has it.
    drop(unsafe { Box::from_raw(kept) });
}
