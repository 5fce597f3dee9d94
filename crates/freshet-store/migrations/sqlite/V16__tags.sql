-- A tag of an account is one row for ever, like a relation: it is cancelled when the whole list of the account's tags was read
-- without it, and back when it is shown after that.
ALTER TABLE account_tags ADD COLUMN last_seen_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE account_tags ADD COLUMN cancelled_at INTEGER;
UPDATE account_tags SET last_seen_at = seen_at;

DROP VIEW user_tags;
CREATE VIEW user_tags AS
SELECT t.account AS user_id, n.name AS network, t.tag AS tag_id, g.name AS tag,
       t.seen_at / 1000.0 AS seen_at, t.last_seen_at / 1000.0 AS last_seen_at
FROM account_tags t JOIN tags g ON g.id = t.tag JOIN networks n ON n.id = t.network
WHERE t.cancelled_at IS NULL;

-- For researchers: those that were taken away included.
CREATE VIEW user_tag_history AS
SELECT t.account AS user_id, n.name AS network, t.tag AS tag_id, g.name AS tag,
       t.seen_at / 1000.0 AS seen_at, t.last_seen_at / 1000.0 AS last_seen_at, t.cancelled_at / 1000.0 AS cancelled_at
FROM account_tags t JOIN tags g ON g.id = t.tag JOIN networks n ON n.id = t.network;
