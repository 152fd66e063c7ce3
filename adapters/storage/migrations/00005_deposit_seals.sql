-- +goose Up
-- A seal is a keyed hash of a row. Empty: the row was written before seals, see causeway deposits seal.
ALTER TABLE deposit_addresses ADD COLUMN seal TEXT NOT NULL DEFAULT '';
ALTER TABLE deposit_pool ADD COLUMN seal TEXT NOT NULL DEFAULT '';
ALTER TABLE deposit_wallets ADD COLUMN assigned BIGINT NOT NULL DEFAULT 0; -- rows of deposit_addresses
ALTER TABLE deposit_wallets ADD COLUMN pool BIGINT NOT NULL DEFAULT 0;     -- rows of deposit_pool
ALTER TABLE deposit_wallets ADD COLUMN stopped TEXT NOT NULL DEFAULT '';   -- the reason; empty: not stopped
ALTER TABLE deposit_wallets ADD COLUMN seal TEXT NOT NULL DEFAULT '';

-- Users that an account added on a day (UTC), for the quota. It is not sealed: it assigns nothing.
CREATE TABLE deposit_new_users (
  account TEXT NOT NULL,
  day     BIGINT NOT NULL, -- since 1970
  users   BIGINT NOT NULL,
  PRIMARY KEY (account, day)
);
