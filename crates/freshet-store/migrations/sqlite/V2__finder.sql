-- Who found it: the robot whose visit noticed a change, by its place in the order relation, user,
-- status, comment, tag, from 0. NULL in lines that were written before this column was there.
ALTER TABLE changes ADD COLUMN finder INTEGER;
