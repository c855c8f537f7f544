//! Section of the page with conversations between partitions.

use std::collections::BTreeMap;

use halftrack_record::{ConversationInterval, Run};
use maud::{Markup, html};

use super::cells::{cells, headings};
use crate::column::of_page;
use crate::columns::conversations::TABLE;
use crate::records::Records;
use crate::table::measured_ps;

/// Returns the section; nothing for a run without a conversation.
pub(super) fn section(run: &Run) -> Markup {
    let mut found = BTreeMap::<_, Vec<&ConversationInterval>>::new();
    for one in run.intervals.iter().flat_map(|interval| &interval.conversations) {
        found.entry(&one.name).or_default().push(one);
    }
    if found.is_empty() {
        return html! {};
    }
    let columns = of_page(TABLE.columns);
    let measured_ps = measured_ps(&run.intervals);
    html! {
        section #conversations {
            h2 { "Conversations" }
            p .note {
                "Sockets between partitions. A connection has one exchange in progress: a request and its response, or one way of a "
                "stream."
            }
            div .scroll { table {
                caption { "Conversations between partitions" }
                thead { tr {
                    th scope="col" { "Conversation" } th scope="col" { "Client" } th scope="col" { "Server" }
                    th scope="col" { "Path" } th scope="col" { "Network" } (headings(&columns))
                } }
                tbody {
                    @for (name, each) in &found {
                        @if let Some(last) = each.last() {
                            tr {
                                th scope="row" { (name) } td .text { (last.client) } td .text { (last.server) }
                                td .text {
                                    (last.path)
                                    @if let Some(reason) = &last.fallback { " instead of SMC-R: " (reason) }
                                    @if last.fallen_back > 0 { ", connections over TCP: " (last.fallen_back) }
                                }
                                td .text { (last.network) }
                                (cells(&columns, &Records::of_thing(each.clone(), measured_ps), None))
                            }
                        }
                    }
                }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::golden::conversation_run;
    use crate::html::fixture;
    use crate::html_report;

    #[test]
    fn a_run_with_conversations_has_the_section_and_its_reasons() {
        let (run, configuration) = fixture::site();
        assert!(!html_report(&run, &configuration).contains("Conversations between partitions"));
        let page = html_report(&conversation_run(), &configuration);
        assert!(page.contains("tcp instead of SMC-R: SYN2PROD has no RoCE function"));
        assert!(page.contains("smc-r, connections over TCP: 1"));
    }
}
