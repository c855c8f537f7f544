//! Tables whose keys are the writer's own: remarks that are kept and shown, never calculated with.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use crate::fields::Fields;

/// Keys of the writer's choice and their values as text: strings without their quotes, lists with commas between.
pub type FreeTable = BTreeMap<String, String>;

impl Fields<'_> {
    /// Returns the table under a key that may be left out, whatever its keys are.
    pub fn free_table(&mut self, key: &'static str) -> Option<FreeTable> {
        let value = self.take_key(key)?;
        match value.get_ref() {
            DeValue::Table(table) => Some(words(table)),
            _ => {
                self.unexpected(&format!("`{key}`"), value, "a table");
                None
            }
        }
    }

    /// Returns every table of an array of tables (`[[key]]`), whatever its keys are; none when left out.
    pub fn free_tables(&mut self, key: &'static str) -> Vec<FreeTable> {
        let Some(value) = self.take_key(key) else { return Vec::new() };
        let tables = value.get_ref().as_array().map(|elements| {
            elements.iter().filter_map(|element| element.get_ref().as_table()).map(words).collect()
        });
        tables.unwrap_or_else(|| {
            self.unexpected(&format!("`{key}`"), value, &format!("tables, each written [[{key}]]"));
            Vec::new()
        })
    }
}

fn words(table: &DeTable<'_>) -> FreeTable {
    table.iter().map(|(key, value)| (key.get_ref().to_string(), word(value.get_ref()))).collect()
}

fn word(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(integer) => integer.as_str().to_owned(),
        DeValue::Float(float) => float.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(moment) => moment.to_string(),
        DeValue::Array(elements) => {
            elements.iter().map(|element| word(element.get_ref())).collect::<Vec<_>>().join(", ")
        }
        DeValue::Table(table) => {
            let pairs = words(table).into_iter().map(|(key, value)| format!("{key} = {value}"));
            pairs.collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::source_file::SourceFile;

    use crate::fields::read_document;

    #[test]
    fn any_keys_are_taken_and_anything_else_is_refused() {
        let text = "params = { link_gbps = 32, rows = ['40', '4E'], fec = true }\n[[code]]\nat = 0x2B\n";
        let source = SourceFile::new("t.toml", text);
        let (read, found) = read_document(&source, |fields| {
            Some((fields.free_table("params"), fields.free_tables("code"), fields.free_tables("none")))
        });
        assert_eq!(found, []);
        let (params, codes, none) = read.expect("well-formed");
        let params: Vec<_> = params.expect("a table").into_iter().collect();
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(params, [pair("fec", "true"), pair("link_gbps", "32"), pair("rows", "40, 4E")]);
        assert_eq!((codes.len(), none.len()), (1, 0));

        let source = SourceFile::new("t.toml", "params = 1\ncode = 2\n");
        let (_, found) = read_document(&source, |fields| {
            fields.free_table("params");
            fields.free_tables("code");
            Some(())
        });
        let places: Vec<_> = found.iter().map(|one| one.line()).collect();
        assert_eq!(
            places,
            [
                "HTK894E t.toml:1:10 `params` is 1: expected a table",
                "HTK894E t.toml:2:8 `code` is 2: expected tables, each written [[code]]",
            ]
        );
    }
}
