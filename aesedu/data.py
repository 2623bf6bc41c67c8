"""The figures of the four sources as data frames, and where the suite's data files are.

Sources, licence and meaning of every column: data/README.md. Each call reads the file anew, so a frame is the caller's
own to change.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def path(name):
    """Return the path of a file or folder under data/, e.g. path("seeds/speedup_cortex_a53.csv").

    It is aesedu/_data in an installed wheel, data/ beside aesedu/ in a checkout. Raises FileNotFoundError.
    """
    packed = _PACKAGE / "_data"
    root = packed if packed.is_dir() else _PACKAGE.parent / "data"
    if not (found := root / name).exists():
        raise FileNotFoundError(f"no data file {name!r} in {root}: check the name, or install aesedu again")
    return found


def _table(name):
    import pandas  # here, because it takes longer to load than all of aesedu

    return pandas.read_csv(path(f"seeds/{name}.csv"), encoding="utf-8")


def tcrypt_core2_2008():
    """Return the 240 tcrypt rows of the 2008 T-table patch on a Core 2.

    Columns: kernel (stock, patched), mode, direction (enc, dec), key_bits (bits, tweak key included in LRW and XTS),
    bytes (per call), cycles (time-stamp counter, per call).
    """
    return _table("tcrypt_core2_2008")


def tcrypt_core2_2008_percent():
    """Return what the 2008 patch changed in each of the 120 cases, recomputed.

    Columns: mode, direction, key_bits (bits), bytes (per call), percent (100 * (patched - stock) / stock of the cycles,
    two decimals; negative = faster).
    """
    return _table("tcrypt_core2_2008_percent")


def bench_slope_cortex_a53():
    """Return libgcrypt's 114 bench-slope rows on a Cortex-A53 at 1152 MHz.

    Columns: phase (before, after the AES instructions), key_bits (bits), mode, op (enc, dec, auth), ns_per_byte (ns/B),
    mib_per_s (MiB/s), cycles_per_byte (core cycles/B at 1152 MHz).
    """
    return _table("bench_slope_cortex_a53")


def speedup_cortex_a53():
    """Return the 24 speed-ups stated for the AES instructions on a Cortex-A53.

    Columns: mode, op (enc, dec, auth; CTR, stated once for both, is under enc), key_bits (bits), factor (cycles/B
    before over cycles/B after; above 1 = faster).
    """
    return _table("speedup_cortex_a53")


def gcm_interleave_gain():
    """Return the 27 gains stated for woven AES-GCM over the driver before it.

    Columns: cpu (A72, A57, N1), key_bits (bits), bytes (per call), gain_percent (%; positive = faster).
    """
    return _table("gcm_interleave_gain")


def tcrypt_thunderx2_2021():
    """Return the 48 tcrypt rows of AES-GCM encryption on a ThunderX2.

    Columns: code (old, new), key_bits (bits), bytes (per call), ops_per_s (calls in one second).
    """
    return _table("tcrypt_thunderx2_2021")


def tcrypt_via_c3_2008():
    """Return the 120 tcrypt rows of PadLock on a VIA C3, patched with irq_ts_save/restore.

    Columns: mode, direction (enc, dec), key_bits (bits, tweak key included in LRW and XTS), bytes (per call), cycles
    (time-stamp counter, per call).
    """
    return _table("tcrypt_via_c3_2008")


def known_answers():
    """Return values at which implementations go wrong, by id.

    Columns: notebook (two digits), what, input, expected (hexadecimal, bytes in memory order unless ``what`` says
    otherwise; "error" where the input must be refused).
    """
    import pandas

    return pandas.read_csv(path("known_answers.csv"), encoding="utf-8", dtype=str).set_index("id")
