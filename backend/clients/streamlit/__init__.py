"""The Streamlit client: `make streamlit`, or `python -m streamlit run backend/clients/streamlit/app.py`.

`app` is the script that Streamlit runs, and `page` what it draws. `feed` hears the server in a thread of its
own, and `conversation` holds all that one browser tab knows. `asking` draws questions and permissions,
`cards` turns offers into words, and `plain` escapes the markup of foreign text.
"""
