-- 2 days of 5 plans for each trip. A day starts somewhere in a city and its stops lie on a line from there,
-- visited in the order 0, 3, 1, 4, 2 with a little jitter: so sorting any day by distance moves exactly the
-- same number of plans, and never none. All arithmetic is in whole millionths of a degree, hence exact.
INSERT INTO plans (id, trip_id, day_number, position, place, latitude, longitude)
SELECT p.id,
       (p.id - 1) DIV 10 + 1,
       (p.id - 1) DIV 5 % 2 + 1,
       (p.id - 1) % 5,
       CONCAT('Place ', p.id),
       (37460000 + p.day * 7919 % 10007 * 10 + p.step * 10000 + p.id * 104729 % 4001 - 2000) * 0.000001,
       (126880000 + p.day * 6101 % 10009 * 10 + p.step * 12000 + p.id * 13007 % 4003 - 2000) * 0.000001
FROM (SELECT high.n * 1000 + low.n + 1 AS id,
             (high.n * 1000 + low.n) DIV 5 AS day,
             (high.n * 1000 + low.n) % 5 * 3 % 5 AS step
      FROM seed_numbers high STRAIGHT_JOIN seed_numbers low
      WHERE high.n < 200) p;
