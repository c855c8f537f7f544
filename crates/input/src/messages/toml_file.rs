//! Messages about everything that is wrong within one TOML file.

use crate::messages::register::messages;

messages! { "TOML files"
    UNREADABLE = 890 E "a file or directory cannot be read"
        rule "Each file that a command is given exists and may be read."
        cause "The path is mistyped, or the file's permissions forbid reading it."
        example "halftrack drive --channel chanel.toml"
        fix "Correct the path or the permissions.";
    NOT_TOML = 891 E "the text is not TOML"
        rule "Plant, workload, catalog and other .toml files follow TOML 1.0."
        cause "A bracket, quotation mark or equals sign is missing; mistakes that follow from the first are \
            counted, not listed."
        example "ports = [\"100\", \"101\""
        fix "Fix the first error of the file and check it again.";
    UNKNOWN_KEY = 892 E "a key is unknown"
        rule "Each table has the keys that its page of docs/formats lists."
        cause "The key is misspelt, or stands in the wrong table."
        example "intervall_s = 10 in [run]"
        fix "Take the key that the message proposes, or remove it.";
    MISSING_KEY = 893 E "a key is missing"
        rule "Some keys and tables have no default."
        cause "The key was left out or is misspelt."
        example "a [[card]] without `type`"
        fix "Add the key with a value of the kind that the message names.";
    UNEXPECTED_VALUE = 894 E "a value is of the wrong kind, or outside its range"
        rule "Each key has a kind of value and a range."
        cause "A number in quotes, a word that the key does not have, or a number out of range."
        example "km = -1"
        fix "Write a value as the message describes it.";
    NAMED_TWICE = 895 E "a name is duplicate"
        rule "Names of one kind, such as cards, directors or streams, are unique."
        cause "A table was copied and keeps its name."
        example "two [[stream]] with name = \"OLTP\""
        fix "Rename or remove one of them.";
    CHOOSE_ONE = 896 E "keys exclude each other, or one of several is missing"
        rule "Some keys stand for each other: exactly one of them is given."
        cause "Both are given, or none."
        example "closed and open in one [[stream]]"
        fix "Keep one of them.";
    NO_ORIGIN = 897 E "a number does not name its origin"
        rule "Each number about hardware has `source`: published, architecture, fitted or assumed, with figures, \
            reason or range as each needs."
        cause "The source is given and what belongs to it is missing, or does not fit it."
        example "credits = { value = 90, source = \"published\" }"
        fix "Add `figures` to published and fitted numbers, `reason` to others; `low` and `high` only to assumed \
            ones.";
}
