package perfgate.app.ticketing.domain;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import perfgate.app.ticketing.Concert;
import perfgate.app.ticketing.ConcertSchedule;
import perfgate.app.ticketing.ConcertSeat;
import perfgate.app.ticketing.SeatStatus;

@Repository
class ConcertRepository {

    static final String CONCERTS = "concerts";
    static final String SCHEDULES = "schedules";

    /** The years of a DATETIME in MySQL and MariaDB. */
    private static final LocalDate FIRST_DAY = LocalDate.of(1000, 1, 1);

    private static final LocalDate LAST_DAY = LocalDate.of(9999, 12, 31);

    private final JdbcClient jdbc;

    ConcertRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Cached because everybody reads it and nobody changes it. Empty pages are not, because their number is unbounded. */
    @Cacheable(cacheNames = CONCERTS, unless = "#result.isEmpty()")
    public List<Concert> concerts(long offset, int size) {
        return jdbc.sql("SELECT id, title, artist FROM concerts ORDER BY id LIMIT ? OFFSET ?")
                .params(size, offset)
                .query((row, n) -> new Concert(row.getLong(1), row.getString(2), row.getString(3)))
                .list();
    }

    boolean concertExists(long concertId) {
        return exists("SELECT 1 FROM concerts WHERE id = ?", concertId);
    }

    /** Cached like the concerts. What is on sale changes at midnight. */
    @Cacheable(cacheNames = SCHEDULES, unless = "#result.isEmpty()")
    public List<ConcertSchedule> schedules(long concertId, long offset, int size) {
        return schedulesFrom(concertId, FIRST_DAY, offset, size);
    }

    /** Not cached, because fans ask for any day. */
    List<ConcertSchedule> schedulesFrom(long concertId, LocalDate day, long offset, int size) {
        LocalDate from = day.isBefore(FIRST_DAY) ? FIRST_DAY : day.isAfter(LAST_DAY) ? LAST_DAY : day;
        return jdbc.sql("""
                        SELECT id, concert_date
                        FROM concert_schedules
                        WHERE concert_id = ? AND concert_date >= ?
                        ORDER BY concert_date, id
                        LIMIT ? OFFSET ?""")
                // As text, because MySQL refuses a date in the driver's binary form.
                .params(concertId, from.toString(), size, offset)
                .query((row, n) -> new ConcertSchedule(row.getLong(1), row.getObject(2, LocalDateTime.class)))
                .list();
    }

    boolean scheduleExists(long scheduleId) {
        return exists("SELECT 1 FROM concert_schedules WHERE id = ?", scheduleId);
    }

    /** Returns all seats without paging, because a venue has a bounded number of them. */
    List<ConcertSeat> seats(long scheduleId) {
        return jdbc.sql("""
                        SELECT s.id, s.seat_number, s.price, r.status
                        FROM concert_seats s LEFT JOIN reservations r ON r.held_seat_id = s.id
                        WHERE s.concert_schedule_id = ?
                        ORDER BY s.id""")
                .param(scheduleId)
                .query((row, n) ->
                        new ConcertSeat(row.getLong(1), row.getInt(2), row.getInt(3), seatStatus(row.getString(4))))
                .list();
    }

    boolean seatExists(long seatId) {
        return exists("SELECT 1 FROM concert_seats WHERE id = ?", seatId);
    }

    private static SeatStatus seatStatus(@Nullable String reservation) {
        if (reservation == null) {
            return SeatStatus.AVAILABLE;
        }
        return switch (ReservationStatus.valueOf(reservation)) {
            case PENDING -> SeatStatus.RESERVED;
            case PAID -> SeatStatus.SOLD;
            case EXPIRED -> SeatStatus.AVAILABLE;
        };
    }

    private boolean exists(String sql, long id) {
        return jdbc.sql(sql)
                .param(id)
                .query((row, n) -> row.getInt(1))
                .optional()
                .isPresent();
    }
}
