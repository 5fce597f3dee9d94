-- What the publisher of a feed says about when to come, as JSON; NULL where it says nothing.
ALTER TABLE sources ADD COLUMN timetable TEXT;
