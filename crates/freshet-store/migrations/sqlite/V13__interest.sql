-- How often people ask about whom, and what they get as an answer: counts by day, never what was typed. A user is an account by
-- its number, or, where a post has no author that is known, the source that brought it by its number below zero.
CREATE TABLE inquiries (
    day   INTEGER NOT NULL,                      -- days since 1970, UTC
    user  INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, user)
) WITHOUT ROWID;
CREATE INDEX inquiries_by_user ON inquiries (user);

CREATE TABLE answers (
    day    INTEGER NOT NULL,
    source INTEGER NOT NULL,                     -- the source whose posts, account or page were an answer
    user   INTEGER NOT NULL,
    count  INTEGER NOT NULL,
    PRIMARY KEY (day, source, user)
) WITHOUT ROWID;
CREATE INDEX answers_by_source ON answers (source);
CREATE INDEX answers_by_user ON answers (user);

-- Who is forgotten was never asked about.
CREATE TRIGGER interest_in_account_forgotten AFTER DELETE ON accounts BEGIN
    DELETE FROM inquiries WHERE user = old.id;
    DELETE FROM answers WHERE user = old.id;
END;
CREATE TRIGGER interest_in_source_forgotten AFTER DELETE ON sources BEGIN
    DELETE FROM inquiries WHERE user = -old.id;
    DELETE FROM answers WHERE source = old.id;
END;
