//! Proof of identity before a link carries frames: a shared key, TLS, or both.
//!
//! ```text
//! TCP ─► TLS (with `[tls]`) ─► key handshake (with keys) ─► FCIP
//! ```
//!
//! | file | contents |
//! | --- | --- |
//! | [`key`] | shared keys and their files |
//! | [`handshake`] | the key handshake, sans IO |
//! | [`tls`], `tls_stream`, `certificate_name` | settings of TLS; its records on a connection; names in certificates |
//! | [`link_access`] | requirements of one end, and the decision about a name |
//! | `guard` | both on a connection |
//! | [`access_fault`] | why a connection is refused |

pub mod access_fault;
mod certificate_name;
mod guard;
pub mod handshake;
pub mod key;
pub mod link_access;
pub mod tls;
mod tls_stream;

pub use access_fault::AccessFault;
pub(crate) use guard::Guard;
pub use key::{KEY_MIN_BYTES, KeyFault, LinkKey};
pub use link_access::{Attached, LinkAccess, LinkRole};
pub use tls::{TlsFault, TlsSettings};
