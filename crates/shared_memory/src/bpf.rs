//! Programs that the kernel runs for the sockets of a control group, by bpf(2).

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd as _, OwnedFd};

/// Commands of bpf(2) (linux/bpf.h).
const MAP_CREATE: libc::c_long = 0;
const PROG_LOAD: libc::c_long = 5;
const PROG_ATTACH: libc::c_long = 8;
const BTF_LOAD: libc::c_long = 18;
/// Map of values that sockets own; flags: it is not allocated in advance, and a socket that is accepted has a copy.
const SK_STORAGE: u32 = 24;
const STORAGE_FLAGS: u32 = 1 | 1 << 9;
/// Other programs may be attached beside.
const ALLOW_MULTI: u32 = 1 << 1;
/// Octets of a verifier's log that are kept (our choice).
const LOG_BYTES: usize = 64 * 1024;
/// License of these programs, which use no function of the kernel that needs another.
const LICENSE: &[u8] = b"Apache-2.0\0";
/// Type of a whole number of 32 bits with a sign, as BTF: header, the type, names.
const NUMBER: [u32; 12] =
    [0x0001_EB9F, 24, 0, 16, 16, 8, 1, 1 << 24, 4, 0x0100_0020, u32::from_le_bytes(*b"\0int"), 0];

/// Kind of a program, by the event at which it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketProgram {
    /// Events of a TCP connection, among them the options of its segments.
    TcpEvents,
    /// An option of a socket is read.
    OptionRead,
    /// An option of a socket is set.
    OptionSet,
}

impl SocketProgram {
    /// Returns the type of the program and that of its attachment.
    const fn types(self) -> (u32, u32) {
        match self {
            Self::TcpEvents => (13, 3),
            Self::OptionRead => (25, 21),
            Self::OptionSet => (25, 22),
        }
    }
}

/// Words of the argument of bpf(2).
#[derive(Default)]
struct Attributes([u64; 16]);

impl Attributes {
    fn put(mut self, octet: usize, value: u32) -> Self {
        let shift = octet % 8 * 8;
        self.0[octet / 8] |= u64::from(value) << shift;
        self
    }

    fn put_pointer<T>(mut self, octet: usize, place: *const T) -> Self {
        self.0[octet / 8] = place.expose_provenance() as u64;
        self
    }

    /// Calls bpf(2).
    ///
    /// # Safety
    /// Pointers lead to as much memory as their lengths have.
    unsafe fn call(&mut self, command: libc::c_long) -> io::Result<i32> {
        // SAFETY: the words are there for the time of the call; the rest is the caller's.
        let result = unsafe { libc::syscall(libc::SYS_bpf, command, &raw mut self.0, size_of_val(&self.0)) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as i32) }
    }

    /// Calls bpf(2) for a descriptor.
    ///
    /// # Safety
    /// Pointers are as for `call`, and the command returns a descriptor.
    unsafe fn descriptor(&mut self, command: libc::c_long) -> io::Result<OwnedFd> {
        // SAFETY: the caller's; the descriptor is new.
        unsafe { self.call(command).map(|fd| OwnedFd::from_raw_fd(fd)) }
    }
}

/// Makes a map with a whole number for each socket, which an accepted socket has from the listening one.
///
/// # Errors
/// The kernel refuses it: no right, or no bpf(2).
pub fn socket_numbers() -> io::Result<OwnedFd> {
    let mut types =
        Attributes::default().put_pointer(0, NUMBER.as_ptr()).put(16, size_of_val(&NUMBER) as u32);
    // SAFETY: the length is that of the memory.
    let types = unsafe { types.descriptor(BTF_LOAD) }?;
    let bytes = size_of::<u32>() as u32;
    let map = Attributes::default().put(0, SK_STORAGE).put(4, bytes).put(8, bytes).put(16, STORAGE_FLAGS);
    let mut map = map.put(48, types.as_raw_fd() as u32).put(52, 1).put(56, 1);
    // SAFETY: there are no pointers.
    unsafe { map.descriptor(MAP_CREATE) }
}

/// Loads a program.
///
/// # Errors
/// The kernel refuses it; the log of its verifier is the text of the error.
pub fn load_program(kind: SocketProgram, instructions: &[u64]) -> io::Result<OwnedFd> {
    let (program, attachment) = kind.types();
    let attributes = Attributes::default().put(0, program).put(4, instructions.len() as u32);
    let attributes = attributes.put_pointer(8, instructions.as_ptr()).put_pointer(16, LICENSE.as_ptr());
    let mut attributes = attributes.put(68, attachment);
    // SAFETY: the number is that of the instructions, and the license ends with a zero.
    let refused = match unsafe { attributes.descriptor(PROG_LOAD) } {
        Ok(program) => return Ok(program),
        Err(error) => error,
    };
    let mut log = vec![0_u8; LOG_BYTES];
    let mut attributes = attributes.put(24, 1).put(28, LOG_BYTES as u32).put_pointer(32, log.as_mut_ptr());
    // SAFETY: as above; the log has room for its length.
    let again = unsafe { attributes.descriptor(PROG_LOAD) };
    let end = log.iter().position(|octet| *octet == 0).unwrap_or(log.len());
    let log = String::from_utf8_lossy(&log[..end]);
    again.map_err(|_| io::Error::new(refused.kind(), format!("{refused}\n{log}")))
}

/// Has a program run for the sockets of a control group, until that is removed.
///
/// # Errors
/// The kernel refuses it.
pub fn attach_program(kind: SocketProgram, program: impl AsFd, group: impl AsFd) -> io::Result<()> {
    let attributes = Attributes::default().put(0, group.as_fd().as_raw_fd() as u32);
    let attributes = attributes.put(4, program.as_fd().as_raw_fd() as u32).put(8, kind.types().1);
    // SAFETY: there are no pointers.
    unsafe { attributes.put(12, ALLOW_MULTI).call(PROG_ATTACH) }.map(drop)
}

/// Sets an option of a socket that is a whole number.
///
/// # Errors
/// An error of the operating system.
pub fn set_number(socket: impl AsFd, (level, name): (i32, i32), value: i32) -> io::Result<()> {
    let (fd, bytes) = (socket.as_fd().as_raw_fd(), size_of_val(&value) as libc::socklen_t);
    // SAFETY: the length is that of the number.
    let result = unsafe { libc::setsockopt(fd, level, name, (&raw const value).cast(), bytes) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns an option of a socket that is a whole number.
///
/// # Errors
/// An error of the operating system.
pub fn number(socket: impl AsFd, (level, name): (i32, i32)) -> io::Result<i32> {
    let (mut value, fd) = (0_i32, socket.as_fd().as_raw_fd());
    let mut bytes = size_of_val(&value) as libc::socklen_t;
    // SAFETY: the length is that of the number.
    let result = unsafe { libc::getsockopt(fd, level, name, (&raw mut value).cast(), &raw mut bytes) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(value) }
}

/// Has descriptors behind the standard streams closed by the next `exec`.
///
/// # Errors
/// An error of the operating system.
pub fn close_at_exec() -> io::Result<()> {
    // SAFETY: no descriptor is closed here.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_program_has_the_log_of_the_verifier() {
        let Ok(_map) = socket_numbers() else { return };
        // It ends without a result.
        let error = load_program(SocketProgram::TcpEvents, &[0x95]).unwrap_err();
        assert!(error.to_string().contains("R0"), "{error}");
        // The result is 1.
        let program = load_program(SocketProgram::TcpEvents, &[1 << 32 | 0xB7, 0x95]).unwrap();
        let file = tempfile::tempfile().unwrap();
        assert!(attach_program(SocketProgram::TcpEvents, program, file).is_err(), "a file is no group");
    }
}
