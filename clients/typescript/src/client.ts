/** Client of the Causeway API. Its types are generated from the OpenAPI document of the server. */
import { CausewayError, connectionError, olderServer, parse, responseError } from "./errors.js";
import type { components, operations } from "./schema.js";

/** The types of the API by name, for example Schemas["Pair"]. Amounts and prices are decimal strings. */
export type Schemas = components["schemas"];
type Query<ID extends keyof operations> = NonNullable<operations[ID]["parameters"]["query"]>;
type Body<ID extends "list-transactions" | "list-events" | "list-balances"> =
  operations[ID]["responses"][200]["content"]["application/json"];
type Validation = Omit<Schemas["ValidateRequest"], "type">;

/** A page of transactions. pagination.next_cursor is the cursor of the next page; the last page has none. */
export type TransactionPage = Body<"list-transactions">;
/** A page of events. pagination.next_cursor, sent as after, asks for the events that follow. */
export type EventPage = Body<"list-events">;
/** The balances of a user; warnings has the networks whose deposits arrive late. */
export type BalanceList = Body<"list-balances">;

type CamelCase<ID> = ID extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : ID;
/** A method for each operation of the API; the name is the operation ID. */
type Operations = { [ID in keyof operations as CamelCase<ID>]: (...args: never[]) => unknown };

/** Options of a call, or of all calls of a client. */
export interface CallOptions {
  /** ID of the user of whom the call is, in the header X-BU-PROFILE-ID. */
  user?: string;
  /** Further headers. */
  headers?: Record<string, string>;
  /** Milliseconds that one attempt may take; by default 15,000. */
  timeout?: number;
  /** Retries after 429, 502, 503, 504 and connection failures; by default 3. */
  retries?: number;
  /** Seconds of Retry-After that a retry waits for; by default 10. A longer one is an error at once. */
  maxRetryAfter?: number;
  /** Ends the call, which throws the reason of the signal. A stream just ends. */
  signal?: AbortSignal;
}

export interface Options extends CallOptions {
  /** Address of the server; by default http://localhost:8080, a sandbox on this machine. */
  baseURL?: string;
  /** API key. */
  key?: string;
}

interface Send {
  method?: string;
  query?: Record<string, string | number | string[] | undefined>;
  body?: unknown;
}

/** The snapshot has all pairs that pass the filters, a change the changed pairs: replace them by ID. */
export interface PriceEvent {
  id?: string;
  event: "snapshot" | "change";
  pairs: Schemas["Pair"][];
}

const streamSilence = 45_000; // milliseconds: three times the interval of the server's pings
const longestBackoff = 10; // seconds

export class Client implements Operations {
  readonly #options: Options;

  constructor(options: Options = {}) {
    this.#options = options;
  }

  listBanks(query: Query<"list-banks"> = {}, options?: CallOptions): Promise<Schemas["Bank"][]> {
    return this.request("/v1/banks", { query }, options);
  }

  listCountries(options?: CallOptions): Promise<Schemas["Country"][]> {
    return this.request("/v1/countries", {}, options);
  }

  listCurrencies(options?: CallOptions): Promise<Schemas["Currency"][]> {
    return this.request("/v1/currencies", {}, options);
  }

  getCurrency(code: string, options?: CallOptions): Promise<Schemas["Currency"]> {
    return this.request(`/v1/currencies/${encodeURIComponent(code)}`, {}, options);
  }

  /** Returns the name of the account holder; the error is not_found if the bank has no such account. */
  resolveAccount(body: Schemas["ResolveRequest"], options?: CallOptions): Promise<Schemas["Account"]> {
    return this.request("/v1/recipients/resolve-bank-account", { method: "POST", body }, options);
  }

  /** Reports whether an address is valid; if it is not, the verdict has a reason. */
  validateAddress(item: Validation, options?: CallOptions): Promise<Schemas["Verdict"]> {
    return this.request("/v1/validate", { method: "POST", body: { type: "address", ...item } }, options);
  }

  /** Validates up to 1,000 addresses; results have the order of the items. */
  validateAddresses(
    items: Validation[], options?: CallOptions,
  ): Promise<(Schemas["Verdict"] | Schemas["ItemError"])[]> {
    const body = { items: items.map((item) => ({ type: "address", ...item })) };
    return this.request("/v1/validate/batch", { method: "POST", body }, options);
  }

  listPairs(query: Query<"list-pairs"> = {}, options?: CallOptions): Promise<Schemas["Pair"][]> {
    return this.request("/v1/pairs", { query }, options);
  }

  getPair(id: string, options?: CallOptions): Promise<Schemas["Pair"]> {
    return this.request(`/v1/pairs/${encodeURIComponent(id)}`, {}, options);
  }

  /** Returns how the price of a pair is made. */
  explainPrice(id: string, options?: CallOptions): Promise<Schemas["Price"]> {
    return this.request(`/v1/pairs/${encodeURIComponent(id)}/price`, {}, options);
  }

  getPriceHistory(
    id: string, query: Query<"get-price-history"> = {}, options?: CallOptions,
  ): Promise<Schemas["History"]> {
    return this.request(`/v1/pairs/${encodeURIComponent(id)}/history`, { query }, options);
  }

  listAddresses(query: Query<"list-addresses"> = {}, options?: CallOptions): Promise<Schemas["Deposit"][]> {
    return this.request("/v1/addresses", { query }, options);
  }

  getAddresses(
    currency: string, query: Query<"get-addresses"> = {}, options?: CallOptions,
  ): Promise<Schemas["Deposit"][]> {
    return this.request(`/v1/addresses/${encodeURIComponent(currency)}`, { query }, options);
  }

  /** Returns the payment link of a deposit address as a code to scan: an SVG image. */
  getAddressQr(currency: string, query: Query<"get-address-qr"> = {}, options?: CallOptions): Promise<string> {
    const path = `/v1/addresses/${encodeURIComponent(currency)}/qr`;
    return this.#exchange(path, { query }, options, (text) => (text.startsWith("<svg") ? text : undefined));
  }

  /** Replaces a deposit address; a retry does not replace it twice. */
  regenerateAddress(body: Schemas["RegenerateInput"], options: CallOptions = {}): Promise<Schemas["Deposit"]> {
    const headers = { "Idempotency-Key": crypto.randomUUID(), ...options.headers };
    return this.request("/v1/addresses/regenerate", { method: "POST", body }, { ...options, headers });
  }

  findAddressOwner(query: Query<"find-address-owner">, options?: CallOptions): Promise<Schemas["AddressOwner"]> {
    return this.request("/v1/addresses/owner", { query }, options);
  }

  listTransactions(query: Query<"list-transactions"> = {}, options?: CallOptions): Promise<TransactionPage> {
    return this.#send("/v1/transactions", { query }, options);
  }

  getTransaction(id: string, options?: CallOptions): Promise<Schemas["Transaction"]> {
    return this.request(`/v1/transactions/${encodeURIComponent(id)}`, {}, options);
  }

  /** Returns what happened to the transactions of all users of the key, the oldest event first. */
  listEvents(query: Query<"list-events"> = {}, options?: CallOptions): Promise<EventPage> {
    return this.#send("/v1/events", { query }, options);
  }

  listBalances(query: Query<"list-balances"> = {}, options?: CallOptions): Promise<BalanceList> {
    return this.#send("/v1/balances", { query }, options);
  }

  getBalance(
    currency: string, query: Query<"get-balance"> = {}, options?: CallOptions,
  ): Promise<Schemas["Balance"]> {
    return this.request(`/v1/balances/${encodeURIComponent(currency)}`, { query }, options);
  }

  /**
   * Streams prices until the signal aborts. After the first event it never gives up: when the connection is lost, it
   * connects again, waiting up to 10 seconds between attempts, and continues after the last event. It throws if there
   * is no first event, or if the server rejects the request.
   */
  async *streamPairs(
    query: Query<"stream-pairs"> = {},
    options: CallOptions & { lastEventId?: string } = {},
  ): AsyncGenerator<PriceEvent, void, void> {
    const call = this.#call(options);
    let { lastEventId } = options;
    let began = false;
    for (let attempt = 0; ; attempt++) {
      try {
        for await (const event of this.#connect(query, call, lastEventId)) {
          attempt = 0;
          began = true;
          lastEventId = event.id ?? lastEventId;
          yield event;
        }
      } catch (error) {
        try {
          await waitForRetry(call, attempt, error, began);
        } catch (failure) {
          if (call.signal?.aborted) return;
          throw failure;
        }
      }
    }
  }

  /** Yields the events of one connection of the stream. */
  async *#connect(
    query: Query<"stream-pairs">, call: Call, lastEventId: string | undefined,
  ): AsyncGenerator<PriceEvent> {
    const url = this.#url("/v1/pairs/stream", query);
    const abort = new AbortController();
    const expire = () => abort.abort(new DOMException("silence", "TimeoutError"));
    let timer = setTimeout(expire, call.timeout ?? 15_000);
    let connected = false;
    try {
      const headers = {
        ...call.headers, Accept: "text/event-stream", ...(lastEventId && { "Last-Event-ID": lastEventId }),
      };
      const response = await fetch(url, { headers, signal: anyOf(abort.signal, call.signal) });
      connected = true;
      if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
        throw responseError(response, await response.text());
      }
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let buffer = "";
      for (;;) {
        clearTimeout(timer);
        timer = setTimeout(expire, streamSilence);
        const { value, done } = await reader.read();
        if (done) throw new Error("the server closed it");
        const blocks = (buffer + value).split(/\r?\n\r?\n/);
        buffer = blocks.pop()!;
        yield* blocks.map(parseEvent).filter((event) => event !== undefined);
      }
    } catch (error) {
      throw error instanceof CausewayError ? error : connectionError(url, error, connected);
    } finally {
      clearTimeout(timer);
      abort.abort(); // closes the connection if the caller leaves its loop
    }
  }

  /** Sends a request, with retries, and returns the data of the response. */
  async request<Data>(path: string, send: Send = {}, options?: CallOptions): Promise<Data> {
    return (await this.#send<{ data: Data }>(path, send, options)).data;
  }

  /** Sends a request, with retries, and returns the body of the response. */
  #send<Envelope extends { data: unknown }>(path: string, send: Send, options?: CallOptions): Promise<Envelope> {
    return this.#exchange(path, send, options, (text) => {
      const envelope = parse(text) as Partial<Envelope> | undefined;
      return envelope?.data === undefined ? undefined : (envelope as Envelope);
    });
  }

  /** Sends a request, with retries, and returns what read makes of the text of the response. */
  async #exchange<Result>(
    path: string, { method = "GET", query, body }: Send, options: CallOptions = {},
    read: (text: string) => Result | undefined,
  ): Promise<Result> {
    const url = this.#url(path, query);
    const call = this.#call(options);
    const headers = { ...(body !== undefined && { "Content-Type": "application/json" }), ...call.headers };
    for (let attempt = 0; ; attempt++) {
      let response: Response | undefined;
      let failure: CausewayError;
      try {
        const signal = anyOf(AbortSignal.timeout(call.timeout ?? 15_000), call.signal);
        response = await fetch(url, { method, headers, body: body === undefined ? null : JSON.stringify(body), signal });
        const text = await response.text();
        const result = response.ok ? read(text) : undefined;
        if (result !== undefined) return result;
        failure = responseError(response, text);
      } catch (error) {
        failure = connectionError(url, error, response !== undefined);
      }
      await waitForRetry(call, attempt, failure);
    }
  }

  #url(path: string, query: Send["query"] = {}): string {
    const url = new URL((this.#options.baseURL ?? "http://localhost:8080").replace(/\/$/, "") + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }

  /** Returns the options of a call with those of the client. */
  #call(options: CallOptions): Call {
    const { key, user, headers } = this.#options;
    const caller = options.user ?? user;
    return {
      ...this.#options,
      ...options,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        ...headers,
        ...(caller && { "X-BU-PROFILE-ID": caller }),
        ...options.headers,
      },
    };
  }
}

type Call = CallOptions & { headers: Record<string, string> };

/** Waits until the next attempt, or throws the error if there is none. An endless call is retried without limit. */
async function waitForRetry(call: Call, attempt: number, error: unknown, endless = false): Promise<void> {
  const { signal, retries = 3, maxRetryAfter = 10 } = call;
  signal?.throwIfAborted();
  if (!(error instanceof CausewayError)) throw error;
  const { status, retryAfter = 0 } = error;
  if (status !== undefined && ![429, 502, 503, 504].includes(status)) throw error;
  if (!endless && (attempt >= retries || retryAfter > maxRetryAfter)) throw error;
  const backoff = Math.min(0.25 * 2 ** attempt, longestBackoff) * (0.5 + Math.random() / 2);
  const seconds = Math.max(backoff, Math.min(retryAfter, maxRetryAfter));
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** Returns a signal that aborts with either of two. */
function anyOf(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second ? AbortSignal.any([first, second]) : first;
}

/** Parses an event; returns undefined for comments and unknown events. */
function parseEvent(block: string): PriceEvent | undefined {
  const fields = Object.fromEntries(block.split(/\r?\n/).map((line) => line.split(/: ?(.*)/s, 2)));
  if (fields.event !== "snapshot" && fields.event !== "change") return undefined;
  const pairs = parse(fields.data);
  if (Array.isArray(pairs)) return { ...(fields.id && { id: fields.id }), event: fields.event, pairs };
  const message = `The price stream sent an event without a list of pairs. ${olderServer}`;
  throw new CausewayError("unexpected_response", message, { status: 200 });
}
