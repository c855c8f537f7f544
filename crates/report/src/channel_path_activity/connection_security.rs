//! Connections of channels under endpoint security, behind the rows of CHANNEL PATH ACTIVITY. RMF's report has no such table;
//! the words are those of `D M=CHP(cc),PATHINFO`.

use halftrack_record::ConnectionCounts;

use super::ChannelRow;
use crate::field::{Field, Line};
use crate::page::Listing;

/// Heading of the table.
const HEADING: &[&str] = &[
    "-----------------------------------------------------------------------------------------------------------------------------------",
    "                                         CONNECTION SECURITY (OF HALFTRACK, NOT OF RMF)",
    "-----------------------------------------------------------------------------------------------------------------------------------",
    "    CHANNEL PATH                      CONNECTIONS",
    " ID TYPE                  ENCR     AUTH     NONE  REFUSED     DOWN",
];

/// Columns of the numbers of connections.
const ENCRYPTED: Field = Field::new(23, 29, 0);
const AUTHENTICATED: Field = Field::new(32, 38, 0);
const CLEAR: Field = Field::new(41, 47, 0);
const REFUSED: Field = Field::new(50, 56, 0);
const DOWN: Field = Field::new(59, 65, 0);

/// Prints the table where parts of the site take part in endpoint security.
pub(super) fn print(listing: &mut Listing, rows: &[ChannelRow]) {
    let mut lines = rows.iter().filter_map(|row| Some(line(row, row.connections?))).peekable();
    if lines.peek().is_some() {
        listing.table(HEADING);
        lines.for_each(|line| listing.row(line));
    }
}

fn line(row: &ChannelRow, counts: ConnectionCounts) -> String {
    let ConnectionCounts { encrypted, authenticated, clear, refused, down } = counts;
    let line = Line::new().text(1, 2, &format!("{:02X}", row.chpid)).text(4, 5, row.kind.acronym());
    let columns = [
        (ENCRYPTED, encrypted),
        (AUTHENTICATED, authenticated),
        (CLEAR, clear),
        (REFUSED, refused),
        (DOWN, down),
    ];
    columns.iter().fold(line, |line, (field, count)| line.number(field, f64::from(*count))).finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;
    use crate::{ChannelPathActivity, Scope};

    #[test]
    fn connections_follow_the_rows_where_parts_of_the_site_take_part_in_endpoint_security() {
        let mut run = golden::run();
        let listed = |run: &_| {
            let scope = Scope::new(run, "SYN1", 0).unwrap();
            ChannelPathActivity::compute(&scope).render(&scope).unwrap()
        };
        let without = listed(&run);
        assert!(!without.contains("CONNECTION SECURITY"), "{without}");
        let counts = [
            ConnectionCounts { encrypted: 3, clear: 1, ..ConnectionCounts::default() },
            ConnectionCounts { authenticated: 2, refused: 12, down: 1, ..ConnectionCounts::default() },
        ];
        for (channel, counts) in run.intervals[0].channels.iter_mut().zip(counts) {
            channel.connections = Some(counts);
        }
        let with = listed(&run);
        let table = with.strip_prefix(&without).expect("the rows of RMF are unchanged");
        let lines: Vec<_> = table.lines().skip(5).collect();
        let expected = [
            " ID TYPE                  ENCR     AUTH     NONE  REFUSED     DOWN",
            " 40 FC_S                     3        0        1        0        0",
            " 41 FC_S                     0        2        0       12        1",
        ];
        assert_eq!(lines, expected, "{with}");
    }
}
