//! Messages of ours, without an IBM message of the same meaning, about cards and statements.

use crate::messages::register::messages;

messages! { "Cards and statements of a deck"
    CHARACTER_ACCEPTED = 830 W "a character that IOCP does not accept was read for the one that is meant"
        rule "IOCP reads capital letters, plain apostrophes, blanks and no tabs."
        cause "The deck went through a word processor or mail, and is read with `--lenient`."
        example "MSG1=’TEST’"
        fix "`halftrack deck format` writes the deck as IOCP reads it.";
    BEYOND_THE_CARD = 831 E A "text beyond column 72 resembles an operand"
        rule "Columns 73 to 80 of a card are not read."
        cause "The statement is longer than the card."
        example "CHPID PATH=...,TYPE=FC with TYPE=FC behind column 72"
        fix "End the card at column 71 behind a comma, mark column 72, and go on in column 16 of the next.";
    OTHER_FORMAT = 832 E W "the file is in another format"
        rule "The file is an IOCP deck."
        cause "It is a spreadsheet, an archive, an IODF, JCL or another file."
        example "an .xlsx file given as deck"
        fix "Export the IOCP deck from HCD or HCM.";
    UNREADABLE = 833 E "the file is no text, or not in an encoding that decks have"
        rule "A deck is text in ASCII, UTF-8 or EBCDIC."
        cause "The file is binary, in UTF-16, or holds a character that the encoding for writing does not have."
        example "a deck saved as UTF-16"
        fix "Save the file as plain text.";
    MACHINE_ASSUMED = 834 I "the deck names no machine; one was assumed"
        rule "SYSTEM= of ID names the machine whose limits hold."
        cause "There is no ID, or ID has no SYSTEM=."
        example "a deck that begins with RESOURCE"
        fix "Add SYSTEM=(3931,1) to ID, or give `--machine`.";
    LEFT_OUT = 837 E "a statement was left out"
        rule "Every statement of a deck takes part in its meaning."
        cause "It was not understood, and no other message gives the reason."
        example "a statement that is only a name"
        fix "Correct it, or remove it.";
    SEVERAL_ACCESS = 841 E "a function has more than one partition with access"
        rule "A function belongs to one partition at a time; others are candidates."
        cause "The access list names several."
        example "FUNCTION FID=11,...,PART=((A,B))"
        fix "Write PART=((A),(A,B)).";
    PROFILE_FUNCTION = 843 E W "a function that a TCP/IP profile names is missing, or does not become active"
        rule "PFID of a profile is a RoCE function to which the partition has access."
        cause "The deck has no such function, or it is of another type or partition."
        example "SMCR PFID 0018 where the deck has no FID=018"
        fix "Correct PFID, or give the partition the function.";
    CHANNEL_DEVICES = 844 E "more devices on a channel than its type has"
        rule "A channel has a limited number of devices."
        cause "The IODEVICE statements of its control units define more."
        example "17,000 devices on one FICON channel of an old machine"
        fix "Use another channel, or fewer devices.";
    SET_DEVICES = 845 E "more devices than a subchannel set has room for"
        rule "A subchannel set has as many devices as in MAXDEV= of RESOURCE."
        cause "The deck defines more devices in the set."
        example "MAXDEV=1000 and 1,024 devices"
        fix "Raise MAXDEV=, or use another SCHSET=.";
    OPERATION_IN_COLUMN_1 = 850 W "an operation stands in column 1, where a name belongs"
        rule "An operation stands behind a blank in column 1 or behind a name."
        cause "Leading blanks were lost by a copy."
        example "CHPID PATH=... from column 1"
        fix "Put a blank in front.";
    KEYWORD_IN_COMMENT = 851 W "a comment begins with a keyword"
        rule "What follows a blank behind the operand is a comment."
        cause "A comma is missing, so that the rest of the operand is ignored."
        example "CHPID PATH=(CSS(0),40) TYPE=FC"
        fix "Put a comma where the operand ends, or reword the comment.";
    ELLIPSIS = 852 E "`...` stands for text that was left out"
        rule "A deck is complete."
        cause "It is an excerpt of a document."
        example "IODEVICE ADDRESS=(1000,256),..."
        fix "Write out what was left out.";
    NO_CONTINUATION = 853 E "column 72 is marked, and the next card is no continuation"
        rule "A card with a mark in column 72 is followed by one that is blank in columns 1 to 15."
        cause "The continuation begins in another column, or the mark is one too many."
        example "a mark in column 72 before a blank card"
        fix "Begin the continuation in column 16, or blank column 72.";
    STATEMENT_IN_COMMENT = 854 W "a comment card continues over a card that resembles a statement"
        rule "A comment with a mark in column 72 goes on on the next card."
        cause "A line of asterisks reaches column 72, and the statement behind it is ignored."
        example "******** over 72 columns before CHPID"
        fix "Blank column 72 of the comment.";
    BLANK_CARD_MARKED = 855 E "a blank card has a mark in column 72"
        rule "Only a card with something to continue has a mark."
        cause "The text of the card was deleted and the mark was left."
        example "71 blanks and an *"
        fix "Blank column 72.";
    OPERAND_TOO_LONG = 856 E "an operand is too long"
        rule "The operand of a statement has a limited number of characters over all its cards."
        cause "A list over many cards."
        example "PART= with hundreds of names"
        fix "Divide the statement into two.";
    LOWER_CASE = 857 E "lower-case letters stand in a statement"
        rule "Statements are in capital letters; strings may hold any."
        cause "The deck was typed in lower case."
        example "chpid path=(css(0),40)"
        fix "Write capitals; `--lenient` reads them as they are, `halftrack deck format` writes capitals.";
    STRING_OPEN = 858 E "a string has no closing apostrophe"
        rule "A string stands between apostrophes, on one statement."
        cause "The apostrophe is missing, or one within the string is not doubled."
        example "MSG1='JOHN'S DECK'"
        fix "Close the string; write '' for an apostrophe within it.";
    NAME = 859 E "a name has a character that names do not have"
        rule "A name in column 1 has 1 to 8 characters of A-Z 0-9 $ # @ and does not begin with a digit."
        cause "The text in column 1 is no name, often a comment without an asterisk."
        example "my-name CHPID PATH=..."
        fix "Blank column 1, correct the name, or begin the comment with an asterisk.";
    TAB = 860 E "a tab stands where cards have columns"
        rule "Cards have columns; a tab has no width of its own."
        cause "An editor wrote tabs for blanks."
        example "a tab before CHPID"
        fix "Replace tabs by blanks; `--lenient` reads each as blanks to every eighth column.";
    STAGE_1 = 861 E "a statement of an MVS stage-1 deck"
        rule "An IOCP deck has IOCP statements only."
        cause "The file is input of an MVS system generation."
        example "CHANNEL ADDRESS=0,TYPE=BLKMPXR"
        fix "Give the IOCP deck of this configuration.";
    RESOURCE_MISSING = 862 E "RESOURCE is missing before the statements that need it"
        rule "Partitions are defined by RESOURCE before CHPID, FUNCTION and UUID name them."
        cause "RESOURCE is missing or follows later."
        example "CHPID PATH=(CSS(0),40),PART=A without RESOURCE"
        fix "Add RESOURCE PART=... behind ID.";
    RESOURCE_TWICE = 863 E "duplicate RESOURCE"
        rule "A deck has one RESOURCE."
        cause "Two decks were put together."
        example "RESOURCE PART=((A,1)) and RESOURCE PART=((B,2))"
        fix "Put all partitions into the first one.";
    CHANNEL_UNDEFINED = 864 E "a channel path is named that no CHPID defines"
        rule "PATH= of CNTLUNIT and IODEVICE names channel paths that stand before it."
        cause "The CHPID statement is missing, follows later, or is of another channel subsystem."
        example "CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),4F)) without CHPID 4F"
        fix "Correct the number, or add the CHPID in front.";
    NO_ACCESS = 865 C "no partition may use a channel path"
        rule "A channel path is shared or names the partitions that may use it."
        cause "Neither SHARED nor PART= is coded, or NOTPART= excludes all."
        example "CHPID PATH=(CSS(0),40),PCHID=100,TYPE=FC"
        fix "Add SHARED or PART=.";
    PREFERRED_PATH = 866 E "the preferred path of a device is not one of its paths"
        rule "PATH= of IODEVICE names a channel of its control units."
        cause "The channel leads to another control unit."
        example "IODEVICE ADDRESS=1000,CUNUMBR=(1000),PATH=4F"
        fix "Name a channel of PATH= of the control unit.";
    KEYWORD_IGNORED = 867 W "a keyword is accepted and ignored"
        rule "Some keywords have no meaning on the machine, or belong to HCD alone."
        cause "MIXTYPE on a machine that mixes freely, or a keyword of another program."
        example "MIXTYPE on a 3931"
        fix "Nothing is to be done; remove the keyword to be clear of the message.";
    BLANK_ACCEPTED = 868 W E "a blank within an operand was accepted"
        rule "An operand ends at the first blank outside a string."
        cause "The deck was printed or mailed, and is read with `--lenient`."
        example "PATH=(CSS(0), 40)"
        fix "`halftrack deck format` writes the deck without it.";
    COLUMN_ACCEPTED = 869 W "text in another column than IOCP expects was accepted"
        rule "Continuations begin in column 16, marks stand in column 72, asterisks of comments in column 1."
        cause "Columns were shifted by a copy, and the deck is read with `--lenient`."
        example "a continuation from column 17"
        fix "`halftrack deck format` writes the cards in their columns.";
}
