-- +goose Up
CREATE TABLE price_history (
  step     BIGINT NOT NULL, -- length of the interval in seconds: 300 or 7200
  start_at BIGINT NOT NULL, -- start of the interval in seconds since 1970 UTC
  base     TEXT NOT NULL,
  counter  TEXT NOT NULL,
  mid      TEXT NOT NULL,   -- plain decimal
  PRIMARY KEY (step, start_at, base, counter)
);
