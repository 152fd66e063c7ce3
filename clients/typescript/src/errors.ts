import type { components } from "./schema.js";

export const olderServer = "The server may be older than this client: compare info.version of its /openapi.json.";

/**
 * An error name of the API (see /errors/<name> of the server), or what happened if there is no usable response. A newer
 * server may send other names.
 */
export type ErrorName =
  | components["schemas"]["ErrorName"]
  | "unreachable"
  | "timeout"
  | "interrupted"
  | "unexpected_response";

/** The only error that a client throws. Its message says what is wrong and what to do. */
export class CausewayError extends Error {
  /** HTTP status, if there was a response. */
  readonly status?: number;
  /** ID of the request in the logs of the server, if there was a response. */
  readonly requestId?: string;
  /** What is wrong with each field of the request, if fields are at fault. */
  readonly fields: Record<string, components["schemas"]["FieldReason"][]> = {};
  /** Seconds after which the server accepts a retry, if it says so. */
  readonly retryAfter?: number;

  constructor(override readonly name: ErrorName, message: string, details: Partial<CausewayError> = {}) {
    super(message);
    Object.assign(this, details);
  }
}

/** Returns the error of a request that got no complete response. */
export function connectionError(address: string, cause: unknown, connected: boolean): CausewayError {
  const url = address.split("?", 1)[0]!; // a query may contain an account number
  const error = cause as Error & { cause?: { code?: string; message?: string } };
  const reason = error.cause?.message || error.cause?.code || error.message;
  const lost = connected || ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(error.cause?.code ?? "");
  if (error.name === "TimeoutError") {
    return new CausewayError("timeout", `${url} did not respond in time. Retry, or raise the option timeout.`);
  } else if (lost) {
    return new CausewayError("interrupted", `The connection to ${url} was lost (${reason}). Retry.`);
  }
  return new CausewayError("unreachable", `Cannot connect to ${url} (${reason}). Check the base URL, and that ` +
    "the server runs; causeway serve starts a sandbox." + corsHint(url));
}

/** Names the likeliest cause in a browser, which does not say why it refuses a response. */
function corsHint(url: string): string {
  const origin = (globalThis.location as Location | undefined)?.origin;
  if (origin === undefined || url.startsWith(origin + "/")) return "";
  const setting = url.includes("/_sim/") ? "simulator.cors_origins" : "api.cors_origins";
  return ` If it runs, it does not let pages of ${origin} call it (CORS): add ${origin} to its setting ${setting}.`;
}

/** Returns the error of a response that is an error, or that is not one of Causeway. */
export function responseError(response: Response, text: string): CausewayError {
  const requestId = response.headers.get("X-Request-Id");
  const wait = response.headers.get("Retry-After"); // seconds, or a date from some proxies
  const details = {
    status: response.status,
    ...(requestId && { requestId }),
    ...(/^\d+$/.test(wait ?? "") && { retryAfter: Number(wait) }),
  };
  const body = parse(text) as components["schemas"]["ApiError"] | undefined;
  if (!response.ok && body?.error?.name) {
    const { name, message } = body.error;
    const hint = message.startsWith("There is nothing at this path") ? `. ${olderServer}` : "";
    return new CausewayError(name, message + hint, { ...details, fields: body.fields ?? {} });
  }
  const type = response.headers.get("Content-Type") ?? "no content type";
  const url = response.url.split("?", 1)[0];
  return new CausewayError("unexpected_response", `${url} returned status ${response.status} and ${type}, which ` +
    `is not a response of Causeway: ${JSON.stringify(text.slice(0, 80))}. Check the base URL and proxies. ` +
    olderServer, details);
}

/** Parses JSON; returns undefined if the text is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
