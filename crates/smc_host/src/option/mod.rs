//! Option of TCP by which peers show SMC-R (RFC 7609, 3.1): programs of the kernel put it into SYN and SYN-ACK, and keep what the peer's had.
//!
//! A socket that is about to connect or listen is marked first. No other socket shows the option, and a SYN-ACK has it only where the
//! SYN had it. What the peer has shown is read as an option of the socket itself, so that a process needs neither rights nor descriptors.
//!
//! | file | contents |
//! | --- | --- |
//! | `assembly` | instructions of the kernel's machine, and labels |
//! | `programs` | the programs |
//! | `group` | control group whose sockets they run for |

mod assembly;
mod group;
mod programs;

use std::io;
use std::os::fd::AsFd;

use halftrack_shared_memory::{number, set_number};

pub use group::{ControlGroup, leave_group, remove_when_empty};

/// Level and name of the option by which the programs are reached: none of the kernel's (our choice).
const MARK: (i32, i32) = (0x4854_4B53, 1);
/// Value of a socket that shows the option.
const SHOWN: i32 = 1;
/// Value of a socket whose peer has shown it too.
const SHOWN_BY_BOTH: i32 = 3;

/// Has a socket show the option from its next `connect` or `listen` on; returns whether it will.
pub fn show_option(socket: impl AsFd) -> bool {
    set_number(socket, MARK, SHOWN).is_ok()
}

/// Returns whether both ends of a connection have shown the option.
pub fn is_option_shown(socket: impl AsFd) -> bool {
    number(socket, MARK).is_ok_and(|value| value == SHOWN_BY_BOTH)
}

/// Returns whether sockets of this process can show the option.
///
/// # Errors
/// No socket can be made.
pub fn can_show_option() -> io::Result<bool> {
    let socket =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None)?;
    Ok(number(socket, MARK).is_ok())
}

#[cfg(test)]
mod tests {
    use std::io::{Write as _, stderr};
    use std::net::{TcpListener, TcpStream};

    use rustix::net::{AddressFamily, SocketType};

    use super::*;

    /// Makes a group and enters it; reports why that is refused.
    fn entered() -> Option<ControlGroup> {
        let made = ControlGroup::new().and_then(|group| group.enter().map(|()| group));
        if let Err(error) = &made {
            writeln!(stderr(), "NOT CHECKED: the option of SMC-R: {error}").unwrap();
            assert!(!error.to_string().contains('\n'), "the verifier refuses a program");
        }
        made.ok()
    }

    /// Returns both ends of a connection whose client and server show the option or not.
    fn connected(server_shows: bool, client_shows: bool) -> [TcpStream; 2] {
        let of_internet = || rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        let listener = of_internet();
        rustix::net::bind(&listener, &"127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap()).unwrap();
        if server_shows {
            assert!(show_option(&listener));
        }
        rustix::net::listen(&listener, 8).unwrap();
        let listener = TcpListener::from(listener);
        let client = of_internet();
        if client_shows {
            assert!(show_option(&client));
        }
        rustix::net::connect(&client, &listener.local_addr().unwrap()).unwrap();
        [listener.accept().unwrap().0, client.into()]
    }

    #[test]
    fn an_end_finds_the_option_where_both_have_shown_it() {
        assert!(
            !can_show_option().unwrap() && !show_option(std::net::UdpSocket::bind("127.0.0.1:0").unwrap())
        );
        let Some(group) = entered() else { return };
        assert!(can_show_option().unwrap());
        for (server_shows, client_shows) in [(true, true), (true, false), (false, true), (false, false)] {
            let [server, client] = connected(server_shows, client_shows);
            let shown = [is_option_shown(&server), is_option_shown(&client)];
            assert_eq!(shown, [server_shows && client_shows; 2], "{server_shows} {client_shows}");
        }
        let directory = group.directory().to_owned();
        group.remove().unwrap();
        assert!(!directory.exists() && !can_show_option().unwrap(), "nothing is left");
    }
}
