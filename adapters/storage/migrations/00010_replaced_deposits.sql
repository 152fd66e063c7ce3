-- +goose Up
-- The replaced addresses of a user in a wallet, by age.
CREATE INDEX deposit_addresses_replaced ON deposit_addresses (account, profile, wallet, idx)
  WHERE replaced_at IS NOT NULL;
