/** For tests that run against Understudy. Responses of the control API have its field names; GET /control/v1/openapi.json documents them in full. */

declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** A duration such as "12h" or "1m30s", or a number of milliseconds. */
export type Duration = string | number;

/** The base class of all errors of this package. */
export class UnderstudyError extends Error {}

/** The server's binary was not found, or the server did not start. */
export class StartError extends UnderstudyError {}

/** The server refused a call of the API or the control API. */
export class APIError extends UnderstudyError {
  /** Method and path. */
  readonly call: string;
  readonly status: number;
  /** From the body of the response. */
  readonly apiMessage: string;
  /** How to fix the call; "" if the server gave no hint. */
  readonly hint: string;
}

/** An event did not happen within the timeout. */
export class NoEventError extends UnderstudyError {
  /** The newest other events. */
  readonly seen: object[];
}

export interface SandboxOptions {
  /** Path of the binary of a new server. */
  binary?: string;
  /** Overrides UNDERSTUDY_CONTROL_URL. */
  controlUrl?: string;
  /** Overrides UNDERSTUDY_API_URL. */
  apiUrl?: string;
  /** Overrides UNDERSTUDY_CONTROL_TOKEN. */
  controlToken?: string;
}

/** A server that was started or found. */
export class Sandbox {
  private constructor();
  /**
   * Finds the running server that UNDERSTUDY_CONTROL_URL names, or else starts a new one, with UNDERSTUDY_BIN or
   * understudy on PATH. A new server listens on free ports of the loopback interface, keeps its data in a temporary
   * directory, and stops when this process ends for any reason.
   */
  static start(options?: SandboxOptions): Promise<Sandbox>;
  /** Returns the server that all tests of this process share. The first call finds or starts it. */
  static shared(): Promise<Sandbox>;
  /** URL of the API, such as http://127.0.0.1:8080 */
  readonly apiUrl: string;
  /** URL of the control listener, such as http://127.0.0.1:8081 */
  readonly controlUrl: string;
  /** Creates a tenant. Call its method delete at the end of the test. */
  tenant(options?: TenantOptions): Promise<Tenant>;
  /** Calls the control API and returns the JSON of the response. path is relative to /control/v1. */
  control(method: string, path: string, body?: unknown, query?: Record<string, unknown>): Promise<any>;
  /** Stops the server, if this object started it. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TenantOptions {
  /** 1 to 63 lower-case letters, digits and hyphens, unique on the server; random by default. */
  name?: string;
  /** Permissions of the client, such as "::data/v2:get"; all by default. */
  permissions?: string[];
  settings?: Settings;
}

/** Settings of a tenant; null restores a default. */
export interface Settings {
  pacing?: { mode: "immediate" | "timed" | "polls"; scheduled?: string; started?: string; finished?: string; per_state?: number } | null;
  status_vocabulary?: "processing" | "polling" | null;
  rate_limit?: number | null;
  webhooks?: "send" | "collect" | null;
  id_seed?: number | null;
  max_submissions?: number | null;
  max_stored_bytes?: number | null;
  max_upload_bytes?: number | null;
  trailing_whitespace?: boolean | null;
}

/** Selects submissions and companies. All fields that are set must match. */
export interface Match {
  /** Exact, or with * for any sequence of characters. */
  filename?: string;
  sha256?: string;
  company_name?: string;
}

export interface Outcome {
  status?: "Completed" | "Failed" | "Review_required";
  facts?: Record<string, unknown>;
  options?: Record<string, unknown>;
  locations?: Record<string, unknown>[];
  packages?: Record<string, unknown>;
  raw?: boolean;
  /** Additional processing time. */
  after?: Duration;
}

export interface Fault {
  /** Of the response. */
  status?: number;
  body?: unknown;
  delay?: Duration;
  drop?: boolean;
  /** Affect only the first calls. */
  times?: number;
  /** Affect only every n-th call. */
  every?: number;
  probability?: number;
  seed?: string;
  expires?: Duration;
}

/** A fault of webhook deliveries. */
export interface DeliveryFault extends Fault {
  /** A subject, "subject:action", or "*". */
  delivery: string;
  duplicate?: number;
  reorder?: boolean;
  wrong_signature?: boolean;
  truncate?: boolean;
}

export interface CreatedFault {
  id: string;
  route?: string;
  delivery?: string;
  /** Calls or deliveries that matched. */
  calls: number;
  /** Calls or deliveries that it affected. */
  acted: number;
  [field: string]: unknown;
}

/** An entry of a tenant's feed. */
export interface Event {
  /** Position in the feed, for the option after of awaitEvent. */
  cursor: string;
  at: string;
  kind: "state" | "call" | "delivery" | "expired";
  /** "subject:action" */
  event: string;
  tx_id?: string;
  data: any;
}

/** What happened while the clock was moved. */
export interface Effect {
  kind: "state" | "expired" | "delivery";
  at: string;
  tx_id?: string;
  /** Kind "state": the new status. */
  status?: string;
  /** Kind "expired": "upload_url", "access_token", "client_secret" or "fault". */
  what?: string;
  [field: string]: unknown;
}

/** A mistake that the tenant's clients have made. */
export interface Finding {
  rule: string;
  message: string;
  advice: string;
  count: number;
  evidence: string[];
}

/** A recorded call of the API. Secrets in it are masked. */
export interface Request {
  id: string;
  at: string;
  method: string;
  path: string;
  route: string;
  status: number;
  reason: string;
  [field: string]: any;
}

export interface RequestFilter {
  /** Method and pattern, or the pattern alone. */
  route?: string;
  method?: string;
  /** A code, or a class such as "5xx". */
  status?: number | string;
  txId?: string;
  clientId?: string;
  /** A part of the path or its query. */
  path?: string;
}

export interface ReceiverOptions {
  /** Subjects, such as "universal_submit", or "*". */
  events?: string[];
  /** Status of the responses; 200 by default. */
  status?: number;
  /** Random by default. */
  secret?: string;
  /** Name of this machine in the receiver's URL. Unless it is 127.0.0.1, the receiver listens on all interfaces. */
  host?: string;
}

/**
 * A tenant, with the credentials that a client needs, and methods to control it. token, submit and status call the API,
 * as a client of the tenant does. Everything else calls the control API, which faults, permissions and rate limits do
 * not affect. Times are on the tenant's clock, except for timeouts.
 */
export class Tenant {
  private constructor();
  readonly sandbox: Sandbox;
  readonly apiUrl: string;
  readonly controlUrl: string;
  readonly name: string;
  readonly tenantUuid: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
  readonly companyPackageId: string;
  readonly locationPackageId: string;
  readonly userId: string;

  /** Requests a new access token, which is valid for 12 hours. */
  token(): Promise<string>;
  /** Submits a file and returns the tx_id, without waiting for the submission to be processed. */
  submit(filename: string, content: string | Uint8Array, contentType?: string): Promise<string>;
  /** Returns the status of a submission, such as "Completed", from the API's status call. */
  status(txId: string, options?: { token?: string }): Promise<string>;

  /** Calls the control API, for operations without a method here. path is relative to the tenant's, such as "/coverage". */
  control(method: string, path: string, body?: unknown, query?: Record<string, unknown>): Promise<any>;
  /** Waits until a submission has ended, and returns its final status. The timeout is in milliseconds, 30 s by default. */
  wait(txId: string, options?: { timeout?: number }): Promise<string>;
  /**
   * Waits for the first event that matches, and returns it at once if it has already happened. event is
   * "subject:action", such as "universal_submit:completed", a subject, "call", "delivery", or "*". after is the cursor
   * of an event; that one and earlier ones are ignored. The timeout is in milliseconds, 5 s by default.
   */
  awaitEvent(event: string, options?: { txId?: string; timeout?: number; after?: string }): Promise<Event>;
  /** Returns the response of the data inquiry for a completed submission. By default: the company's, in version 2. */
  inquiry(txId: string, options?: { packageId?: string; version?: 1 | 2 | 3 | 4 | 5 }): Promise<any>;
  /** Returns the current time of the tenant's clock. */
  now(): Promise<Date>;
  /** Moves the clock forward, and waits until everything that becomes due in that period is done. */
  advance(by: Duration): Promise<Effect[]>;
  /** Moves the clock forward to a time, and otherwise works like advance. */
  setClock(at: Date | string): Promise<Effect[]>;
  /** Stops the clock. advance and setClock still move it. */
  freeze(): Promise<void>;
  /** Lets the clock run on from the time that it shows. */
  unfreeze(): Promise<void>;
  /** Changes settings and returns all of them. */
  settings(changes?: Settings): Promise<Settings>;
  /** Sets how matching submissions and companies end from now on. A string is a pattern of filenames. */
  outcome(match: string | Match, outcome: Outcome): Promise<void>;
  clearOutcomes(): Promise<void>;
  /** Makes matching calls fail from now on. route is a path of the API, optionally with a method before it, or "*". */
  fault(route: string, fault: Fault): Promise<CreatedFault>;
  /** Makes matching webhook deliveries fail from now on. */
  fault(fault: DeliveryFault): Promise<CreatedFault>;
  /** Returns the faults, with the number of calls that each has affected. */
  faults(): Promise<CreatedFault[]>;
  clearFaults(): Promise<void>;
  /** Creates a webhook subscription and returns its id. events are subjects, or "*". */
  subscribe(url: string, events?: string[], subscription?: { name?: string; header?: string; secret?: string }): Promise<string>;
  /** Deletes a subscription that subscribe created, with its deliveries. */
  unsubscribe(hookId: string): Promise<void>;
  /** Starts a webhook receiver and subscribes it to events. It stops when the tenant is deleted. */
  receiver(options?: ReceiverOptions): Promise<Receiver>;
  /** Publishes an event, named "subject:action", to the tenant's webhook subscriptions. */
  event(name: string, data?: unknown): Promise<{ event_id: string; subscriptions: number }>;
  /** Returns the webhook deliveries with their attempts, newest first. */
  deliveries(): Promise<any[]>;
  /** Returns the calls of the API that match, newest first. */
  requests(filter?: RequestFilter): Promise<Request[]>;
  /** Returns the mistakes that the tenant's clients and webhook receivers have made. */
  findings(): Promise<Finding[]>;
  /** Throws an AssertionError with the findings, if there are any. */
  assertNoFindings(): Promise<void>;
  /** Deletes everything that belongs to the tenant, and resets its clock and settings. Its credentials stay. */
  reset(): Promise<void>;
  /** Deletes the tenant, unless UNDERSTUDY_KEEP_TENANTS is 1, and stops its receivers. */
  delete(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A delivery that a receiver got. */
export interface ReceivedEvent {
  /** The same in every delivery of the event. */
  readonly id: string;
  /** "subject:action" */
  readonly event: string;
  readonly data: any;
  /** As it was received. */
  readonly body: Uint8Array;
  /** With names in lower case. */
  readonly headers: Record<string, string | string[] | undefined>;
  /** Of the response. */
  readonly status: number;
}

/**
 * A webhook receiver that is subscribed to a tenant's events. It verifies the signature of each delivery. A delivery
 * with a wrong signature gets the response 401 and is added to rejected. Every other delivery gets the response
 * status and is added to events.
 */
export class Receiver {
  private constructor();
  readonly url: string;
  readonly secret: string;
  readonly hookId: string;
  /** Of responses from now on. */
  status: number;
  readonly events: ReceivedEvent[];
  readonly rejected: ReceivedEvent[];
  /**
   * Waits for the next delivery of an event: the first that wait has not returned yet. event is "subject:action", a
   * subject, or "*". The timeout is in milliseconds, 10 s by default.
   */
  wait(event?: string, options?: { timeout?: number }): Promise<ReceivedEvent>;
  /** Deactivates the subscription, and stops the receiver. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
