// Example tests of a client with Node's test runner. In the root directory of this repository:
//
//     node --test examples/testing/understudy.test.mjs
//
// Replace tenant.submit and tenant.status with your client.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sandbox } from "../../clients/js/index.js"; // "understudy", where the package is installed

const DOCUMENT = "Insured: Foxglove Bakery LLC\nAddress: 12 Mill Street, Springfield, IL 62701\n";

// newTenant creates a tenant for the test, and deletes it when the test ends.
async function newTenant(t) {
  const tenant = await (await Sandbox.shared()).tenant();
  t.after(() => tenant.delete());
  return tenant;
}

test("a submission fails on demand, without waiting", async (t) => {
  const tenant = await newTenant(t);
  await tenant.outcome("broken.*", { status: "Failed" });
  const txId = await tenant.submit("broken.txt", DOCUMENT);
  await tenant.advance("1m");
  assert.equal(await tenant.status(txId), "Failed");
});

test("the service is unavailable for one call", async (t) => {
  const tenant = await newTenant(t);
  const txId = await tenant.submit("letter.txt", DOCUMENT);
  await tenant.fault("GET /universal/v2/universal-submit/status/{tx_id}", { status: 503, times: 1 });
  await assert.rejects(tenant.status(txId), { status: 503 });
  assert.equal(await tenant.wait(txId), "Completed");
  assert.equal(await tenant.status(txId), "Completed");
});

test("a token expires after twelve hours", async (t) => {
  const tenant = await newTenant(t);
  const txId = await tenant.submit("letter.txt", DOCUMENT);
  const token = await tenant.token();
  assert.ok(await tenant.status(txId, { token }));
  await tenant.advance("12h1s");
  await assert.rejects(tenant.status(txId, { token }), { status: 401 });
  assert.equal(await tenant.status(txId), "Completed");
});
