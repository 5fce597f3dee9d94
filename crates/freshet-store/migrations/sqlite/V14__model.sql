-- A post is unique by network, type and id: some networks count each type by itself, and a post 12 is not the comment 12. Types that
-- share their ids name the space that they share (`space`); any other type is a space of its own. A link to a post of another space
-- says of which type that is. The table is made anew, because SQLite cannot change what is unique.
DROP VIEW statuses;
DROP VIEW comments;
DROP VIEW objects;
DROP VIEW links;
DROP VIEW threads;
DROP VIEW earlier_statuses;
DROP TRIGGER posts_unlisted;

CREATE TABLE posts_anew (
    id          INTEGER PRIMARY KEY,
    network     INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    native_id   TEXT NOT NULL,
    author      TEXT,
    created_at  INTEGER,
    edited_at   INTEGER,
    seen_at     INTEGER NOT NULL,
    deleted_at  INTEGER,
    version     INTEGER NOT NULL,
    depth       INTEGER NOT NULL,
    is_embedded INTEGER NOT NULL,
    is_retained INTEGER NOT NULL,                -- it obeys the retention of its source
    source      INTEGER,                         -- the source that brought it first
    reply_to    TEXT,
    root        TEXT,
    repost_of   TEXT,
    quote_of    TEXT,
    lang        TEXT,
    url         TEXT,
    uri         TEXT,
    tags        TEXT,                            -- JSON array, NULL for none
    text        TEXT NOT NULL,
    properties  TEXT,                            -- JSON object of the other p-links, NULL for none
    checked_at  INTEGER,                         -- when it was last asked about by itself
    list        INTEGER,                         -- the thread that shows it
    space       TEXT NOT NULL,                   -- within which its id is unique: its type, or what several types share
    reply_kind  TEXT,                            -- type of what it replies to, where that is of another space
    root_kind   TEXT,                            -- type of the first post of its thread, where that is of another space
    UNIQUE (network, native_id, space)
);
INSERT INTO posts_anew
SELECT id, network, kind, native_id, author, created_at, edited_at, seen_at, deleted_at, version, depth, is_embedded,
       is_retained, source, reply_to, root, repost_of, quote_of, lang, url, uri, tags, text, properties, checked_at, list,
       kind, NULL, NULL
FROM posts;
DROP TABLE posts;
ALTER TABLE posts_anew RENAME TO posts;
CREATE INDEX posts_by_author ON posts (network, author, created_at);
CREATE INDEX posts_by_retention ON posts (source, created_at) WHERE is_retained = 1;
CREATE INDEX posts_deleted ON posts (network) WHERE deleted_at IS NOT NULL;
CREATE INDEX posts_by_list ON posts (list, created_at) WHERE list IS NOT NULL;
CREATE TRIGGER posts_unlisted AFTER DELETE ON posts WHEN old.list IS NOT NULL BEGIN
    UPDATE forum_sums SET posts_count = posts_count - 1 WHERE network = old.network;
END;

-- Objects of all other types that definitions declare: places, albums, channels, communities.
CREATE TABLE things (
    id         INTEGER PRIMARY KEY,
    network    INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    native_id  TEXT NOT NULL,
    depth      INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    source     INTEGER,                          -- the source on whose way it was found, the nearest one
    created_at INTEGER,
    name       TEXT,
    url        TEXT,
    properties TEXT,                             -- JSON object of its values, NULL for none
    UNIQUE (network, native_id, kind)
);

-- c-links and members of co-links that no column of a row tells: who likes a post, where an account comes from, the photos of an
-- album. Of a c-link an object has one by a name. Like a relation, a link takes a number, and a line of the log only when it ends or
-- is back.
CREATE TABLE object_links (
    id           INTEGER PRIMARY KEY,
    network      INTEGER NOT NULL,
    from_id      TEXT NOT NULL,
    from_kind    TEXT NOT NULL,
    name         TEXT NOT NULL,
    to_id        TEXT NOT NULL,
    to_kind      TEXT NOT NULL,
    is_member    INTEGER NOT NULL,               -- of a collection (co-link); 0: a c-link
    seen_at      INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    cancelled_at INTEGER,
    UNIQUE (network, from_id, from_kind, name, to_id, to_kind)
);
CREATE INDEX object_links_by_target ON object_links (network, to_id, to_kind);

INSERT INTO counters (name, value) VALUES ('things', 0), ('links', 0);
INSERT INTO robots (kind, state) VALUES ('link', 'stopped');

CREATE VIEW statuses AS
SELECT p.native_id AS id, n.name AS network, p.author AS user_id, p.text,
       p.created_at / 1000.0 AS created_at, p.seen_at / 1000.0 AS seen_at,
       p.edited_at / 1000.0 AS edited_at, p.deleted_at / 1000.0 AS deleted_at,
       p.reply_to AS in_reply_to_id, p.root AS root_id, p.repost_of AS repost_of_id,
       p.quote_of AS quote_of_id, p.lang, p.url, p.uri, p.tags, p.depth, p.properties, p.id AS object
FROM posts p JOIN networks n ON n.id = p.network
WHERE p.kind <> 'comment';

CREATE VIEW comments AS
SELECT p.native_id AS id, n.name AS network, COALESCE(p.root, p.reply_to) AS status_id,
       p.reply_to AS in_reply_to_id, p.author AS user_id, p.text,
       p.created_at / 1000.0 AS created_at, p.seen_at / 1000.0 AS seen_at,
       p.edited_at / 1000.0 AS edited_at, p.deleted_at / 1000.0 AS deleted_at,
       p.lang, p.url, p.uri, p.tags, p.depth, p.properties, p.id AS object
FROM posts p JOIN networks n ON n.id = p.network
WHERE p.kind = 'comment' OR p.reply_to IS NOT NULL;

CREATE VIEW earlier_statuses AS
SELECT p.native_id AS status_id, n.name AS network, e.text, e.tags, c.seen_at / 1000.0 AS replaced_at,
       p.id AS object
FROM earlier_texts e JOIN posts p ON p.id = e.post JOIN networks n ON n.id = p.network
JOIN changes c ON c.number = e.number;

CREATE VIEW threads AS
SELECT l.native_id AS id, n.name AS network, l.title,
       (SELECT b.native_id FROM list_members i JOIN lists b ON b.id = i.list AND b.kind = 'board'
        WHERE i.member = l.id ORDER BY i.seen_at, b.id LIMIT 1) AS board_id,
       (SELECT count(*) FROM posts p WHERE p.list = l.id) AS posts_count,
       (SELECT count(*) FROM pages g WHERE g.list = l.id) AS pages_count,
       l.active_at / 1000.0 AS active_at, l.seen_at / 1000.0 AS seen_at, l.id AS object
FROM lists l JOIN networks n ON n.id = l.network WHERE l.kind = 'thread';

CREATE VIEW objects AS
SELECT p.id, n.name AS network, p.kind AS type, p.native_id,
       n.name || '/' || p.kind || '/' || p.native_id AS address, p.depth, p.seen_at / 1000.0 AS seen_at
FROM posts p JOIN networks n ON n.id = p.network
UNION ALL
SELECT a.id, n.name, 'account', a.native_id,
       n.name || '/account/' || a.native_id, a.depth, a.seen_at / 1000.0
FROM accounts a JOIN networks n ON n.id = a.network
UNION ALL
SELECT l.id, n.name, l.kind, l.native_id, n.name || '/' || l.kind || '/' || l.native_id, 0, l.seen_at / 1000.0
FROM lists l JOIN networks n ON n.id = l.network
UNION ALL
SELECT t.id, n.name, t.kind, t.native_id, n.name || '/' || t.kind || '/' || t.native_id, t.depth, t.seen_at / 1000.0
FROM things t JOIN networks n ON n.id = t.network;

CREATE VIEW links AS
SELECT p.id AS source, 'c' AS kind, 'author' AS name, n.name || '/account/' || p.author AS target
FROM posts p JOIN networks n ON n.id = p.network WHERE p.author IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'reply_to', n.name || '/' || COALESCE(p.reply_kind, p.kind) || '/' || p.reply_to
FROM posts p JOIN networks n ON n.id = p.network WHERE p.reply_to IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'root', n.name || '/' || COALESCE(p.root_kind, p.kind) || '/' || p.root
FROM posts p JOIN networks n ON n.id = p.network WHERE p.root IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'repost_of', n.name || '/' || p.kind || '/' || p.repost_of
FROM posts p JOIN networks n ON n.id = p.network WHERE p.repost_of IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'quote_of', n.name || '/' || p.kind || '/' || p.quote_of
FROM posts p JOIN networks n ON n.id = p.network WHERE p.quote_of IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'list', n.name || '/' || l.kind || '/' || l.native_id
FROM posts p JOIN lists l ON l.id = p.list JOIN networks n ON n.id = l.network WHERE p.list IS NOT NULL
UNION ALL
SELECT p.list, 'co', 'posts', n.name || '/' || p.kind || '/' || p.native_id
FROM posts p JOIN networks n ON n.id = p.network WHERE p.list IS NOT NULL
UNION ALL
SELECT i.list, 'co', l.kind || 's', n.name || '/' || l.kind || '/' || l.native_id
FROM list_members i JOIN lists l ON l.id = i.member JOIN networks n ON n.id = l.network
UNION ALL
SELECT a.id, 'co', 'follows', n.name || '/account/' || r.target
FROM relations r JOIN networks n ON n.id = r.network
JOIN accounts a ON a.network = r.network AND a.native_id = r.source
WHERE r.cancelled_at IS NULL
UNION ALL
SELECT COALESCE(p.id, a.id, t.id), CASE m.is_member WHEN 0 THEN 'c' ELSE 'co' END, m.name,
       n.name || '/' || m.to_kind || '/' || m.to_id
FROM object_links m JOIN networks n ON n.id = m.network
LEFT JOIN posts p ON p.network = m.network AND p.native_id = m.from_id AND p.kind = m.from_kind
LEFT JOIN accounts a ON m.from_kind = 'account' AND a.network = m.network AND a.native_id = m.from_id
LEFT JOIN things t ON t.network = m.network AND t.native_id = m.from_id AND t.kind = m.from_kind
WHERE m.cancelled_at IS NULL
UNION ALL
SELECT object, 'sc', name, target FROM cross_links;

-- For researchers: every link of the table above, those that ended included, times in seconds since 1970.
CREATE VIEW link_history AS
SELECT n.name AS network, m.from_kind AS source_type, m.from_id AS source_id, m.name,
       m.to_kind AS target_type, m.to_id AS target_id, CASE m.is_member WHEN 0 THEN 'c' ELSE 'co' END AS kind,
       m.seen_at / 1000.0 AS seen_at, m.last_seen_at / 1000.0 AS last_seen_at, m.cancelled_at / 1000.0 AS cancelled_at
FROM object_links m JOIN networks n ON n.id = m.network;

-- Who links to whom across networks, found by the target too.
CREATE INDEX cross_links_by_target ON cross_links (target);
