"""The demo: six interruptions played in the terminal."""
