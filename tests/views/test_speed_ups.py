"""Source 002's card: figures as printed in the message, live ones beside them."""

import re

from aesedu import data
from aesedu.bench import slope_tables
from aesedu.views import speed_ups as view

FRAME = data.bench_slope_cortex_a53()
FOUND = slope_tables.speed_ups(*(FRAME[FRAME.phase == p] for p in ("before", "after")), data.speedup_cortex_a53())
SMALL = FOUND[FOUND.key_bits == 128]


def cells(html):
    rows = re.findall(r"<tr>(.*?)</tr>", html)[1:]
    return {(cell := re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row))[0]: cell[1:] for row in rows}


def test_numbers_as_in_the_message():
    found = cells(view.board(SMALL))
    assert len(found) == 19
    assert found["CBC enc"] == ["21.50", "1.63", "13.19", "13.19"]
    assert found["ECB enc"] == ["25.19", "5.56", "4.53", ""], "the message states no factor for ECB"


def test_a_live_figure_stands_beside_them_and_is_not_hollow():
    html = view.board(SMALL, {("CTR", "enc"): 0.431}, "aes-x8")
    assert ">aes-x8 here</th>" in html and "Whiskers" not in html
    assert cells(html)["CTR enc"][-1] == "0.431" and cells(html)["CTR dec"][-1] == ""
    assert html.count('class="ae-mark ae-green" d=') == 2, "in the chart and in its legend"
    assert html.count("ae-blue ae-hollow") == html.count("ae-orange ae-hollow") == 19
    assert ">recorded<" not in html and "CTR enc this machine: 0.431 cycles a byte" in html


def test_sentence():
    headline, detail = view.sentence(SMALL)
    assert headline == "AES-128: from 1.00 times as fast (GCM auth) to 20.53 (CBC dec)."
    assert detail.startswith("8 of 19 factors stand in the message")
    wrong = SMALL.assign(factor=SMALL.factor + 0.01)
    assert view.sentence(wrong)[1].startswith("0 of 19")
