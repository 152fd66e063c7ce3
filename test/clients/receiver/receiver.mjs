// A receiver that verifies webhooks with the library of the Standard Webhooks specification. It prints its port. The
// path of a request is the secret that the receiver has.
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  try {
    new Webhook(decodeURIComponent(request.url.slice(1))).verify(body, request.headers);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(400).end(error.message);
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
