-- How long posts of a network are kept, whatever source brought them; null: as long as their sources say.
ALTER TABLE networks ADD COLUMN retention_ms INTEGER;

-- What was erased and when, as counts that name nobody: a row for each wish to forget, and one a day for what expired or was
-- redacted. By it exports made before are known to hold what they should not.
CREATE TABLE erasures (
    number   INTEGER PRIMARY KEY,
    what     TEXT NOT NULL,                      -- forgotten | expired | redacted
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    posts    INTEGER NOT NULL,
    others   INTEGER NOT NULL,                   -- accounts, relations, links, things
    receipt  TEXT                                -- the SHA-256 of the receipt that was given
);

-- Exports and snapshots that were made from here, so that they can be told of what was erased since.
CREATE TABLE exports (
    path     TEXT PRIMARY KEY,
    what     TEXT NOT NULL,                      -- export | snapshot
    made_at  INTEGER NOT NULL,
    up_to    INTEGER NOT NULL,                   -- the newest number that is in it
    heard_at INTEGER NOT NULL                    -- what was erased before is not in it
) WITHOUT ROWID;
