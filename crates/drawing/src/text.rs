//! How wide words are, before any font is known.

/// Returns the width that `text` takes at most in 14 px. It is that of DejaVu Sans, the widest of the fonts of pages
/// and pictures, rounded up.
pub(crate) fn width(text: &str) -> f64 {
    text.chars().map(character_width).sum()
}

/// Returns `text` when it fits into `room`, else its beginning.
pub(crate) fn shortened(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let room = room - character_width('…');
    let mut taken = 0.0;
    let fits = |ch: &char| {
        taken += character_width(*ch);
        taken <= room
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

fn character_width(ch: char) -> f64 {
    match ch {
        ' ' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | 'i' | 'j' | 'l' | 'I' => 4.8,
        '-' | 'f' | 't' | 'r' | '(' | ')' => 5.9,
        '0'..='9' => 9.0,
        'M' | 'W' | 'm' | 'w' | '×' | '%' | '…' | '@' => 14.0,
        'A'..='Z' => 10.6,
        'a'..='z' => 9.0,
        // A name may have any other character; ideographs are as wide as the font is high.
        _ => 14.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_loses_its_end() {
        let label = "0.40 PCHID 100";
        assert_eq!(shortened(label, width(label)), label);
        assert_eq!(shortened(label, width(label) - 1.0), "0.40 PCHID 1…");
        assert_eq!(shortened(label, 0.0), "…");
        assert!(width(&shortened(label, 60.0)) <= 60.0);
    }
}
