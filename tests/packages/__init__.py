"""The JavaScript packages: their code in Node; packed, installed and built into a page in a browser."""
