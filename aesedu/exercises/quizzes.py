"""The quizzes at the end of the notebooks, by the notebook's number: (text, choices, number of the right one, why).

They stand here, so that a notebook's cell does not give the answers away.
"""

QUIZZES = {
    "00": (
        ("A table says B needs 0.5 % less time than A, interval 0.3 to 0.7. What do we say?",
         ("B is faster", "cannot tell", "A is faster"), 1,
         "The interval leaves 'no difference' out, but effects under 1 % are not credible: placement makes such."),
        ("Why is the first call kept apart?",
         ("Caches and predictors are cold in it", "It is wrong", "The clock is not ready"), 0,
         "It is a true time, of another situation. Averaged in, it would describe neither."),
        ("What is a core cycle measured with here?",
         ("The time-stamp counter", "The processor's label", "A chain of dependent additions"), 2,
         "The time-stamp counter does not follow the core; each addition of the chain takes one core cycle."),
    ),
    "01": (
        ("Te0[0] stands in memory as c6 63 63 a5. What does a little-endian load give?",
         ("c66363a5", "a56363c6", "6363c6a5"), 1, "The first byte in memory is the lowest of the word."),
        ("Which step decides which bytes are looked up for column 0?",
         ("SubBytes", "MixColumns", "ShiftRows"), 2,
         "ShiftRows moves bytes between columns; tables hold the other two."),
        ("Which round keys does the equivalent inverse cipher leave unmixed?",
         ("the first and the last", "none", "all of them"), 0, "No InvMixColumns stands beside those two."),
    ),
    "02": (
        ("p = a ^ b; q = te[p]; return q ^ a. Which values are live after the first step?",
         ("p and te", "p, a and te", "p, a, b and te"), 1,
         "The look-up needs p and te, the last XOR needs a; nobody reads b again."),
        ("Why can movzbl %ah, %r8d not be written?",
         ("r8d has 32 bits", "r8d needs a REX prefix, and with it there is no ah", "ah is reserved"), 1,
         "With a REX prefix the code of ah stands for another register's lowest byte."),
        ("A patch makes two changes and is 7 % faster. What did the first one earn?",
         ("3.5 %", "7 %", "That cannot be told from this figure"), 2,
         "It takes a timing with the first change alone; the two may even work against each other."),
    ),
    "03": (
        ("A struct with _pad1 begins at a multiple of 16. Which 64-bit key loads cross a line?",
         ("None", "Two or three", "All"), 0,
         "16 and 8 are multiples of 8, so every load begins at one, and a line ends between two loads."),
        ("Which round key is the same bytes for encryption and decryption?",
         ("None", "The first and the last", "All"), 1,
         "InvMixColumns changes the ones between; the order is reversed as well."),
        ("A measurement says 'cannot tell'. What do we know?",
         ("There is no effect", "Any effect is below what this measurement can show"), 1,
         "The key loads alone are slower where they cross a line; in the whole cipher the same cost does not show."),
    ),
    "04": (
        ("Which mode can encrypt block 3 before block 2 is finished?", ("CBC", "CFB", "CTR", "OFB"), 2,
         "Its counter block T3 is a number; nothing that comes out of another CIPH goes in."),
        ("The block 00 ... 00 80 is doubled as XTS does it. What comes out?",
         ("00 ... 01 00", "87 00 ... 00", "00 ... 00 40"), 1,
         "The last byte is the highest: the bit is x^127. The other two are OCB's and GHASH's results."),
        ("A table says: 33 % faster at 16 bytes, 4 to 7 % at all other sizes. What do we do first?",
         ("Report that short messages gain most", "Leave the row out", "Look where in the log the row stands"), 2,
         "It is the first row of a log. Leaving it out unseen would be as wrong as reporting it."),
        ("PadLock does a block of ECB in 11 cycles and one of XTS in 324. Where do the others go?",
         ("Into the doubling", "Into a call for each block", "Into XTS's second key"), 1,
         "The doubling is a shift and the second key is used once a message; a block at a time means a call a block."),
    ),
}  # fmt: skip
