-- A lease has an epoch: every run begins a new one, and what it writes of a source raises the source's to it. What an
-- earlier run brings of that source afterwards is refused: whoever was taken for dead may wake up and still upload.
ALTER TABLE sources ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
INSERT INTO counters (name, value) VALUES ('epoch', 0);
-- Messages to a running process once named what was forgotten; nobody may read that any more.
UPDATE controls SET argument = '"forgotten"' WHERE verb = 'sources' AND argument LIKE '{"forgotten":%';
