// Fifty tests in parallel on one server.
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { Sandbox } from "understudy";

describe("fifty tests", { concurrency: 10 }, () => {
  for (let n = 0; n < 50; n++) {
    it(`submission ${n}`, async () => {
      const s = await (await Sandbox.shared()).tenant();
      try {
        const receiver = await s.receiver({ events: ["universal_submit"] });
        if (n % 2) await s.outcome("letter*", { status: "Failed" });
        const txId = await s.submit(`letter${n}.txt`, "Insured: Foxglove Bakery LLC");
        await s.advance("1m");
        const want = n % 2 ? "Failed" : "Completed";
        assert.equal(await s.status(txId), want);
        assert.equal((await receiver.wait(`universal_submit:${want.toLowerCase()}`)).data.tx_id, txId);
        await s.assertNoFindings();
      } finally {
        await s.delete();
      }
    });
  }
});
