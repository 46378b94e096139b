-- The numbers 0 to 999, which every other seed file counts with. A plain table, not MariaDB's SEQUENCE
-- engine: MySQL has none, and the join was measured to be no slower. Not a temporary table either, for
-- MySQL cannot read one twice in a statement. STRAIGHT_JOIN keeps the rows in the order of their keys.
CREATE TABLE seed_numbers (n INT NOT NULL PRIMARY KEY);

INSERT INTO seed_numbers (n)
WITH RECURSIVE numbers (n) AS (
    SELECT 0
    UNION ALL
    SELECT n + 1 FROM numbers WHERE n < 999
)
SELECT n FROM numbers;
