CREATE TABLE rate_points (
  step    INTEGER NOT NULL, -- length of the step in seconds: 300 or 7200
  at      INTEGER NOT NULL, -- beginning of the step, seconds since 1970 UTC
  base    TEXT NOT NULL,
  counter TEXT NOT NULL,
  mid     TEXT NOT NULL,    -- plain decimal
  PRIMARY KEY (step, at, base, counter)
) STRICT, WITHOUT ROWID;
