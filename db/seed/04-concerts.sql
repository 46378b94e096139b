-- 100 concerts with 100 evenings each, all of them far in the future: seats can be sold in any year to come.
INSERT INTO concerts (id, title, artist)
SELECT n + 1, CONCAT('Concert ', n + 1), CONCAT('Artist ', n + 1)
FROM seed_numbers
WHERE n < 100;

INSERT INTO concert_schedules (id, concert_id, concert_date)
SELECT concert.n * 100 + evening.n + 1,
       concert.n + 1,
       TIMESTAMP('2098-01-01 19:00:00') + INTERVAL evening.n DAY
FROM seed_numbers concert STRAIGHT_JOIN seed_numbers evening
WHERE concert.n < 100 AND evening.n < 100;
