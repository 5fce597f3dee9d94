-- What servers send by themselves: one row for each stream, however many sources it covers. From `since` to `until` it was connected
-- without a hole; `cursor` stands for what is stored of it, and is written in the same transaction.
CREATE TABLE streams (
    network INTEGER NOT NULL,
    name    TEXT NOT NULL,
    since   INTEGER NOT NULL,
    until   INTEGER NOT NULL,
    cursor  TEXT,
    PRIMARY KEY (network, name)
) WITHOUT ROWID;
