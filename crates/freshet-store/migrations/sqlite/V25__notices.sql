-- What subscribers are told that is no change of a stored object: who is forgotten, so that they erase it too, and alerts.
-- Written only while a subscription wants the kind; gone when all of those have taken it, and after thirty days whoever waits.
CREATE TABLE notices (
    number INTEGER PRIMARY KEY,                  -- of the log's counter, so that a subscription's one cursor says what it has
    kind   TEXT NOT NULL,                        -- forgettings, alerts
    at     INTEGER NOT NULL,
    record TEXT NOT NULL                         -- JSON
);
