-- +goose Up
-- The holder of a key: a key that replaces another one by rotation keeps the account. It owns deposit addresses.
ALTER TABLE api_keys ADD COLUMN account TEXT NOT NULL DEFAULT '';
UPDATE api_keys SET account = id;
