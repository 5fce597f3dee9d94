-- The source on whose way an account was found, the nearest one: what robots make of the account
-- inherits how far back a person wanted to go. NULL in rows that were written before.
ALTER TABLE accounts ADD COLUMN source INTEGER;
