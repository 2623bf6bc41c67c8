"""One notebook open in a browser: run it, reach its widgets, watch what the browser says and asks for."""

import re
import time

BROWSER_ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
]
PATHS = {"lab": "/doc/tree/{}?reset", "notebook": "/notebooks/{}"}
ALLOWED = re.compile(  # what the applications log of themselves
    r"reading 'schema'|'filebrowser:open-path' not registered|favicon|ResizeObserver loop"
    r"|403 .*/static/notebook/.*woff2"
    r"|widget model not found"  # at a reload, before the models are restored; that every card then shows is tested
)
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
ERRORS = '[data-mime-type="application/vnd.jupyter.error"]'
LOOPBACK = re.compile(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:")


class Watch:
    """What a page asks for outside (and does not get), what it logs as errors, how long its messages are."""

    def __init__(self, page):
        self.outside, self.console, self.frames = [], [], []
        page.route("**/*", self._only_loopback)
        page.on("console", lambda m: self._heard(f"{m.text} {m.location.get('url')}") if m.type == "error" else None)
        page.on("pageerror", lambda error: self._heard(str(error)))
        page.on("websocket", lambda s: s.on("framereceived", lambda data: self.frames.append(len(data))))

    def _only_loopback(self, route):
        if LOOPBACK.match(route.request.url):
            return route.continue_()
        self.outside.append(route.request.url)
        return route.abort()

    def _heard(self, text):
        if not ALLOWED.search(text):
            self.console.append(text)


class NotebookPage:
    """``app`` is "lab" (JupyterLab 4) or "notebook" (Notebook 7)."""

    def __init__(self, browser, url, app, name):
        self.app, self.name, self.address = app, name, url + PATHS[app].format(name)
        self.page = browser.new_page(viewport={"width": 1280, "height": 1000})
        self.page.set_default_timeout(20_000)
        self.watch = Watch(self.page)
        self.load()

    def load(self):
        """Opens the notebook, anew where it is open already; its kernel, where it has one, lives on."""
        self.page.goto(self.address)
        self.page.wait_for_function("globalThis.jupyterapp")
        self.js("jupyterapp.restored")
        self.page.wait_for_function("jupyterapp.shell.currentWidget?.context")
        self.js("jupyterapp.shell.currentWidget.context.ready")
        self.js("jupyterapp.shell.currentWidget.sessionContext.ready")
        self.reveal()

    def reveal(self):
        """Scrolls to every cell once: what was never near the window is not drawn yet."""
        self.js(
            """async () => { for (const cell of jupyterapp.shell.currentWidget.content.widgets) {
              cell.node.scrollIntoView(); await new Promise(r => setTimeout(r, 30)) } }"""
        )

    def js(self, expression, *arguments):
        return self.page.evaluate(expression, *arguments)

    def command(self, name, arguments=None):
        self.js("([name, args]) => jupyterapp.commands.execute(name, args)", [name, arguments or {}])

    def run_all(self):
        self.command("notebook:run-all-cells")
        self.idle()
        self.kernel = int(self.execute("import os; print(os.getpid())"))

    def idle(self, seconds=120):
        """Waits until the kernel is idle and no cell waits for its turn."""
        end, quiet = time.monotonic() + seconds, 0
        while quiet < 2:
            busy = self.js("jupyterapp.shell.currentWidget.sessionContext.session.kernel.status !== 'idle'")
            waiting = self.page.locator(".jp-InputPrompt", has_text="[*]").count()
            quiet = 0 if busy or waiting else quiet + 1
            assert time.monotonic() < end, f"{self.name} is still busy after {seconds} s"
            self.page.wait_for_timeout(50)

    def execute(self, code):
        """Runs code in the notebook's kernel beside its cells; returns what it prints."""
        return self.js(
            """async code => {
              const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
              const future = kernel.requestExecute({code, store_history: false});
              let said = '';
              future.onIOPub = m => { said += m.content.text ?? (m.content.traceback ?? []).join('\\n') };
              await future.done; return said }""",
            code,
        )

    def start(self, code):
        """Runs code like ``execute`` but does not wait for it."""
        self.js("code => { jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute({code}) }", code)

    def save(self):
        self.command("docmanager:save")

    def restart(self):
        self.js("jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
        self.idle()

    def close(self):
        self.js("jupyterapp.shell.currentWidget.sessionContext.shutdown()")
        self.page.close()

    def cells(self):
        return self.js("jupyterapp.shell.currentWidget.content.widgets.length")

    def error_outputs(self):
        return self.page.locator(ERRORS).all_inner_texts()

    def theme(self, name):
        self.command("apputils:change-theme", {"theme": THEMES[name]})
        self.page.wait_for_selector(f'body[data-jp-theme-light="{str(name == "light").lower()}"]', state="attached")
        self.page.wait_for_timeout(300)

    def output_width(self, width):
        """Sizes the window so that outputs are ``width`` px wide."""
        now = self.page.locator(".jp-OutputArea-output:has(.ae-card)").first.bounding_box()["width"]
        size = self.page.viewport_size
        self.page.set_viewport_size({"width": round(size["width"] + width - now), "height": size["height"]})
        self.page.wait_for_timeout(200)

    def card(self, title):
        return self.page.locator(f'.ae-card[aria-label="{title}"]')
