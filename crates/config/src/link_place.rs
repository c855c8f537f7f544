//! Where the fibre of a port comes from or leads to: `listen` or `connect` of a `[[port]]` or `[[isl]]`.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};

use halftrack_input::messages::{study as numbers, toml_file as toml_numbers};
use halftrack_input::{Expect, Fields, Located};

use crate::unique::check_unique;

/// Where the fibre of a port comes from or leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkPlace {
    /// The other end connects to this address.
    Listen(SocketAddr),
    /// The port connects to this host and TCP port.
    Connect(String),
}

/// Message about a port that has not exactly one of `listen` and `connect`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NeitherOrBoth {
    /// Words about the mistake.
    pub message: &'static str,
    /// Words about the fix.
    pub fix: &'static str,
}

/// The places of all ports of one file, as they are read.
#[derive(Debug)]
pub(crate) struct LinkPlaces {
    /// Ports may listen where other hosts can reach them.
    beyond: bool,
    neither_or_both: NeitherOrBoth,
    addresses: Vec<Located<String>>,
}

impl LinkPlaces {
    /// Creates the places for the ports of the file that `fields` is the head of.
    pub fn new(fields: &mut Fields<'_>, neither_or_both: NeitherOrBoth) -> Self {
        let beyond = fields.or("listen_beyond_this_host", Expect::flag(), false);
        Self { beyond, neither_or_both, addresses: Vec::new() }
    }

    /// Reads the place of one port.
    pub fn read(&mut self, port: &mut Fields<'_>) -> Option<LinkPlace> {
        let listen = port.optional("listen", address());
        let connect = port.optional("connect", place());
        if port.has("listen") == port.has("connect") {
            let NeitherOrBoth { message, fix } = self.neither_or_both;
            port.error(toml_numbers::CHOOSE_ONE, port.span(), message, fix);
            return None;
        }
        let Some(listen) = listen else {
            return connect.map(|connect| LinkPlace::Connect(connect.value));
        };
        if !listen.value.ip().is_loopback() && !self.beyond {
            let message = format!("`listen` is {}, which other hosts can reach", listen.value);
            let fix =
                "listen at 127.0.0.1, or write `listen_beyond_this_host = true` at the head of the file";
            port.error(numbers::BEYOND_THIS_HOST, listen.span.clone(), message, fix);
            return None;
        }
        // Port 0 is another port each time.
        if listen.value.port() > 0 {
            self.addresses.push(Located::new(listen.value.to_string(), listen.span));
        }
        Some(LinkPlace::Listen(listen.value))
    }

    /// Reports every address that two ports of the file listen at.
    pub fn check_unique(self, fields: &Fields<'_>) {
        check_unique(fields, "address", self.addresses);
    }
}

/// Returns an address to listen at; a TCP port alone is one of this host.
fn address<'e>() -> Expect<'e, SocketAddr> {
    let words = "an IP address and a TCP port such as \"127.0.0.1:3225\", or the TCP port alone";
    Expect::parsed(words, |text| {
        let of_this_host = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        text.parse().ok().or_else(|| text.parse().ok().map(of_this_host))
    })
}

/// Returns the host and port of a TCP connection.
pub(crate) fn place<'e>() -> Expect<'e, String> {
    Expect::parsed("a host and a TCP port such as \"127.0.0.1:3225\"", |text| {
        let (host, port) = text.rsplit_once(':')?;
        let port: u16 = port.parse().ok()?;
        (!host.is_empty() && port > 0 && !text.contains(char::is_whitespace)).then(|| text.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_host_and_a_port() {
        let take = |text: &str| place().take(toml::de::DeValue::parse(text).expect("TOML").get_ref());
        for right in ["127.0.0.1:3225", "[::1]:3225", "storage.example:65535"] {
            let quoted = format!("\"{right}\"");
            assert_eq!(take(&quoted).as_deref(), Some(right));
        }
        for wrong in ["\"127.0.0.1\"", "\":3225\"", "\"host:0\"", "\"host:65536\"", "\"a b:1\"", "3225"] {
            assert_eq!(take(wrong), None, "{wrong}");
        }
    }
}
