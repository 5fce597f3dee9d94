-- Who gets changes, and by which way. How far each has got stands in `cursors`, as `deliver:NAME`. Adding one and
-- moving its cursor begin a generation: what a run tells of an earlier one is not written. Counts only grow.
CREATE TABLE subscriptions (
    name            TEXT PRIMARY KEY,
    generation      INTEGER NOT NULL,            -- from one counter for all, so that a name that is used again is another one
    kinds           TEXT NOT NULL,               -- names with commas: posts, accounts, relations, links, deletions
    way             TEXT NOT NULL,               -- JSON; never a secret
    filters         TEXT NOT NULL,               -- JSON: types and expressions
    buffer_max      INTEGER,                     -- changes that it may be behind before the oldest are dropped; null: it waits
    state           TEXT NOT NULL,               -- running, paused, ended
    added_at        INTEGER NOT NULL,
    delivered_count INTEGER NOT NULL DEFAULT 0,  -- records
    dropped_count   INTEGER NOT NULL DEFAULT 0,
    untold_count    INTEGER NOT NULL DEFAULT 0,  -- dropped records of which the subscriber has not been told yet
    failed_count    INTEGER NOT NULL DEFAULT 0,  -- tries
    failure         TEXT,                        -- the last one
    failed_at       INTEGER
) WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES ('subscription', 0);
