"""Build the source distribution and, from it, the wheel, into the folder `dist`. Run it with `make wheel`.

The wheel is built from the unpacked source distribution, so a file that is missing there is found. The build
tool comes from the environment that runs this: nothing is fetched.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"


def build(what: str, folder: Path, target: Path) -> None:
    """Build a `sdist` or a `wheel` of the sources in a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", what, "--directory", os.fspath(target)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def main() -> None:
    """Build both, and print their names. What the folder held is removed."""
    shutil.rmtree(DIST, ignore_errors=True)
    build("sdist", ROOT, DIST)
    (archive,) = DIST.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(archive) as sources:
            sources.extractall(name, filter="data")
        (unpacked,) = Path(name).iterdir()
        build("wheel", unpacked, DIST)
    for path in sorted(DIST.iterdir()):
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
