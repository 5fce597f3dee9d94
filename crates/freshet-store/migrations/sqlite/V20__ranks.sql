-- How near accounts are to what a focus wants, as the last reckoning of a run had it. Derived: without a focus there are none.
CREATE TABLE ranks (
    account INTEGER PRIMARY KEY,                 -- its number
    score   REAL NOT NULL                        -- above 0
);
CREATE TRIGGER rank_of_account_forgotten AFTER DELETE ON accounts BEGIN
    DELETE FROM ranks WHERE account = old.id;
END;
