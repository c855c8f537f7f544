//! Descriptors out of the way of a program, which expects the lowest numbers for its own.

use std::os::fd::OwnedFd;

use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use rustix::process::{Resource, getrlimit};

/// Descriptors where no limit is set (our choice).
const UNLIMITED: u64 = 65_536;

/// Moves a descriptor to the upper quarter of the numbers, where one is free there.
#[must_use]
pub fn high(fd: OwnedFd) -> OwnedFd {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(UNLIMITED);
    let lowest = i32::try_from(limit - limit / 4).unwrap_or(i32::MAX);
    fcntl_dupfd_cloexec(&fd, lowest).unwrap_or(fd)
}

/// Moves a descriptor as [`high`] does, and keeps it over an `exec`.
#[must_use]
pub fn high_and_lasting(fd: OwnedFd) -> OwnedFd {
    let fd = high(fd);
    // A descriptor that is open has flags.
    let _ = fcntl_setfd(&fd, FdFlags::empty());
    fd
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;

    use rustix::io::fcntl_getfd;

    use super::*;

    #[test]
    fn a_descriptor_goes_up_and_lasts_where_it_is_to() {
        let (read, write) = std::io::pipe().unwrap();
        let (read, write) = (high(read.into()), high_and_lasting(write.into()));
        assert!(read.as_raw_fd() > 255 && write.as_raw_fd() > 255);
        assert_eq!(fcntl_getfd(&read).unwrap(), FdFlags::CLOEXEC);
        assert_eq!(fcntl_getfd(&write).unwrap(), FdFlags::empty());
    }
}
