//! FUNCTION in JSON.

use halftrack_input::SourceFile;
use serde::Serialize;

use super::{At, Holder, holders};
use crate::model::{Adapter, Function};
use crate::syntax::annotations::Annotations;

/// Consecutive functions.
#[derive(Debug, Serialize)]
pub(super) struct FunctionRecord<'a> {
    fid: String,
    count: u16,
    r#type: Option<&'a str>,
    pchid: Option<String>,
    vchid: Option<String>,
    port: Option<u8>,
    vf: Option<u16>,
    pf: bool,
    access: Option<Holder<'a>>,
    candidates: Vec<Holder<'a>>,
    pnetids: &'a [Option<String>],
    fidparm: Option<String>,
    uid: Option<String>,
    annotations: Vec<&'a str>,
    at: At,
}

impl<'a> FunctionRecord<'a> {
    /// Builds the record of `function`.
    pub(super) fn of(source: &SourceFile, annotations: &'a Annotations, function: &'a Function) -> Self {
        let adapter = function.adapter.as_ref().map(|adapter| adapter.value);
        let (pchid, vchid) = match adapter {
            Some(Adapter::Pchid(number)) => (Some(format!("{number:03X}")), None),
            Some(Adapter::Vchid(number)) => (None, Some(format!("{number:03X}"))),
            None => (None, None),
        };
        Self {
            fid: format!("{:04X}", function.fid.value),
            count: function.count,
            r#type: function.kind.as_ref().map(|kind| kind.value.as_str()),
            pchid,
            vchid,
            port: function.port,
            vf: function.vf.as_ref().map(|vf| vf.value),
            pf: function.pf,
            access: function.access.as_ref().map(|(css, name)| Holder { css: *css, name }),
            candidates: holders(&function.candidates),
            pnetids: &function.pnetids,
            fidparm: function.fidparm.map(|parameter| format!("{parameter:02X}")),
            uid: function.uid.as_ref().map(|uid| format!("{:04X}", uid.value)),
            annotations: annotations.of_statement(function.span.start),
            at: At::of(source, function.span.start),
        }
    }
}
