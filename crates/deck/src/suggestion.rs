//! What a misspelt word was meant to be.

/// The word of `known` that `word` was most likely meant to be: one letter changed, added, missing or two exchanged
/// in a short word, two such slips in a longer one.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// From this length on two slips are forgiven.
    const LONG: usize = 5;
    let slips = if word.chars().count() >= LONG { 2 } else { 1 };
    let distances = known.into_iter().map(|one| (distance(word, one), one));
    let (distance, best) = distances.min_by_key(|(distance, one)| (*distance, one.len()))?;
    // A word that shares nothing with the other is no slip of it.
    (distance > 0 && distance <= slips && distance < best.len()).then_some(best)
}

/// How many single slips lead from one word to the other: changed, added, missing, exchanged letters.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    // Far apart in length, they are far apart.
    if one.len().abs_diff(other.len()) > 2 {
        return usize::MAX;
    }
    let width = other.len() + 1;
    let mut table = vec![0; (one.len() + 1) * width];
    for row in 0..=one.len() {
        for column in 0..width {
            let at = |row: usize, column: usize| table[row * width + column];
            let value = if row == 0 || column == 0 {
                row + column
            } else {
                let same = usize::from(one[row - 1] != other[column - 1]);
                let plain = (at(row - 1, column) + 1)
                    .min(at(row, column - 1) + 1)
                    .min(at(row - 1, column - 1) + same);
                let swapped = row > 1
                    && column > 1
                    && one[row - 1] == other[column - 2]
                    && one[row - 2] == other[column - 1];
                if swapped { plain.min(at(row - 2, column - 2) + 1) } else { plain }
            };
            table[row * width + column] = value;
        }
    }
    table[one.len() * width + other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_one_word_lead_back_to_it() {
        let known = ["CHPID", "CNTLUNIT", "IODEVICE", "FUNCTION", "CUNUMBR", "TYPE", "PCHID"];
        for (word, meant) in [
            ("CHIPD", Some("CHPID")),
            ("CNTLUNT", Some("CNTLUNIT")),
            ("IODEVCIE", Some("IODEVICE")),
            ("CUNUMBER", Some("CUNUMBR")),
            ("TYP", Some("TYPE")),
            ("TPYE", Some("TYPE")),
            ("SWITCHES", None),
            ("SPEED", None),
            ("", None),
            ("CHPID", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
