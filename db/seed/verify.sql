-- One row a table: name, rows, and a sum of row checksums that does not depend on the order of the rows.
-- The answers expected are in expected.json.
SELECT 'members' AS name, COUNT(*) AS row_count,
       COALESCE(SUM(CRC32(CONCAT_WS('|', id, email, password_hash, name, created_at))), 0) AS checksum
FROM members
UNION ALL
SELECT 'trips', COUNT(*),
       COALESCE(SUM(CRC32(CONCAT_WS('|', id, member_id, title, start_date, end_date, version))), 0)
FROM trips
UNION ALL
SELECT 'plans', COUNT(*),
       COALESCE(SUM(CRC32(CONCAT_WS('|', id, trip_id, day_number, position, place, latitude, longitude, memo, version))), 0)
FROM plans
UNION ALL
SELECT 'concerts', COUNT(*),
       COALESCE(SUM(CRC32(CONCAT_WS('|', id, title, artist))), 0)
FROM concerts
UNION ALL
SELECT 'concert_schedules', COUNT(*),
       COALESCE(SUM(CRC32(CONCAT_WS('|', id, concert_id, concert_date))), 0)
FROM concert_schedules
UNION ALL
SELECT 'concert_seats', COUNT(*),
       COALESCE(SUM(CRC32(CONCAT_WS('|', id, concert_schedule_id, seat_number, price))), 0)
FROM concert_seats
UNION ALL
SELECT 'quotes', COUNT(*),
       COALESCE(SUM(CRC32(CONCAT_WS('|', id, text))), 0)
FROM quotes
UNION ALL
SELECT 'reservations', COUNT(*), 0 FROM reservations
UNION ALL
SELECT 'payments', COUNT(*), 0 FROM payments;
