//! `[[eadm]]`: operations on EADM subchannels, which keep SAPs busy and have no device.

use halftrack_base::Span;
use halftrack_input::{Expect, Fields, Located};

use crate::eadm::{EADM_KINDS, EadmKind};
use crate::unique::check_unique;
use crate::workload_file::stream::read_rate;

/// One flow of operations.
#[derive(Debug, Clone)]
pub struct EadmFlow {
    /// Name, unique in the file.
    pub name: Located<String>,
    /// Partition that starts them.
    pub lpar: Located<String>,
    /// Kind of operation.
    pub kind: EadmKind,
    /// Mean time between two.
    pub interarrival: Span,
    /// Poisson; else evenly spaced.
    pub poisson: bool,
}

pub(super) fn read_eadm(fields: &mut Fields<'_>) -> Vec<EadmFlow> {
    let mut names = Vec::new();
    let flows = fields.tables("eadm", |flow| {
        let name = flow.required("name", Expect::text());
        names.extend(name.clone());
        let lpar = flow.required("lpar", Expect::text());
        let kind = flow.required("kind", Expect::one_of(EADM_KINDS));
        let (interarrival, poisson) = read_rate(flow)?;
        Some(EadmFlow { name: name?, lpar: lpar?, kind: kind?.value, interarrival, poisson })
    });
    check_unique(fields, "eadm", names);
    flows
}
