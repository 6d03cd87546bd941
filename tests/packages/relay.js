/** A TCP line to a server that a test can cut, and close for a while. */

import { connect, createServer } from "node:net";

export class Relay {
  #target;
  #server;
  #open = new Set();
  isClosed = false;
  /** Whether what the server answers is lost, with the connection. */
  losesAnswers = false;
  /** Called for each connection that is not let in, and for each answer that is lost. */
  onLoss = () => {};

  constructor(url) {
    this.#target = new URL(url);
    this.#server = createServer((socket) => this.#join(socket));
  }

  async start() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
    return this;
  }

  #join(socket) {
    if (this.isClosed) {
      socket.destroy();
      this.onLoss();
      return;
    }
    const server = connect(this.#target.port, this.#target.hostname);
    const both = [socket, server];
    for (const each of both) {
      this.#open.add(each);
      each.on("error", () => {});
      each.on("close", () => {
        for (const one of both) {
          this.#open.delete(one);
          one.destroy();
        }
      });
    }
    // The server answers under its own name only.
    socket.on("data", (data) => server.write(data.toString("latin1").replaceAll(new URL(this.url).host, this.#target.host), "latin1"));
    server.on("data", (data) => {
      if (!this.losesAnswers) {
        socket.write(data);
        return;
      }
      socket.destroy();
      this.onLoss();
    });
  }

  cut() {
    for (const socket of this.#open) socket.destroy();
  }

  close() {
    this.isClosed = true;
    this.cut();
  }

  open() {
    this.isClosed = false;
  }

  async end() {
    this.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
