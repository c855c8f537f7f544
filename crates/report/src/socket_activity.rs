//! SOCKET ACTIVITY: the conversations in which one system is client or server. RMF has no such report; the figures are the table
//! of `columns::conversations`, and the layout is ours.

use halftrack_record::ConversationInterval;
use serde::Serialize;

use crate::columns::conversations::{HEADING, TABLE};
use crate::field::Line;
use crate::figures::Figures;
use crate::page::{Iodf, Listing, Title};
use crate::records::Records;
use crate::{MeasureError, Scope};

/// SOCKET ACTIVITY of one system in one interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SocketActivity {
    /// Partition name.
    pub system: String,
    /// Interval, from 0.
    pub interval: u32,
    /// Conversations, by name.
    pub conversations: Vec<ConversationRow>,
}

/// One conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConversationRow {
    /// Name in the workload.
    pub name: String,
    /// Partition of the client.
    pub client: String,
    /// Partition of the server.
    pub server: String,
    /// Path: `tcp` or `smc-r`.
    pub path: String,
    /// Reason for TCP in place of SMC-R.
    pub fallback: Option<String>,
    /// PNETID of the network.
    pub network: String,
    /// Connections that go over TCP, because no function was there when they were made.
    pub fallen_back: u64,
    /// Figures of the columns.
    pub figures: Figures,
}

impl SocketActivity {
    /// Computes the rows; `None` for a system without a conversation.
    pub fn compute(scope: &Scope) -> Option<Self> {
        let (system, interval) = (scope.system.name.clone(), scope.interval.index);
        let row = |one: &ConversationInterval| ConversationRow {
            name: one.name.clone(),
            client: one.client.clone(),
            server: one.server.clone(),
            path: one.path.clone(),
            fallback: one.fallback.clone(),
            network: one.network.clone(),
            fallen_back: one.fallen_back,
            figures: Figures::of(TABLE.columns, &Records::of_interval(vec![one], scope)),
        };
        let own = scope.interval.conversations.iter();
        let own = own.filter(|one| one.client == system || one.server == system);
        let conversations: Vec<_> = own.map(row).collect();
        (!conversations.is_empty()).then_some(Self { system, interval, conversations })
    }

    /// Prints the report of a system and interval.
    ///
    /// # Errors
    /// `Start` and `PastCalendar` when the run's start gives no date for the heading.
    pub fn render(&self, scope: &Scope) -> Result<String, MeasureError> {
        let mut listing = Listing::new(TITLE, scope, Iodf::line(scope))?;
        listing.table(HEADING);
        for one in &self.conversations {
            let line = Line::new()
                .text(0, NAME_WIDTH, &one.name)
                .text(CLIENT_LEFT, SYSTEM_WIDTH, &one.client)
                .text(SERVER_LEFT, SYSTEM_WIDTH, &one.server)
                .text(PATH_LEFT, 5, &one.path)
                .text(NETWORK_LEFT, 8, &one.network);
            listing.row(one.figures.print(line).finish());
            if let Some(reason) = &one.fallback {
                listing.row(format!("  FALLS BACK TO TCP: {reason}"));
            }
            if one.fallen_back > 0 {
                listing.row(format!("  CONNECTIONS OVER TCP: {}", one.fallen_back));
            }
        }
        Ok(listing.finish())
    }
}

const TITLE: Title = Title { left: 40, text: "S O C K E T   A C T I V I T Y" };

const NAME_WIDTH: usize = 16;
const CLIENT_LEFT: usize = 17;
const SERVER_LEFT: usize = 26;
const SYSTEM_WIDTH: usize = 8;
const PATH_LEFT: usize = 35;
const NETWORK_LEFT: usize = 41;

#[cfg(test)]
mod tests {
    use halftrack_record::Run;

    use super::*;
    use crate::golden;

    fn report(run: &Run, system: &str) -> Option<(SocketActivity, String)> {
        let scope = Scope::new(run, system, 0).unwrap();
        let table = SocketActivity::compute(&scope)?;
        let text = table.render(&scope).unwrap();
        Some((table, text))
    }

    #[test]
    fn listing() {
        insta::assert_snapshot!(report(&golden::conversation_run(), "SYN1").unwrap().1);
    }

    #[test]
    fn figures_are_those_of_an_exchange() {
        let (table, _) = report(&golden::conversation_run(), "SYN1").unwrap();
        let figure = |key| table.conversations[1].figures.get(key).unwrap();
        for (key, wanted) in [("latency_us", 120.0), ("client_us", 15.0), ("server_us", 16.0), ("moves", 2.0)]
        {
            assert_eq!(figure(key), wanted, "{key}");
        }
    }

    #[test]
    fn both_ends_have_the_report_and_others_do_not() {
        assert!(report(&golden::run(), "SYN1").is_none());
        assert!(report(&golden::conversation_run(), "SYN2PROD").is_some());
    }
}
