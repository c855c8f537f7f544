//! One study with its statements in another order.

use crate::support::Study;

/// Puts the statements of the deck and the tables of plant and workload into another legal order.
pub fn shuffle(study: &Study, seed: u64) {
    let mut order = Order(seed);
    study.edit("deck.iocp", |text| shuffle_deck(text, &mut order));
    study.edit("plant.toml", |text| shuffle_tables(text, &mut order));
    // Of a few tables, another order may be the one that they had.
    study.rewrite("workload.toml", |text| shuffle_tables(text, &mut order));
}

/// A small generator (Marsaglia's xorshift64) that decides orders.
struct Order(u64);

impl Order {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

/// Shuffles statements among their kind: IOCP requires ID and RESOURCE first and a definition before its use.
fn shuffle_deck(text: &str, order: &mut Order) -> String {
    let mut shuffled = String::new();
    let mut statements = statements(text);
    for kind in ["ID", "RESOURCE", "CHPID", "CNTLUNIT", "IODEVICE", "FUNCTION"] {
        let of_kind = |one: &mut String| one.split_whitespace().next() == Some(kind);
        let mut same: Vec<String> = statements.extract_if(.., of_kind).collect();
        order.shuffle(&mut same);
        shuffled.extend(same);
    }
    assert_eq!(statements, [""; 0], "statements of no kind that is known here");
    shuffled
}

/// Returns the statements with their continuation cards, comments left out.
fn statements(text: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut continued = false;
    for card in text.lines() {
        if !continued && card.starts_with('*') {
            continue;
        }
        if !continued {
            statements.push(String::new());
        }
        let statement = statements.last_mut().expect("a card belongs to a statement");
        statement.push_str(card);
        statement.push('\n');
        // A card goes on when its column 72 is not blank.
        continued = card.as_bytes().get(71).is_some_and(|&column| column != b' ');
    }
    statements
}

/// Shuffles top-level tables, each with its sub-tables, which move among themselves.
fn shuffle_tables(text: &str, order: &mut Order) -> String {
    let mut head = String::new();
    let mut tables: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        let header = line.trim_start_matches('[');
        let is_header = header.len() < line.len();
        let is_sub_table = is_header && header.split(']').next().is_some_and(|name| name.contains('.'));
        match (is_sub_table, is_header) {
            (true, _) => tables.last_mut().expect("a table before its sub-table").1.push(String::new()),
            (false, true) => tables.push((String::new(), Vec::new())),
            (false, false) => {}
        }
        let part = match tables.last_mut() {
            Some((own, subs)) => subs.last_mut().unwrap_or(own),
            None => &mut head,
        };
        part.push_str(line);
        part.push('\n');
    }
    order.shuffle(&mut tables);
    for (own, subs) in &mut tables {
        order.shuffle(subs);
        head.push_str(own);
        head.extend(subs.iter().map(String::as_str));
    }
    head
}

#[test]
fn a_shuffled_text_has_the_same_parts() {
    let text = "top = 1\n[b]\nx = 1\n[[c]]\ny = 1\n[[c.d]]\nz = 1\n[[c.d]]\nz = 2\n[[c]]\ny = 2\n";
    let shuffled = shuffle_tables(text, &mut Order(7));
    let before: toml::Table = text.parse().expect("TOML");
    let after: toml::Table = shuffled.parse().expect("TOML");
    assert_eq!((&before["top"], &before["b"]), (&after["top"], &after["b"]));
    let mut lines = [text.lines().collect::<Vec<_>>(), shuffled.lines().collect()];
    lines.iter_mut().for_each(|lines| lines.sort_unstable());
    assert_eq!(lines[0], lines[1]);
}
