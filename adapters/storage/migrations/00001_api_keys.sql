-- SQLite and PostgreSQL run the same migrations. Times are microseconds since 1970 UTC.

-- +goose Up
CREATE TABLE api_keys (
  id           TEXT NOT NULL PRIMARY KEY,
  name         TEXT NOT NULL,
  hash         TEXT NOT NULL UNIQUE, -- SHA-256 of the credential, in hex
  scopes       TEXT NOT NULL,        -- operation IDs separated by commas, or *
  rate_limit   TEXT NOT NULL,        -- such as 600/m; "none" for the configured limits
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT,               -- NULL: never
  revoked_at   BIGINT,               -- any value ends the key at once
  last_used_at BIGINT                -- to about a minute
);

-- The only row counts the changes of api_keys, except of last_used_at, so that replicas poll one number.
CREATE TABLE api_keys_revision (revision BIGINT NOT NULL);
INSERT INTO api_keys_revision (revision) VALUES (0);
