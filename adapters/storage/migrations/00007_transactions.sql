-- +goose Up
-- How far the blocks of a network are read, and by which process.
CREATE TABLE chains (
  network      TEXT NOT NULL PRIMARY KEY,
  start_height BIGINT NOT NULL DEFAULT 0,
  tip_height   BIGINT NOT NULL DEFAULT 0,  -- of the last block that was read
  tip_hash     TEXT NOT NULL DEFAULT '',   -- empty: no block was read
  tip_time     BIGINT,
  verified     BIGINT NOT NULL DEFAULT 0,  -- height
  final_height BIGINT NOT NULL DEFAULT 0,
  head         BIGINT NOT NULL DEFAULT 0,  -- height of the newest block of the network
  checked_at   BIGINT,
  stopped      TEXT NOT NULL DEFAULT '',   -- the reason; empty: not stopped
  problem      TEXT NOT NULL DEFAULT '',   -- why no block above verified is verified
  holder       TEXT NOT NULL,
  epoch        BIGINT NOT NULL,            -- how often the holder changed
  beat         BIGINT NOT NULL             -- how often a holder wrote
);

CREATE TABLE blocks (
  network TEXT NOT NULL,
  height  BIGINT NOT NULL,
  hash    TEXT NOT NULL,
  parent  TEXT NOT NULL,
  time    BIGINT,
  PRIMARY KEY (network, height)
);

CREATE TABLE transactions (
  id           TEXT NOT NULL PRIMARY KEY, -- a hash of network, hash and idx
  network      TEXT NOT NULL,
  hash         TEXT NOT NULL,
  idx          BIGINT NOT NULL,           -- position within the transaction of the network
  account      TEXT NOT NULL,             -- of the API key: api_keys.account
  profile      TEXT NOT NULL,
  address      TEXT NOT NULL,
  memo         TEXT NOT NULL,
  currency     TEXT NOT NULL,
  amount       TEXT NOT NULL,             -- in smallest units
  decimals     BIGINT NOT NULL,           -- of the smallest unit
  status       TEXT NOT NULL,             -- pending, completed or failed
  reason       TEXT NOT NULL,
  revision     BIGINT NOT NULL,           -- from 1 on
  height       BIGINT NOT NULL,           -- of the block that has it; 0: none
  block        TEXT NOT NULL,             -- hash of that block
  ancestor     BIGINT NOT NULL,           -- height of the last block before the fork, if no block has it
  created_at   BIGINT NOT NULL,
  updated_at   BIGINT NOT NULL,
  completed_at BIGINT,
  UNIQUE (network, hash, idx)
);
CREATE INDEX transactions_user ON transactions (account, profile, created_at, id);
CREATE INDEX transactions_height ON transactions (network, height);
CREATE INDEX transactions_pending ON transactions (network) WHERE status = 'pending';

-- Transfers to our addresses that are credited to nobody.
CREATE TABLE unassigned_transfers (
  network  TEXT NOT NULL,
  hash     TEXT NOT NULL,
  idx      BIGINT NOT NULL,
  contract TEXT NOT NULL,   -- empty: the coin of the network
  address  TEXT NOT NULL,
  memo     TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount   TEXT NOT NULL,   -- in smallest units
  decimals BIGINT NOT NULL,
  height   BIGINT NOT NULL, -- of the block that has it
  block    TEXT NOT NULL,   -- hash of that block
  reason   TEXT NOT NULL,
  seen_at  BIGINT NOT NULL,
  PRIMARY KEY (network, hash, idx)
);
CREATE INDEX unassigned_transfers_height ON unassigned_transfers (network, height);
CREATE INDEX unassigned_transfers_seen ON unassigned_transfers (seen_at);

-- What each user received. The sums are exact decimal numbers in units of the currency.
CREATE TABLE balances (
  account   TEXT NOT NULL,
  profile   TEXT NOT NULL,
  currency  TEXT NOT NULL,
  pending   TEXT NOT NULL,
  available TEXT NOT NULL,
  PRIMARY KEY (account, profile, currency)
);
