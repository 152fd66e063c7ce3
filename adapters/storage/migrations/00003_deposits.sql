-- +goose Up
CREATE TABLE deposit_wallets (
  wallet        TEXT NOT NULL PRIMARY KEY, -- network code, or EVM
  fingerprint   TEXT NOT NULL,             -- of the source, as confirmed; empty before
  first_address TEXT NOT NULL,             -- as confirmed; empty before
  confirmed_at  BIGINT,                    -- NULL: not confirmed
  next_index    BIGINT NOT NULL            -- of the next assignment; never decreases
);

CREATE TABLE deposit_pool (
  wallet  TEXT NOT NULL,
  idx     BIGINT NOT NULL, -- from 0 on without gaps, in the order of import
  address TEXT NOT NULL,
  PRIMARY KEY (wallet, idx),
  UNIQUE (wallet, address)
);

CREATE TABLE deposit_addresses (
  wallet      TEXT NOT NULL,
  idx         BIGINT NOT NULL, -- of the address in the source of the wallet
  id          TEXT NOT NULL UNIQUE,
  account     TEXT NOT NULL,   -- of the API key: api_keys.account
  profile     TEXT NOT NULL,   -- the account's own ID of a user; empty: its default user
  address     TEXT NOT NULL,
  memo        TEXT NOT NULL,   -- empty: none
  request_key TEXT,            -- Idempotency-Key of the request that made it
  created_at  BIGINT NOT NULL,
  replaced_at BIGINT,          -- NULL: the current address of the user
  PRIMARY KEY (wallet, idx),
  UNIQUE (wallet, address, memo),
  UNIQUE (account, profile, wallet, request_key)
);
CREATE UNIQUE INDEX deposit_addresses_current ON deposit_addresses (account, profile, wallet) WHERE replaced_at IS NULL;
