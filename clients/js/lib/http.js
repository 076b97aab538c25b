// HTTP calls. They bypass proxies, and do not use fetch, which tests often replace.
import http from "node:http";
import https from "node:https";

import { APIError } from "./errors.js";

// Milliseconds without a byte from the server before a call fails. Moving a clock or deleting a tenant with much data
// can take a while.
const TIMEOUT = 120_000;

class Response {
  constructor(call, status, headers, body) {
    Object.assign(this, { call, status, headers, body });
  }

  // json decodes the body; null if it is empty.
  json() {
    return this.body.length === 0 ? null : JSON.parse(this.body.toString());
  }

  // check throws an APIError unless the status is 2xx.
  check() {
    if (this.status >= 200 && this.status < 300) return this;
    let message = this.body.toString();
    try {
      const content = JSON.parse(message);
      message = content.message ?? content.error_description ?? content.error ?? message;
    } catch {} // not an error in JSON
    throw new APIError(this.call, this.status, message, this.headers["x-understudy-hint"] ?? "");
  }
}

// send resolves to the response, whatever its status is.
export function send(method, url, headers, body) {
  const target = new URL(url);
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, timeout: TIMEOUT };
    const request = (target.protocol === "https:" ? https : http).request(target, options, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve(new Response(`${method} ${target.pathname}`, response.statusCode, response.headers, Buffer.concat(chunks)));
      });
    });
    request.on("timeout", () => request.destroy(new Error(`no response within ${TIMEOUT / 1000} s`)));
    request.on("error", reject);
    request.end(body);
  });
}
