-- The source that brought what is parked: it is kept and forgotten as what that source brings.
-- NULL in rows that were written before.
ALTER TABLE parked ADD COLUMN source INTEGER;
