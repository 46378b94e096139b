-- 4 trips for each of members 1 to 5,000; member m owns trips 4(m - 1) + 1 to 4m.
-- The dates are fixed and far apart, so that the overview shows past, present and future in any year to come.
INSERT INTO trips (id, member_id, title, start_date, end_date)
SELECT t.id,
       (t.id - 1) DIV 4 + 1,
       CONCAT('Trip ', t.id),
       CASE (t.id - 1) % 4 WHEN 0 THEN '2020-05-01' WHEN 1 THEN '2021-09-10' WHEN 2 THEN '2020-06-01' ELSE '2098-03-01' END,
       CASE (t.id - 1) % 4 WHEN 0 THEN '2020-05-07' WHEN 1 THEN '2021-09-12' WHEN 2 THEN '2099-12-31' ELSE '2098-03-10' END
FROM (SELECT high.n * 1000 + low.n + 1 AS id
      FROM seed_numbers high STRAIGHT_JOIN seed_numbers low
      WHERE high.n < 20) t;
