-- What a probe showed of the root of a source when its list was last read: one that has not changed means no news.
ALTER TABLE sources ADD COLUMN pulse TEXT;
-- When the list was last read itself, in milliseconds: a probe is a visit too, and shows no edits.
ALTER TABLE sources ADD COLUMN read_at INTEGER;
