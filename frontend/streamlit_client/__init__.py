"""What the Streamlit client is made of, apart from the page itself; only `asking` knows Streamlit.

`feed` hears the server in a thread of its own, `trip` folds what it heard into what is known, `calls` tells
the server things, and `conversation` joins the three for one browser tab. `cards` puts offers into words,
`plain` takes the markup out of foreign text, and `asking` draws questions and permissions.
"""
