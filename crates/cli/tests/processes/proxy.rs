//! A TCP proxy that resets its connections.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;

/// Octets that are carried at a time.
const BATCH_BYTES: usize = 256 * 1024;
/// Interval at which a connection without octets checks whether it is reset.
const STEP: Duration = Duration::from_millis(5);

/// Proxy between who connects to it and a place behind it. It ends with its process.
pub struct Proxy {
    /// Whether they are reset, by connection.
    connections: Arc<Mutex<Vec<Arc<AtomicBool>>>>,
}

impl Proxy {
    /// Opens a proxy that listens at `front`, for `back`.
    pub fn open(front: &str, back: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(front)?;
        let connections = Arc::<Mutex<Vec<_>>>::default();
        let (back, shared) = (back.to_owned(), Arc::clone(&connections));
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                // Without anybody behind it the connection is closed at once.
                let Ok(far) = TcpStream::connect(&back) else { continue };
                let is_reset = Arc::<AtomicBool>::default();
                shared.lock().expect("no panic").push(Arc::clone(&is_reset));
                let _ = carry(&near, &far, &is_reset).and_then(|()| carry(&far, &near, &is_reset));
            }
        });
        Ok(Self { connections })
    }

    /// Resets all connections: both ends get RST.
    pub fn reset(&self) {
        for is_reset in self.connections.lock().expect("no panic").drain(..) {
            is_reset.store(true, Ordering::Relaxed);
        }
    }
}

/// Carries octets one way until either end is gone.
fn carry(from: &TcpStream, to: &TcpStream, is_reset: &Arc<AtomicBool>) -> io::Result<()> {
    let (mut from, mut to, is_reset) = (from.try_clone()?, to.try_clone()?, Arc::clone(is_reset));
    to.set_nodelay(true)?;
    from.set_read_timeout(Some(STEP))?;
    to.set_write_timeout(Some(STEP))?;
    thread::spawn(move || {
        let mut octets = vec![0; BATCH_BYTES];
        let is_gone = || is_reset.load(Ordering::Relaxed);
        while let Ok(count) = unless_gone(&is_gone, || from.read(&mut octets)) {
            let mut rest = &octets[..count];
            while !rest.is_empty()
                && let Ok(sent) = unless_gone(&is_gone, || to.write(rest))
            {
                rest = &rest[sent..];
            }
            if count == 0 || !rest.is_empty() {
                break;
            }
        }
        if is_gone() {
            // The last close of a socket that does not linger sends RST.
            let _ = [&from, &to].map(|socket| set_socket_linger(socket, Some(Duration::ZERO)));
        } else {
            let _ = [&from, &to].map(|socket| socket.shutdown(Shutdown::Both));
        }
    });
    Ok(())
}

/// Calls again after each time-out, until the connection is reset.
fn unless_gone(is_gone: &dyn Fn() -> bool, mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            _ if is_gone() => return Err(ErrorKind::ConnectionReset.into()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            done => return done,
        }
    }
}
