// Example tests of a client against a running Understudy. Requires only Node 20:
//
//     node --test understudy.test.mjs
//
// UNDERSTUDY_CONTROL_URL is the URL of the control listener, by default that of
// `go run ./cmd/server`. UNDERSTUDY_CONTROL_TOKEN is its token, if it requires
// one. UNDERSTUDY_API_URL is the URL of the API, by default the one that the
// control listener reports. Replace the function status with your client.
import assert from "node:assert/strict";
import { test } from "node:test";

const CONTROL = (process.env.UNDERSTUDY_CONTROL_URL ?? "http://127.0.0.1:8081") + "/control/v1";
const CONTROL_TOKEN = process.env.UNDERSTUDY_CONTROL_TOKEN;

const DOCUMENT = "Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n";
const STATUS = "/universal/v2/universal-submit/status/";

// fetchJSON returns the JSON of the response, whose status must be 2xx.
async function fetchJSON(url, options) {
  const response = await fetch(url, options);
  const text = await response.text();
  assert.ok(response.ok, `${response.url}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

// control calls the control API.
function control(method, path, body) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (CONTROL_TOKEN) headers.Authorization = `Bearer ${CONTROL_TOKEN}`;
  return fetchJSON(CONTROL + path, { method, headers, body: JSON.stringify(body) });
}

const API = process.env.UNDERSTUDY_API_URL || (await control("GET", "")).api_url;

// sandbox creates a tenant for the test, and deletes it when the test ends.
async function sandbox(t) {
  const tenant = await control("POST", "/tenants", {});
  const path = `/tenants/${tenant.name}`;
  t.after(() => control("DELETE", path));

  const token = async () => {
    const credentials = Buffer.from(`${tenant.client_id}:${tenant.client_secret}`).toString("base64");
    const grant = await fetchJSON(`${API}/auth/token?grant_type=client_credentials`, {
      method: "POST", headers: { Authorization: `Basic ${credentials}` },
    });
    return grant.access_token;
  };
  const headersWith = (token) => ({ Authorization: `Bearer ${token}`, "x-api-key": tenant.api_key });

  return {
    token,
    control: (method, subpath, body) => control(method, path + subpath, body),

    // submit submits a document as a client does, and returns the tx_id.
    async submit(filename, document) {
      const headers = headersWith(await token());
      const submitURL = `${API}/universal/v2/universal-submit`;
      const upload = await fetchJSON(`${submitURL}/file-upload-url`, {
        method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify({ filename }),
      });
      const form = new FormData();
      form.append("file", new Blob([document], { type: "text/plain" }), filename);
      await fetchJSON(upload.upload_url, { method: "PUT", body: form });
      await fetchJSON(`${submitURL}/file/${upload.tx_id}`, { method: "POST", headers });
      return upload.tx_id;
    },

    // status gets the status of a submission. It stands for your client.
    async status(token, txID) {
      const response = await fetch(API + STATUS + txID, { headers: headersWith(token) });
      return { code: response.status, state: (await response.json()).status };
    },
  };
}

test("a submission fails on demand, without waiting", async (t) => {
  const s = await sandbox(t);
  await s.control("PUT", "/outcomes", { match: { filename: "broken.*" }, status: "Failed" });
  const txID = await s.submit("broken.txt", DOCUMENT);
  await s.control("POST", "/clock", { advance: "1m" });
  assert.deepEqual(await s.status(await s.token(), txID), { code: 200, state: "Failed" });
});

test("the service is unavailable for one call", async (t) => {
  const s = await sandbox(t);
  const txID = await s.submit("letter.txt", DOCUMENT);
  await s.control("POST", "/faults", { route: `GET ${STATUS}{tx_id}`, status: 503, times: 1 });
  const token = await s.token();
  assert.equal((await s.status(token, txID)).code, 503);
  assert.equal((await s.status(token, txID)).code, 200);
});

test("a token expires after twelve hours", async (t) => {
  const s = await sandbox(t);
  const txID = await s.submit("letter.txt", DOCUMENT);
  const token = await s.token();
  assert.equal((await s.status(token, txID)).code, 200);
  await s.control("POST", "/clock", { advance: "12h1s" });
  assert.equal((await s.status(token, txID)).code, 401);
  assert.deepEqual(await s.status(await s.token(), txID), { code: 200, state: "Completed" });
});
