//! Octets that arrive after the end that sent them has gone.

use std::thread;
use std::time::Duration;

use halftrack_base::Span;

use crate::buffers::OutBuffer;
use crate::clock::host_duration;
use crate::transport::Transport;

/// Interval at which a transport without room is tried again.
const ROOM_STEP: Duration = Duration::from_millis(1);
/// Attempts for room before the octets are lost: ten seconds.
const ROOM_STEPS_MAX: u32 = 10_000;

/// Brings `late`, each so long from now, over a transport that nobody else uses any more, and closes it.
pub fn linger<T: Transport + Send + 'static>(mut inner: T, mut out: OutBuffer, late: Vec<(Span, Vec<u8>)>) {
    thread::spawn(move || {
        let mut waited = Span::ZERO;
        for (after, batch) in late {
            thread::sleep(host_duration(after.saturating_sub(waited)));
            waited = waited.max(after);
            out.tail().extend_from_slice(&batch);
            for _ in 0..ROOM_STEPS_MAX {
                if inner.send(&mut out).is_err() {
                    return;
                }
                if out.is_empty() {
                    break;
                }
                thread::sleep(ROOM_STEP);
            }
        }
    });
}
