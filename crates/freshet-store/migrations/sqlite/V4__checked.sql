-- When a post that its list should have shown was last asked about by itself, whatever the answer:
-- it is not asked about again at every visit. NULL for those never asked about.
ALTER TABLE posts ADD COLUMN checked_at INTEGER;
