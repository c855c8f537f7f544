//! Connections of this process that stayed with TCP.

use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::sync::{Arc, Mutex, PoisonError};

use halftrack_smc::message::clc::Diagnosis;
use halftrack_smc_host::{Fallback, FallbackLog};

use crate::names::Addresses;
use crate::table::{self, Entry};

static LOG: Mutex<Option<(u32, FallbackLog)>> = Mutex::new(None);

/// Notes a connection that stays with TCP, for `halftrack smc stat`.
pub fn note(fd: BorrowedFd<'_>, is_server: bool, diagnosis: Diagnosis, is_of_peer: bool) {
    let Ok(Addresses { local, remote }) = Addresses::of(fd) else { return };
    let mut log = LOG.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if log.as_ref().is_none_or(|(of, _)| *of != process) {
        // That of the parent, after a fork, stays the parent's.
        let Ok(own) = FallbackLog::new() else { return };
        table::put(own.descriptor().as_raw_fd(), Arc::new(Entry::Own));
        *log = Some((process, own));
    }
    if let Some((_, log)) = log.as_ref() {
        log.add(&Fallback { diagnosis, is_of_peer, is_server, local, remote });
    }
}
