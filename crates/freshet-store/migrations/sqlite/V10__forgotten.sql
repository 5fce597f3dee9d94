-- Who and what a person asked to forget: keyed hashes, never a name. The key lies in the settings. All hashes of one wish
-- have the same subject (an account's id, its handle, the ids of posts by others that repeat its posts), so that taking the
-- wish back finds them all by any one of them.
CREATE TABLE forgotten (
    number  INTEGER PRIMARY KEY,
    subject INTEGER NOT NULL,
    class   INTEGER NOT NULL,                    -- 0 account, 1 handle of an account, 2 post, 3 any other root of a source
    hash    INTEGER NOT NULL,
    UNIQUE (class, hash)
);
CREATE INDEX forgotten_by_subject ON forgotten (subject);
-- Grows when a wish is taken back; whoever keeps the hashes in memory then reads them all anew.
INSERT INTO counters (name, value) VALUES ('forgotten_undone', 0);

-- What is left to erase, in order; empty unless a `forget` is under way or was interrupted.
CREATE TABLE erasing (
    number  INTEGER PRIMARY KEY,
    subject INTEGER NOT NULL,
    step    INTEGER NOT NULL,                    -- see the steps of erase::piece
    object  INTEGER NOT NULL,                    -- number of a network, source, list or post
    id      TEXT NOT NULL,                       -- id of an account, else empty
    reached INTEGER NOT NULL DEFAULT 0           -- everything up to this number is done
);
