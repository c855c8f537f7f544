//! The token that HCD leaves in ID: which definition file (IODF) a deck was written from, and when.
//!
//! HCD writes processor, hexadecimal token, two words more, date, time and the two qualifiers of the data set:
//! `TOK=('CPC2094',0080…00000000,00000000,'06-05-24','13:29:40','SYS1','IODF45')` (reference, IOCP, section 2.1: an
//! opaque list; the parts are read as HCD's own decks have them).

use crate::model::IdStatement;

/// Two-digit years from here on are of the twentieth century: our choice, before the first IODF.
const CENTURY_FROM: u16 = 70;

/// The definition file that the token of a deck names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HcdToken {
    /// Processor.
    pub processor: String,
    /// Date as it is coded, `yy-mm-dd`.
    pub date: String,
    /// Time as it is coded, `hh:mm:ss`.
    pub time: String,
    /// First qualifiers of the data set.
    pub qualifier: String,
    /// Last qualifier of the data set, such as `IODF45`.
    pub name: String,
}

impl HcdToken {
    /// Reads the token of `id`; `None` without one, or of one that HCD did not write.
    pub fn of(id: &IdStatement) -> Option<Self> {
        let token = id.token.as_ref()?;
        let quoted: Vec<&str> = token.value.split('\'').skip(1).step_by(2).map(str::trim).collect();
        let [processor, .., date, time, qualifier, name] = quoted[..] else { return None };
        Some(Self {
            processor: processor.to_owned(),
            date: date.to_owned(),
            time: time.to_owned(),
            qualifier: qualifier.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Returns the date and time of the definition file, `YYYY-MM-DDThh:mm:ss`; `None` when the token has none.
    pub fn created(&self) -> Option<String> {
        let [year, month, day] = numbers(&self.date, '-')?;
        let [hour, minute, second] = numbers(&self.time, ':')?;
        let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
        let is_time = hour < 24 && minute < 60 && second < 60;
        let year = if year >= CENTURY_FROM { 1900 + year } else { 2000 + year };
        (is_date && is_time)
            .then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
    }
}

/// Returns three numbers of two digits.
fn numbers(text: &str, between: char) -> Option<[u16; 3]> {
    let two = |part: &str| (part.len() == 2).then(|| part.parse().ok()).flatten();
    let all: Vec<u16> = text.split(between).map(two).collect::<Option<_>>()?;
    all.try_into().ok()
}

#[cfg(test)]
mod tests {
    use halftrack_input::SourceFile;

    use super::*;
    use crate::read;

    fn token(tok: &str) -> Option<HcdToken> {
        let text = format!("         ID TOK={tok}\n         RESOURCE PART=((A,1))\n");
        HcdToken::of(&read(SourceFile::new("deck", text)).deck.expect("a deck").id)
    }

    #[test]
    fn a_token_of_hcd_names_the_definition_file_and_when_it_was_written() {
        let found = token("('C1',0080,00,'06-05-24','13:29:40','SYS1','IODF45')").expect("HCD's");
        assert_eq!((found.processor.as_str(), found.name.as_str()), ("C1", "IODF45"));
        assert_eq!(found.created().as_deref(), Some("2006-05-24T13:29:40"));
        let old = token("('C1',00,00,'95-05-24','13:29:40','SYS1','IODF45')").expect("HCD's");
        assert_eq!(old.created().as_deref(), Some("1995-05-24T13:29:40"));
    }

    #[test]
    fn what_hcd_did_not_write_says_nothing() {
        assert_eq!((token("ABC"), token("('ABC',00)")), (None, None));
        for (date, time) in [("06-13-24", "13:29:40"), ("06-05-24", "25:29:40"), ("2006-05-24", "13:29:40")] {
            let found =
                token(&format!("('C1',00,00,'{date}','{time}','SYS1','IODF45')")).expect("seven parts");
            assert_eq!(found.created(), None, "{date} {time}");
        }
    }
}
