-- +goose Up
-- What processes tell each other about account lookups within a day.
CREATE TABLE lookup_log (
  position BIGINT NOT NULL PRIMARY KEY,
  at       BIGINT NOT NULL,
  record   TEXT NOT NULL -- sealed with the hash key, in base64
);
CREATE INDEX lookup_log_at ON lookup_log (at);

-- The only row counts the records, so that positions follow the order of commits.
CREATE TABLE lookup_log_position (position BIGINT NOT NULL);
INSERT INTO lookup_log_position (position) VALUES (0);
