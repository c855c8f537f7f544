//! One turn of an I/O driver, or of the formatting before it, over the paths of its group.

use halftrack_base::Time;
use halftrack_exchange::ExchangeEnd;

use super::ENDS_AT_ONCE;
use super::formatting::{FormatError, Formatting};
use super::io_driver::IoDriver;
use super::paths::ChannelPaths;

/// The channel paths of a group with the ends of their exchanges.
pub(crate) trait GroupPaths: ChannelPaths {
    /// Returns the number of paths.
    fn count(&self) -> u8;

    /// Returns how the next exchange over a path ended.
    fn poll_end(&mut self, path: u8) -> Option<ExchangeEnd>;

    /// Takes back the buffer of an end.
    fn recycle(&mut self, path: u8, buffer: Vec<u8>);

    /// Returns whether a subchannel became free since this was last called.
    fn take_freed(&mut self) -> bool;

    /// Sends what was started, where the loop of the paths does not do it.
    fn send_started(&mut self, now: Time);
}

/// Takes the ends of exchanges, and starts what they make room for every now and then; true when there was any.
#[inline]
pub(crate) fn take_ends(now: Time, driver: &mut IoDriver, paths: &mut impl GroupPaths) -> bool {
    let mut taken = 0;
    for path in 0..paths.count() {
        while let Some(end) = paths.poll_end(path) {
            taken += 1;
            driver.handle_end(now, path, &end, paths);
            paths.recycle(path, end.data);
            if taken % ENDS_AT_ONCE == 0 {
                driver.work(now, paths);
                paths.send_started(now);
            }
        }
    }
    taken > 0
}

/// Follows paths that came or went and timers, and starts what can be started; true when there was anything.
#[inline]
pub(crate) fn drive_on(
    now: Time,
    driver: &mut IoDriver,
    changes: &[(u8, bool)],
    paths: &mut impl GroupPaths,
) -> bool {
    follow_changes(now, driver, changes, paths);
    if paths.take_freed() {
        driver.handle_subchannel_free(now, paths);
    }
    if now >= driver.poll_timeout() {
        driver.handle_timeout(now, paths);
    }
    driver.work(now, paths)
}

/// Formats on; true when there was anything to do.
///
/// # Errors
/// A track that cannot be formatted.
pub(crate) fn format_on(
    now: Time,
    (formatting, driver): (&mut Formatting, &mut IoDriver),
    changes: &[(u8, bool)],
    paths: &mut impl GroupPaths,
) -> Result<bool, FormatError> {
    let mut worked = false;
    for path in 0..paths.count() {
        while let Some(end) = paths.poll_end(path) {
            worked = true;
            formatting.handle_end(&end)?;
            paths.recycle(path, end.data);
        }
    }
    follow_changes(now, driver, changes, paths);
    let count = paths.count();
    Ok(formatting.work(now, count, paths)? | worked)
}

fn follow_changes(now: Time, driver: &mut IoDriver, changes: &[(u8, bool)], paths: &mut impl GroupPaths) {
    for (path, online) in changes {
        driver.set_online(now, *path, *online, paths);
    }
}
