// Tests of the webhook receiver.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Sandbox } from "understudy";

async function tenant(t) {
  const created = await (await Sandbox.shared()).tenant();
  t.after(() => created.delete());
  return created;
}

test("a submission is delivered", async (t) => {
  const s = await tenant(t);
  const receiver = await s.receiver({ events: ["universal_submit"] });
  const txId = await s.submit("letter.txt", "Insured: Foxglove Bakery LLC");
  await s.advance("1m");
  const received = await receiver.wait("universal_submit:completed");
  assert.equal(received.data.tx_id, txId);
  assert.equal(received.headers["x-request-id"], received.id);
  assert.deepEqual(receiver.rejected, []);
});

test("wait returns each delivery once", async (t) => {
  const s = await tenant(t);
  const receiver = await s.receiver();
  await s.fault({ delivery: "hook:test", duplicate: 1, times: 1 });
  const waiting = receiver.wait("hook:test");
  const fired = await s.event("hook:test", { n: 1 });
  assert.equal(fired.subscriptions, 1);
  const [first, second] = [await waiting, await receiver.wait("hook")];
  assert.deepEqual([first.id, second.id], [fired.event_id, fired.event_id]);
  assert.notEqual(first.headers["x-delivery-id"], second.headers["x-delivery-id"]);
  const message = /^no delivery of \* within 0 s; deliveries received:\n  hook:test/;
  await assert.rejects(receiver.wait("*", { timeout: 0 }), { message });
});

test("a failed delivery is retried", async (t) => {
  const s = await tenant(t);
  const receiver = await s.receiver({ status: 500 });
  await s.event("hook:test");
  assert.equal((await receiver.wait()).status, 500);
  await s.awaitEvent("delivery");
  receiver.status = 204;
  await s.advance("1m");
  assert.equal((await receiver.wait()).status, 204);
  assert.deepEqual((await s.deliveries()).map((d) => d.state), ["delivered"]);
});

test("a wrong signature is rejected", async (t) => {
  const s = await tenant(t);
  const receiver = await s.receiver({ secret: "s3cret" });
  await s.fault({ delivery: "*", wrong_signature: true, times: 1 });
  await s.event("hook:test");
  await s.awaitEvent("delivery");
  assert.deepEqual(receiver.rejected.map((r) => r.status), [401]);
  assert.deepEqual(receiver.events, []);
  await s.advance("1m");
  assert.equal((await receiver.wait("hook:test")).status, 200);
});

test("a large body is refused", async (t) => {
  const receiver = await (await tenant(t)).receiver();
  const response = await fetch(receiver.url, { method: "POST", body: Buffer.alloc((64 << 20) + 1) });
  assert.equal(response.status, 413);
  assert.deepEqual(receiver.rejected, []);
});

test("a closed receiver gets no events", async (t) => {
  const s = await tenant(t);
  const receiver = await s.receiver();
  await receiver.close();
  assert.equal((await s.event("hook:test")).subscriptions, 0);
  await assert.rejects(fetch(receiver.url), (error) => error.cause.code === "ECONNREFUSED");
});
