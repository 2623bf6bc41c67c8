"""What can be asked of an open page: names, contrast, overflow, focus, processes, memory, exports."""

import re
import time

import nbformat
import psutil
from axe_playwright_python.sync_playwright import Axe
from nbconvert import HTMLExporter

OURS = ".ae-card, .ae-view"
CONTROLS = "button, input, select, textarea, .noUi-handle"

# Every text that is seen, with its colour and what lies behind its middle: axe does not look into SVG.
_CONTRAST = """root => {
  const parts = c => {
    const m = c.match(/[\\d.]+/g).map(Number), scale = c.startsWith('color(srgb') ? 255 : 1;
    return [m[0] * scale, m[1] * scale, m[2] * scale, m[3] ?? 1] };
  const over = (top, under) => top.slice(0, 3).map((c, i) => c * top[3] + under[i] * (1 - top[3]));
  const linear = v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = c => [.2126, .7152, .0722].reduce((sum, share, i) => sum + share * linear(c[i] / 255), 0);
  const paint = e => {
    const s = getComputedStyle(e), shape = e instanceof SVGElement && !(e instanceof SVGSVGElement);
    const colour = shape ? s.fill : s.backgroundColor;
    if (!colour || colour === 'none' || colour.startsWith('url')) return [0, 0, 0, 0];
    const p = parts(colour); if (shape) p[3] *= s.fillOpacity; return p };
  const found = [], walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, e = node.parentElement, s = getComputedStyle(e), inSvg = e instanceof SVGElement;
    if (!node.data.trim() || e.closest('style, title, desc, .ae-sr, [hidden], :disabled, option')) continue;
    const range = document.createRange(); range.selectNodeContents(node);
    let box = range.getBoundingClientRect();
    if (!box.width || s.visibility === 'hidden' || !e.checkVisibility()) continue;
    const scrolled = e.closest('.ae-scroller') !== null;
    if (box.top < 0 || box.bottom > innerHeight || scrolled) e.scrollIntoView({block: 'center', inline: 'center'});
    box = range.getBoundingClientRect();
    const stack = document.elementsFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const behind = stack.filter(u => u !== e && !['text', 'tspan'].includes(u.localName)).reverse();
    let back = behind.reduce((under, top) => over(paint(top), under), [255, 255, 255]);
    if (!inSvg) back = over(paint(e), back);
    const ink = parts(inSvg ? s.fill : s.color);
    for (let p = e; p !== root; p = p.parentElement) ink[3] *= getComputedStyle(p).opacity;
    const [a, b] = [light(over(ink, back)), light(back)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) found.push(`${node.data.trim()}: ${ratio.toFixed(2)}`);
  }
  return found }"""

# What is wider than its box, or reaches out of the card: cut off or scrolled.
_OVERFLOW = """card => {
  const frame = card.getBoundingClientRect(), found = [];
  if (card.scrollWidth > card.clientWidth + 1) found.push(`card: ${card.scrollWidth} px in ${card.clientWidth}`);
  const parts = '.ae-picture, .ae-controls, .ae-title, .ae-status, button, label, th, td, text';
  for (const e of card.querySelectorAll(parts)) {
    const box = e.getBoundingClientRect(), what = `${e.localName} ${e.textContent.slice(0, 30)}`;
    if (!box.width || e.closest('.ae-scroller')) continue;
    if (box.right > frame.right - 2 || box.left < frame.left + 2) found.push(`${what} leaves the card`);
    if (e.clientWidth && e.scrollWidth > e.clientWidth + 1 && !(e instanceof SVGElement)) found.push(`${what} is cut`);
  }
  return found }"""


def axe(page):
    """axe-core's violations inside our widgets and views, one line each."""
    result = Axe().run(page, context={"include": [[selector] for selector in OURS.split(", ")]})
    nodes = [(rule, node) for rule in result.response["violations"] for node in rule["nodes"]]
    return [f"{rule['id']}: {node['html'][:160]}" for rule, node in nodes]


def low_contrast(card):
    """Texts with a contrast under 4.5 to what is painted behind them."""
    return card.evaluate(_CONTRAST)


def overflowing(card):
    """Parts of a card that are cut off, scrolled or stick out."""
    return card.evaluate(_OVERFLOW)


def nameless_pictures(card):
    """Pictures that a screen reader would pass over in silence."""
    return card.evaluate(
        """card => [...card.querySelectorAll('svg, img, canvas')].filter(e => !e.closest('[aria-hidden=true]')
          && !e.parentElement.closest('svg') && getComputedStyle(e).display !== 'none')
          .filter(e => e.localName === 'img' ? !e.alt : e.getAttribute('role') !== 'img'
            || !(e.getAttribute('aria-label') || e.querySelector(':scope > title')?.textContent))
          .map(e => e.outerHTML.slice(0, 120))"""
    )


def names(card):
    """The accessible names of all controls of a card."""
    return card.evaluate(
        """(card, controls) => [...card.querySelectorAll(controls)].filter(e => e.offsetParent || e.checkVisibility())
          .map(e => e.getAttribute('aria-label') || (e.labels?.[0] ?? e).textContent.trim())""",
        CONTROLS,
    )


def has_focus(one):
    return one.evaluate("e => e === document.activeElement || e.contains(document.activeElement)")


def tab_walk(page, card):
    """The enabled controls that Tab, pressed again and again from the first, does not come to.

    What lies over a picture with keys counts through the picture itself: arrow keys go on from there.
    """
    over = """e.tabIndex < 0 && e.closest('.ae-keys[tabindex="0"]')"""
    script = f"""card => [...card.querySelectorAll("{CONTROLS}, .ae-keys")]
        .filter(e => !e.disabled && e.checkVisibility() && !({over}))"""
    card.evaluate(f"card => {{ const all = ({script})(card); all[0].focus(); card.aeLeft = all }}")
    for _ in range(60):
        left = """card => { card.aeLeft = card.aeLeft.filter(e => e !== document.activeElement
            && !(e.type === 'radio' && e.name === document.activeElement.name)); return card.aeLeft.length }"""
        if not card.evaluate(left):
            return []
        page.keyboard.press("Tab")
    return card.evaluate("card => card.aeLeft.map(e => e.outerHTML.slice(0, 120))")


def watch(card):
    """Starts to note when the picture changes; call the result for the moments, in seconds."""
    card.evaluate(
        """card => { card.aeDrawn = []; new MutationObserver(() => card.aeDrawn.push(performance.now() / 1000))
          .observe(card.querySelector('.ae-picture'), {childList: true, subtree: true}) }"""
    )
    return lambda: card.evaluate("card => card.aeDrawn")


def per_second(moments):
    """Pictures a second; the first and the last, of Run and of the verdict, do not count."""
    inner = moments[1:-1]
    return (len(inner) - 1) / (inner[-1] - inner[0]) if len(inner) > 2 else 0


def kernel(opened):
    return psutil.Process(opened.kernel)


def workers(opened):
    return kernel(opened).children(recursive=True)


def wait_until_gone(processes, seconds=5):
    end = time.monotonic() + seconds
    while alive := [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]:
        assert time.monotonic() < end, f"still running: {alive}"
        time.sleep(0.02)


def wait_until_idle(processes, seconds=5):
    """Until each is gone or computes nothing: only a busy worker is ended."""
    end = time.monotonic() + seconds
    while any(_computes(process) for process in processes):
        assert time.monotonic() < end, "a worker still computes"


def _computes(process):
    try:
        before = process.cpu_times()
        time.sleep(0.05)
        return sum(process.cpu_times()[:2]) > sum(before[:2])
    except psutil.NoSuchProcess:
        return False


def memory(opened):
    return kernel(opened).memory_info().rss


def nodes(page):
    return page.evaluate("document.querySelectorAll('*').length")


OPEN_FIGURES = "import sys; p = sys.modules.get('matplotlib.pyplot'); print(len(p.get_fignums()) if p else 0)"


def shown_twins(page, count, seconds=20):
    """Titles of the static twins that are not hidden, once there are `count`; far from the window they count too."""
    end, shown = time.monotonic() + seconds, []
    while len(shown) < count and time.monotonic() < end:
        page.wait_for_timeout(100)
        shown = page.evaluate(
            """() => [...document.querySelectorAll('.ae-twin')].filter(twin => twin.checkVisibility())
              .map(twin => twin.querySelector('.ae-title > span').textContent)"""
        )
    return shown


def banner(card):
    return card.evaluate("card => getComputedStyle(card, '::before').content")


def export(opened, path):
    """The saved notebook as an HTML page, made offline and opened in the browser."""
    exporter = HTMLExporter(require_js_url="", mathjax_url="", jquery_url="", widget_renderer_url="", mermaid_js_url="")
    html, _ = exporter.from_notebook_node(nbformat.read(path, as_version=4))
    target = path.with_suffix(".html")
    target.write_text(re.sub(r'<script[^>]*src=""[^>]*></script>', "", html), encoding="utf-8")
    page = opened.page.context.browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(target.as_uri())
    return page
