//! An operator's display of a study: one number of the answer to a command.

use halftrack_catalog::Catalog;
use halftrack_config::{StudyFiles, configure};
use halftrack_input::Diagnostic;
use halftrack_report::display::{DisplayError, Known, display};
use serde_json::Value;

/// A command and the place of the number in its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Displayed {
    /// The study of the operator.
    pub study: StudyFiles,
    /// The command.
    pub command: String,
    /// Where in the answer as JSON: a number, or a list of which the entries are counted.
    pub json: String,
    /// A text that counted entries have in them; all are counted without one.
    pub with: Option<String>,
}

impl Displayed {
    pub(crate) fn value(&self, catalog: &Catalog) -> Result<f64, String> {
        let loaded = configure(&self.study, catalog);
        let (Some(configuration), Some(site)) = (&loaded.configuration, &loaded.site) else {
            let first = loaded.diagnostics.first();
            return Err(first.map_or_else(|| "the study cannot be shown".to_owned(), Diagnostic::line));
        };
        let known = Known { configuration, site, moment: None, plugged: None };
        let answer = display(&self.command, known, None).map_err(|error| match error {
            DisplayError::Command(diagnostic) => diagnostic.line(),
            DisplayError::System { .. } => error.to_string(),
        })?;
        let json: Value = serde_json::from_str(&answer.to_json()).map_err(|error| error.to_string())?;
        let found = json.pointer(&self.json);
        self.number(found).ok_or_else(|| format!("the answer has no number or list at {}", self.json))
    }

    fn number(&self, found: Option<&Value>) -> Option<f64> {
        let has = |entry: &&Value| self.with.as_ref().is_none_or(|with| entry.to_string().contains(with));
        match found? {
            Value::Array(entries) => Some(entries.iter().filter(has).count() as f64),
            Value::Number(number) => number.as_f64(),
            _ => None,
        }
    }
}
