-- What could not be used of answers, so that people can look it up: a row for each kind of complaint about an endpoint, and some samples
-- of each. Both are bounded, and forgetting anybody or anything empties the samples.
CREATE TABLE complaint_kinds (
    id       INTEGER PRIMARY KEY,
    network  INTEGER NOT NULL,
    endpoint TEXT NOT NULL,
    what     TEXT NOT NULL,                      -- without what differs from case to case
    count    INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    UNIQUE (network, endpoint, what)
);
CREATE INDEX complaint_kinds_by_time ON complaint_kinds (last_at);

CREATE TABLE complaint_samples (
    id      INTEGER PRIMARY KEY,
    kind    INTEGER NOT NULL,
    source  INTEGER,
    visit   INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    place   TEXT NOT NULL,
    what    TEXT NOT NULL,
    sample  TEXT NOT NULL                        -- how the record begins, empty where it must not be shown
);
CREATE INDEX complaint_samples_by_kind ON complaint_samples (kind, visit, seen_at);

CREATE VIEW complaints AS
SELECT n.name AS network, k.endpoint, k.what, k.count, k.first_at / 1000.0 AS first_at, k.last_at / 1000.0 AS last_at,
       k.id AS complaint
FROM complaint_kinds k JOIN networks n ON n.id = k.network;

-- Links into other networks, each with what speaks for it. One row for ever, as a link within a network: cancelled when a whole look at
-- the object no longer shows it, and back when it is seen after that.
DROP VIEW links;
DROP VIEW objects;
DROP INDEX cross_links_by_target;
CREATE TABLE cross_links_anew (
    id           INTEGER PRIMARY KEY,
    object       INTEGER NOT NULL,
    place        INTEGER NOT NULL,               -- its place among those of the object
    name         TEXT NOT NULL,
    kind         TEXT NOT NULL,                  -- sp, sc or sco
    target       TEXT NOT NULL,                  -- address
    value        TEXT,                           -- JSON, of an sp-link
    field        TEXT NOT NULL,                  -- where it was read, as the definition names it
    evidence     TEXT NOT NULL,                  -- the text that matched
    confidence   REAL NOT NULL,                  -- from 0 to 1
    visit        INTEGER NOT NULL,               -- the visit that saw it first
    seen_at      INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,               -- to the hour
    cancelled_at INTEGER,
    UNIQUE (object, name, target)
);
INSERT OR IGNORE INTO cross_links_anew (object, place, name, kind, target, field, evidence, confidence, visit, seen_at, last_seen_at)
SELECT c.object, c.place, c.name, 'sc', c.target, '', '', 0.5, 0,
       COALESCE(p.seen_at, a.seen_at, t.seen_at, 0), COALESCE(p.seen_at, a.seen_at, t.seen_at, 0)
FROM cross_links c LEFT JOIN posts p ON p.id = c.object LEFT JOIN accounts a ON a.id = c.object
LEFT JOIN things t ON t.id = c.object ORDER BY c.object, c.place;
DROP TABLE cross_links;
ALTER TABLE cross_links_anew RENAME TO cross_links;
CREATE INDEX cross_links_by_target ON cross_links (target, confidence);

-- Objects of which nothing is known but that something of another network leads to them. They are no posts and no accounts: when one is
-- read, it gets a row of its own there, and its line in the log.
CREATE TABLE stubs (
    id        INTEGER PRIMARY KEY,
    network   INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    native_id TEXT NOT NULL,
    depth     INTEGER NOT NULL,
    seen_at   INTEGER NOT NULL,
    source    INTEGER,                           -- the source on whose way it was found
    UNIQUE (network, native_id, kind)
);
INSERT INTO robots (kind, state) VALUES ('across', 'stopped');

CREATE VIEW objects AS
SELECT p.id, n.name AS network, p.kind AS type, p.native_id,
       n.name || '/' || p.kind || '/' || p.native_id AS address, p.depth, p.seen_at / 1000.0 AS seen_at, 0 AS is_stub
FROM posts p JOIN networks n ON n.id = p.network
UNION ALL
SELECT a.id, n.name, 'account', a.native_id,
       n.name || '/account/' || a.native_id, a.depth, a.seen_at / 1000.0, 0
FROM accounts a JOIN networks n ON n.id = a.network
UNION ALL
SELECT l.id, n.name, l.kind, l.native_id, n.name || '/' || l.kind || '/' || l.native_id, 0, l.seen_at / 1000.0, 0
FROM lists l JOIN networks n ON n.id = l.network
UNION ALL
SELECT t.id, n.name, t.kind, t.native_id, n.name || '/' || t.kind || '/' || t.native_id, t.depth, t.seen_at / 1000.0, 0
FROM things t JOIN networks n ON n.id = t.network
UNION ALL
SELECT s.id, n.name, s.kind, s.native_id, n.name || '/' || s.kind || '/' || s.native_id, s.depth, s.seen_at / 1000.0, 1
FROM stubs s JOIN networks n ON n.id = s.network
WHERE NOT EXISTS (SELECT 1 FROM posts p WHERE p.network = s.network AND p.native_id = s.native_id AND p.kind = s.kind)
  AND NOT EXISTS (SELECT 1 FROM accounts a WHERE s.kind = 'account' AND a.network = s.network AND a.native_id = s.native_id)
  AND NOT EXISTS (SELECT 1 FROM things t WHERE t.network = s.network AND t.native_id = s.native_id AND t.kind = s.kind);

CREATE VIEW links AS
SELECT p.id AS source, 'c' AS kind, 'author' AS name, n.name || '/account/' || p.author AS target, NULL AS value, NULL AS evidence, 1.0 AS confidence
FROM posts p JOIN networks n ON n.id = p.network WHERE p.author IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'reply_to', n.name || '/' || COALESCE(p.reply_kind, p.kind) || '/' || p.reply_to, NULL, NULL, 1.0
FROM posts p JOIN networks n ON n.id = p.network WHERE p.reply_to IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'root', n.name || '/' || COALESCE(p.root_kind, p.kind) || '/' || p.root, NULL, NULL, 1.0
FROM posts p JOIN networks n ON n.id = p.network WHERE p.root IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'repost_of', n.name || '/' || p.kind || '/' || p.repost_of, NULL, NULL, 1.0
FROM posts p JOIN networks n ON n.id = p.network WHERE p.repost_of IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'quote_of', n.name || '/' || p.kind || '/' || p.quote_of, NULL, NULL, 1.0
FROM posts p JOIN networks n ON n.id = p.network WHERE p.quote_of IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'list', n.name || '/' || l.kind || '/' || l.native_id, NULL, NULL, 1.0
FROM posts p JOIN lists l ON l.id = p.list JOIN networks n ON n.id = l.network WHERE p.list IS NOT NULL
UNION ALL
SELECT p.list, 'co', 'posts', n.name || '/' || p.kind || '/' || p.native_id, NULL, NULL, 1.0
FROM posts p JOIN networks n ON n.id = p.network WHERE p.list IS NOT NULL
UNION ALL
SELECT i.list, 'co', l.kind || 's', n.name || '/' || l.kind || '/' || l.native_id, NULL, NULL, 1.0
FROM list_members i JOIN lists l ON l.id = i.member JOIN networks n ON n.id = l.network
UNION ALL
SELECT a.id, 'co', 'follows', n.name || '/account/' || r.target, NULL, NULL, 1.0
FROM relations r JOIN networks n ON n.id = r.network
JOIN accounts a ON a.network = r.network AND a.native_id = r.source
WHERE r.cancelled_at IS NULL
UNION ALL
SELECT COALESCE(p.id, a.id, t.id), CASE m.is_member WHEN 0 THEN 'c' ELSE 'co' END, m.name,
       n.name || '/' || m.to_kind || '/' || m.to_id, NULL, NULL, 1.0
FROM object_links m JOIN networks n ON n.id = m.network
LEFT JOIN posts p ON p.network = m.network AND p.native_id = m.from_id AND p.kind = m.from_kind
LEFT JOIN accounts a ON m.from_kind = 'account' AND a.network = m.network AND a.native_id = m.from_id
LEFT JOIN things t ON t.network = m.network AND t.native_id = m.from_id AND t.kind = m.from_kind
WHERE m.cancelled_at IS NULL
UNION ALL
SELECT object, kind, name, target, value, CASE field WHEN '' THEN NULL ELSE field || ': ' || evidence END, confidence
FROM cross_links WHERE cancelled_at IS NULL;

-- For researchers: every link into another network, those that ended included, times in seconds since 1970.
CREATE VIEW cross_link_history AS
SELECT o.address AS source, c.kind, c.name, c.target, c.value, c.field, c.evidence, c.confidence, c.visit,
       c.seen_at / 1000.0 AS seen_at, c.last_seen_at / 1000.0 AS last_seen_at, c.cancelled_at / 1000.0 AS cancelled_at
FROM cross_links c JOIN objects o ON o.id = c.object;
