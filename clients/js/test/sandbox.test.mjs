// Tests of starting and finding a server.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { Sandbox } from "understudy";
import globalSetup from "understudy/global-setup";

import { findBinary, READY_LINE } from "../lib/process.js";

// withEnv sets variables until the test ends; undefined removes one.
function withEnv(t, variables) {
  const before = { ...process.env };
  t.after(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  });
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

const NO_SERVER = { UNDERSTUDY_CONTROL_URL: undefined, UNDERSTUDY_API_URL: undefined, UNDERSTUDY_BIN: undefined };

test("a started server ends with close", async (t) => {
  withEnv(t, { DATABASE_URL: "postgres://the/test's own" }); // must not reach the server
  const sandbox = await Sandbox.start({ binary: findBinary() });
  const tenant = await sandbox.tenant();
  assert.ok(await tenant.token());
  await sandbox.close();
  await assert.rejects(sandbox.control("GET", "/tenants"), /the server has exited:\n/);
});

test("a running server is found", async (t) => {
  const running = await Sandbox.shared();
  withEnv(t, { ...NO_SERVER, UNDERSTUDY_CONTROL_URL: running.controlUrl + "/" });
  const found = await Sandbox.start();
  assert.deepEqual([found.controlUrl, found.apiUrl], [running.controlUrl, running.apiUrl]);
  withEnv(t, { UNDERSTUDY_API_URL: "http://api.example/" });
  assert.equal((await Sandbox.start()).apiUrl, "http://api.example");
  await found.close();
  assert.ok(await running.control("GET", "/tenants"));
});

test("the global setup starts a server that the test files find", async (t) => {
  const binary = findBinary();
  withEnv(t, { ...NO_SERVER, UNDERSTUDY_BIN: binary });
  const teardown = await globalSetup();
  const found = await Sandbox.start();
  assert.ok(await found.control("GET", "/tenants"));
  await teardown();
  await assert.rejects(found.control("GET", "/tenants"), { code: "ECONNREFUSED" });
});

test("there is no binary", async (t) => {
  withEnv(t, { ...NO_SERVER, PATH: "/nowhere" });
  await assert.rejects(Sandbox.start(), {
    name: "StartError",
    message: /set UNDERSTUDY_BIN .* or install understudy in a directory of PATH/,
  });
  await assert.rejects(Sandbox.start({ binary: "/nowhere/understudy" }), { name: "StartError", message: /ENOENT/ });
});

test("the server does not start", async (t) => {
  const directory = await mkdtemp(path.join(tmpdir(), "understudy-"));
  t.after(() => rm(directory, { recursive: true }));
  const binary = path.join(directory, "broken");
  await writeFile(binary, "#!/bin/sh\necho 'no room' >&2; exit 1\n", { mode: 0o755 });
  await assert.rejects(Sandbox.start({ binary }), { message: "the server did not start:\nno room\n" });
});

test("a running server does not respond", async () => {
  const message = /^get the API URL from the server at UNDERSTUDY_CONTROL_URL: /;
  await assert.rejects(Sandbox.start({ controlUrl: "http://127.0.0.1:1" }), { message });
});

test("the control API refuses a call", async () => {
  const sandbox = await Sandbox.shared();
  const message = /^POST \/control\/v1\/tenants: 400 Bad Request: /;
  await assert.rejects(sandbox.tenant({ name: "Not A Name" }), { status: 400, message });
});

test("the ready line is recognised in both formats", () => {
  for (const line of [
    "level=INFO msg=ready api=http://127.0.0.1:8080 control=http://127.0.0.1:8081",
    '{"level":"INFO","msg":"ready","api":"http://127.0.0.1:8080","control":"http://127.0.0.1:8081"}',
  ]) {
    assert.deepEqual(READY_LINE.exec(line)?.slice(1), ["http://127.0.0.1:8080", "http://127.0.0.1:8081"]);
  }
});
