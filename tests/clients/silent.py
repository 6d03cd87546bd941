"""A server that never says where it is: it connects to the port that is named, and waits for ever."""

import os
import socket
import threading

if __name__ == "__main__":
    with socket.create_connection(("127.0.0.1", int(os.environ["DETOUR_HEAR"]))):
        threading.Event().wait()
