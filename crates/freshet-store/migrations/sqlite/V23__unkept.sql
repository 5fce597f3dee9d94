-- What is seen there, or by that source, goes to subscribers and is not kept: rows without content remain, so that edits, deletions and
-- completeness work as before.
ALTER TABLE networks ADD COLUMN store TEXT NOT NULL DEFAULT 'keep';   -- keep | never
ALTER TABLE sources ADD COLUMN store TEXT;                            -- never; NULL: as its network
CREATE INDEX sources_unkept ON sources (network, root_kind, root_id) WHERE store IS NOT NULL;

-- Its content is not kept: `version` is then a fingerprint by a key of this store alone, which knows an edit and tells nothing else.
ALTER TABLE posts ADD COLUMN is_unkept INTEGER NOT NULL DEFAULT 0;
-- The same of the name and the self-description of an account; NULL where none was seen, or where they are kept.
ALTER TABLE accounts ADD COLUMN name_print INTEGER;
ALTER TABLE accounts ADD COLUMN bio_print INTEGER;

-- Records that came to a subscriber without their content, because it was gone before they were taken.
ALTER TABLE subscriptions ADD COLUMN lost_count INTEGER NOT NULL DEFAULT 0;
