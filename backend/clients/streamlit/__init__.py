"""The Streamlit client: `make streamlit`, or `python -m streamlit run backend/clients/streamlit/app.py`.

`app` is the script that Streamlit runs, `page` draws, and `conversation` has the state of one browser tab,
with a thread that follows the server's events.
"""
