import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

import { asyncDispose } from "./dispose.js";
import { NoEventError } from "./errors.js";

const maxDelivery = 64 << 20; // bytes; deliveries of the server are smaller

export class Receiver {
  events = [];
  rejected = [];
  #unread = []; // the events that wait has not returned yet
  #waiting = new Set(); // functions to call when a delivery has arrived
  #tenant;
  #server;

  // start subscribes a new receiver to the tenant's events.
  static async start(tenant, { events = ["*"], status = 200, secret, host = "127.0.0.1" } = {}) {
    const receiver = new Receiver();
    receiver.status = status;
    receiver.secret = secret ?? randomBytes(16).toString("hex");
    receiver.#tenant = tenant;
    await receiver.#listen(host);
    try {
      receiver.hookId = await tenant.subscribe(receiver.url, events, { secret: receiver.secret });
    } catch (error) {
      await receiver.#stop();
      throw error;
    }
    return receiver;
  }

  async #listen(host) {
    this.#server = createServer(async (request, response) => {
      const chunks = [];
      let size = 0;
      try {
        for await (const chunk of request) {
          size += chunk.length;
          if (size > maxDelivery) return response.writeHead(413, { connection: "close" }).end();
          chunks.push(chunk);
        }
      } catch {
        return; // the connection was closed
      }
      response.writeHead(this.#receive(Buffer.concat(chunks), request.headers)).end();
    });
    // Neither the server nor its connections keep this process running.
    this.#server.unref().on("connection", (socket) => socket.unref());
    await new Promise((resolve, reject) => {
      this.#server.once("error", reject).listen(0, host === "127.0.0.1" ? host : undefined, resolve);
    });
    this.url = `http://${host}:${this.#server.address().port}/`;
  }

  // #receive keeps a delivery, and returns the status of the response.
  #receive(body, headers) {
    const expected = Buffer.from("sha256=" + createHmac("sha256", this.secret).update(body).digest("hex"));
    const given = Buffer.from(headers["x-signature"] ?? "");
    const valid = given.length === expected.length && timingSafeEqual(given, expected);
    const received = {
      id: headers["x-request-id"] ?? "",
      event: headers["x-emperor-event"] ?? "",
      data: valid ? JSON.parse(body.toString()).data : undefined,
      body,
      headers,
      status: valid ? this.status : 401,
    };
    if (valid) this.#unread.push(received);
    (valid ? this.events : this.rejected).push(received);
    for (const check of [...this.#waiting]) check();
    return received.status;
  }

  #next(event) {
    const found = this.#unread.findIndex((r) => event === "*" || event === r.event || event === r.event.split(":")[0]);
    return found < 0 ? undefined : this.#unread.splice(found, 1)[0];
  }

  wait(event = "*", { timeout = 10_000 } = {}) {
    return new Promise((resolve, reject) => {
      const found = this.#next(event);
      if (found) return resolve(found);
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(check);
      };
      const check = () => {
        const received = this.#next(event);
        if (!received) return;
        end();
        resolve(received);
      };
      const timer = setTimeout(() => {
        end();
        const seen = [...this.events, ...this.rejected].map(({ id, event, status }) => ({ id, event, status }));
        const lines = seen.map((e) => `\n  ${e.event} ${e.id}, responded ${e.status}`).join("") || "\n  none";
        reject(new NoEventError(`no delivery of ${event} within ${timeout / 1000} s; deliveries received:${lines}`, seen));
      }, timeout);
      this.#waiting.add(check);
    });
  }

  async close() {
    try {
      await this.#tenant.control("PUT", `/hooks/${this.hookId}`, { active: false });
    } catch (error) {
      if (error.status !== 404) throw error; // 404: deleted, perhaps with its tenant
    } finally {
      await this.#stop();
    }
  }

  async #stop() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  [asyncDispose]() {
    return this.close();
  }
}
