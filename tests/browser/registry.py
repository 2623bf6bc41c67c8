"""The notebooks and their widgets, as the acceptance tests meet them. A new notebook adds its entry here."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Widget:
    """One card by its title, with the names of all its controls.

    ``buttons`` are pressed three times each; ``sliders`` and ``boxes`` (number boxes) are moved, and each move must
    bring a picture with another ``data-v``, unless the control stands in ``quiet``. ``others`` are reached by keyboard
    only. ``keys``, pressed in turn on the picture, bring another one each. ``runs``: the card is a BenchPanel, whose
    Run, Cancel and Save JSON have tests of their own.
    """

    title: str
    buttons: tuple = ()
    sliders: tuple = ()
    boxes: tuple = ()
    quiet: tuple = ()
    others: tuple = ()
    keys: tuple = ()
    runs: bool = False

    @property
    def names(self):
        bench = ("Run", "Cancel", "Save JSON") * self.runs
        return {*self.buttons, *self.sliders, *self.boxes, *self.others, *bench}


def stepper(title, **more):
    """What every Stepper has."""
    return Widget(
        title,
        buttons=("First", "Back", "Step", "Last", "Play", *more.pop("buttons", ())),
        sliders=("Position", *more.pop("sliders", ())),
        boxes=("Go to", "Steps a second", *more.pop("boxes", ())),
        quiet=("Steps a second", *more.pop("quiet", ())),
        keys=("End", "Home", "ArrowRight", "ArrowLeft"),
        **more,
    )


def bench(title, *choices, recordings=False):
    """What every BenchPanel has, and its check boxes."""
    menus = ("Bytes a call", "Times from") if recordings else ("Bytes a call",)
    return Widget(title, boxes=("Repeats",), quiet=("Repeats",), others=(*menus, *choices), runs=True)


def has_runs(stem):
    """Whether recorded runs of that name are there: then a panel has a menu for them."""
    return any((ROOT / "data" / "runs").glob(f"{stem}*"))


def offsets(what):
    """Timing over the places of a key schedule: a BenchPanel without check boxes."""
    title = f"Where the key schedule lies: {what}"
    return Widget(title, boxes=("Repeats",), quiet=("Repeats",), others=("Times from",), runs=True)


def round_explorer(title="Round explorer", block="Plaintext"):
    """The cells that lie over its picture are no tab stops: arrow keys go on from the picture, which is one."""
    cells = (f"Row {row}, column {column}" for row in range(4) for column in range(4))
    return Widget(
        title,
        buttons=("First", "Back", "Step", "Last", "Play"),
        sliders=("Round",),
        boxes=("Go to round", "Steps a second"),
        quiet=("Steps a second",),
        others=("Direction", "Key bits", block, "Key", *cells),
        keys=("End", "Home", "n", "p", "PageDown", "ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "PageUp"),
    )


def estimate(question):
    """A prediction that is a number."""
    return Widget(question, buttons=("Predict",), others=("Your prediction",))


def choice(question, *choices):
    """A prediction that is one of a few texts."""
    return Widget(question, buttons=("Predict",), others=choices)


def quiz(*choices):
    return Widget("Quiz", buttons=("Check",), others=choices)


MODES = ("ecb", "cbc", "cfb128", "ofb", "ctr", "lrw", "xts", "ccm", "gcm", "ocb")
COMPONENTS = "components.ipynb"  # written by the tests: every shared component with a source that measures nothing

NOTEBOOKS = {
    COMPONENTS: [
        bench("Ladder of fakes", *("bytewise", "batch", "compiled", "openssl", "no-such-instruction"), recordings=True),
        stepper("Powers of two"),
        round_explorer(),
        estimate("How many times faster?"),
        choice("Which is faster?", "four tables", "one table", "cannot tell"),
        quiz("Three", "Four", "Yes", "No"),
    ],
    "00_start_here.ipynb": [
        estimate("How many times as fast as the slowest engine is the fastest?"),
        bench(
            "Ladder",
            *("bytewise", "ttable", "batch", "compiled", "openssl-table", "openssl", "aes-x1", "aes-x8", "vaes-x4"),
            recordings=has_runs("ladder"),
        ),
        choice(
            "We time compiled against itself, in turn. What will the verdict be?",
            *("the first is faster", "the second is faster", "cannot tell"),
        ),
        choice("Which is faster?", "compiled", "openssl-table", "cannot tell"),
        quiz(
            *("B is faster", "cannot tell", "A is faster"),
            *("It is wrong", "Caches and predictors are cold in it", "The clock is not ready"),
            *("The time-stamp counter", "A chain of dependent additions", "The processor's label"),
        ),
    ],
    "01_ttable_rounds.ipynb": [
        round_explorer(),
        choice(
            "Why may the last round do without MixColumns?",
            *("it would take too long", "anyone could undo it without the key", "the tables are full"),
        ),
        choice(
            "Four tables (compiled) or one and rotations (compiled-rotated): which is faster here?",
            *("compiled", "compiled-rotated", "cannot tell"),
        ),
        round_explorer("Round explorer: the way back", block="Ciphertext"),
        estimate("In plain Python: how many times as fast is a block with T-tables as byte by byte?"),
        bench(
            "Ladder",
            *("bytewise", "ttable", "batch", "compiled", "compiled-rotated"),
            recordings=has_runs("ladder"),
        ),
        quiz(
            *("c66363a5", "a56363c6", "6363c6a5", "SubBytes", "ShiftRows", "MixColumns"),
            *("none", "the first and the last", "all of them"),
        ),
    ],
    "02_register_pressure.ipynb": [
        estimate("How many values of ring are live at once, at most?"),
        estimate("With how many registers does the merged technique get by without a spill?"),
        stepper(
            "Routine explorer",
            buttons=("Next spill or reload",),
            sliders=("Registers",),
            boxes=("Budget", "Round"),
            others=("Technique", "Key loads", "Key bits", "Instruction set", "Syntax"),
        ),
        estimate("How much longer does a block take with 6 registers than with 15 (split)?"),
        bench("Cycles against registers", recordings=has_runs("register_budget")),
        choice(
            "Which change saves more time on the machine in front of you?",
            *("splitting", "64-bit key loads", "cannot tell"),
        ),
        bench("Two changes, taken apart", recordings=has_runs("register_ablation")),
        choice(
            "Which change saves more time on the model of a Core 2?",
            *("splitting", "64-bit key loads", "neither saves any"),
        ),
        choice(
            "Two blocks woven spill and reload all the time. Against one block after the other they are",
            *("faster", "slower", "cannot tell"),
        ),
        estimate(
            "A Cortex-A53 executes in program order. How many times as fast is the T-table routine, on its model, "
            "in an order made for it?"
        ),
        estimate("And on your machine: how much longer does a block take in the order without a bound?"),
        estimate("For how many blocks at once is there room beside the keys?"),
        choice("Does LLVM's loop over the rounds spill?", "yes", "no"),
        quiz(
            *("p and te", "p, a and te", "p, a, b and te"),
            *("r8d has 32 bits", "r8d needs a REX prefix, and with it there is no ah", "ah is reserved"),
            *("3.5 %", "7 %", "That cannot be told from this figure"),
        ),
    ],
    "03_key_schedule_layout.ipynb": [
        estimate("A 256-bit key (Nk = 8) is expanded by 52 words. How many of them go through the S-box?"),
        stepper("Key expansion", others=("Key bits", "Key")),
        estimate("How many of the 11 round keys of AES-128 does InvMixColumns change?"),
        estimate(
            "A struct without _pad1 begins at the start of a line. AES-128 reads its 176 bytes of round keys by 22 "
            "loads of 64 bits. How many cross a line?"
        ),
        Widget(
            "Memory map",
            sliders=("Base",),
            boxes=("Bytes past a line",),
            others=("Layout", "Key bits", "Bits a load", "Direction", "A page ends within the round keys"),
        ),
        choice("Where 64-bit key loads cross a line, the whole cipher is", "slower", "faster", "cannot tell"),
        offsets("whole cipher"),
        estimate("The key loads alone: how much slower are they where some cross a line?"),
        offsets("key loads alone"),
        estimate("64-bit key loads on the model of a Core 2: how much longer does a block take without _pad1?"),
        quiz(
            *("None", "Two or three", "All", "The first and the last", "There is no effect"),
            "Any effect is below what this measurement can show",
        ),
    ],
    "04_modes_and_tcrypt.ipynb": [
        stepper("Modes as wiring", others=("Mode", "Direction")),
        choice(
            "CBC: in which direction can many blocks be worked on at the same time?",
            *("encryption", "decryption", "both", "neither"),
        ),
        choice(
            "We double the block 00 00 ... 00 80. In which order is it x^127, so that a bit falls off?",
            *("XTS", "OCB and CMAC", "GHASH"),
        ),
        stepper("Three doublings", others=("Block",)),
        estimate("GCM with a random start, messages of 2 KiB: how many, on average, until one passes ffffffff?"),
        estimate(
            "XTS, 20 bytes. We change the last byte of the plaintext. "
            "How many of the 20 bytes of ciphertext can change?"
        ),
        stepper("XTS steals", others=("Mode", "Direction")),
        Widget("Tables of tcrypt", others=("Mode", "Direction", "Show")),
        estimate("How many per cent of its cycles does the patch save, averaged over the 120 cells?"),
        estimate(
            "Core 2, patched, ECB encryption, 128 bits: 16 bytes take 511 cycles. "
            "How many would a call of no bytes take?"
        ),
        estimate("PadLock, 128-bit AES keys: one more block in ECB costs 11 cycles. How many in XTS?"),
        estimate(
            "PadLock, LRW encryption of 8,192 bytes (512 blocks): how many cycles longer does AES-192 take "
            "than AES-256?"
        ),
        estimate(
            "The patched Core 2 takes 216 cycles for a block of ECB (8,192 bytes, AES-128). "
            "How many core cycles does this machine take by the same technique?"
        ),
        Widget(
            "Your own table",
            others=(
                "Engine",
                "Table",
                "Show",
                *MODES,
                *("Times from",) * (has_runs("tcrypt") or has_runs("bench_slope")),
            ),
            runs=True,
        ),
        Widget("The sources and this machine", others=("Mode", "Direction", "Show")),
        estimate("XTS, 8,192 bytes: how many times as fast is one call for the message as a call for each block?"),
        quiz(
            *("CBC", "CFB", "CTR", "OFB", "00 ... 01 00", "87 00 ... 00", "00 ... 00 40"),
            *("Report that short messages gain most", "Leave the row out", "Look where in the log the row stands"),
            *("Into the doubling", "Into a call for each block", "Into XTS's second key"),
        ),
    ],
    "05_aes_instructions.ipynb": [
        estimate("At how many of the 40 points after a step of AES-128 are xmm0 and v0 equal?"),
        stepper("One cipher, two cuts", others=("Direction", "Key bits")),
        estimate("How many core cycles pass from the start of a round to that of the next?"),
        estimate("Eight chains side by side: how many times as long does a pass take?"),
        estimate("AES-128: how many times as long does a block take in CBC encryption as in CTR?"),
        estimate("CBC encryption: from how many streams on do more of them gain nothing?"),
        bench("Blocks in flight", recordings=has_runs("blocks_in_flight")),
        estimate("ECB on the model of a Cortex-A53: how many times as fast are four blocks side by side as one?"),
        estimate("How many times as fast are four blocks an instruction as one (vaes-x4, aes-x16)?"),
        estimate("CBC decryption with 128-bit keys became 20.53 times as fast. How many times did ECB encryption?"),
        Widget("Before and after", others=("Engine", "Key bits"), runs=True),
        estimate("aes-x8: how many times as long does GCM encryption take as CTR here?"),
        quiz(
            *("The rows are shifted twice", "Two keys are added before the first S-box", "MixColumns is missing"),
            *("1", "2", "4", "8", "CBC decryption", "CBC encryption of one message", "CTR"),
            *("2 cycles", "2.6 cycles", "4 cycles"),
        ),
    ],
    "06_ghash_and_karatsuba.ipynb": [
        Widget("Bit order", others=("Order", "Block")),
        choice(
            "A hash by 4-bit tables: the index of each look-up is 4 bits of the hash so far. What follows?",
            *("nothing", "the table must be built anew for each block", "the cache can leak the hash"),
        ),
        stepper("Multiplication", others=("Method", "Bits", "Operand a", "Operand b")),
        stepper("Multiplication: Karatsuba", others=("Method", "Bits", "Operand a", "Operand b")),
        choice(
            "From how many blocks a reduction on is Karatsuba faster than schoolbook here?",
            *("1", "2", "4", "8", "16", "never"),
        ),
        bench("Blocks a reduction", recordings=has_runs("ghash_aggregation")),
        quiz(
            *("80 00 ... 00", "40 00 ... 00", "00 ... 00 02", "24", "26", "34", "It needs more multiplications"),
            *("Its chain of dependent steps is longer", "Its result is less exact"),
        ),
    ],
    "07_interleaving.ipynb": [
        choice(
            "On the machine in front of you, lagged (hash first, then encrypt, nothing woven) against sequential is",
            *("faster", "slower", "cannot tell"),
        ),
        estimate("Skylake: how many times as long does a pass of chain take as one of side_by_side?"),
        estimate(
            "Model of the A72, chunks of four: how many per cent more bytes a second does woven make than sequential?"
        ),
        stepper(
            "Interleaving",
            sliders=("Weave", "Registers"),
            boxes=("Weave n", "Registers", "First row"),
            others=("Subject", "Core", "Blocks a chunk", "Pass", "Lag", "As text"),
        ),
        estimate("From which n on does the A53, an in-order core, gain more than 1 % by a weave?"),
        estimate("Chunks of four: how many per cent more bytes a second does woven make than sequential here?"),
        estimate("And chunks of eight: woven against sequential with chunks of four?"),
        bench("Three forms of GCM", "Model", recordings=has_runs("gcm_forms")),
        bench("Model and this machine"),
        choice(
            "At which size is AES-256 hit hardest?",
            *("16 bytes", "512 bytes", "1024 bytes", "1420 bytes", "8192 bytes"),
        ),
        choice(
            "Would you have merged it as it was?",
            *("yes", "only on cores where it gains", "no", "I need to know more"),
        ),
        choice("The same forgery, the same driver, after one right message: it is", "refused", "accepted"),
        estimate("How many additions that do not wait for each other start in a cycle here?"),
        Widget("Measure this core", boxes=("Repeats",), quiet=("Repeats",), runs=True),
        quiz(
            *("A port", "The instruction before it", "The end of the loop", "Hashing is faster than encryption"),
            *("The hash still waits for its own chunk", "The stream of instructions is the same, cut elsewhere"),
            *("2 blocks", "3 blocks", "10 blocks", "17 %", "20 %", "25 %", "Leave it", "Run more random cases"),
            "Repeat it with all that the driver did before",
        ),
    ],
}
