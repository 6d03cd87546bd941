"""`make schemas`: holds the compose file and the Kubernetes manifests against the published schemas.

The packages that have the schemas are large, and are needed for nothing else: they are fetched into an
environment of their own, which goes away.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from tests.conventions import ROOT
from tests.packaging.empty_environment import pip_for

PACKAGES = ("check-jsonschema==0.39.0", "kubernetes-validate==1.37.0")
VERSIONS = ("1.28", "1.37")
"""Of Kubernetes: the oldest and the newest that the manifests are held against."""


def main() -> None:
    """Check all files; the first that does not fit ends it."""
    with tempfile.TemporaryDirectory() as name:
        venv.create(name, with_pip=False)
        programs = Path(name, "bin")
        subprocess.run([*pip_for(programs), "install", "-qq", *PACKAGES], check=True)
        check = [programs / "check-jsonschema", "--builtin-schema", "vendor.compose-spec"]
        subprocess.run([*check, ROOT / "docker-compose.yml"], check=True)
        for version in VERSIONS:
            check = [programs / "kubernetes-validate", "--strict", "-k", version]
            subprocess.run([*check, *sorted((ROOT / "ops" / "kubernetes").glob("*.yaml"))], check=True)


if __name__ == "__main__":
    sys.exit(main())
