-- +goose Up
-- What happened to transactions. Later revisions replace a row of the table transactions, so each event has its own.
CREATE TABLE events (
  number       BIGINT NOT NULL, -- among the events of the account, from 1 on without gaps
  event_id     TEXT NOT NULL,   -- a hash of id and revision
  type         TEXT NOT NULL,
  tip          BIGINT NOT NULL, -- height of the last block of the network that was read before the event
  id           TEXT NOT NULL,   -- from here on: the transaction after the event, see the table transactions
  network      TEXT NOT NULL,
  hash         TEXT NOT NULL,
  idx          BIGINT NOT NULL,
  account      TEXT NOT NULL,
  profile      TEXT NOT NULL,
  address      TEXT NOT NULL,
  memo         TEXT NOT NULL,
  currency     TEXT NOT NULL,
  amount       TEXT NOT NULL,
  decimals     BIGINT NOT NULL,
  status       TEXT NOT NULL,
  reason       TEXT NOT NULL,
  revision     BIGINT NOT NULL,
  height       BIGINT NOT NULL,
  block        TEXT NOT NULL,
  ancestor     BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  updated_at   BIGINT NOT NULL, -- when the event happened
  completed_at BIGINT,
  PRIMARY KEY (account, number)
);
CREATE UNIQUE INDEX events_id ON events (event_id);
CREATE INDEX events_type ON events (account, type, number);

-- Which events of an account are stored: those with the numbers above pruned, up to last.
CREATE TABLE event_counters (
  account TEXT NOT NULL PRIMARY KEY,
  last    BIGINT NOT NULL,
  pruned  BIGINT NOT NULL
);

CREATE TABLE webhook_endpoints (
  name     TEXT NOT NULL,
  account  TEXT NOT NULL,
  position BIGINT NOT NULL, -- number of the last event that has its delivery, if the endpoint receives its type
  PRIMARY KEY (name, account)
);

CREATE TABLE webhook_deliveries (
  endpoint   TEXT NOT NULL,
  account    TEXT NOT NULL,
  number     BIGINT NOT NULL, -- of the event
  status     TEXT NOT NULL,   -- pending, delivered or expired
  planned_at BIGINT NOT NULL, -- when the delivery was added or replayed
  due_at     BIGINT NOT NULL, -- of the next try, or when the claim of a process ends
  tries      BIGINT NOT NULL, -- since planned_at
  updated_at BIGINT,          -- of the last try
  problem    TEXT NOT NULL,   -- why the last try failed
  PRIMARY KEY (endpoint, account, number)
);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (endpoint, account, due_at, number)
  WHERE status = 'pending';
CREATE INDEX webhook_deliveries_expired ON webhook_deliveries (endpoint, account, number) WHERE status = 'expired';
