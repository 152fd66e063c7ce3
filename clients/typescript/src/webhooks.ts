import type { components } from "./schema.js";

/** What happened to a transaction, as GET /v1/events lists it. */
export type Event = components["schemas"]["Event"];

/** A message has no valid signature, or is more than five minutes old. */
export class SignatureError extends Error {
  override name = "SignatureError";
}

const tolerance = 300; // seconds
const remembered = 10_000;

/**
 * Receives events. It refuses messages without a valid signature, and calls `handle` once for each event that brings
 * news: not for an event that it knows, and not for an older revision of a transaction than the newest one.
 *
 * It remembers the last 10,000 events. A receiver that must remember more, or over restarts, keeps the IDs and
 * revisions in its database as well.
 */
export class WebhookReceiver {
  private readonly keys: Promise<CryptoKey>[];
  private readonly events = new Map<string, number>();
  private readonly newest = new Map<string, number>();
  private turn: Promise<void> = Promise.resolve(); // calls of handle follow each other

  /** The secrets are the current one and, while it is replaced, the previous one. */
  constructor(
    private readonly handle: (event: Event) => Promise<void> | void,
    secrets: string | string[],
    private readonly now: () => number = Date.now,
  ) {
    this.keys = [secrets].flat().map((secret) =>
      crypto.subtle.importKey("raw", decode(secret.replace(/^whsec_/, "")), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]));
    if (this.keys.length === 0) throw new TypeError("a receiver of webhooks needs a secret");
  }

  /**
   * Receives a message. `body` is the text as it arrived, before anything parsed it.
   * @throws SignatureError, or what `handle` throws: answer with 500 then, and the event comes again.
   */
  async receive(headers: Headers | Record<string, string | string[] | undefined>, body: string): Promise<void> {
    await this.verify(headers instanceof Headers ? headers : new Headers(flat(headers)), body);
    const event = JSON.parse(body) as Event;
    const transaction = event.data?.id;
    if (!event.id || !transaction) return; // such as webhook.test
    const handled = this.turn.then(() => this.take(event, transaction));
    this.turn = handled.catch(() => {});
    await handled;
  }

  private async take(event: Event, transaction: string): Promise<void> {
    if (this.events.has(event.id) || (this.newest.get(transaction) ?? 0) >= event.data.revision) return;
    await this.handle(event);
    remember(this.events, event.id, 1);
    remember(this.newest, transaction, event.data.revision);
  }

  /** Answers a web-standard Request, as servers of Deno, Bun, Next.js and service workers have it. */
  async fetch(request: Request): Promise<Response> {
    try {
      await this.receive(request.headers, await request.text());
      return new Response(null, { status: 204 });
    } catch (error) {
      return new Response(null, { status: error instanceof SignatureError ? 401 : 500 });
    }
  }

  private async verify(headers: Headers, body: string): Promise<void> {
    const id = headers.get("webhook-id") ?? "", timestamp = headers.get("webhook-timestamp") ?? "";
    if (!/^\d+$/.test(timestamp) || Math.abs(this.now() / 1000 - Number(timestamp)) > tolerance) {
      throw new SignatureError("the timestamp is missing, or more than five minutes away");
    }
    const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
    for (const signature of (headers.get("webhook-signature") ?? "").split(" ")) {
      if (!signature.startsWith("v1,")) continue;
      for (const key of this.keys) {
        if (await crypto.subtle.verify("HMAC", await key, decode(signature.slice(3)), signed)) return;
      }
    }
    throw new SignatureError("no signature is valid");
  }
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}

function flat(headers: Record<string, string | string[] | undefined>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat().join(" ")]]));
}

function remember(map: Map<string, number>, key: string, value: number): void {
  map.set(key, value);
  if (map.size > remembered) map.delete(map.keys().next().value!);
}
