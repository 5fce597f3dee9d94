-- Lists of forums as objects: front pages, boards and threads. A list contains lists (a front page its boards, a board its
-- threads) or posts (a thread). Their numbers come from the counter of the log, without a line of their own there: they
-- become known with their sources.
CREATE TABLE lists (
    id        INTEGER PRIMARY KEY,
    network   INTEGER NOT NULL,
    kind      TEXT NOT NULL,                     -- portal | board | thread
    native_id TEXT NOT NULL,
    title     TEXT,
    seen_at   INTEGER NOT NULL,
    active_at INTEGER,                           -- its last activity, as a list that contains it showed
    UNIQUE (network, native_id, kind)
);

CREATE TABLE list_members (
    list    INTEGER NOT NULL,
    member  INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (list, member)
) WITHOUT ROWID;
CREATE INDEX list_members_by_member ON list_members (member);

-- Pages of threads: how each is asked for, what it showed, and when it is looked at again for edits and deletions.
CREATE TABLE pages (
    list    INTEGER NOT NULL,
    cursor  TEXT NOT NULL,                       -- empty for the first
    place   INTEGER NOT NULL,                    -- from 0, in the order of the list
    next    TEXT,
    shown   TEXT NOT NULL,                       -- JSON array of ids of posts, in the order of the page
    seen_at INTEGER NOT NULL,
    due_at  INTEGER NOT NULL,
    PRIMARY KEY (list, cursor)
) WITHOUT ROWID;
CREATE INDEX pages_by_due ON pages (due_at);

-- The thread that shows a post.
ALTER TABLE posts ADD COLUMN list INTEGER;

-- What was collected before belongs to lists as well; what contains what is seen at the next look.
INSERT INTO lists (id, network, kind, native_id, seen_at)
SELECT (SELECT value FROM counters WHERE name = 'number') + row_number() OVER (ORDER BY id) - 1,
       network, root_kind, root_id, COALESCE(visited_at, due_at)
FROM sources WHERE root_kind IN ('portal', 'board', 'thread') AND root_id <> '';
UPDATE counters SET value = value + (SELECT count(*) FROM lists) WHERE name = 'number';
UPDATE posts SET list = (
    SELECT l.id FROM sources s JOIN lists l ON l.network = s.network AND l.native_id = s.root_id AND l.kind = s.root_kind
    WHERE s.id = posts.source
) WHERE source IN (SELECT id FROM sources WHERE root_kind = 'thread');
CREATE INDEX posts_by_list ON posts (list, created_at) WHERE list IS NOT NULL;

DROP VIEW objects;
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
FROM lists l JOIN networks n ON n.id = l.network;

DROP VIEW links;
CREATE VIEW links AS
SELECT p.id AS source, 'c' AS kind, 'author' AS name, n.name || '/account/' || p.author AS target
FROM posts p JOIN networks n ON n.id = p.network WHERE p.author IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'reply_to', n.name || '/post/' || p.reply_to
FROM posts p JOIN networks n ON n.id = p.network WHERE p.reply_to IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'root', n.name || '/post/' || p.root
FROM posts p JOIN networks n ON n.id = p.network WHERE p.root IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'repost_of', n.name || '/post/' || p.repost_of
FROM posts p JOIN networks n ON n.id = p.network WHERE p.repost_of IS NOT NULL
UNION ALL
SELECT p.id, 'c', 'quote_of', n.name || '/post/' || p.quote_of
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
SELECT object, 'sc', name, target FROM cross_links;

-- For researchers: boards and threads, times in seconds since 1970.
CREATE VIEW threads AS
SELECT l.native_id AS id, n.name AS network, l.title,
       (SELECT b.native_id FROM list_members i JOIN lists b ON b.id = i.list AND b.kind = 'board'
        WHERE i.member = l.id ORDER BY i.seen_at, b.id LIMIT 1) AS board_id,
       (SELECT count(*) FROM posts p WHERE p.list = l.id) AS posts_count,
       (SELECT count(*) FROM pages g WHERE g.list = l.id) AS pages_count,
       l.active_at / 1000.0 AS active_at, l.seen_at / 1000.0 AS seen_at, l.id AS object
FROM lists l JOIN networks n ON n.id = l.network WHERE l.kind = 'thread';

CREATE VIEW boards AS
SELECT l.native_id AS id, n.name AS network, l.title,
       (SELECT count(*) FROM list_members i JOIN lists t ON t.id = i.member AND t.kind = 'thread'
        WHERE i.list = l.id) AS threads_count,
       l.seen_at / 1000.0 AS seen_at, l.id AS object
FROM lists l JOIN networks n ON n.id = l.network WHERE l.kind IN ('portal', 'board');
