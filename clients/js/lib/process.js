// Starts a server and stops it.
import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

import { StartError } from "./errors.js";

const START_TIMEOUT = 120_000; // milliseconds
const STOP_TIMEOUT = 30_000;

// The environment variables that configure the server. They are not passed on to a server that is started here: in a
// test's environment they are meant for the tested program.
const SERVER_VARIABLES = new Set(
  `LISTEN_ADDR CONTROL_ADDR DATABASE_URL DATABASE_URL_FILE DATA_DIR EPHEMERAL EXIT_WITH_PARENT OBJECTS_URL
  ENVIRONMENT PROFILE PUBLIC_URL TRUSTED_PROXIES CORS_ORIGINS CONTROL_HOSTS CONTROL_TOKEN CONTROL_TOKEN_FILE
  CONTROL_TOKENS CONTROL_TOKENS_FILE MASTER_KEY MASTER_KEY_FILE DATABASE_CONNECTIONS LOCK_TIMEOUT STATEMENT_TIMEOUT
  BACKGROUND_LOCK_TIMEOUT BACKGROUND_STATEMENT_TIMEOUT HINTS MAX_UPLOAD_BYTES MIN_FREE_BYTES MIN_TRANSFER_RATE
  MAX_CONNECTIONS_PER_ADDRESS KEEP_SUBMISSIONS KEEP_UPLOADS LOG_FORMAT LOG_LEVEL READ_TIME READ_MEMORY_BYTES
  READ_MEMORY_TOTAL_BYTES SEED STOP_DELAY TLS_CERT TLS_KEY WEBHOOK_ALLOW WEBHOOK_PROXY WEBHOOK_PROXY_FILE WEBHOOK_CA
  WEBHOOK_CLIENT_CERT WEBHOOK_CLIENT_KEY SIGNATURE_DIGEST SIGNATURE_PREFIX`.split(/\s+/),
);

// READY_LINE matches the log line of a server that is ready.
export const READY_LINE = /\bmsg"?[=:]"?ready"?[ ,]"?api"?[=:]"?([^\s"]+)"?[ ,]"?control"?[=:]"?([^\s"]+)"?}?\s*$/;

// findBinary returns the path of the server's binary.
export function findBinary() {
  if (process.env.UNDERSTUDY_BIN) return process.env.UNDERSTUDY_BIN;
  const name = process.platform === "win32" ? "understudy.exe" : "understudy";
  for (const directory of (process.env.PATH ?? "").split(path.delimiter)) {
    const candidate = path.join(directory || ".", name);
    try {
      accessSync(candidate, constants.X_OK);
      if (statSync(candidate).isFile()) return candidate;
    } catch {} // not there
  }
  throw new StartError(
    "the server was not found: set UNDERSTUDY_BIN to the path of its binary, or install understudy in a directory " +
      "of PATH; or start a server and set UNDERSTUDY_CONTROL_URL to the URL of its control listener",
  );
}

// Server is a server that this process started. It stops when its standard input is closed or this process ends.
export class Server {
  #child;
  #lastLines = [];
  #exited;

  // start resolves when the server is ready.
  static async start(binary) {
    const server = new Server();
    await server.#start(binary);
    return server;
  }

  async #start(binary) {
    const variables = Object.entries(process.env);
    const env = Object.fromEntries(variables.filter(([name]) => !SERVER_VARIABLES.has(name) && !name.startsWith("OTEL_")));
    // In a session of its own, so that Ctrl-C does not stop the server before the tests are cleaned up.
    this.#child = spawn(
      binary,
      ["--ephemeral", "--exit-with-parent", "--listen=127.0.0.1:0", "--control=127.0.0.1:0"],
      { stdio: ["pipe", "ignore", "pipe"], env, detached: process.platform !== "win32" },
    );
    this.#child.stdin.on("error", () => {}); // the server has exited
    let timer;
    await new Promise((resolve, reject) => {
      this.#exited = new Promise((exit) => this.#child.on("close", exit));
      this.#exited.then(() => reject(new StartError(`the server did not start:\n${this.lastOutput()}`)));
      this.#child.on("error", (error) => reject(new StartError(`start the server: ${error.message}`)));
      timer = setTimeout(() => {
        this.#child.kill("SIGKILL");
        reject(new StartError(`the server was not ready after ${START_TIMEOUT / 1000} s:\n${this.lastOutput()}`));
      }, START_TIMEOUT);
      createInterface({ input: this.#child.stderr }).on("line", (line) => {
        this.#lastLines.push(line + "\n");
        if (this.#lastLines.length > 50) this.#lastLines.shift();
        const found = READY_LINE.exec(line);
        if (found) {
          [, this.apiUrl, this.controlUrl] = found;
          resolve();
        }
      });
    }).finally(() => clearTimeout(timer));
    // The server does not keep this process running.
    for (const handle of [this.#child, this.#child.stdin, this.#child.stderr]) handle.unref();
  }

  // exited reports whether the server has exited.
  get exited() {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  // lastOutput returns the last lines of the server's log.
  lastOutput() {
    return this.#lastLines.join("");
  }

  // stop stops the server, and resolves when it has exited.
  async stop() {
    for (const handle of [this.#child, this.#child.stderr]) handle.ref();
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_TIMEOUT);
    await this.#exited;
    clearTimeout(timer);
  }
}
