//! Reasons why a study cannot be written, each at the argument that is too large.

use std::sync::Arc;

use halftrack_input::{Diagnostic, SourceFile};

use crate::request::Request;

/// Messages about a request.
pub struct Refusals<'a> {
    request: &'a Request,
    source: Arc<SourceFile>,
    /// Messages so far.
    pub found: Vec<Diagnostic>,
}

impl<'a> Refusals<'a> {
    /// Creates an empty list.
    pub fn new(request: &'a Request) -> Self {
        Self { request, source: SourceFile::new("study new", request.line()), found: Vec::new() }
    }

    /// Says that the value of `option` cannot be, and how to mend it.
    pub fn refuse(&mut self, number: u16, option: &str, message: String, fix: impl Into<String>) {
        let span = self.request.span(option);
        self.found.push(Diagnostic::error(number, &self.source, span, message).fix(fix));
    }
}
