//! TEST LINK: links that carried nothing for a while.

use halftrack_base::{Time, fields};

use super::link::{Link, LinkId, RESPONSE_WAIT, Test};
use super::{LinkGroup, Violation};
use crate::message::llc::{DeleteReason, Llc, TestLink};

impl LinkGroup {
    /// Tests links that are idle, and gives up those without a response.
    pub(super) fn test_links(&mut self, now: Time) {
        let is_due = |link: &&Link| link.test_due().is_some_and(|due| due <= now);
        let due: Vec<(LinkId, bool)> =
            self.links.iter().filter(is_due).map(|link| (link.id, link.test.is_some())).collect();
        for (link, is_unanswered) in due {
            if is_unanswered {
                self.lose(now, link, Some(DeleteReason::LOST_PATH));
            } else {
                self.start_test(now, link);
            }
        }
    }

    fn start_test(&mut self, now: Time, id: LinkId) {
        let Some(link) = self.links.get_mut(id) else { return };
        let mut user_data = [0; 16];
        fields::put(&mut user_data, 4, &id.0.to_be_bytes());
        fields::put(&mut user_data, 8, &now.as_ps().to_be_bytes());
        link.test = Some(Test { user_data, deadline: now.saturating_add(RESPONSE_WAIT) });
        self.send(id, Llc::TestLink(TestLink { is_response: false, user_data }));
    }

    pub(super) fn test_link(&mut self, id: LinkId, message: &TestLink) -> Result<(), Violation> {
        if !message.is_response {
            self.send(id, Llc::TestLink(TestLink { is_response: true, ..*message }));
            return Ok(());
        }
        let link = self.links.get_mut(id).ok_or(Violation)?;
        let test = link.test.take_if(|test| test.user_data == message.user_data);
        test.map(|_| ()).ok_or(Violation)
    }
}
