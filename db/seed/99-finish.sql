DROP TABLE seed_numbers;

-- Statistics are taken here, once, so that every restored copy gets the same query plans.
ANALYZE TABLE members, trips, plans, concerts, concert_schedules, concert_seats, quotes, reservations, payments;
