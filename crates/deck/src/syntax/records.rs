//! How cards follow each other in a file: as lines, or as records of 80 characters without any line end.
//!
//! Inside the crate every card ends in LF (or CR LF), so that places can be named by line. What a file had
//! instead is put back when it is written.

/// The form of a file's cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// Lines that end in LF or CR LF.
    Lines,
    /// Lines that end in CR alone.
    CarriageReturns,
    /// Records of 80 characters without line ends.
    Fixed80,
}

/// Characters of a card.
const CARD: usize = 80;

/// Two cards at least, or a whole number of them: a single long line is a line that is too long.
const FIXED_LENGTH_MIN: usize = 2 * CARD;

impl Records {
    /// Returns the name in JSON and messages.
    pub fn name(self) -> &'static str {
        match self {
            Records::Lines => "lines",
            Records::CarriageReturns => "cr-lines",
            Records::Fixed80 => "fixed-80",
        }
    }

    /// Returns the form of `text`.
    pub(crate) fn of(text: &str) -> Self {
        if text.contains('\n') {
            return Records::Lines;
        }
        if text.contains('\r') {
            return Records::CarriageReturns;
        }
        let length = text.chars().count();
        let fixed = length >= FIXED_LENGTH_MIN || (length > 0 && length.is_multiple_of(CARD));
        if fixed && !text.starts_with('\u{feff}') { Records::Fixed80 } else { Records::Lines }
    }

    /// Puts each card of `text` on a line.
    pub(crate) fn to_lines(self, text: String) -> String {
        match self {
            Records::Lines => text,
            Records::CarriageReturns => text.replace('\r', "\n"),
            Records::Fixed80 => {
                let mut lines = String::with_capacity(text.len() + text.len() / CARD);
                for (index, ch) in text.chars().enumerate() {
                    if index > 0 && index.is_multiple_of(CARD) {
                        lines.push('\n');
                    }
                    lines.push(ch);
                }
                lines
            }
        }
    }

    /// Inverts [`Records::to_lines`]. `whole`: the last record of the file had 80 characters.
    pub(crate) fn put_back(self, lines: &str, whole: bool) -> String {
        match self {
            Records::Lines => lines.to_owned(),
            Records::CarriageReturns => lines.replace('\n', "\r"),
            Records::Fixed80 => {
                let lines = lines.strip_suffix('\n').unwrap_or(lines);
                let mut text = String::with_capacity(lines.len() + CARD);
                let mut rest = lines.split('\n').peekable();
                while let Some(line) = rest.next() {
                    let line = line.strip_suffix('\r').unwrap_or(line);
                    text.push_str(line);
                    if whole || rest.peek().is_some() {
                        let short = CARD.saturating_sub(line.chars().count());
                        text.extend(std::iter::repeat_n(' ', short));
                    }
                }
                text
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_become_lines_and_lines_records() {
        let text = format!("{:80}{:80} ID", " CHPID", " CNTLUNIT");
        let records = Records::of(&text);
        assert_eq!(records, Records::Fixed80);
        let lines = records.to_lines(text.clone());
        assert_eq!(lines.lines().count(), 3);
        assert_eq!(records.put_back(&lines, false), text);
        // A line that an edit made shorter is filled up again.
        assert_eq!(records.put_back(" A\n B\n", true).len(), 160);
    }

    #[test]
    fn a_single_line_is_no_record_unless_it_is_a_card() {
        assert_eq!(Records::of(&"x".repeat(100)), Records::Lines);
        assert_eq!(Records::of(&"x".repeat(80)), Records::Fixed80);
        assert_eq!(Records::of(""), Records::Lines);
        assert_eq!(Records::of("a\rb"), Records::CarriageReturns);
        assert_eq!(Records::of("a\r\nb"), Records::Lines);
    }
}
