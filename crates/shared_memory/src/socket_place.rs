//! Socket with a name at which other processes connect.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, fchmod};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with};

/// Connections that wait to be accepted, at most.
const BACKLOG: i32 = 16;

/// Processes that can connect at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// Processes of the same user.
    Owner,
    /// Processes of any user: whoever listens checks each.
    Anybody,
}

/// A socket that listens; its name is removed with it.
#[derive(Debug)]
pub struct SocketPlace {
    listener: UnixListener,
    path: PathBuf,
}

impl SocketPlace {
    /// Listens at `path` for processes of the same user. A socket there of a process that is gone is replaced.
    ///
    /// # Errors
    /// The name is too long or taken, or the directory cannot be written.
    pub fn listen(path: &Path) -> io::Result<Self> {
        Self::listen_for(path, Admission::Owner)
    }

    /// Listens at `path`. A socket there of a process that is gone is replaced.
    ///
    /// # Errors
    /// The name is too long or taken, or the directory cannot be written.
    pub fn listen_for(path: &Path, admission: Admission) -> io::Result<Self> {
        let address = SocketAddrUnix::new(path)?;
        remove_abandoned(path)?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        // The name gets the mode of the socket that is bound to it: at no time can others connect.
        let mode = match admission {
            Admission::Owner => Mode::RUSR | Mode::WUSR,
            Admission::Anybody => Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH,
        };
        fchmod(&socket, mode)?;
        bind(&socket, &address)?;
        let place = Self { listener: UnixListener::from(socket), path: path.to_owned() };
        if admission == Admission::Anybody {
            // The mask of the process has taken access away. Nobody connects before the socket listens.
            fs::set_permissions(path, fs::Permissions::from_mode(mode.bits()))?;
        }
        listen(&place.listener, BACKLOG)?;
        Ok(place)
    }

    /// Returns the socket.
    #[must_use]
    pub fn listener(&self) -> &UnixListener {
        &self.listener
    }

    /// Returns the name.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SocketPlace {
    fn drop(&mut self) {
        // A name that stays is replaced by the next one who listens.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes the socket at `path` when nobody listens there any more.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket());
    if is_socket
        && let Err(error) = UnixStream::connect(path)
        && error.kind() == io::ErrorKind::ConnectionRefused
    {
        return fs::remove_file(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_for_anybody_whatever_the_mask_of_the_process_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("open");
        let _place = SocketPlace::listen_for(&path, Admission::Anybody).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
    }

    #[test]
    fn a_socket_is_for_its_owner_and_goes_with_its_process() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("link");
        let place = SocketPlace::listen(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(SocketPlace::listen(&path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        drop(place);
        assert!(!path.exists());
        // As a process that was killed leaves it.
        drop(UnixListener::bind(&path).unwrap());
        SocketPlace::listen(&path).unwrap();
        fs::write(&path, "a file").unwrap();
        assert!(SocketPlace::listen(&path).is_err(), "only sockets are replaced");
        assert!(path.exists());
    }
}
