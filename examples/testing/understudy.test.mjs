// Tests of a client against a running Understudy. Needs Node 20, nothing else:
//
//     node --test understudy.test.mjs
//
// UNDERSTUDY_CONTROL_URL and UNDERSTUDY_CONTROL_TOKEN tell where its control
// listener is, when it is not where `go run ./cmd/server` puts it; that one
// tells where the API is, unless UNDERSTUDY_API_URL does. Let your client make
// the calls that status makes here.
import assert from "node:assert/strict";
import { test } from "node:test";

const CONTROL = (process.env.UNDERSTUDY_CONTROL_URL ?? "http://127.0.0.1:8081") + "/control/v1";
const CONTROL_TOKEN = process.env.UNDERSTUDY_CONTROL_TOKEN;

const DOCUMENT = "Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n";
const STATUS = "/universal/v2/universal-submit/status/";

// answered is the JSON of an answer, which must be a good one.
async function answered(pending) {
  const answer = await pending;
  const text = await answer.text();
  assert.ok(answer.ok, `${answer.url}: ${answer.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

// control calls the control API.
function control(method, path, body) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (CONTROL_TOKEN) headers.Authorization = `Bearer ${CONTROL_TOKEN}`;
  return answered(fetch(CONTROL + path, { method, headers, body: JSON.stringify(body) }));
}

const API = process.env.UNDERSTUDY_API_URL || (await control("GET", "")).api_url;

// sandbox is a tenant of the test's own, deleted with it.
async function sandbox(t) {
  const tenant = await control("POST", "/tenants", {});
  const path = `/tenants/${tenant.name}`;
  t.after(() => control("DELETE", path));

  const token = async () => {
    const credentials = Buffer.from(`${tenant.client_id}:${tenant.client_secret}`).toString("base64");
    const granted = await answered(fetch(`${API}/auth/token?grant_type=client_credentials`, {
      method: "POST", headers: { Authorization: `Basic ${credentials}` },
    }));
    return granted.access_token;
  };
  const headersWith = (token) => ({ Authorization: `Bearer ${token}`, "x-api-key": tenant.api_key });

  return {
    token,
    control: (method, inside, body) => control(method, path + inside, body),

    // submit submits a document as a client does; it returns its tx_id.
    async submit(filename, document) {
      const headers = headersWith(await token());
      const submits = `${API}/universal/v2/universal-submit`;
      const place = await answered(fetch(`${submits}/file-upload-url`, {
        method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify({ filename }),
      }));
      const form = new FormData();
      form.append("file", new Blob([document], { type: "text/plain" }), filename);
      await answered(fetch(place.upload_url, { method: "PUT", body: form }));
      await answered(fetch(`${submits}/file/${place.tx_id}`, { method: "POST", headers }));
      return place.tx_id;
    },

    // status asks for a submission's status, as your client does.
    async status(token, txID) {
      const answer = await fetch(API + STATUS + txID, { headers: headersWith(token) });
      return { code: answer.status, state: (await answer.json()).status };
    },
  };
}

test("a submission that ends Failed: on demand, and without waiting for it", async (t) => {
  const s = await sandbox(t);
  await s.control("PUT", "/outcomes", { match: { filename: "broken.*" }, status: "Failed" });
  const txID = await s.submit("broken.txt", DOCUMENT);
  await s.control("POST", "/clock", { advance: "1m" });
  assert.deepEqual(await s.status(await s.token(), txID), { code: 200, state: "Failed" });
});

test("a service that is away for one call", async (t) => {
  const s = await sandbox(t);
  const txID = await s.submit("letter.txt", DOCUMENT);
  await s.control("POST", "/faults", { route: `GET ${STATUS}{tx_id}`, status: 503, times: 1 });
  const token = await s.token();
  assert.equal((await s.status(token, txID)).code, 503);
  assert.equal((await s.status(token, txID)).code, 200);
});

test("a token that expires, twelve hours later", async (t) => {
  const s = await sandbox(t);
  const txID = await s.submit("letter.txt", DOCUMENT);
  const token = await s.token();
  assert.equal((await s.status(token, txID)).code, 200);
  await s.control("POST", "/clock", { advance: "12h1s" });
  assert.equal((await s.status(token, txID)).code, 401);
  assert.deepEqual(await s.status(await s.token(), txID), { code: 200, state: "Completed" });
});
