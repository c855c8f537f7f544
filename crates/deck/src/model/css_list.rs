//! Values by channel subsystem: `((CSS(0),40,41),(CSS(1),40))`, `(CSS(0),40)`, `(40,41)`, `40`.
//!
//! Reference: IOCP, rules G16, G17; R165, R167.

use std::ops::Range;

use halftrack_input::messages::iocp::OPENING_EXPECTED;

use crate::model::machines::Machine;
use crate::model::partitions::Partitions;
use crate::syntax::findings::Findings;
use crate::syntax::number::{malformed, plain_decimal};
use crate::syntax::operand::{Form, Value};

/// The values of one channel subsystem, as coded.
#[derive(Debug, Clone)]
pub(crate) struct Sublist<'a> {
    /// The tag, `CSS(n)`.
    pub(crate) tag: Option<&'a Value>,
    /// Values behind the tag.
    pub(crate) values: &'a [Value],
    /// The whole sublist.
    pub(crate) span: Range<usize>,
}

fn tag_of(value: &Value) -> Option<&Value> {
    let Form::List(elements) = &value.form else { return None };
    elements.first().filter(|first| matches!(first.form, Form::Css(_)))
}

impl Value {
    /// Returns the numbers of a CSS tag, by form alone.
    pub(crate) fn css_ids(&self, findings: &mut Findings) -> Vec<u8> {
        let Form::Css(ids) = &self.form else { return Vec::new() };
        let mut all = Vec::new();
        for id in ids {
            match plain_decimal(id).and_then(|css| u8::try_from(css).ok()) {
                Some(css) => all.push(css),
                None => malformed(id, "a decimal CSS number", findings),
            }
        }
        all
    }
}

/// Returns the sublists of `value`; a value without any tag is one sublist.
pub(crate) fn split(value: &Value) -> Vec<Sublist<'_>> {
    let elements = value.elements();
    if let Some(tag) = tag_of(value) {
        return vec![Sublist { tag: Some(tag), values: &elements[1..], span: value.span.clone() }];
    }
    if !elements.iter().any(|element| tag_of(element).is_some()) {
        return vec![Sublist { tag: None, values: elements, span: value.span.clone() }];
    }
    let sublist = |element| match tag_of(element) {
        Some(tag) => Sublist { tag: Some(tag), values: &element.elements()[1..], span: element.span.clone() },
        None => Sublist { tag: None, values: std::slice::from_ref(element), span: element.span.clone() },
    };
    elements.iter().map(sublist).collect()
}

/// Which channel subsystems a tag may name, and which one a missing tag means.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CssScope<'a> {
    pub(crate) machine: &'static Machine,
    /// Partitions of RESOURCE; `None` while RESOURCE itself is read.
    pub(crate) partitions: Option<&'a Partitions>,
    /// The channel subsystem meant when there is no tag.
    pub(crate) untagged: Option<u8>,
}

impl CssScope<'_> {
    /// Returns the channel subsystems of a tag, each with its place (R167).
    pub(crate) fn tagged(&self, tag: &Value, findings: &mut Findings) -> Vec<(u8, Range<usize>)> {
        let Form::Css(ids) = &tag.form else { return Vec::new() };
        let mut all = Vec::new();
        for id in ids {
            let css = plain_decimal(id).and_then(|css| u8::try_from(css).ok());
            match css {
                None => malformed(id, "a decimal CSS number", findings),
                Some(css) if css >= self.machine.css_count => {
                    let highest = self.machine.css_count - 1;
                    let message = findings
                        .error(
                            167,
                            &id.span,
                            format!("CSS {css} does not exist on a {}", self.machine.machine_type),
                        )
                        .fix(format!("use CSS 0-{highest}"));
                    findings.report(message);
                }
                Some(css) if self.partitions.is_some_and(|partitions| !partitions.has_css(css)) => {
                    let message = findings
                        .error(167, &id.span, format!("CSS {css} has no partitions in RESOURCE"))
                        .fix(format!("add CSS({css}) to RESOURCE"));
                    findings.report(message);
                }
                Some(css) => all.push((css, id.span.clone())),
            }
        }
        if ids.is_empty() {
            malformed(tag, "CSS(n)", findings);
        }
        all
    }

    /// Returns the one channel subsystem of `sublist` (R165, R167).
    pub(crate) fn one(&self, sublist: &Sublist<'_>, findings: &mut Findings) -> Option<u8> {
        if let Some(inner) = sublist.values.iter().find(|value| matches!(value.form, Form::Css(_))) {
            let words = "each CSS needs parentheses of its own around its values";
            let message =
                findings.error(OPENING_EXPECTED, &inner.span, words).fix("write ((CSS(0),...),(CSS(1),...))");
            findings.report(message);
            return None;
        }
        let Some(tag) = sublist.tag else {
            if self.untagged.is_none() {
                self.untagged_error(&sublist.span, findings);
            }
            return self.untagged;
        };
        if matches!(&tag.form, Form::Css(ids) if ids.len() > 1) {
            malformed(tag, "one CSS number (several belong only to the PATH of a CHPID)", findings);
            return None;
        }
        self.tagged(tag, findings).first().map(|(css, _)| *css)
    }

    /// Reports R165.
    pub(crate) fn untagged_error(&self, span: &Range<usize>, findings: &mut Findings) {
        let message = findings
            .error(165, span, "several channel subsystems are in play and no CSS is named here")
            .fix("begin the list with CSS(n)");
        findings.report(message);
    }
}

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;

    use super::*;
    use crate::syntax::cards::Cell;
    use crate::syntax::operand::parse;

    fn value(text: &str) -> Value {
        let text = format!("A={text}");
        let cells: Vec<Cell> = text.char_indices().map(|(at, ch)| Cell::new(at, ch)).collect();
        let mut findings = Findings::new(&SourceFile::new("x", text));
        parse(&cells, false, &mut findings).0.remove(0).value
    }

    fn shown(text: &str) -> Vec<String> {
        let value = value(text);
        let word = |sublist: Sublist<'_>| {
            let tag = sublist.tag.map_or("-".to_owned(), ToString::to_string);
            let values: Vec<String> = sublist.values.iter().map(ToString::to_string).collect();
            format!("{tag}:{}", values.join("+"))
        };
        split(&value).into_iter().map(word).collect()
    }

    #[test]
    fn outer_parentheses_and_tags_may_be_missing() {
        assert_eq!(shown("40"), ["-:40"]);
        assert_eq!(shown("(40,41)"), ["-:40+41"]);
        assert_eq!(shown("(CSS(1),40)"), ["CSS(1):40"]);
        assert_eq!(shown("((CSS(0),40,41),(CSS(1),40))"), ["CSS(0):40+41", "CSS(1):40"]);
        assert_eq!(shown("((CSS(0),40),41)"), ["CSS(0):40", "-:41"]);
    }

    #[test]
    fn a_css_must_exist_and_be_named() {
        let mut findings = Findings::new(&SourceFile::new("x", ""));
        let scope = CssScope { machine: Machine::default_machine(), partitions: None, untagged: None };
        for text in ["(CSS(6),40)", "(CSS(X),40)", "(CSS(0,1),40)", "40", "(CSS(5),40)"] {
            let value = value(text);
            scope.one(&split(&value)[0], &mut findings);
        }
        let numbers: Vec<u16> = findings.into_list().iter().map(|message| message.number).collect();
        assert_eq!(numbers, [167, 140, 140, 165]);
    }
}
