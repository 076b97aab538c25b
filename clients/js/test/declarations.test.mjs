// Compares index.d.ts with the module.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import * as module from "understudy";

const text = await readFile(new URL("../index.d.ts", import.meta.url), "utf8");

// declared returns the members of a class in index.d.ts, or only its methods.
function declared(name, methods = false) {
  const body = new RegExp(`^export class ${name}\\b[^{]*\\{\n(.*?)^\\}`, "ms").exec(text)?.[1] ?? "";
  const found = [...body.matchAll(/^  (static )?(?:readonly )?(\w+|\[Symbol\.\w+\])([(:])/gm)];
  const members = found.filter((member) => !methods || member[3] === "(").map(([, isStatic = "", member]) => isStatic + member);
  return new Set(members);
}

test("index.d.ts has the exported classes", () => {
  const classes = [...text.matchAll(/^export class (\w+)/gm)].map((match) => match[1]);
  assert.deepEqual(classes.sort(), Object.keys(module).sort());
});

test("index.d.ts has the classes' methods, and no others", () => {
  const internal = ["constructor", "name", "controlResponse", "send", "length", "prototype"];
  for (const name of ["Sandbox", "Tenant", "Receiver"]) {
    const actual = [
      ...Reflect.ownKeys(module[name].prototype).map((key) => (typeof key === "symbol" ? "[Symbol.asyncDispose]" : key)),
      ...Object.getOwnPropertyNames(module[name]).map((key) => `static ${key}`),
    ].filter((key) => !internal.includes(key.replace("static ", "")));
    const expected = [...declared(name, true)];
    if (name === "Receiver") expected.push("static start"); // only for Tenant
    assert.deepEqual(actual.sort(), expected.filter((key) => key !== "constructor").sort(), name);
  }
});

test("index.d.ts has the properties of objects", async (t) => {
  const tenant = await (await module.Sandbox.shared()).tenant();
  t.after(() => tenant.delete());
  for (const object of [tenant.sandbox, tenant, await tenant.receiver()]) {
    const members = declared(object.constructor.name);
    for (const key of Object.keys(object)) assert.ok(members.has(key), `${object.constructor.name}.${key}`);
  }
});
