// asyncDispose is the name of the method that `await using` calls. Node has it since 18.18.
export const asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");
