"""Write the pin files from pyproject.toml: `requirements.txt` and those in `requirements/`.

A library's newest version may differ tomorrow; the pin files say what was tested together, and the hashes of
its files. They hold names, versions, hashes and markers alone, so they are the same wherever they were made.
`requirements.txt` holds what the server needs; each file in `requirements/` holds what an extra, the `dev`
group or the build adds to it, so the two are installed together.

Run it with `make lock`, which fetches uv. uv takes its index from `UV_DEFAULT_INDEX`.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PIN = re.compile(r"^([a-z0-9-]+)==(\S+).*(?:\n    --hash=.*)*\n", re.MULTILINE)


def pins(text: str) -> dict[str, str]:
    """Return the version of each distribution of a pin file, by canonical name."""
    return {found[1]: found[2] for found in PIN.finditer(text)}


def added(text: str, known: set[str]) -> str:
    """Return the entries of a pin file that are of other distributions than these."""
    return "".join(found[0] for found in PIN.finditer(text) if found[1] not in known)


def lock(uv: str, root: Path) -> None:
    """Write all pin files. All are resolved at once first, so that they agree.

    Raises subprocess.CalledProcessError if they cannot be resolved; uv then prints why.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    python = re.search(r"[\d.]+", project["project"]["requires-python"])
    assert python, "requires-python names the oldest version"

    def compiled(*options: str, asked: str = "pyproject.toml", typed: str | None = None) -> str:
        command = [uv, "pip", "compile", asked, "--quiet", "--universal", "--python-version", python[0]]
        command += ["--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", *options]
        return subprocess.run(
            command, cwd=root, input=typed, stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    build, model = (
        "\n".join(each)
        for each in (project["build-system"]["requires"], project["dependency-groups"]["model"])
    )
    with tempfile.TemporaryDirectory() as folder:
        everything = Path(folder) / "everything.txt"
        everything.write_text(compiled("--all-extras", "--group", "dev", "--group", "fuzz"), "utf-8")
        agreed = ("--constraint", str(everything))
        run = compiled(*agreed)
        others = {
            name: compiled(*agreed, "--extra", name) for name in project["project"]["optional-dependencies"]
        }
        others |= {name: compiled(*agreed, "--group", name) for name in ("dev", "fuzz")}
        others["build"] = compiled(*agreed, asked="-", typed=build)
        others["model"] = compiled("--no-deps", asked="-", typed=model)
    (root / "requirements.txt").write_text(run, "utf-8")
    for name, text in others.items():
        (root / "requirements" / f"{name}.txt").write_text(added(text, set(pins(run))), "utf-8")


if __name__ == "__main__":
    lock(sys.argv[1], ROOT)
