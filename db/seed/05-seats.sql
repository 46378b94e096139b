-- 150 seats for each of the 10,000 schedules; schedule s has seats 150(s - 1) + 1 to 150s.
INSERT INTO concert_seats (id, concert_schedule_id, seat_number, price)
SELECT (high.n * 1000 + low.n) * 150 + seat.n + 1,
       high.n * 1000 + low.n + 1,
       seat.n + 1,
       CASE seat.n DIV 50 WHEN 0 THEN 150000 WHEN 1 THEN 110000 ELSE 70000 END
FROM seed_numbers high STRAIGHT_JOIN seed_numbers low STRAIGHT_JOIN seed_numbers seat
WHERE high.n < 10 AND seat.n < 150;
