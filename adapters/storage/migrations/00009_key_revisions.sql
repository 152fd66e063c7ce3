-- +goose Up
-- The value of api_keys_revision after the last change of a key, so that processes read only what changed.
ALTER TABLE api_keys ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
CREATE INDEX api_keys_changed ON api_keys (revision);
