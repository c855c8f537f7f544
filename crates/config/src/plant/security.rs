//! Endpoint security in a plant: policies of cards, boxes and ports, and the key manager.

use halftrack_base::Span;
use halftrack_fabric::endpoint_security::Policy;
use halftrack_input::{Expect, Fields, Located};

/// Longest lifetime of a key, s: 30 days, as the longest run.
const LIFETIME_MAX_S: f64 = 2_592_000.0;

/// `[key_manager]`: the key server.
#[derive(Debug, Clone)]
pub struct KeyManager {
    /// Its name.
    pub name: Located<String>,
    /// Processor complexes and boxes reach it.
    pub is_reachable: bool,
    /// Time for which a key is good; `None` for ever.
    pub key_lifetime: Option<Span>,
}

impl KeyManager {
    /// Reads the table.
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let name = fields.required("name", Expect::text());
        let is_reachable = fields.or("reachable", Expect::flag(), true);
        let lifetime = fields.optional("key_lifetime_s", Expect::positive(LIFETIME_MAX_S));
        let key_lifetime = lifetime.map(|lifetime| Span::from_s_f64(lifetime.value).max(Span::from_ps(1)));
        Some(Self { name: name?, is_reachable, key_lifetime })
    }
}

/// Expects a policy; `true` is `"audit"`, `false` is `"off"`.
pub(super) fn policy() -> Expect<'static, Policy> {
    Expect::new("\"off\", \"audit\" or \"enforced\"", |value| match (value.as_str(), value.as_bool()) {
        (Some("off"), _) | (_, Some(false)) => Some(Policy::Off),
        (Some("audit"), _) | (_, Some(true)) => Some(Policy::Audit),
        (Some("enforced"), _) => Some(Policy::Enforced),
        _ => None,
    })
}
