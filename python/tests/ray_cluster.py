"""A Ray cluster of several nodes on this machine, each a `ray start` of its own that can be killed."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import halftrack

# Nodes and driver of these tests share a token of their own, whatever others there are on this machine.
os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)

PACKAGE = Path(halftrack.__file__).resolve().parents[1]
#: Time for a node to join, s: on a busy machine it takes long.
JOINS_S = 180.0


def free_port() -> int:
    """Returns a port where nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Node:
    """A node that runs until it is killed."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        ray = Path(sys.executable).with_name("ray")
        # A session of its own, by which all of its processes can be found.
        self._process = subprocess.Popen(
            [str(ray), "start", "--block", "--num-cpus=1", "--object-store-memory=100000000", *arguments],
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def kill(self) -> None:
        """Kills every process of the node at once, as a power failure does."""
        while processes := _of_session(self._process.pid):
            for one in processes:
                try:
                    os.kill(one, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.05)
        self._process.wait()


class Cluster:
    """A head and further nodes on 127.0.0.1."""

    def __init__(self, **environment: str) -> None:
        self._environment = {
            "PYTHONPATH": str(PACKAGE),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_memory_monitor_refresh_ms": "0",
            # A node of a busy machine is not dead: a driver whose node is taken for dead exits without a word.
            "RAY_health_check_timeout_ms": "60000",
            **environment,
        }
        self.address = f"127.0.0.1:{free_port()}"
        # Short: sockets are in it.
        self._directory = tempfile.mkdtemp(prefix="htr", dir="/tmp")
        port = self.address.rpartition(":")[2]
        head = ["--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={self._directory}"]
        self.nodes = [Node([*head, "--node-ip-address=127.0.0.1"], self._environment)]

    def add(self, **environment: str) -> Node:
        """Starts a further node."""
        arguments = [f"--address={self.address}", "--node-ip-address=127.0.0.1"]
        node = Node(arguments, {**self._environment, **environment})
        self.nodes.append(node)
        return node

    def wait_for(self, nodes: int) -> None:
        """Waits until so many nodes have joined."""
        import ray

        deadline = time.monotonic() + JOINS_S
        while time.monotonic() < deadline:
            try:
                ray.init(address=self.address, log_to_driver=False, logging_level="ERROR")
            except Exception:  # noqa: BLE001 - the head is not ready yet
                time.sleep(0.5)
                continue
            try:
                while time.monotonic() < deadline:
                    if sum(node["Alive"] for node in ray.nodes()) == nodes:
                        return
                    time.sleep(0.2)
            finally:
                ray.shutdown()
        raise TimeoutError(f"the cluster has no {nodes} nodes")

    def close(self) -> None:
        """Kills every node."""
        for node in reversed(self.nodes):
            node.kill()
        shutil.rmtree(self._directory, ignore_errors=True)


def _of_session(session: int) -> list[int]:
    """Returns the processes of ``session`` that still run."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                state = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            # Behind the name: state, parent, group, session.
            if int(state[3]) == session and state[0] not in "ZX":
                found.append(int(entry.name))
    return found
