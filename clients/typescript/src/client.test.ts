import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { CausewayError, Client, Sandbox, type PriceEvent } from "./index.js";

// test/clients starts the sandbox.
const baseURL = process.env.CAUSEWAY_URL!;
const operatorURL = process.env.CAUSEWAY_OPERATOR_URL!;
const account = {
  country_id: "NG",
  currency_id: "NGN",
  channel: "bank_transfer",
  account_number: "0123456789",
} as const;

async function world(t: TestContext, world = {}): Promise<Sandbox> {
  const sandbox = await Sandbox.create({ baseURL, operatorURL, world });
  t.after(() => sandbox.delete());
  return sandbox;
}

test("README example", async () => {
  const readme = await readFile("README.md", "utf8");
  const code = /```js\n(.*?)```/s.exec(readme)![1]!;
  const file = new URL("readme.test.mjs", import.meta.url);
  const local = code.replaceAll("http://localhost:8080", baseURL).replaceAll("http://localhost:9099", operatorURL);
  await writeFile(file, local);
  await import(file.href);
});

test("operations of the sandbox", async (t) => {
  const sandbox = await world(t);
  assert.equal((await sandbox.listBanks({ country: "NG", q: "guaranty" }))[0]!.code, "000013");
  assert.ok((await sandbox.listCountries()).some((country) => country.code === "KE"));
  assert.ok((await sandbox.listCurrencies()).some((currency) => currency.code === "BTC"));
  assert.equal((await sandbox.getCurrency("btc")).decimals, "8");
  assert.equal((await sandbox.listPairs({ type: "crypto", counter: "NGN" })).length > 0, true);
  assert.match((await sandbox.getPair("BTCNGN")).buy_price.amount, /^\d+(\.\d+)?$/);
  assert.equal((await sandbox.explainPrice("BTCNGN")).id, "BTCNGN");
  assert.equal((await sandbox.getPriceHistory("BTCNGN", { period: "7d" })).period, "7d");
  const address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
  assert.equal((await sandbox.validateAddress({ currency: "BTC", address })).valid, true);
  const verdicts = await sandbox.validateAddresses([{ currency: "BTC", address }, { currency: "XYZ", address }]);
  assert.deepEqual(verdicts.map((verdict) => "error" in verdict), [false, true]);
  const deposit = await sandbox.regenerateAddress({ currency: "BTC" });
  assert.equal((await sandbox.getAddresses("BTC"))[0]!.address, deposit.address);
  assert.match(await sandbox.getAddressQr("BTC", { amount: "0.5" }), /^<svg .*<\/svg>$/);
  assert.ok((await sandbox.listAddresses()).length > 0);
  assert.equal((await sandbox.findAddressOwner({ network: "BTC", address: deposit.address })).current, true);
});

test("each world has its own accounts", async (t) => {
  const [first, second] = [await world(t), await world(t)];
  await first.setAccount("058", "0123456789", { account_name: "TEST ADA" });
  await second.setAccount("058", "0123456789", { outcome: "unknown" });
  assert.equal((await first.resolveAccount({ ...account, bank_code: "058" })).account_name, "TEST ADA");
  await assert.rejects(second.resolveAccount({ ...account, bank_code: "058" }), { name: "not_found", status: 404 });
});

test("a deposit of the sandbox", async (t) => {
  const sandbox = await world(t, { clock: { frozen: true } }); // no block comes by itself
  assert.match(await sandbox.deposit("user-1", "USDT", "BSC", "10.5"), /^0x[0-9a-f]{64}$/);
  const mined = await sandbox.mine("BSC", 16);
  assert.deepEqual(mined, { height: mined.height, read_height: mined.height });
  assert.deepEqual(await balance(sandbox), ["0", "10.5"]);
  const page = await sandbox.listTransactions({ status: "completed", limit: 5 }, { user: "user-1" });
  assert.deepEqual(page.data.map(({ amount }) => amount), ["10.5"]);
  assert.equal(page.pagination.current_entries_size, 1);
  const { id } = page.data[0]!;
  assert.equal((await sandbox.getTransaction(id, { user: "user-1" })).id, id);
  const events = await sandbox.listEvents({ type: "transaction.completed" });
  assert.deepEqual(events.data.map(({ data }) => data.id), [id]);
  assert.equal((await sandbox.listBalances({ currency: "USDT" }, { user: "user-1" })).data[0]!.total.amount, "10.5");
  assert.equal((await sandbox.reorganize("BSC", 16)).height, mined.height + 1);
  assert.deepEqual(await balance(sandbox), ["10.5", "0"]);
  await sandbox.reorganize("BSC", 1, { drop: true });
  await sandbox.mine("BSC", 40);
  assert.deepEqual(await balance(sandbox), ["0", "0"]);
});

/** Returns what user-1 has, pending and available. */
async function balance(sandbox: Sandbox): Promise<string[]> {
  const found = await sandbox.getBalance("USDT", {}, { user: "user-1" });
  return [found.pending.amount, found.available.amount];
}

test("errors of the API", async (t) => {
  const sandbox = await world(t);
  const invalid = await failure(sandbox.resolveAccount({ ...account, bank_code: "5" }));
  assert.equal(invalid.name, "request_validation");
  assert.match(invalid.fields.bank_code![0]!.reason, /bank/);
  assert.match(invalid.requestId!, /^req_/);
  await sandbox.next("resolve-account", "all_down");
  const down = await failure(sandbox.resolveAccount({ ...account, bank_code: "058" }));
  assert.deepEqual([down.name, down.status, down.retryAfter], ["service_unavailable", 503, 30]);
});

test("price stream of the sandbox", async (t) => {
  const sandbox = await world(t);
  const events: PriceEvent[] = [];
  for await (const event of sandbox.streamPairs({ id: "BTCNGN" })) {
    events.push(event);
    if (events.length === 2) break;
    await sandbox.control("PUT", "/market/BTCUSD", { drift: 100 });
    await sandbox.control("POST", "/clock/advance", { by: "1m" });
  }
  assert.deepEqual(events.map(({ event }) => event), ["snapshot", "change"]);
  assert.deepEqual(events.map(({ pairs }) => pairs[0]!.id), ["BTCNGN", "BTCNGN"]);
});

test("stream continues after a lost connection", async (t) => {
  let cut = () => {};
  const { client, requests } = await fake(t, [
    (_, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      const events = ': ping\n\nid: 7\nevent: snapshot\ndata: [{"id":"BTCNGN"}]\n\nid: 8\nevent: cha';
      response.write(events);
      cut = () => response.destroy();
    },
    reply(503, { "Retry-After": "0" }, ""),
    reply(200, { "Content-Type": "text/event-stream" }, 'id: 9\r\nevent: change\r\ndata: [{"id":"BTCNGN"}]\r\n\r\n'),
  ]);
  const ids = [];
  for await (const event of client.streamPairs()) {
    ids.push(event.id);
    if (ids.length === 2) break;
    cut();
  }
  assert.deepEqual(ids, ["7", "9"]);
  assert.deepEqual(requests.map((request) => request.headers["last-event-id"]), [undefined, "7", "7"]);
});

for (const outage of [4, 60, 3600]) {
  test(`the stream outlives ${outage} s without a server`, async (t) => {
    let now = 0; // seconds since the first event, by a clock that waiting advances
    const real = globalThis.setTimeout;
    t.mock.method(globalThis, "setTimeout", (done: () => void, milliseconds: number, ...others: unknown[]) => {
      // Limits of a connection, and a timer of Node for idle connections of earlier tests, which has an argument.
      if (milliseconds > 10_000 || others.length > 0) return real(done, milliseconds, ...others);
      now += milliseconds / 1000;
      return real(done, 0);
    });
    const asked: unknown[] = [];
    t.mock.method(globalThis, "fetch", async (_: string, { headers }: { headers: Record<string, string> }) => {
      if (asked.length > 0 && now < outage) throw new TypeError("fetch failed");
      asked.push(headers["Last-Event-ID"]);
      const event = `id: ${asked.length}\nevent: change\ndata: []\n\n`;
      return new Response(event, { headers: { "Content-Type": "text/event-stream" } });
    });
    const ids = [];
    for await (const event of new Client().streamPairs()) {
      if (ids.push(event.id) === 2) break;
    }
    assert.deepEqual(ids, ["1", "2"]);
    assert.deepEqual(asked, [undefined, "1"]);
    assert.ok(now >= outage && now < outage + 10, `${now} s`);
  });
}

test("a signal ends the stream", async (t) => {
  const sandbox = await world(t);
  const abort = new AbortController();
  for await (const event of sandbox.streamPairs({}, { signal: abort.signal })) {
    assert.equal(event.event, "snapshot");
    abort.abort();
  }
});

test("retries wait for Retry-After", async (t) => {
  const { client, requests } = await fake(t, [
    reply(429, { "Retry-After": "1" }, errorBody("too_many_requests", "Slow down")),
    reply(200, {}, '{"status":"success","message":"ok","data":[]}'),
  ]);
  const start = performance.now();
  assert.deepEqual(await client.listBanks(), []);
  assert.equal(requests.length, 2);
  assert.ok(performance.now() - start > 990);
});

test("options of a call", async (t) => {
  const good = reply(200, {}, '{"data":{}}');
  const { client, requests } = await fake(t, [good, good, cut], { user: "u1", headers: { "X-Trace": "a" } });
  await client.getBalance("BTC");
  await client.getBalance("BTC", {}, { user: "u2", headers: { "X-Trace": "b" } });
  assert.deepEqual(
    requests.map(({ headers }) => [headers["x-bu-profile-id"], headers["x-trace"]]), [["u1", "a"], ["u2", "b"]],
  );
  const abort = new AbortController();
  const call = client.getBalance("BTC", {}, { signal: abort.signal, retries: 100 });
  abort.abort(new Error("stopped"));
  await assert.rejects(call, /stopped/);
});

test("a lost response is requested again with the same Idempotency-Key", async (t) => {
  const { client, requests } = await fake(t, [cut, reply(200, {}, '{"data":{"address":"a"}}')]);
  await client.regenerateAddress({ currency: "BTC" });
  const keys = requests.map((request) => request.headers["idempotency-key"]);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

const errorBody = (name: string, message: string) =>
  JSON.stringify({ error: { name, message }, request_id: "req_1" });

const html = { "Content-Type": "text/html" };
const bad = [
  ["a wrong key", reply(401, {}, errorBody("unauthorized", "The key is unknown")), "unauthorized", /key/],
  ["a proxy's error page", reply(403, html, "<h1>Blocked</h1>"), "unexpected_response", /403.*html.*<h1>Blocked.*prox/],
  ["a login page", reply(200, html, "<h1>Sign in</h1>"), "unexpected_response", /Check the base URL/],
  ["a cut response", cut, "interrupted", /Retry/],
  ["an older server", reply(404, {}, errorBody("not_found", "There is nothing at this path")), "not_found", /older/],
  ["a response without data", reply(200, {}, '{"status":"success"}'), "unexpected_response", /older/],
] as const;

test("a Retry-After that is too long", async (t) => {
  const body = errorBody("service_unavailable", "Later");
  const { client, requests } = await fake(t, [reply(503, { "Retry-After": "60" }, body)]);
  assert.equal((await failure(client.listBanks())).retryAfter, 60);
  assert.equal(requests.length, 1);
});

for (const [title, respond, name, message] of bad) {
  test(title, async (t) => {
    const { client } = await fake(t, [respond], { retries: 0 });
    const error = await failure(client.listBanks({ account_number: "0123456789" }));
    assert.equal(error.name, name);
    assert.match(error.message, message);
    assert.ok(!error.message.includes("0123456789"), error.message);
    assert.equal((await failure(client.streamPairs().next())).name, name);
  });
}

test("an unreachable server", async () => {
  const client = new Client({ baseURL: "http://127.0.0.1:9", retries: 1 });
  for (const call of [() => client.listPairs(), () => client.streamPairs().next()]) {
    const error = await failure(call());
    assert.equal(error.name, "unreachable");
    assert.match(error.message, /Cannot connect to http:\/\/127\.0\.0\.1:9.*causeway serve/);
  }
});

test("a browser that refuses responses", async (t) => {
  Object.defineProperty(globalThis, "location", { value: { origin: "http://app.test" }, configurable: true });
  t.after(() => delete (globalThis as { location?: unknown }).location);
  t.mock.method(globalThis, "fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  const refused = await failure(Sandbox.create({ retries: 0 }));
  assert.match(refused.message, /pages of http:\/\/app\.test .*CORS.* simulator\.cors_origins/);
  assert.match((await failure(new Client({ retries: 0 }).listPairs())).message, /CORS.* api\.cors_origins/);
  const own = await failure(new Client({ retries: 0, baseURL: "http://app.test" }).listPairs());
  assert.doesNotMatch(own.message, /CORS/);
});

test("a server that does not respond", async (t) => {
  const { client } = await fake(t, [() => {}], { retries: 0, timeout: 50 });
  assert.equal((await failure(client.listPairs())).name, "timeout");
  assert.equal((await failure(client.streamPairs().next())).name, "timeout");
});

/** Is compiled only: a misspelt field or error name is an error of the compiler. */
export async function misspelt(client: Client, error: CausewayError): Promise<boolean> {
  // @ts-expect-error
  await client.resolveAccount({ ...account, bank_cod: "058" });
  // @ts-expect-error
  await client.validateAddress({ currency: "BTC", address: "a", netwrok: "BTC" });
  // @ts-expect-error
  await client.regenerateAddress({ currency: "BTC", netwrok: "BTC" });
  // @ts-expect-error
  return error.name === "notfound";
}

async function failure(call: Promise<unknown>): Promise<CausewayError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof CausewayError, String(error));
    return error;
  }
  assert.fail("the call succeeded");
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

function reply(status: number, headers: Record<string, string>, body: string): Respond {
  return (_, response) => response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(body);
}

/** Ends the connection in the middle of the body. */
function cut(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { "Content-Length": "100" });
  response.write('{"data":[', () => response.destroy());
}

/** Starts a server that sends the responses in turn and repeats the last one. */
async function fake(t: TestContext, responses: Respond[], options = {}) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    responses[Math.min(requests.length, responses.length - 1)]!(request, response);
    requests.push(request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = new Client({ baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ...options });
  return { client, requests };
}
