import { STATUS_CODES } from "node:http";

export class UnderstudyError extends Error {
  get name() {
    return this.constructor.name;
  }
}

export class StartError extends UnderstudyError {}

export class APIError extends UnderstudyError {
  constructor(call, status, apiMessage, hint) {
    const text = `${call}: ${status} ${STATUS_CODES[status] ?? ""}: ${apiMessage}`;
    super(hint && hint !== apiMessage ? `${text}\nhint: ${hint}` : text);
    Object.assign(this, { call, status, apiMessage, hint });
  }
}

export class NoEventError extends UnderstudyError {
  constructor(message, seen) {
    super(message);
    this.seen = seen;
  }
}
