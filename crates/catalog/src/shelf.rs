//! Shelf: the entries of one kind of hardware, each with the file that it was read from.

use std::collections::BTreeMap;
use std::sync::Arc;

use halftrack_input::{Diagnostic, Fields, Label, SourceFile, read_document};

/// One kind of hardware that the catalog keeps.
pub trait Hardware: Sized {
    /// Directory of its files.
    const DIRECTORY: &'static str;

    /// Reads one file, every key of it, and only then reports whether it is whole.
    fn read(fields: &mut Fields<'_>) -> Option<Self>;
}

/// An entry and the file that it was read from.
#[derive(Debug, Clone, PartialEq)]
struct Entry<T> {
    hardware: T,
    source: Arc<SourceFile>,
}

/// The entries of one kind, by id.
#[derive(Debug, Clone, PartialEq)]
pub struct Shelf<T> {
    entries: BTreeMap<String, Entry<T>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { entries: BTreeMap::new() }
    }
}

impl<T: Hardware> Shelf<T> {
    /// Returns the entry `id`.
    pub fn get(&self, id: &str) -> Option<&T> {
        self.entries.get(id).map(|entry| &entry.hardware)
    }

    /// Returns one of the entries, whichever.
    pub(crate) fn any(&self) -> Option<&T> {
        self.entries.values().next().map(|entry| &entry.hardware)
    }

    /// Returns the ids, ascending.
    pub fn ids(&self) -> impl Iterator<Item = &str> + Clone {
        self.entries.keys().map(String::as_str)
    }

    /// Returns a place in the file of entry `id`, for a message that points at one of its numbers.
    pub fn label(&self, id: &str, span: std::ops::Range<usize>, text: impl Into<String>) -> Option<Label> {
        self.entries.get(id).map(|entry| Label::new(&entry.source, span, text))
    }

    /// Returns the ids and files of the entries, by id.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&str, &Arc<SourceFile>)> {
        self.entries.iter().map(|(id, entry)| (id.as_str(), &entry.source))
    }

    /// Returns the ids and files of the entries that are `wanted`, by id.
    pub(crate) fn files_where(&self, wanted: impl Fn(&T) -> bool) -> Vec<(String, Arc<SourceFile>)> {
        let found = self.entries.iter().filter(|(_, entry)| wanted(&entry.hardware));
        found.map(|(id, entry)| (id.clone(), Arc::clone(&entry.source))).collect()
    }

    /// Puts the entry `id` in, in place of an earlier one, where `source` is whole.
    pub(crate) fn put(&mut self, id: &str, source: Arc<SourceFile>, diagnostics: &mut Vec<Diagnostic>) {
        self.put_read(id, source, diagnostics, T::read);
    }

    /// Puts the entry `id` in as [`put`](Self::put) does, read by `read`.
    pub(crate) fn put_read(
        &mut self,
        id: &str,
        source: Arc<SourceFile>,
        diagnostics: &mut Vec<Diagnostic>,
        read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
    ) {
        let (hardware, found) = read_document(&source, read);
        diagnostics.extend(found);
        if let Some(hardware) = hardware {
            self.entries.insert(id.to_owned(), Entry { hardware, source });
        }
    }
}
