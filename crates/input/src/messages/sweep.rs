//! Messages about keys, changes and sweeps.

use crate::messages::register::messages;

messages! { "Keys and sweeps"
    NOT_A_KEY = 950 E "a text is no key"
        rule "A key is FILE.PART.PART, with quotation marks around parts that have dots."
        cause "The file is none of deck, plant and workload, a part is empty, or a quotation mark is open."
        example "--set workload..rate_per_s=1"
        fix "Write for instance workload.stream.OLTP.open.rate_per_s.";
    NAMES_NOTHING = 951 E "a key names nothing in its file"
        rule "Each part of a key is a table, name or keyword of the study's file."
        cause "A part is misspelt, or the file does not have it."
        example "--set workload.stream.OLPT.closed.jobs=8"
        fix "Take the name that the message proposes.";
    NAMES_SEVERAL = 952 E "a key names several things"
        rule "A key names one thing, or all by *."
        cause "Several tables have the name."
        example "--set plant.card.type=fex32s with two cards"
        fix "Name one by its id or number, or all by *.";
    DOES_NOT_SUIT = 953 E "a value cannot stand where its key leads"
        rule "Values are TOML, or operands of a deck, of the kind that the key has."
        cause "A word for a number, or a table for a value."
        example "--set workload.run.seed=many"
        fix "Write a value as the key has it.";
    NOT_CHANGEABLE = 954 E "a statement of the deck is malformed and cannot be changed"
        rule "Only a statement without mistakes is changed."
        cause "The deck has an error there."
        example "--set deck.CHPID.40.TYPE=FC where CHPID 40 lacks a parenthesis"
        fix "Fix the deck first; `halftrack deck check` reports its errors.";
    NOT_A_SET = 955 E "a set of values cannot be read"
        rule "A set is KEY=VALUE,VALUE or KEY=FIRST..LAST with a step."
        cause "The key or a value is missing, or the range does not reach its end."
        example "--set workload.stream.OLTP.closed.jobs="
        fix "Write at least one value, and one behind every comma.";
    SET_TWICE = 956 E "duplicate key"
        rule "A sweep has one set for each key."
        cause "Two `--set` name the same key."
        example "--set K=1 --set K=2"
        fix "Put all values into one set.";
    TOO_MANY_POINTS = 957 E "a sweep has too many points"
        rule "The product of all values is at most the limit that the message names."
        cause "Several long sets are combined."
        example "three sets of 1,000 values"
        fix "Sweep fewer keys or values, or change sets in step.";
    OUT_OF_STEP = 958 E "sets that change in step have unlike numbers of values"
        rule "Sets of one `--set` change together, value by value."
        cause "One has more values than the other."
        example "--set A=1,2,3 B=1,2"
        fix "Give each as many values, or write another `--set` for all combinations.";
    SEVERAL_VALUES = 959 E "a key of a run is set to several values"
        rule "`--set` of `run`, `bench` and `check` gives each key one value."
        cause "The set has several values, as for a sweep."
        example "halftrack run my-study --set plant.cable.100.km=1,2"
        fix "Give one value, or run each of them by `halftrack sweep`.";
}
