// Starts one server for all files of a test run. For the setting globalSetup of Jest and Vitest, and for Node's
// --test-global-setup.
import { Sandbox } from "./index.js";

let sandbox;

export async function globalSetup() {
  sandbox = await Sandbox.start();
  process.env.UNDERSTUDY_CONTROL_URL = sandbox.controlUrl;
  process.env.UNDERSTUDY_API_URL = sandbox.apiUrl;
}

export async function globalTeardown() {
  await sandbox?.close();
}

// Vitest calls the function that this returns. Jest does not: the server stops when Jest's process ends.
export default async function () {
  await globalSetup();
  return globalTeardown;
}
