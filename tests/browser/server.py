"""A Jupyter server of the tests' own: JupyterLab and Notebook 7 in one, loopback only, nothing of the user's used."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

NOTIFICATIONS = {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(home):
    names = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime"}
    names |= {"JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces", "IPYTHONDIR": "ipython"}
    folders = {name: str(home / folder) for name, folder in names.items()}
    own = {"HOME": str(home), "USERPROFILE": str(home), "JUPYTER_NO_CONFIG": "", "JUPYTER_PLATFORM_DIRS": "1"}
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "IPYTHON"))}
    return {**kept, **own, **folders}


class Server:
    """``url`` serves the notebooks of ``root``; ``close()`` ends it and its kernels."""

    def __init__(self, root: Path, home: Path):
        settings = home / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text(json.dumps(NOTIFICATIONS), encoding="utf-8")
        self.port, self.log = free_port(), home / "server.log"
        self.url = f"http://127.0.0.1:{self.port}"
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
            *(
                f"--port={self.port}",
                "--ServerApp.port_retries=0",
                "--IdentityProvider.token=",
                "--ServerApp.password=",
            ),
            *(f"--ServerApp.root_dir={root}", "--expose-app-in-browser", "--LabApp.extension_manager=readonly"),
            *("--LabApp.news_url=", "--JupyterNotebookApp.expose_app_in_browser=True"),
        ]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=root, env=environment(home), stdout=log, stderr=log)
        self._wait()

    def _wait(self):
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for _ in range(300):
            try:
                return direct.open(self.url + "/api/status", timeout=1).close()
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise RuntimeError(
            f"the server does not answer: {self.log.read_text(encoding='utf-8', errors='replace')[-2000:]}"
        )

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
