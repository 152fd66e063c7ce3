/** Client of the Causeway API. Its types are generated from the OpenAPI document of the server. */
import { CausewayError, connectionError, olderServer, parse, responseError } from "./errors.js";
import type { components, operations } from "./schema.js";

/** The types of the API by name, for example Schemas["Pair"]. Amounts and prices are decimal strings. */
export type Schemas = components["schemas"];
type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>;
type Validation = Omit<Schemas["ValidateRequest"], "type">;

export interface Options {
  /** Address of the server; by default http://localhost:8080, a sandbox on this machine. */
  baseURL?: string;
  /** API key. */
  key?: string;
  /** Headers of every request, for example X-BU-PROFILE-ID for the user of deposit addresses. */
  headers?: Record<string, string>;
  /** Milliseconds that one attempt may take; by default 15,000. */
  timeout?: number;
  /** Retries after 429, 502, 503, 504 and connection failures; by default 2. */
  retries?: number;
  /** Seconds of Retry-After that the client waits for; by default 10. A longer one is an error at once. */
  maxRetryAfter?: number;
}

interface Send {
  method?: string;
  query?: Record<string, string | string[] | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The snapshot has all pairs that pass the filters, a change the changed pairs: replace them by ID. */
export interface PriceEvent {
  id?: string;
  event: "snapshot" | "change";
  pairs: Schemas["Pair"][];
}

const streamSilence = 45_000; // milliseconds: three times the interval of the server's pings

export class Client {
  readonly #options: Options;

  constructor(options: Options = {}) {
    this.#options = options;
  }

  listBanks(query: Query<"list-banks"> = {}): Promise<Schemas["Bank"][]> {
    return this.request("/v1/banks", { query });
  }

  listCountries(): Promise<Schemas["Country"][]> {
    return this.request("/v1/countries");
  }

  listCurrencies(): Promise<Schemas["Currency"][]> {
    return this.request("/v1/currencies");
  }

  getCurrency(code: string): Promise<Schemas["Currency"]> {
    return this.request(`/v1/currencies/${encodeURIComponent(code)}`);
  }

  /** Returns the name of the account holder; the error is not_found if the bank has no such account. */
  resolveAccount(body: Schemas["ResolveRequest"]): Promise<Schemas["Account"]> {
    return this.request("/v1/recipients/resolve-bank-account", { method: "POST", body });
  }

  /** Reports whether an address is valid; if it is not, the verdict has a reason. */
  validateAddress(item: Validation): Promise<Schemas["Verdict"]> {
    return this.request("/v1/validate", { method: "POST", body: { type: "address", ...item } });
  }

  /** Validates up to 1,000 addresses; results have the order of the items. */
  validateAddresses(items: Validation[]): Promise<(Schemas["Verdict"] | Schemas["ItemError"])[]> {
    const body = { items: items.map((item) => ({ type: "address", ...item })) };
    return this.request("/v1/validate/batch", { method: "POST", body });
  }

  listPairs(query: Query<"list-pairs"> = {}): Promise<Schemas["Pair"][]> {
    return this.request("/v1/pairs", { query });
  }

  getPair(id: string): Promise<Schemas["Pair"]> {
    return this.request(`/v1/pairs/${encodeURIComponent(id)}`);
  }

  /** Returns how the price of a pair is made. */
  explainPrice(id: string): Promise<Schemas["Price"]> {
    return this.request(`/v1/pairs/${encodeURIComponent(id)}/price`);
  }

  getPriceHistory(id: string, query: Query<"get-price-history"> = {}): Promise<Schemas["History"]> {
    return this.request(`/v1/pairs/${encodeURIComponent(id)}/history`, { query });
  }

  listAddresses(query: Query<"list-addresses"> = {}): Promise<Schemas["Deposit"][]> {
    return this.request("/v1/addresses", { query });
  }

  getAddresses(currency: string, query: Query<"get-addresses"> = {}): Promise<Schemas["Deposit"][]> {
    return this.request(`/v1/addresses/${encodeURIComponent(currency)}`, { query });
  }

  /** Replaces a deposit address; a retry does not replace it twice. */
  regenerateAddress(body: Schemas["RegenerateInput"]): Promise<Schemas["Deposit"]> {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    return this.request("/v1/addresses/regenerate", { method: "POST", body, headers });
  }

  findAddressOwner(query: Query<"find-address-owner">): Promise<Schemas["AddressOwner"]> {
    return this.request("/v1/addresses/owner", { query });
  }

  /** Streams prices until the signal aborts. After a failure it continues from the last event, with retries. */
  async *streamPairs(
    query: Query<"stream-pairs"> = {},
    options: { lastEventId?: string; signal?: AbortSignal } = {},
  ): AsyncGenerator<PriceEvent, void, void> {
    let { lastEventId } = options;
    for (let attempt = 0; ; attempt++) {
      let failure: unknown;
      try {
        const headers = { Accept: "text/event-stream", ...(lastEventId && { "Last-Event-ID": lastEventId }) };
        for await (const event of this.#connect({ query, headers }, options.signal)) {
          attempt = 0;
          lastEventId = event.id ?? lastEventId;
          yield event;
        }
      } catch (error) {
        if (options.signal?.aborted) return;
        failure = error;
      }
      await this.#waitForRetry(attempt, failure);
    }
  }

  /** Yields the events of one connection of the stream. */
  async *#connect(send: Send, signal = new AbortController().signal): AsyncGenerator<PriceEvent> {
    const url = this.#url("/v1/pairs/stream", send);
    const abort = new AbortController();
    const expire = () => abort.abort(new DOMException("silence", "TimeoutError"));
    let timer = setTimeout(expire, this.#options.timeout ?? 15_000);
    let connected = false;
    try {
      const init = { headers: this.#headers(send), signal: AbortSignal.any([signal, abort.signal]) };
      const response = await fetch(url, init);
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
  async request<Data>(path: string, send: Send = {}): Promise<Data> {
    const url = this.#url(path, send);
    for (let attempt = 0; ; attempt++) {
      let response: Response | undefined;
      let failure: CausewayError;
      try {
        response = await fetch(url, {
          method: send.method ?? "GET",
          headers: this.#headers(send),
          body: send.body === undefined ? null : JSON.stringify(send.body),
          signal: AbortSignal.timeout(this.#options.timeout ?? 15_000),
        });
        const text = await response.text();
        const body = parse(text) as { data?: Data } | undefined;
        if (response.ok && body?.data !== undefined) return body.data;
        failure = responseError(response, text);
      } catch (error) {
        failure = connectionError(url, error, response !== undefined);
      }
      await this.#waitForRetry(attempt, failure);
    }
  }

  /** Waits until the next attempt, or throws the error if there is none. */
  async #waitForRetry(attempt: number, error: unknown): Promise<void> {
    const { retries = 2, maxRetryAfter = 10 } = this.#options;
    if (!(error instanceof CausewayError) || attempt >= retries) throw error;
    const seconds = error.retryAfter ?? 0.25 * 2 ** attempt;
    const temporary = error.status === undefined || [429, 502, 503, 504].includes(error.status);
    if (!temporary || seconds > maxRetryAfter) throw error;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }

  #url(path: string, { query = {} }: Send): string {
    const url = new URL((this.#options.baseURL ?? "http://localhost:8080").replace(/\/$/, "") + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }

  #headers(send: Send): Record<string, string> {
    const { key, headers } = this.#options;
    return {
      ...(send.body !== undefined && { "Content-Type": "application/json" }),
      ...(key && { Authorization: `Bearer ${key}` }),
      ...headers,
      ...send.headers,
    };
  }
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
