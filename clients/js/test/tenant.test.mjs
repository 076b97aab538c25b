// Tests of the tenant's methods, on a real server.
import assert from "node:assert/strict";
import { test } from "node:test";

import { APIError, NoEventError, Sandbox } from "understudy";

const LETTER = "Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n";
const STATUS = "GET /universal/v2/universal-submit/status/{tx_id}";

// tenant creates a tenant for the test.
async function tenant(t, options) {
  const created = await (await Sandbox.shared()).tenant(options);
  t.after(() => created.delete());
  return created;
}

test("a submission completes", async (t) => {
  const s = await tenant(t, { settings: { pacing: { mode: "immediate" } } });
  const txId = await s.submit("letter.txt", LETTER);
  assert.equal(await s.wait(txId), "Completed");
  assert.equal(await s.status(txId), "Completed");
  assert.equal((await s.inquiry(txId)).data.facts.company_name, "Foxglove Bakery LLC");
  assert.ok(Array.isArray((await s.inquiry(txId, { packageId: s.locationPackageId })).data));
  await s.assertNoFindings();
});

test("a filename is escaped", async (t) => {
  const s = await tenant(t);
  const filename = 'Schadenübersicht "2026".txt';
  const txId = await s.submit(filename, Buffer.from(LETTER), "text/plain");
  assert.equal((await s.control("GET", `/transactions/${txId}`)).filename, filename);
});

test("an outcome, and the clock", async (t) => {
  const s = await tenant(t);
  await s.outcome("broken.*", { status: "Failed", after: 5_000 });
  const txId = await s.submit("broken.txt", LETTER);
  const states = (await s.advance(60_000)).filter((e) => e.kind === "state").map((e) => e.status);
  assert.equal(states.at(-1), "Failed");
  assert.equal(await s.status(txId), "Failed");
  assert.equal(await s.wait(txId), "Failed");
});

test("a frozen clock", async (t) => {
  const s = await tenant(t);
  await s.freeze();
  await s.setClock(new Date((await s.now()).getTime() + 86_400_000));
  assert.deepEqual(await s.now(), await s.now());
  const txId = await s.submit("letter.txt", LETTER);
  await assert.rejects(s.wait(txId, { timeout: 0 }), {
    name: "NoEventError",
    message: /has not ended within 0 s; its status is Submission_in_progress/,
  });
  await s.unfreeze();
  await s.advance("1h");
  assert.equal(await s.wait(txId), "Completed");
});

test("a fault", async (t) => {
  const s = await tenant(t);
  const txId = await s.submit("letter.txt", LETTER);
  await s.fault(STATUS, { status: 503, times: 1 });
  await assert.rejects(s.status(txId), { status: 503 });
  assert.notEqual(await s.status(txId), "");
  assert.equal((await s.faults())[0].acted, 1);
  assert.deepEqual((await s.requests({ route: STATUS })).map((r) => r.status), [200, 503]);
  assert.equal((await s.requests({ status: "5xx" })).length, 1);
  await s.clearFaults();
  assert.deepEqual(await s.faults(), []);
});

test("a token expires", async (t) => {
  const s = await tenant(t);
  const txId = await s.submit("letter.txt", LETTER);
  const token = await s.token();
  assert.ok(await s.status(txId, { token }));
  await s.advance("12h1s");
  await assert.rejects(s.status(txId, { token }), { status: 401 });
  assert.equal(await s.status(txId), "Completed"); // with a new token
});

test("errors have status, message and hint", async (t) => {
  const s = await tenant(t);
  await assert.rejects(s.status("01a2026c-9509-7364-8e1b-88a841bf7f26"), (error) => {
    assert.ok(error instanceof APIError);
    assert.deepEqual([error.status, error.apiMessage], [404, "Transaction not found"]);
    assert.match(error.hint, /use the tx_id of the file-upload-url response/);
    assert.ok(error.message.includes(error.hint));
    return true;
  });
  await assert.rejects(s.settings({ rate_limits: 5 }), /rate_limits/);
});

test("awaitEvent", async (t) => {
  const s = await tenant(t);
  const message = /^no event universal_submit:completed within 0.2 s; events seen instead:/;
  await assert.rejects(s.awaitEvent("universal_submit:completed", { timeout: 200 }), { message });
  const waiting = s.awaitEvent("universal_submit:completed", { timeout: 30_000 });
  const txId = await s.submit("letter.txt", LETTER);
  await s.advance("1m");
  await waiting;
  const event = await s.awaitEvent("universal_submit:completed", { txId });
  assert.deepEqual([event.tx_id, event.data.status], [txId, "Completed"]);
  await assert.rejects(s.awaitEvent("universal_submit", { after: event.cursor, timeout: 0 }), NoEventError);
});

test("findings", async (t) => {
  const s = await tenant(t);
  await s.assertNoFindings();
  const token = await s.token();
  const txId = await s.submit("letter.txt", LETTER);
  await s.advance("13h");
  for (let i = 0; i < 3; i++) await assert.rejects(s.status(txId, { token }));
  assert.notEqual((await s.findings()).length, 0);
  const message = new RegExp(`^findings about the clients of tenant ${s.name}:`);
  await assert.rejects(s.assertNoFindings(), { name: "AssertionError", message });
});

test("a reset", async (t) => {
  const s = await tenant(t);
  const txId = await s.submit("letter.txt", LETTER);
  await s.reset();
  await assert.rejects(s.status(txId), { status: 404 });
});

test("a tenant with name, permissions and settings", async (t) => {
  const name = `reader-${process.pid}`;
  const s = await tenant(t, { name, permissions: ["::data/v2:get"], settings: { rate_limit: 7 } });
  assert.equal(s.name, name);
  assert.equal((await s.settings()).rate_limit, 7);
  await assert.rejects(s.submit("letter.txt", LETTER), { status: 403 });
});

test("a tenant is deleted, unless UNDERSTUDY_KEEP_TENANTS is 1", async (t) => {
  const s = await tenant(t);
  process.env.UNDERSTUDY_KEEP_TENANTS = "1";
  await s.delete();
  delete process.env.UNDERSTUDY_KEEP_TENANTS;
  assert.ok(await s.now());
  await s[Symbol.asyncDispose]();
  await assert.rejects(s.now(), { status: 404 });
});
