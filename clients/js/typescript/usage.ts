// Compiled in a test, to check that index.d.ts is valid and as strict as it should be.
import setup from "understudy/global-setup";
import { APIError, NoEventError, Sandbox, type Event, type Receiver, type Tenant } from "understudy";

export async function usage(): Promise<void> {
  const sandbox: Sandbox = await Sandbox.start({ controlUrl: "http://127.0.0.1:8081" });
  const tenant: Tenant = await sandbox.tenant({ settings: { pacing: { mode: "immediate" }, rate_limit: null } });
  await tenant.outcome("broken.*", { status: "Failed", after: "5s" });
  // @ts-expect-error: no such status
  await tenant.outcome({ filename: "broken.*" }, { status: "Broken" });
  await tenant.fault("GET /universal/v2/universal-submit/status/{tx_id}", { status: 503, times: 1 });
  await tenant.fault({ delivery: "*", duplicate: 1 });
  // @ts-expect-error: neither a route nor a delivery
  await tenant.fault({ status: 503 });
  const txId: string = await tenant.submit("broken.txt", new Uint8Array());
  const event: Event = await tenant.awaitEvent("universal_submit:failed", { txId, timeout: 1000 });
  const receiver: Receiver = await tenant.receiver({ events: ["universal_submit"] });
  receiver.status = 500;
  // @ts-expect-error: read-only
  receiver.url = event.cursor;
  // @ts-expect-error: only a sandbox creates tenants
  new Tenant();
  const dispose: () => Promise<void> = tenant[Symbol.asyncDispose];
  const teardown: () => Promise<void> = await setup();
  try {
    await tenant.wait(txId);
  } catch (error) {
    if (error instanceof APIError) console.log(error.status, error.apiMessage, error.hint);
    if (error instanceof NoEventError) console.log(error.seen.length);
    throw error;
  } finally {
    await dispose();
    await teardown();
  }
}
