"""The script that Streamlit runs from its top for each click; it draws the page.

Streamlit runs it as a file that belongs to no package, so it cannot import its siblings relatively. The
package's name is that of its folder: `backend` in a checkout, `detour` once it is installed.
"""

import importlib
from pathlib import Path

if __name__ == "__main__":
    package = Path(__file__).resolve().parents[2].name
    importlib.import_module(f"{package}.clients.streamlit.page").draw()
