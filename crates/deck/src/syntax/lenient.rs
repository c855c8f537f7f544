//! Blanks inside operands: what stands behind one, comment or the rest of the operand.
//!
//! A blank ends the operand (rule G5). Printed and mailed decks have blanks inside parentheses and beside `=`, where
//! no complete operand can end: there the rest of the card is operand when it reads like one.

use crate::syntax::keyword::Operation;

/// Returns true when `rest`, behind a blank inside `depth` open parentheses of `operand`, belongs to the operand.
pub(crate) fn is_inside(last: Option<char>, rest: &str) -> bool {
    let Some(first) = rest.chars().next() else { return false };
    // Without a comma before it, an operand cannot end inside parentheses.
    if last != Some(',') && matches!(first, ',' | ')') {
        return true;
    }
    let word = rest.split(' ').next().unwrap_or_default();
    if !word.chars().all(is_operand) {
        return false;
    }
    if first == '(' {
        return net(word) < 0 || (net(word) == 0 && word.ends_with(','));
    }
    closes(rest)
}

/// Returns true when `rest` closes a parenthesis that was open before it, with nothing but operand up to there.
fn closes(rest: &str) -> bool {
    let mut depth = 0;
    for ch in rest.chars() {
        match ch {
            '(' => depth += 1,
            ')' => depth -= 1,
            ' ' => {}
            other if !is_operand(other) => return false,
            _ => {}
        }
        if depth < 0 {
            return true;
        }
    }
    false
}

/// Returns true when `rest`, behind a blank, goes on with the `=` or the value of a keyword.
pub(crate) fn is_beside_equals(operand: &str, rest: &str) -> bool {
    let word = operand.rsplit(',').next().unwrap_or_default();
    let is_keyword = |word: &str| !word.is_empty() && word.chars().all(|ch| ch.is_ascii_alphanumeric());
    match (operand.chars().last(), rest.chars().next()) {
        (Some('='), Some(first)) => is_operand(first) && is_keyword(word.trim_end_matches('=')),
        (Some(_), Some('=')) => is_keyword(word),
        _ => false,
    }
}

/// Returns true when `rest`, behind a comma and a blank, begins with an operand of `operation`.
pub(crate) fn is_next_operand(operation: Operation, rest: &str) -> bool {
    let word: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    match rest[word.len()..].chars().next() {
        Some('=') => operation.has_keyword(&word.to_ascii_uppercase()),
        None | Some(',' | ' ') => operation.has_word(&word.to_ascii_uppercase()),
        Some(_) => false,
    }
}

fn is_operand(ch: char) -> bool {
    ch.is_ascii_alphanumeric()
        || matches!(ch, '$' | '#' | '@' | '*' | '.' | '-' | ',' | '(' | ')' | '=' | '\'')
}

/// Counts opening less closing parentheses.
fn net(word: &str) -> i32 {
    word.chars().map(|ch| i32::from(ch == '(') - i32::from(ch == ')')).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_list_is_told_from_a_comment() {
        for rest in
            ["40),SHARED", "(LP03,LP04)), PNETID=(NET1, NET2),", "41, 42)", "NET2),TYPE=ROCE", "(CSS(1),42),"]
        {
            assert!(is_inside(Some(','), rest), "{rest}");
        }
        for rest in ["FIRST DIRECTOR", "(OLD)", "(DIRECTOR 11)", "SITE A (OLD)", "eight disks", "40", ""] {
            assert!(!is_inside(Some(','), rest), "{rest}");
        }
        assert!(is_inside(Some('0'), ",41)") && is_inside(Some('0'), "),TYPE=FC"));
    }

    #[test]
    fn an_equals_sign_belongs_to_its_keyword() {
        assert!(is_beside_equals("PATH", "= (CSS(0),40)"));
        assert!(is_beside_equals("PATH=40,TYPE=", "FC"));
        assert!(!is_beside_equals("PATH=40", "= THE FIRST"));
        assert!(!is_beside_equals("PATH=(40)", "TYPE=FC"));
    }

    #[test]
    fn an_operand_behind_a_comma_is_one_that_the_statement_knows() {
        assert!(is_next_operand(Operation::Chpid, "TYPE=FC"));
        assert!(is_next_operand(Operation::Chpid, "SHARED,TYPE=FC"));
        assert!(!is_next_operand(Operation::Chpid, "SHARED-BY ALL"));
        assert!(!is_next_operand(Operation::Chpid, "UNIT=3390"));
    }
}
