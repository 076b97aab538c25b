/** Starts one server for all files of a test run, or finds the one that UNDERSTUDY_CONTROL_URL names. */
export function globalSetup(): Promise<void>;
/** Stops the server that globalSetup started. */
export function globalTeardown(): Promise<void>;
/** Calls globalSetup and returns globalTeardown. */
export default function (): Promise<() => Promise<void>>;
