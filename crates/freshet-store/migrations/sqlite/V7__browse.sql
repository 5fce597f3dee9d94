-- For people who look around among a million sources: every list they can ask for is a walk along
-- one index that holds all that is filtered by, never along the wide rows. Names are found by any
-- three letters in them. Visits touch two of these indexes, by due_at and by visited_at; the others
-- change with the source itself only.
CREATE INDEX sources_by_number ON sources (id, state, robot, network);
CREATE INDEX sources_by_facet ON sources (network, robot, state);
CREATE INDEX sources_by_name ON sources (COALESCE(handle, root_id) COLLATE NOCASE, state, robot, network);
CREATE INDEX sources_by_due ON sources (due_at, state, robot, network);
CREATE INDEX sources_by_visit ON sources (visited_at, state, robot, network);

-- It holds no copy of the names; rowid is the source's number. It follows the numbers of the sources at
-- its own pace, with the cursor `names`, because taking a name in costs more than adding its source.
CREATE VIRTUAL TABLE source_text USING fts5 (
    handle, root_id, content = '', contentless_delete = 1, tokenize = 'trigram'
);
INSERT INTO source_text (rowid, handle, root_id) SELECT id, handle, root_id FROM sources;
INSERT INTO cursors (consumer, number) SELECT 'names', COALESCE(max(id), 0) FROM sources;

-- How many sources are in which state: counting a million takes as long as a page may.
CREATE TABLE source_counts (
    state TEXT PRIMARY KEY,
    count INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO source_counts SELECT state, count(*) FROM sources GROUP BY state;

CREATE TRIGGER sources_added AFTER INSERT ON sources BEGIN
    INSERT INTO source_counts VALUES (new.state, 1) ON CONFLICT (state) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER sources_moved AFTER UPDATE OF state ON sources WHEN new.state <> old.state BEGIN
    INSERT INTO source_counts VALUES (new.state, 1) ON CONFLICT (state) DO UPDATE SET count = count + 1;
    UPDATE source_counts SET count = count - 1 WHERE state = old.state;
END;
CREATE TRIGGER sources_renamed AFTER UPDATE OF handle, root_id ON sources
WHEN new.handle IS NOT old.handle OR new.root_id IS NOT old.root_id BEGIN
    DELETE FROM source_text WHERE rowid = old.id;
    INSERT INTO source_text (rowid, handle, root_id) SELECT new.id, new.handle, new.root_id
    WHERE new.id <= (SELECT number FROM cursors WHERE consumer = 'names');
END;
CREATE TRIGGER sources_forgotten AFTER DELETE ON sources BEGIN
    DELETE FROM source_text WHERE rowid = old.id;
    UPDATE source_counts SET count = count - 1 WHERE state = old.state;
END;

-- How often a person wants it visited, whatever it would be worth. NULL: as the policy says.
ALTER TABLE sources ADD COLUMN pinned_ms INTEGER;
