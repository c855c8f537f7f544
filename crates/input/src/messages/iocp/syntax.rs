//! Messages with an IBM message of the same meaning: cards, operands and values of a deck.

use crate::messages::register::messages;

messages! { "Cards and operands"
    _ = 103 W "ID stands after another statement; it is ignored"
        rule "ID is the first statement of a deck."
        cause "ID= follows a RESOURCE, CHPID or another statement."
        example "RESOURCE PART=((A,1)),MAXDEV=65280 before ID SYSTEM=(3931,1)"
        fix "Move ID in front of all other statements.";
    _ = 104 W "a second ID is ignored"
        rule "A deck has one ID statement."
        cause "Two decks were put together, or a copy of ID was left in."
        example "ID SYSTEM=(3931,1) twice"
        fix "Keep the first ID with all its keywords, and remove the other.";
    COMMA_EXPECTED = 110 E "a comma is expected"
        rule "Operands of a statement are separated by commas."
        cause "Two operands follow each other without a comma. The reference gives 110 to 115 as one group; the \
            number within it is ours."
        example "CHPID PATH=(CSS(0),40)SHARED,TYPE=FC"
        fix "Put a comma between the operands.";
    OPENING_EXPECTED = 111 E "an opening parenthesis is expected"
        rule "A list, a CSS list and a unit address with a count stand in parentheses."
        cause "The parenthesis is missing, or a list of lists has only one pair."
        example "CHPID PATH=CSS(0),PCHID=100,TYPE=FC"
        fix "Add the parenthesis: PATH=(CSS(0),40), UNITADD=((00,016)).";
    CLOSING_EXPECTED = 112 E "a closing parenthesis is expected"
        rule "Each opening parenthesis of an operand is closed in it."
        cause "The operand ends, or the next keyword begins, within a list."
        example "CHPID PATH=((CSS(0),40),SHARED,TYPE=FC"
        fix "Close the list before the next keyword.";
    BLANK_EXPECTED = 113 E "a comma or the end of the operand is expected"
        rule "A value is followed by a comma, or by the blank that ends the operand."
        cause "Something stands behind a complete value, often one parenthesis too many."
        example "CHPID PATH=(CSS(0),40)),SHARED,TYPE=FC"
        fix "Remove what follows the value, or put a comma before it.";
    VALUE_EXPECTED = 114 E "a keyword or a value is expected"
        rule "A comma or an equals sign is followed by a keyword or a value."
        cause "Two commas follow each other, or an operand is empty."
        example "CHPID PATH=(CSS(0),40),,SHARED,TYPE=FC"
        fix "Write the value, or remove the comma.";
    CHARACTER = 115 E "a character that may stand only in a string"
        rule "Operands hold letters, digits, $ # @ * . - and the separators , ( ) = '."
        cause "A semicolon, a quotation mark or another character stands outside a string."
        example "CHPID PATH=(CSS(0),40),PCHID=100;TYPE=FC"
        fix "Remove the character, or put the text between apostrophes.";
    _ = 117 E "a control unit number is not 0000-FFFE"
        rule "A control unit number has up to four hexadecimal digits, 0000 to FFFE."
        cause "CUNUMBR= is FFFF, or no hexadecimal number."
        example "CNTLUNIT CUNUMBR=FFFF,PATH=((CSS(0),40)),UNIT=2107"
        fix "Choose another number, such as the first device number of the unit.";
    _ = 122 E "a required keyword is missing"
        rule "Some keywords must be coded: TYPE= of CHPID, UNIT= of CNTLUNIT and IODEVICE, FID= of FUNCTION."
        cause "The keyword was left out, or is misspelt and reported as unknown beside this."
        example "CHPID PATH=(CSS(0),40),SHARED,PCHID=100"
        fix "Add the keyword.";
    _ = 123 E "duplicate keyword"
        rule "A keyword stands once in a statement."
        cause "A continuation card repeats a keyword of the card before it."
        example "CHPID PATH=(CSS(0),40),SHARED,SHARED,TYPE=FC"
        fix "Keep one of the two.";
    _ = 126 E "not hexadecimal, or the wrong number of digits"
        rule "Numbers of hardware are hexadecimal and of fixed length: CHPID two digits, LINK two or four."
        cause "A digit is missing, or a letter beyond F stands in the number."
        example "CHPID PATH=(CSS(0),4),PCHID=100,TYPE=FC"
        fix "Write all digits: 04.";
    _ = 131 E "the operand must go on, but column 72 is blank"
        rule "An operand that ends with a comma is continued: a mark in column 72, the rest from column 16 of the \
            next card."
        cause "The mark was lost, or the comma is one too many."
        example "CHPID PATH=(CSS(0),40),SHARED, and a blank column 72"
        fix "Mark column 72, or remove the comma.";
    _ = 140 E W "a value is malformed or beyond the machine"
        rule "Each value has a form and a range, which depends on the machine type."
        cause "A digit too many, a PCHID that the machine does not have, or SYSTEM= of a later machine."
        example "CHPID PATH=(CSS(0),40),PCHID=FFF,TYPE=FC"
        fix "Write a value in the range that the message names, or correct SYSTEM=.";
    _ = 145 E "device numbers run past FFFF"
        rule "Device numbers are 0000 to FFFF."
        cause "First number plus count is above 10000 (hexadecimal)."
        example "IODEVICE ADDRESS=(FFF8,016),CUNUMBR=(1000),UNIT=3390"
        fix "Begin lower, or define fewer devices.";
    SYSTEM_OVERRIDDEN = 151 I "SYSTEM of ID is overridden"
        rule "The machine named on the command line goes before SYSTEM= of ID."
        cause "`--machine` names another type than the deck."
        example "halftrack deck check deck.iocp --machine 8561"
        fix "Nothing is to be done; drop `--machine` to check for the deck's own machine.";
    _ = 179 E "a statement or keyword is unknown"
        rule "A deck consists of ID, RESOURCE, CHPID, FUNCTION, UUID, CNTLUNIT and IODEVICE with their keywords."
        cause "The word is misspelt, or belongs to another program or machine type."
        example "CHPID PATH=(CSS(0),40),PCHID=100,SPEED=16,TYPE=FC"
        fix "Correct the word, or remove it.";
    _ = 206 E "a channel or function type does not exist on the machine"
        rule "Each machine type has its own channel and function types."
        cause "The type came later, or was withdrawn before this machine; or SYSTEM= is wrong."
        example "CHPID PATH=(CSS(0),40),PCHID=100,TYPE=CNC on a 3931"
        fix "Use a type of the machine, or correct SYSTEM=.";
}
