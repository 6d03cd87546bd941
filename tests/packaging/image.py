"""`make image-test`: does what the Dockerfile says without Docker, and uses the image that comes of it.

The base image is replaced by this machine's system folders and the Python that runs this, mounted read-only
into the folder that becomes the image; each step runs in it by chroot. Then the server runs as Docker would
run it, with the limits of docker-compose.yml: a read-only file system, a user without rights, no way to more
of them. So the steps follow from each other, and the server needs nothing else; nothing is said of the base
image and its Python. It needs root on Linux, for mounts, and fetches packages from pip's index.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from checks.cluster.replicas import free_port
from tests.conventions import ROOT
from tests.packaging.dockerfile import Stage, assignments, context, stages
from tests.packaging.running import BOUND_S, answer_to
from tests.packaging.test_installed import GRAPH, TOUR

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc")
BASE_PATH = "/usr/local/bin:/usr/bin:/bin"
PACKAGES = "/packages"
"""Where the steps find what pip would fetch: how pip is set up on this machine is not in the image."""

TOKEN = "the token of this test, long enough"

SAID_ONLY = {"LABEL", "VOLUME", "EXPOSE", "HEALTHCHECK", "STOPSIGNAL", "CMD"}


@dataclass(slots=True)
class Image:
    """A folder that becomes a file system, and how programs run in it."""

    root: Path
    variables: dict[str, str] = field(default_factory=dict[str, str])
    folder: str = "/"
    user: str = "0:0"
    said: dict[str, str] = field(default_factory=dict[str, str])

    def inside(self, path: str) -> Path:
        """Return where a path of the image is on this machine."""
        return self.root / os.path.normpath(os.path.join(self.folder, path)).lstrip("/")

    def prepare(self) -> None:
        """Make the places at which the base image's folders appear."""
        self.variables["PATH"] = f"/base:{BASE_PATH}"
        (self.root / "base").mkdir(parents=True)
        (self.root / "base" / "python").symlink_to(Path(sys.base_prefix, "bin", "python3"))
        for each in (*SYSTEM, "/dev", "/proc", "/tmp", PACKAGES, sys.base_prefix):
            place = self.root / each.lstrip("/")
            if Path(each).is_symlink():
                place.symlink_to(os.readlink(each))
            else:
                place.mkdir(parents=True, exist_ok=True)

    def command(
        self, program: list[str], *, mounts: Mapping[str, tuple[Path, str]], variables: Mapping[str, str]
    ) -> list[str]:
        """Return the command that runs a program in the image; it becomes that program.

        `mounts` are folders and files of this machine by their place in the image, with `ro` or `rw`; that of
        `/` says whether the image itself can be written.
        """
        root = shlex.quote(str(self.root))
        how = mounts.get("/", (self.root, "rw"))[1]
        steps = ["set -e", f"mount --bind {root} {root}", f"mount -o remount,bind,{how} {root}"]
        base = {each: (Path(each), "ro") for each in dict.fromkeys((*SYSTEM, sys.base_prefix))}
        for place, (source, how) in {**base, **mounts}.items():
            target = shlex.quote(f"{self.root}{place}")
            if place != "/" and not source.is_symlink():
                steps.append(f"mount --bind {shlex.quote(str(source))} {target}")
                steps.append(f"mount -o remount,bind,{how} {target}")
        steps += [f"mount --rbind /dev {root}/dev", f"mount -t proc proc {root}/proc"]
        steps += [f"mount -t tmpfs tmpfs {root}/tmp"]
        user, _, group = self.user.partition(":")
        enter = ["chroot", str(self.root), "/usr/bin/env", "-C", self.folder, "-i"]
        enter += [f"{name}={value}" for name, value in {**self.variables, **variables}.items()]
        enter += ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups"]
        if self.user != "0:0":
            enter += ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
        steps.append(f"exec {shlex.join([*enter, *program])}")
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", "\n".join(steps)]


def build(stage: Stage, image: Image, built: Mapping[str, Image], packages: Path) -> None:
    """Do what a stage says. Raises `CalledProcessError` if a step fails, `LookupError` for an unknown one."""
    image.prepare()
    arguments: dict[str, str] = {}
    for each in stage.instructions:
        print(f"{each.name} {each.text[:100]}", flush=True)
        match each.name:
            case "ENV":
                image.variables |= assignments(each.text, image.variables)
            case "ARG":
                arguments |= assignments(each.text, {})
            case "WORKDIR":
                image.folder = each.text
                image.inside(".").mkdir(parents=True, exist_ok=True)
            case "USER":
                image.user = each.text
            case "COPY":
                copy(each.text.split(), image, built)
            case "RUN":
                pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": PACKAGES, "PIP_CONFIG_FILE": "/dev/null"}
                program = ["sh", "-ec", each.text]
                mounts = {PACKAGES: (packages, "ro")}
                run = image.command(program, mounts=mounts, variables={**arguments, **pip, "PIP_QUIET": "1"})
                subprocess.run(run, check=True)
            case name if name in SAID_ONLY:
                image.said[name] = each.text
            case name:
                raise LookupError(f"nothing here does what {name} says")


def copy(words: list[str], image: Image, built: Mapping[str, Image]) -> None:
    """Copy from an earlier stage, or from what is sent of this folder."""
    if words[0].startswith("--from="):
        _, source, target = words
        stage = built[words[0].removeprefix("--from=")]
        shutil.copytree(stage.inside(source), image.inside(target), symlinks=True)
        return
    *sources, target = words
    for path in context():
        for source in sources:
            if path == Path(source):
                shutil.copyfile(ROOT / path, image.inside(target) / path.name)
            elif path.is_relative_to(source):
                place = image.inside(target) / path.relative_to(source)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / path, place)


def fetch(folder: Path) -> None:
    """Fetch what the steps install."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q", "-d", str(folder)]
    subprocess.run(
        [*pip, "-r", str(ROOT / "requirements.txt"), "-r", str(ROOT / "requirements/build.txt")], check=True
    )


@contextmanager
def container(image: Image, data: Path, graph: Path) -> Generator[tuple[httpx.Client, int, list[str]]]:
    """Run the image; yields a client of its server, its process, and the command of its health check.

    Raises AssertionError if it does not start, or does not end in good order by the image's signal.
    """
    port = free_port()
    variables = {"DETOUR_TOKEN": TOKEN, "DETOUR_PORT": str(port)}
    if graph.stat().st_size:
        variables["DETOUR_GRAPH"] = "trip:graph"
    mounts = {"/": (image.root, "ro"), "/data": (data, "rw"), "/app/trip.py": (graph, "ro")}
    program = image.command(json.loads(image.said["CMD"]), mounts=mounts, variables=variables)
    health = json.loads(image.said["HEALTHCHECK"].partition("CMD ")[2])
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert "Detour is at" in line, line + process.communicate()[1]
            headers = {"Authorization": f"Bearer {TOKEN}"}
            address = f"http://127.0.0.1:{port}"
            with httpx.Client(base_url=address, timeout=BOUND_S, headers=headers, trust_env=False) as client:
                yield client, process.pid, image.command(health, mounts=mounts, variables=variables)
        finally:
            process.send_signal(signal.Signals[image.said["STOPSIGNAL"]])
            _, said = process.communicate()
    # uvicorn raises the signal again, once everything has ended.
    assert process.returncode in {0, -signal.SIGTERM}, said


def use(image: Image, folder: Path) -> None:
    """Use the image as its users do. Raises AssertionError."""
    user, _, group = (int(part) if part != ":" else 0 for part in image.user.partition(":"))
    data, graph = folder / "volume", folder / "trip.py"
    # Docker gives a new volume the owner and mode of the image's folder.
    owner = (image.root / "data").stat()
    data.mkdir(mode=owner.st_mode & 0o777)
    os.chown(data, owner.st_uid, owner.st_gid)
    assert (owner.st_uid, owner.st_gid) == (user, group)
    assert user > 0
    image.inside("/app/trip.py").touch()
    graph.touch()

    writes = "import pathlib, sys; pathlib.Path(sys.argv[1], 'x').touch()"
    for place in ("/", "/app", "/venv", "/usr"):
        touch = ["python", "-c", writes, place]
        done = subprocess.run(image.command(touch, mounts={}, variables={}), check=False, capture_output=True)
        assert b"PermissionError" in done.stderr or b"Read-only" in done.stderr, done

    with container(image, data, graph) as (server, pid, health):
        process = psutil.Process(pid)
        assert process.uids() == (user, user, user)
        status = Path(f"/proc/{pid}/status").read_text()
        assert re.search(r"^CapEff:\s+0+$", status, re.M), status
        assert re.search(r"^CapBnd:\s+0+$", status, re.M), status
        assert re.search(r"^NoNewPrivs:\s+1$", status, re.M), status
        assert subprocess.run(health, check=False).returncode == 0
        assert "cheapest" in answer_to(server, TOUR)
        assert "html" in server.get("/").headers["content-type"]
        assert server.get("/history/ada", headers={"Authorization": "Bearer another"}).status_code == 401
    assert subprocess.run(health, check=False, capture_output=True).returncode != 0
    graph.write_text(GRAPH, "utf-8")
    with container(image, data, graph) as (server, _, _):
        assert server.get("/history/ada").json()["messages"][0]["text"] == TOUR
        assert answer_to(server, "hello") == "HELLO"


def main() -> None:
    """Make the image and use it; an error ends it."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None or shutil.which("unshare") is None:
        sys.exit("make image-test needs root on Linux, with unshare and setpriv (util-linux), to mount.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Others than root must reach what is in it.
        folder.chmod(0o755)
        packages = folder / "packages"
        fetch(packages)
        built: dict[str, Image] = {}
        image = Image(folder)
        for number, stage in enumerate(stages()):
            print(f"FROM {stage.base}: replaced by this machine's system and Python {sys.version.split()[0]}")
            image = built[stage.name] = Image(folder / f"stage{number}")
            build(stage, image, built, packages)
        use(image, folder)
        files = [path.lstat().st_size for path in (image.root / "venv").rglob("*") if path.is_file()]
        print(
            f"The image was made and used: {sum(files) / 2**20:.0f} MiB in {len(files)} files over its base."
        )


if __name__ == "__main__":
    main()
