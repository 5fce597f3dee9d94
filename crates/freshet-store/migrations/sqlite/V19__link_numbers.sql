-- Links into other networks take their numbers from the counter of the log, as all other links do: what is exported of both together has
-- one rising number, and what is first seen later has a higher one. Those of today get numbers above all that were given.
UPDATE cross_links SET id = -id;
UPDATE cross_links SET id = (SELECT value FROM counters WHERE name = 'number') - id;
UPDATE counters SET value = max(value, (SELECT COALESCE(max(id), 0) + 1 FROM cross_links)) WHERE name = 'number';
