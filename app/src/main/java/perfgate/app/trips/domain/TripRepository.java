package perfgate.app.trips.domain;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Repository;
import perfgate.app.members.MemberId;
import perfgate.app.trips.NewTrip;
import perfgate.app.trips.TripChange;

@Repository
class TripRepository {

    record TripRow(long id, String title, LocalDate startDate, LocalDate endDate, int version) {}

    /** A row of a page, with the number of rows on all pages. */
    record ListedTrip(TripRow trip, long total) {}

    private final JdbcClient jdbc;

    TripRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Each row repeats the total, because a second statement per request would cost more than the extra column. */
    List<ListedTrip> page(MemberId member, long offset, int size) {
        return jdbc.sql("""
                        SELECT id, title, start_date, end_date, version,
                               (SELECT COUNT(*) FROM trips WHERE member_id = ?) AS total
                        FROM trips
                        WHERE member_id = ?
                        ORDER BY start_date, id
                        LIMIT ? OFFSET ?""")
                .params(member.value(), member.value(), size, offset)
                .query((row, n) -> new ListedTrip(trip(row), row.getLong(6)))
                .list();
    }

    long count(MemberId member) {
        return jdbc.sql("SELECT COUNT(*) FROM trips WHERE member_id = ?")
                .param(member.value())
                .query((row, n) -> row.getLong(1))
                .single();
    }

    Optional<TripRow> find(MemberId member, long tripId) {
        return jdbc.sql("""
                        SELECT id, title, start_date, end_date, version
                        FROM trips
                        WHERE id = ? AND member_id = ?""")
                .params(tripId, member.value())
                .query((row, n) -> trip(row))
                .optional();
    }

    /** Keeps others from sorting or extending the trip's days until the transaction ends. False if there is no such trip. */
    boolean lock(MemberId member, long tripId) {
        return jdbc.sql("SELECT 1 FROM trips WHERE id = ? AND member_id = ? FOR UPDATE")
                .params(tripId, member.value())
                .query((row, n) -> row.getInt(1))
                .optional()
                .isPresent();
    }

    boolean exists(MemberId member, long tripId) {
        return jdbc.sql("SELECT 1 FROM trips WHERE id = ? AND member_id = ?")
                .params(tripId, member.value())
                .query((row, n) -> row.getInt(1))
                .optional()
                .isPresent();
    }

    long insert(MemberId member, NewTrip trip) {
        GeneratedKeyHolder keys = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO trips (member_id, title, start_date, end_date) VALUES (?, ?, ?, ?)")
                .params(member.value(), trip.title(), literal(trip.startDate()), literal(trip.endDate()))
                .update(keys, "id");
        return Objects.requireNonNull(keys.getKey()).longValue();
    }

    boolean update(MemberId member, long tripId, TripChange change) {
        return jdbc.sql("""
                        UPDATE trips
                        SET title = ?, start_date = ?, end_date = ?, version = version + 1
                        WHERE id = ? AND member_id = ? AND version = ?""")
                        .params(
                                change.title(),
                                literal(change.startDate()),
                                literal(change.endDate()),
                                tripId,
                                member.value(),
                                change.version())
                        .update()
                == 1;
    }

    boolean delete(MemberId member, long tripId) {
        return jdbc.sql("DELETE FROM trips WHERE id = ? AND member_id = ?")
                        .params(tripId, member.value())
                        .update()
                == 1;
    }

    /** The driver sends a date with the length of a timestamp, which MySQL 9 rejects as a malformed packet. */
    private static String literal(LocalDate date) {
        return date.toString();
    }

    private static TripRow trip(ResultSet row) throws SQLException {
        return new TripRow(
                row.getLong(1),
                row.getString(2),
                row.getObject(3, LocalDate.class),
                row.getObject(4, LocalDate.class),
                row.getInt(5));
    }
}
