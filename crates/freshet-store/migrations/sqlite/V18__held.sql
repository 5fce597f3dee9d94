-- Constraints ask for the replies to a post, the newest first.
CREATE INDEX posts_by_reply ON posts (network, reply_to, created_at) WHERE reply_to IS NOT NULL;

-- Objects of which a robot makes no sources, because a constraint says no or cannot tell yet. They are numbers that say nothing once
-- the object is forgotten. judge_at: when it is judged again; at once where a page brought something of it.
CREATE TABLE held (
    object   INTEGER NOT NULL,
    robot    INTEGER NOT NULL,                   -- its place in the order relation, user, status, comment, tag, link, from 0
    judge_at INTEGER NOT NULL,
    PRIMARY KEY (object, robot)
) WITHOUT ROWID;
CREATE INDEX held_by_time ON held (judge_at);
