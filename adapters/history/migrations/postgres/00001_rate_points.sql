CREATE TABLE rate_points (
  step    BIGINT NOT NULL, -- length of the step in seconds: 300 or 7200
  at      BIGINT NOT NULL, -- beginning of the step, seconds since 1970 UTC
  base    TEXT NOT NULL,
  counter TEXT NOT NULL,
  mid     TEXT NOT NULL,   -- plain decimal
  PRIMARY KEY (step, at, base, counter)
);
