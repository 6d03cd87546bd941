"""A real server process, over real HTTP and WebSockets: started, killed and started again."""
