-- What a post said before an edit, under the number of the line of the log that tells of the edit.
CREATE TABLE earlier_texts (
    number INTEGER PRIMARY KEY,
    post   INTEGER NOT NULL,
    text   TEXT NOT NULL,
    tags   TEXT                                  -- JSON array, NULL for none
);
CREATE INDEX earlier_texts_by_post ON earlier_texts (post);

-- For researchers: every text that a post had and has no more, times in seconds since 1970.
CREATE VIEW earlier_statuses AS
SELECT p.native_id AS status_id, n.name AS network, e.text, e.tags, c.seen_at / 1000.0 AS replaced_at,
       p.id AS object
FROM earlier_texts e JOIN posts p ON p.id = e.post JOIN networks n ON n.id = p.network
JOIN changes c ON c.number = e.number;
