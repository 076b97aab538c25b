import { AssertionError } from "node:assert";
import { randomUUID } from "node:crypto";

import { asyncDispose } from "./dispose.js";
import { NoEventError } from "./errors.js";
import { Receiver } from "./receiver.js";

const SUBMIT = "/universal/v2/universal-submit";
const MAX_AWAIT = 60_000; // milliseconds: the longest wait of one control API call
const FINAL_EVENTS = ["universal_submit:completed", "universal_submit:failed"];

const duration = (value) => (typeof value === "number" ? `${value}ms` : value);
const time = (value) => (value instanceof Date ? value.toISOString() : value);

export class Tenant {
  #token; // a promise
  #receivers = [];

  constructor(sandbox, created) {
    this.sandbox = sandbox;
    this.apiUrl = sandbox.apiUrl;
    this.controlUrl = sandbox.controlUrl;
    this.name = created.name;
    this.tenantUuid = created.tenant_uuid;
    this.clientId = created.client_id;
    this.clientSecret = created.client_secret;
    this.apiKey = created.api_key;
    this.companyPackageId = created.company_package_id;
    this.locationPackageId = created.location_package_id;
    this.userId = created.user_id;
  }

  // The API, as a client calls it.

  async token() {
    const credentials = [this.clientId, this.clientSecret].map(encodeURIComponent).join(":");
    const headers = {
      Authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
      "Content-Type": "application/x-www-form-urlencoded",
    };
    const body = "grant_type=client_credentials";
    return (await this.sandbox.send("POST", `${this.apiUrl}/auth/token`, headers, body)).check().json().access_token;
  }

  async submit(filename, content, contentType = "application/octet-stream") {
    const upload = (await this.#call("POST", `${SUBMIT}/file-upload-url`, { filename })).json();
    const boundary = randomUUID();
    const escaped = filename.replace(/["\r\n]/g, encodeURIComponent);
    const form = Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped}"\r\n` +
          `Content-Type: ${contentType}\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
    (await this.sandbox.send("PUT", upload.upload_url, headers, form)).check();
    await this.#call("POST", `${SUBMIT}/file/${encodeURIComponent(upload.tx_id)}`);
    return upload.tx_id;
  }

  async status(txId, { token } = {}) {
    return (await this.#call("GET", `${SUBMIT}/status/${encodeURIComponent(txId)}`, undefined, token)).json().status;
  }

  async #call(method, path, body, token) {
    const headers = { Authorization: `Bearer ${token ?? (await this.#reusedToken())}`, "x-api-key": this.apiKey };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const text = body === undefined ? undefined : JSON.stringify(body);
    return (await this.sandbox.send(method, this.apiUrl + path, headers, text)).check();
  }

  // #reusedToken resolves to a token that is requested once, until the clock is moved.
  async #reusedToken() {
    const token = (this.#token ??= this.token());
    try {
      return await token;
    } catch (error) {
      if (this.#token === token) this.#token = undefined;
      throw error;
    }
  }

  // The control API.

  control(method, path, body, query) {
    return this.sandbox.control(method, this.#path(path), body, query);
  }

  #path(path) {
    return `/tenants/${encodeURIComponent(this.name)}${path}`;
  }

  async wait(txId, { timeout = 30_000 } = {}) {
    const deadline = performance.now() + timeout;
    let after;
    for (;;) {
      let event;
      try {
        const remaining = Math.max(0, deadline - performance.now());
        event = await this.awaitEvent("universal_submit", { txId, after, timeout: remaining });
      } catch (error) {
        if (!(error instanceof NoEventError)) throw error;
        const { status } = await this.control("GET", `/transactions/${encodeURIComponent(txId)}`);
        const message = `submission ${txId} has not ended within ${timeout / 1000} s; its status is ${status}`;
        throw new NoEventError(message, error.seen);
      }
      if (FINAL_EVENTS.includes(event.event)) return event.data.status;
      after = event.cursor;
    }
  }

  async awaitEvent(event, { txId, timeout = 5_000, after } = {}) {
    const deadline = performance.now() + timeout;
    for (;;) {
      const within = Math.min(MAX_AWAIT, Math.max(0, Math.ceil(deadline - performance.now())));
      const query = { event, within: `${within}ms`, tx_id: txId, after };
      const response = await this.sandbox.controlResponse("GET", this.#path("/await"), undefined, query);
      if (response.status !== 408) return response.check().json();
      if (performance.now() >= deadline) {
        const { seen } = response.json();
        const lines = seen.map((e) => `\n  ${e.at} ${e.event} ${e.tx_id ?? ""}`).join("") || "\n  none";
        throw new NoEventError(`no event ${event} within ${timeout / 1000} s; events seen instead:${lines}`, seen);
      }
    }
  }

  inquiry(txId, { packageId = this.companyPackageId, version = 2 } = {}) {
    return this.control("GET", `/transactions/${encodeURIComponent(txId)}/inquiry`, undefined, { version, package: packageId });
  }

  async now() {
    return new Date((await this.control("GET", "/clock")).now);
  }

  advance(by) {
    return this.#moveClock({ advance: duration(by) });
  }

  setClock(at) {
    return this.#moveClock({ set: time(at) });
  }

  async freeze() {
    await this.#moveClock({ frozen: true });
  }

  async unfreeze() {
    await this.#moveClock({ frozen: false });
  }

  async #moveClock(change) {
    const { effects } = await this.control("POST", "/clock", change);
    this.#token = undefined;
    return effects ?? [];
  }

  settings(changes) {
    return changes === undefined ? this.control("GET", "/settings") : this.control("PATCH", "/settings", changes);
  }

  async outcome(match, { after, ...outcome } = {}) {
    const body = { match: typeof match === "string" ? { filename: match } : match, ...outcome, after: duration(after) };
    await this.control("PUT", "/outcomes", body);
  }

  async clearOutcomes() {
    await this.control("DELETE", "/outcomes");
  }

  fault(route, fault) {
    const given = typeof route === "string" ? { route, ...fault } : { ...route };
    return this.control("POST", "/faults", { ...given, delay: duration(given.delay), expires: duration(given.expires) });
  }

  async faults() {
    return (await this.control("GET", "/faults")).faults;
  }

  async clearFaults() {
    await this.control("DELETE", "/faults");
  }

  async subscribe(url, events = ["*"], subscription = {}) {
    return (await this.control("POST", "/hooks", { url, events, active: true, ...subscription })).id;
  }

  async unsubscribe(hookId) {
    await this.control("DELETE", `/hooks/${encodeURIComponent(hookId)}`);
  }

  async receiver(options) {
    const receiver = await Receiver.start(this, options);
    this.#receivers.push(receiver);
    return receiver;
  }

  event(name, data) {
    return this.control("POST", "/events", { event: name, data });
  }

  deliveries() {
    return this.#list("deliveries");
  }

  requests({ txId, clientId, path, ...filter } = {}) {
    return this.#list("requests", { ...filter, tx_id: txId, client_id: clientId, q: path });
  }

  async #list(name, query) {
    const entries = [];
    let before;
    do {
      const page = await this.control("GET", `/${name}`, undefined, { ...query, before });
      entries.push(...page[name]);
      before = page.before || undefined;
    } while (before);
    return entries;
  }

  async findings() {
    return (await this.control("GET", "/findings")).findings;
  }

  async assertNoFindings() {
    const lines = (await this.findings()).map((f) => `\n  ${f.rule} (${f.count}): ${f.message}\n    ${f.advice}`);
    if (lines.length > 0) {
      throw new AssertionError({ message: `findings about the clients of tenant ${this.name}:${lines.join("")}` });
    }
  }

  async reset() {
    await this.control("POST", "/reset");
    this.#token = undefined;
  }

  async delete() {
    try {
      if (process.env.UNDERSTUDY_KEEP_TENANTS !== "1") await this.control("DELETE", "");
    } catch (error) {
      if (error.status !== 404) throw error; // 404: the test has deleted it
    } finally {
      for (const receiver of this.#receivers) await receiver.close();
    }
  }

  [asyncDispose]() {
    return this.delete();
  }
}
