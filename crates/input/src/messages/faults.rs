//! Messages about scripts of faults.

use crate::messages::register::messages;

messages! { "Scripts of faults"
    PAST_END = 996 E "an event begins after the streams have ended"
        rule "Every event of a script begins within `duration_s`, and within the run of the study that it is laid over."
        cause "`at_s` is mistyped, or `duration_s` is too short."
        example "at_s = 12 with duration_s = 8"
        fix "Begin the event earlier, or raise `duration_s`.";
    LOST_FOR_EVER = 997 E "an event leaves a part lost for ever"
        rule "Every event of a script is over before the streams end: `at_s` and `lasts_s` together are at most `duration_s`, and the length of the run of a study."
        cause "`lasts_s` is mistyped, or `duration_s` is too short."
        example "at_s = 6 and lasts_s = 4 with duration_s = 8"
        fix "Let the part come back earlier, or raise `duration_s`.";
}
