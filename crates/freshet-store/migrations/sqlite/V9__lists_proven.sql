-- For people who look at forums of a hundred thousand threads: what is proven of a list, and the sums of a forum, without
-- reading the wide rows.

-- What the ledger of a list proves, as far as SQL can tell: 0 all of it; 1 it was never visited; 2 its pages are not all read
-- and the way on is known; 4 it is not known; 3 anything else, and whoever asks looks at the ledger itself. The store's own
-- answer is Lack::of.
ALTER TABLE sources ADD COLUMN proven INTEGER AS (
    CASE
        WHEN root_kind NOT IN ('portal', 'board', 'thread') THEN NULL
        WHEN json_array_length(coverage, '$.intervals') = 0 THEN
            CASE WHEN json_extract(coverage, '$.empty_at') IS NOT NULL THEN 0 WHEN visited_at IS NULL THEN 1 ELSE 4 END
        WHEN json_array_length(coverage, '$.intervals') = 1 AND json_extract(coverage, '$.intervals[0].is_bottom') THEN 0
        WHEN json_extract(coverage, '$.intervals[0].below') IS NOT NULL
            AND NOT json_extract(coverage, '$.intervals[0].is_bottom') THEN 2
        WHEN json_array_length(coverage, '$.intervals') = 1 THEN 4
        ELSE 3
    END
) VIRTUAL;
CREATE INDEX lists_proven ON sources (network, root_kind, state, proven)
WHERE root_kind IN ('portal', 'board', 'thread');

-- Pages of threads that were read, and posts in threads, of each forum.
CREATE TABLE forum_sums (
    network     INTEGER PRIMARY KEY,
    pages_count INTEGER NOT NULL,
    posts_count INTEGER NOT NULL
);
INSERT INTO forum_sums (network, pages_count, posts_count)
SELECT l.network, sum((SELECT count(*) FROM pages g WHERE g.list = l.id)),
       sum((SELECT count(*) FROM posts p WHERE p.list = l.id))
FROM lists l GROUP BY l.network;

CREATE TRIGGER pages_read AFTER INSERT ON pages BEGIN
    INSERT INTO forum_sums SELECT network, 1, 0 FROM lists WHERE id = new.list
    ON CONFLICT (network) DO UPDATE SET pages_count = pages_count + 1;
END;
CREATE TRIGGER pages_dropped AFTER DELETE ON pages BEGIN
    UPDATE forum_sums SET pages_count = pages_count - 1 WHERE network = (SELECT network FROM lists WHERE id = old.list);
END;
-- Posts that are added are counted by whoever applies a page of a thread: a trigger would cost every post of every network.
CREATE TRIGGER posts_unlisted AFTER DELETE ON posts WHEN old.list IS NOT NULL BEGIN
    UPDATE forum_sums SET posts_count = posts_count - 1 WHERE network = old.network;
END;
