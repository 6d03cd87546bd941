"""The Streamlit client: its parts, and the page as Streamlit's own test driver and as Chromium show it."""
