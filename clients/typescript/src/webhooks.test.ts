import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { WebhookReceiver, type Event } from "./webhooks.js";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", previous = "whsec_cHJldmlvdXNwcmV2aW91c3ByZXZpb3Vz";
const now = 1_614_265_330;

interface Message { event: string; revision?: number; secret?: string; age?: number; changed?: boolean; status?: number }

function request(m: Message): Request {
  const data = m.revision === undefined ? {} : { id: "tx", revision: m.revision };
  const body = JSON.stringify({ id: m.event, type: "transaction.pending", data });
  const timestamp = String(now - (m.age ?? 0));
  const key = Buffer.from((m.secret ?? secret).slice(6), "base64");
  const signature = createHmac("sha256", key).update(`${m.event}.${timestamp}.${body}`).digest("base64");
  return new Request("http://shop.test/", {
    method: "POST", body: m.changed ? body.replace("tx", "ty") : body,
    headers: { "webhook-id": m.event, "webhook-timestamp": timestamp, "webhook-signature": `v1,AAAA v1,${signature}` },
  });
}

const cases: Record<string, { messages: Message[]; fails?: number; want: string[] }> = {
  "in order": { messages: [{ event: "a", revision: 1 }, { event: "b", revision: 2 }], want: ["a", "b"] },
  "repeated": { messages: [{ event: "a", revision: 1 }, { event: "a", revision: 1 }], want: ["a"] },
  "reordered": { messages: [{ event: "b", revision: 2 }, { event: "a", revision: 1 }], want: ["b"] },
  "previous secret": { messages: [{ event: "a", revision: 1, secret: previous }], want: ["a"] },
  "other secret": { messages: [{ event: "a", revision: 1, secret: "whsec_b3RoZXI=", status: 401 }], want: [] },
  "changed": { messages: [{ event: "a", revision: 1, changed: true, status: 401 }], want: [] },
  "old": { messages: [{ event: "a", revision: 1, age: 301, status: 401 }], want: [] },
  "test": { messages: [{ event: "a" }], want: [] },
  "failed and sent again": {
    messages: [{ event: "a", revision: 1, status: 500 }, { event: "a", revision: 1 }], fails: 1, want: ["a", "a"],
  },
};

for (const [name, c] of Object.entries(cases)) {
  test(`webhooks: ${name}`, async () => {
    const got: string[] = [];
    const receiver = new WebhookReceiver((event: Event) => {
      if (got.push(event.id) <= (c.fails ?? 0)) throw new Error("the database is down");
    }, [secret, previous], () => now * 1000);
    for (const m of c.messages) {
      assert.equal((await receiver.fetch(request(m))).status, m.status ?? 204, m.event);
    }
    assert.deepEqual(got, c.want);
  });
}

test("webhooks: the published example of the specification", async () => {
  const receiver = new WebhookReceiver(() => {}, secret, () => now * 1000);
  await receiver.receive({
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp": String(now),
    "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  }, '{"test": 2432232314}');
});
