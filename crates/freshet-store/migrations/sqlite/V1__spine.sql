-- The tables of the spine. Times are UTC milliseconds since 1970; ids are the network's own.
--
-- One counter numbers objects and changes alike: an object's number is the number of the log
-- line that made it known, so numbers rise, are never given twice, and the lines of an object
-- are found without an index over the whole log.
--
-- An account or post that is only named (an author, what a reply answers) is not stored twice:
-- posts and relations hold the network's id as text, and the account row exists from the first
-- naming on, bare until its profile is seen. Posts that are only named have no row at all.

CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO counters (name, value) VALUES
    ('number', 1), ('visit', 1),
    ('posts', 0), ('deleted', 0), ('accounts', 0), ('relations', 0), ('changes', 0), ('visits', 0);

CREATE TABLE networks (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    base          TEXT,                          -- NULL: its objects are known, the server was never added
    allow_private INTEGER NOT NULL DEFAULT 0,
    on_delete     TEXT NOT NULL DEFAULT 'keep'   -- keep | redact
);

-- Posts of all types. One id of a network is one post, whatever type it was seen as first.
CREATE TABLE posts (
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
    UNIQUE (network, native_id)
);
CREATE INDEX posts_by_author ON posts (network, author, created_at);
CREATE INDEX posts_by_retention ON posts (source, created_at) WHERE is_retained = 1;
CREATE INDEX posts_deleted ON posts (network) WHERE deleted_at IS NOT NULL;

CREATE TABLE accounts (
    id              INTEGER PRIMARY KEY,
    network         INTEGER NOT NULL,
    native_id       TEXT NOT NULL,
    depth           INTEGER NOT NULL,
    seen_at         INTEGER NOT NULL,
    created_at      INTEGER,
    state           TEXT NOT NULL DEFAULT 'active',
    opts_out        INTEGER NOT NULL DEFAULT 0,
    invalid         TEXT,                        -- why it is in invalid_users
    invalid_at      INTEGER,
    followers_count INTEGER,
    following_count INTEGER,
    posts_count     INTEGER,
    handle          TEXT,
    name            TEXT,
    bio             TEXT,
    url             TEXT,
    uri             TEXT,
    location        TEXT,
    properties      TEXT,
    UNIQUE (network, native_id)
);
CREATE INDEX accounts_invalid ON accounts (invalid_at) WHERE invalid IS NOT NULL;

CREATE TABLE relations (
    id           INTEGER PRIMARY KEY,
    network      INTEGER NOT NULL,
    source       TEXT NOT NULL,                  -- who follows
    target       TEXT NOT NULL,                  -- who is followed
    seen_at      INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    cancelled_at INTEGER,
    UNIQUE (network, source, target)
);
CREATE INDEX relations_by_target ON relations (network, target);
CREATE INDEX relations_cancelled ON relations (cancelled_at) WHERE cancelled_at IS NOT NULL;

CREATE TABLE tags (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE account_tags (
    network INTEGER NOT NULL,
    account TEXT NOT NULL,
    tag     INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (network, account, tag)
) WITHOUT ROWID;

-- sc- and sco-links: to objects of other networks, by address.
CREATE TABLE cross_links (
    object INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    name   TEXT NOT NULL,
    target TEXT NOT NULL,
    PRIMARY KEY (object, place)
) WITHOUT ROWID;

-- The change log. class: 0 account, 1 post, 2 relation. kind: 0 created, 1 edited, 2 deleted,
-- 3 restored, 4 invalidated, 5 unlinked. The first line of an object has number = object.
CREATE TABLE changes (
    number  INTEGER PRIMARY KEY,
    object  INTEGER NOT NULL,
    class   INTEGER NOT NULL,
    kind    INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    visit   INTEGER NOT NULL
);
CREATE INDEX changes_later ON changes (object) WHERE number <> object;

CREATE TABLE cursors (
    consumer TEXT PRIMARY KEY,
    number   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE sources (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    network       INTEGER NOT NULL,
    robot         TEXT NOT NULL,
    state         TEXT NOT NULL,
    weight        REAL NOT NULL,
    due_at        INTEGER NOT NULL,
    depth         INTEGER NOT NULL,
    endpoint      TEXT NOT NULL,
    root_kind     TEXT NOT NULL,
    root_id       TEXT NOT NULL,                 -- empty until the handle is resolved
    handle        TEXT,
    since         INTEGER,
    retention_ms  INTEGER,
    visited_at    INTEGER,
    attempts      INTEGER NOT NULL,
    failure       TEXT,
    etag          TEXT,
    last_modified TEXT,
    model         BLOB NOT NULL,
    coverage      TEXT NOT NULL                  -- JSON; the view `coverage` unfolds it
);
CREATE INDEX sources_by_root ON sources (root_id, network) WHERE root_id <> '';
CREATE INDEX sources_by_handle ON sources (handle, network) WHERE handle IS NOT NULL;
CREATE INDEX sources_by_state ON sources (state);
CREATE INDEX sources_by_retention ON sources (id) WHERE retention_ms IS NOT NULL;

CREATE TABLE visits (
    id             INTEGER PRIMARY KEY,
    source         INTEGER NOT NULL,
    started_at     INTEGER NOT NULL,
    ended_at       INTEGER NOT NULL,
    fetch_count    INTEGER NOT NULL,
    new_post_count INTEGER NOT NULL,
    outcome        TEXT NOT NULL,
    attempt        INTEGER NOT NULL
);
CREATE INDEX visits_by_source ON visits (source);

-- Answers as received, compressed with zstd; kept only where asked for.
CREATE TABLE payloads (
    id      INTEGER PRIMARY KEY,
    visit   INTEGER NOT NULL,
    digest  INTEGER NOT NULL,
    source  INTEGER,
    seen_at INTEGER NOT NULL,
    body    BLOB NOT NULL,
    UNIQUE (visit, digest)
);
CREATE INDEX payloads_by_source ON payloads (source) WHERE source IS NOT NULL;

-- Which objects a payload shows, so that erasing one erases the payload too.
CREATE TABLE payload_objects (
    object  INTEGER NOT NULL,
    payload INTEGER NOT NULL,
    PRIMARY KEY (object, payload)
) WITHOUT ROWID;
CREATE INDEX payload_objects_by_payload ON payload_objects (payload);

CREATE TABLE robots (
    kind       TEXT PRIMARY KEY,
    state      TEXT NOT NULL,
    credential TEXT
) WITHOUT ROWID;

INSERT INTO robots (kind, state) VALUES
    ('relation', 'stopped'), ('user', 'running'), ('status', 'running'),
    ('comment', 'stopped'), ('tag', 'stopped');

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE controls (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    verb     TEXT NOT NULL,
    argument TEXT NOT NULL
);

CREATE TABLE parked (
    address   TEXT PRIMARY KEY,
    missing   TEXT NOT NULL,
    parked_at INTEGER NOT NULL,
    object    TEXT NOT NULL
) WITHOUT ROWID;

-- The search index holds no copy of the text; rowid is the post's number. It follows the
-- change log at its own pace, with the cursor `search`.
CREATE VIRTUAL TABLE post_text USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- For researchers: the names of MBCrawler, native ids, times in seconds since 1970.

CREATE VIEW users AS
SELECT a.native_id AS id, n.name AS network, a.handle, a.name, a.bio, a.location, a.url,
       a.followers_count, a.following_count, a.posts_count AS statuses_count,
       a.created_at / 1000.0 AS created_at, a.seen_at / 1000.0 AS seen_at,
       a.state, a.opts_out, a.depth, a.properties, a.id AS object
FROM accounts a JOIN networks n ON n.id = a.network;

CREATE VIEW invalid_users AS
SELECT a.native_id AS user_id, n.name AS network, a.handle, a.invalid AS reason,
       a.invalid_at / 1000.0 AS invalid_at, a.id AS object
FROM accounts a JOIN networks n ON n.id = a.network
WHERE a.invalid IS NOT NULL;

CREATE VIEW user_relations AS
SELECT r.source AS source_user_id, r.target AS target_user_id, n.name AS network,
       r.seen_at / 1000.0 AS seen_at, r.last_seen_at / 1000.0 AS last_seen_at
FROM relations r JOIN networks n ON n.id = r.network
WHERE r.cancelled_at IS NULL;

CREATE VIEW invalid_relations AS
SELECT r.source AS source_user_id, r.target AS target_user_id, n.name AS network,
       r.seen_at / 1000.0 AS seen_at, r.cancelled_at / 1000.0 AS cancelled_at
FROM relations r JOIN networks n ON n.id = r.network
WHERE r.cancelled_at IS NOT NULL;

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

CREATE VIEW user_tags AS
SELECT t.account AS user_id, n.name AS network, t.tag AS tag_id, g.name AS tag,
       t.seen_at / 1000.0 AS seen_at
FROM account_tags t JOIN tags g ON g.id = t.tag JOIN networks n ON n.id = t.network;

-- The object/link model of SocWeb over the same rows.

CREATE VIEW objects AS
SELECT p.id, n.name AS network, p.kind AS type, p.native_id,
       n.name || '/' || p.kind || '/' || p.native_id AS address, p.depth, p.seen_at / 1000.0 AS seen_at
FROM posts p JOIN networks n ON n.id = p.network
UNION ALL
SELECT a.id, n.name, 'account', a.native_id,
       n.name || '/account/' || a.native_id, a.depth, a.seen_at / 1000.0
FROM accounts a JOIN networks n ON n.id = a.network;

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
SELECT a.id, 'co', 'follows', n.name || '/account/' || r.target
FROM relations r JOIN networks n ON n.id = r.network
JOIN accounts a ON a.network = r.network AND a.native_id = r.source
WHERE r.cancelled_at IS NULL
UNION ALL
SELECT object, 'sc', name, target FROM cross_links;

-- What is proven complete, one line an interval, newest first within a source.
CREATE VIEW coverage AS
SELECT s.id AS source, i.key AS place,
       i.value ->> '$.newest.id' AS newest_id, (i.value ->> '$.newest.at') / 1000.0 AS newest_at,
       i.value ->> '$.oldest.id' AS oldest_id, (i.value ->> '$.oldest.at') / 1000.0 AS oldest_at,
       (i.value ->> '$.until') / 1000.0 AS until, (i.value ->> '$.is_bottom') AS is_bottom,
       i.value ->> '$.visit' AS visit
FROM sources s, json_each(s.coverage, '$.intervals') i;
