import { asyncDispose } from "./dispose.js";
import { UnderstudyError } from "./errors.js";
import { send } from "./http.js";
import { findBinary, Server } from "./process.js";
import { Tenant } from "./tenant.js";

let shared; // a promise

const withoutSlash = (url) => url.replace(/\/+$/, "");

export class Sandbox {
  #server; // undefined if this object did not start it
  #token = "";

  static async start({ binary, controlUrl, apiUrl, controlToken } = {}) {
    const sandbox = new Sandbox();
    if (binary === undefined && controlUrl === undefined) {
      controlUrl = process.env.UNDERSTUDY_CONTROL_URL;
      apiUrl ||= process.env.UNDERSTUDY_API_URL;
    }
    if (controlUrl) {
      sandbox.#token = controlToken ?? process.env.UNDERSTUDY_CONTROL_TOKEN ?? "";
      sandbox.controlUrl = withoutSlash(controlUrl);
      sandbox.apiUrl = withoutSlash(apiUrl || (await sandbox.#discoverApiUrl()));
    } else {
      sandbox.#server = await Server.start(binary ?? findBinary());
      ({ controlUrl: sandbox.controlUrl, apiUrl: sandbox.apiUrl } = sandbox.#server);
    }
    return sandbox;
  }

  static shared() {
    shared ??= Sandbox.start();
    return shared;
  }

  async #discoverApiUrl() {
    try {
      return (await this.control("GET", "/")).api_url;
    } catch (cause) {
      throw new UnderstudyError(`get the API URL from the server at UNDERSTUDY_CONTROL_URL: ${cause.message}`, { cause });
    }
  }

  async tenant({ name, permissions, settings } = {}) {
    return new Tenant(this, await this.control("POST", "/tenants", { name, permissions, settings }));
  }

  async control(method, path, body, query) {
    return (await this.controlResponse(method, path, body, query)).check().json();
  }

  // controlResponse is like control, but resolves to the response, whatever its status is.
  async controlResponse(method, path, body, query = {}) {
    const headers = {};
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined)).toString();
    const url = `${this.controlUrl}/control/v1${path}${given && "?" + given}`;
    return this.send(method, url, headers, body === undefined ? undefined : JSON.stringify(body));
  }

  // send sends a request to the server. If there is no response because the server has exited, the error contains the
  // server's last output.
  async send(method, url, headers, body) {
    try {
      return await send(method, url, headers, body);
    } catch (cause) {
      if (!this.#server?.exited) throw cause;
      throw new UnderstudyError(`${cause.message}; the server has exited:\n${this.#server.lastOutput()}`, { cause });
    }
  }

  async close() {
    await this.#server?.stop();
  }

  [asyncDispose]() {
    return this.close();
  }
}
