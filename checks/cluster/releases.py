"""Other releases of this program, to be run beside this one."""

import io
import subprocess
import tarfile
from pathlib import Path

THIS = Path(__file__).resolve().parents[2]
"""The folder of the code that runs this."""


def unpack(ref: str, folder: Path) -> Path:
    """Write the files of a commit, branch or tag into a new folder, and return it.

    Raises `RuntimeError` with what git says.
    """
    archive = subprocess.run(
        ["git", "-C", str(THIS), "archive", "--format=tar", ref], capture_output=True, check=False
    )
    if archive.returncode:
        raise RuntimeError(archive.stderr.decode())
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder
