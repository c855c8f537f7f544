//! Decks with a number left open, so that the checker finds how large it may be.
//!
//! `{n}` is the number, in the cards between `*EACH` and `*END` `{i}` goes from 1 to it, and those cards stand once for each.
//! Behind the name come `+`, `-`, `*`, `/` and `%` with whole numbers, from left to right; behind a colon the form, `{i*4+256:03X}`
//! for three hexadecimal digits. `{"F"*n}` is a text so many times. A mark of continuation, `*` behind a blank at the end of a
//! card, is moved to its column.

use halftrack_input::SourceFile;

const EACH: &str = "*EACH";
const END: &str = "*END";
/// Columns before the one of the mark of continuation.
const COLUMNS: usize = 71;

/// Returns the deck for the number `n`, or what in it is no expression.
pub(crate) fn filled(template: &SourceFile, n: i64) -> Result<String, String> {
    let mut text = String::new();
    let mut lines = template.text.lines();
    while let Some(line) = lines.next() {
        if line.trim_end() != EACH {
            push(&mut text, line, n, 0)?;
            continue;
        }
        let repeated: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != END).collect();
        for i in 1..=n {
            for line in &repeated {
                push(&mut text, line, n, i)?;
            }
        }
    }
    Ok(text)
}

fn push(text: &mut String, line: &str, n: i64, i: i64) -> Result<(), String> {
    let (mut rest, mark) = match line.strip_suffix(" *") {
        Some(card) => (card.trim_end(), "*"),
        None => (line, ""),
    };
    let start = text.len();
    while let Some((before, after)) = rest.split_once('{') {
        let (inner, behind) =
            after.split_once('}').ok_or_else(|| format!("`{{` without `}}` in `{line}`"))?;
        text.push_str(before);
        text.push_str(&expression(inner, n, i).ok_or_else(|| format!("`{{{inner}}}` is no expression"))?);
        rest = behind;
    }
    text.push_str(rest);
    if !mark.is_empty() {
        text.extend(std::iter::repeat_n(' ', (start + COLUMNS).saturating_sub(text.len())));
        text.push_str(mark);
    }
    text.push('\n');
    Ok(())
}

fn expression(inner: &str, n: i64, i: i64) -> Option<String> {
    if let Some(quoted) = inner.strip_prefix('"') {
        let (words, times) = quoted.split_once("\"*")?;
        return Some(words.repeat(usize::try_from(value(times, n, i)?).unwrap_or(0)));
    }
    let (sum, form) = inner.split_once(':').unwrap_or((inner, ""));
    let value = value(sum, n, i)?;
    match form.strip_suffix('X') {
        Some(width) if value >= 0 => {
            let width: usize = if width.is_empty() { 1 } else { width.parse().ok()? };
            Some(format!("{value:0width$X}"))
        }
        Some(_) => Some(value.to_string()),
        None => form.is_empty().then(|| value.to_string()),
    }
}

/// Parses `i*4+256`, from left to right.
fn value(sum: &str, n: i64, i: i64) -> Option<i64> {
    let name = sum.chars().next()?;
    let mut value = match name {
        'n' => n,
        'i' => i,
        _ => return None,
    };
    let mut rest = &sum[1..];
    while let Some(operation) = rest.chars().next() {
        let digits = rest[1..].find(|ch: char| !ch.is_ascii_digit()).map_or(rest.len(), |at| at + 1);
        let number: i64 = rest.get(1..digits)?.parse().ok()?;
        value = match operation {
            '+' => value.checked_add(number)?,
            '-' => value.checked_sub(number)?,
            '*' => value.checked_mul(number)?,
            '/' => value.checked_div(number)?,
            '%' => value.checked_rem(number)?,
            _ => return None,
        };
        rest = &rest[digits..];
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_stand_once_for_each_with_their_numbers() {
        let template = SourceFile::new(
            "t",
            "A {n} {n+7:X}\n*EACH\nB {i-1/2*4+256:03X} {i-1%2+1}\n*END\nC {\"F\"*n-1}\n",
        );
        let text = filled(&template, 3).expect("expressions");
        assert_eq!(text, "A 3 A\nB 100 1\nB 100 2\nB 104 1\nC FF\n");
        assert_eq!(filled(&template, -1).expect("none"), "A -1 6\nC \n");
    }

    #[test]
    fn a_mark_of_continuation_stands_in_its_column() {
        let text = filled(&SourceFile::new("t", " FID={n:03X}, *\n"), 1).expect("an expression");
        assert_eq!(text, format!("{:71}*\n", " FID=001,"));
    }

    #[test]
    fn what_is_no_expression_is_said() {
        for wrong in ["{m}", "{n^2}", "{n:04Y}", "{n", "{\"F\"}", "{n*}", "{n/0}"] {
            let template = SourceFile::new("t", wrong);
            assert!(filled(&template, 1).is_err(), "{wrong}");
        }
    }
}
