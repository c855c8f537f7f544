//! A port of a working link that is open: it listens, or connects to where another listens.

use std::io;
use std::net::TcpListener;
use std::ops::Range;
use std::sync::Arc;

use halftrack_config::LinkPlace;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, SourceFile};
use halftrack_link::access::LinkAccess;
use halftrack_link::plug::TcpPlug;

/// A port that is open.
pub struct LinkPort {
    /// Where its fibre comes from.
    pub plug: TcpPlug,
    /// Place in words: `listens on 127.0.0.1:3225 (this host only)`.
    pub place: String,
    /// The address that it listens on.
    pub listens: Option<String>,
}

impl LinkPort {
    /// Opens the port `name` at `place`, which stands at `span` of `source`; what it connects to need not be there yet.
    ///
    /// # Errors
    /// An address that it cannot listen on.
    pub fn open(
        place: &LinkPlace,
        name: &str,
        source: &Arc<SourceFile>,
        span: &Range<usize>,
    ) -> Result<Self, Box<Diagnostic>> {
        Self::at(place).map_err(|error| {
            let message = format!("port {name} cannot listen: {error}");
            let fix = "end the program that listens there already, or give the port another address";
            Box::new(Diagnostic::error(numbers::CANNOT_LISTEN, source, span.clone(), message).fix(fix))
        })
    }

    /// Requires of the other end what `access` has.
    pub fn with_access(self, access: Option<Arc<LinkAccess>>) -> Self {
        Self { plug: self.plug.with_access(access), ..self }
    }

    fn at(place: &LinkPlace) -> io::Result<Self> {
        match place {
            LinkPlace::Listen(address) => {
                let listener = TcpListener::bind(address)?;
                let address = listener.local_addr()?;
                let reach = if address.ip().is_loopback() { "this host only" } else { "open to other hosts" };
                let place = format!("listens on {address} ({reach})");
                let listens = Some(address.to_string());
                Ok(Self { plug: TcpPlug::listen(listener)?, place, listens })
            }
            LinkPlace::Connect(place) => {
                let words = format!("connects to {place}");
                Ok(Self { plug: TcpPlug::connect(place), place: words, listens: None })
            }
        }
    }
}
