export * from "./client.js";
export * from "./errors.js";
export * from "./sandbox.js";
export * from "./webhooks.js";
