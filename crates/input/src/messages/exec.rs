//! Messages about program texts.

use crate::messages::register::messages;

messages! { "Channel programs as text"
    CHARACTER = 800 E "a character that no statement may hold"
        rule "Program texts consist of words, numbers, strings and the signs of docs/formats."
        cause "The character was mistyped or pasted."
        example "read-data CC 4096 ;"
        fix "Remove the character, or put it into a string.";
    EXPECTED = 801 E "something else is expected"
        rule "Each statement has a fixed order of words and values."
        cause "A word or value is missing or stands in another place."
        example "store X'00' without an address"
        fix "Write what the message expects.";
    WORD = 802 E "a word is unknown here"
        rule "Commands, flags, fields and parameters have the names that the book lists."
        cause "The word is misspelt, repeated, or belongs to another block."
        example "read-dat CC 4096"
        fix "Take one of the words that the message lists.";
    NUMBER = 803 E "a number does not fit its field"
        rule "Each field has a width and a range."
        cause "The number is too large, or no power of two where one is needed."
        example "align 3"
        fix "Write a number in the range.";
    CONSTANT = 804 E "a constant is malformed"
        rule "X'..' has pairs of hexadecimal digits; C'..' and CA'..' have characters of their code page."
        cause "A digit is missing, a character is not in the code page, or the apostrophe is not closed."
        example "X'123'"
        fix "Complete the constant; write other characters in hexadecimal.";
    LABEL = 805 E "a label is undefined or duplicate"
        rule "A label stands once, before the statement that it names."
        cause "It is misspelt, missing or a duplicate."
        example "tic @lopo"
        fix "Define the label, or correct its name.";
    PLACE = 806 E "a statement stands where it cannot"
        rule "A program begins with `start`; commands and checks follow it."
        cause "`start` is missing or stands later."
        example "read-data CC 4096 as first statement"
        fix "Write `start`, or `start transport`, before it.";
    PARENTHESIS = 807 E "a parenthesis has no partner, or blocks lie too deep"
        rule "Each block of parameters is closed, and blocks lie in each other eight deep at most."
        cause "A parenthesis is missing."
        example "define-extent(file-mask 40"
        fix "Write `)` behind the last parameter.";
    STORAGE = 808 E "something does not fit into storage, or lies over something else"
        rule "Programs and data have places in storage that do not overlap."
        cause "The text is longer than storage, or two statements name one address."
        example "@0x1000 twice"
        fix "Raise `storage`, or leave one address out.";
    FILE = 809 E "a file of data cannot be read"
        rule "A word file 'NAME' names a file from the directory of the text."
        cause "The name is mistyped, or the file cannot be read."
        example "data file 'pyload.bin'"
        fix "Correct the name.";
    PARAMETERS = 810 E "a command has no parameters of that form"
        rule "Blocks of parameters belong to commands that have them."
        cause "The command takes octets only."
        example "read-data(record 1)"
        fix "Write the data as constants, or name a block such as count-area(...).";
    COUNT = 811 E "a count is missing, or its field cannot hold it"
        rule "A CCW has a count of 1 to 65,535; an area of DCWs has 240 bytes."
        cause "Neither count nor data is given, or it is too large."
        example "read-data CC"
        fix "Write the count behind the flags, or divide the data by CD.";
    ORB = 812 E "start subchannel refuses an operation-request block"
        rule "Programs of format 0 lie below 16 MiB, CCWs on a doubleword, TCWs on a boundary of 64 bytes."
        cause "A word of the ORB is unknown, or an address is beyond the limit."
        example "start format 0 @0x1000004"
        fix "Correct the ORB as the message describes.";
    EXPECTATION = 820 E "a run was not as its text expects"
        rule "`expect` states how a program ends."
        cause "Status, residual count or data differ."
        example "expect CE DE where the device gave a unit check"
        fix "Correct the program or the expectation; the message shows both.";
}
