// For tests that run against Understudy. README.md shows how to use this package, and
// index.d.ts describes everything that it exports.
export { APIError, NoEventError, StartError, UnderstudyError } from "./lib/errors.js";
export { Receiver } from "./lib/receiver.js";
export { Sandbox } from "./lib/sandbox.js";
export { Tenant } from "./lib/tenant.js";
