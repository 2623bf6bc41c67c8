"""Widgets: controls bound to the views. They load on first use, because ipywidgets takes longer than all of aesedu."""

import importlib

_HOMES = {
    "Ablation": "register_pressure",
    "Aggregation": "ghash",
    "BenchPanel": "bench_panel",
    "BitOrder": "ghash",
    "BlocksInFlight": "aes_instructions",
    "BudgetCurve": "register_pressure",
    "Card": "base",
    "CorePanel": "host_core",
    "Doublings": "modes",
    "GcmForms": "gcm_forms",
    "InstructionOrder": "aes_instructions",
    "Interleaving": "interleaving",
    "KeyExpansion": "key_layout",
    "Ladder": "engine_ladder",
    "MemoryMap": "key_layout",
    "ModeStepper": "modes",
    "Multiplication": "ghash",
    "OffsetPanel": "key_offsets",
    "RoundExplorer": "round_explorer",
    "RoutineExplorer": "routine_explorer",
    "TcryptPanel": "live_log",
    "TcryptTables": "log_tables",
    "block_calls": "pairing",
    "change_chart": "log_tables",
    "decryption_keys": "key_layout",
    "extra_time_chart": "gcm_forms",
    "gains_beside_model": "gcm_forms",
    "gains_table": "gcm_forms",
    "head_to_head": "pairing",
    "ladder": "engine_ladder",
    "show_table": "log_tables",
    "SpeedUps": "aes_instructions",
    "Stepper": "stepper",
    "predict": "prediction",
    "product_grid": "ghash",
    "quiz": "questions",
    "thunderx2_chart": "gcm_forms",
}


def __getattr__(name):
    if name in _HOMES:
        return getattr(importlib.import_module(f"aesedu.widgets.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'aesedu.widgets' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_HOMES})
