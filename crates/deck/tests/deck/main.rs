//! Decks: parsed, checked, compared, edited, reported.

mod advice_table;
mod broken;
mod broken_meaning;
mod card_mutations;
mod cards;
mod ctc;
mod deck_rules;
mod difference;
mod editing;
mod examples;
mod function_rules;
mod fuzz_corpus;
mod hints;
mod islink;
mod json;
mod limits;
mod machines_of_2002;
mod mutation;
mod profile;
mod properties;
mod reports;
mod rules;
mod rules_table;
mod semantics;
mod support;
mod system_config;
