package perfgate.app.ticketing.domain;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Repository;
import perfgate.app.ticketing.Payment;

@Repository
class ReservationRepository {

    /** The columns of a reservation that a payment needs. */
    record Held(long id, long seatId, ReservationStatus status, Instant expiresAt, int price) {}

    private final JdbcClient jdbc;

    ReservationRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Holds a seat; empty if the seat or the member does not exist, or the member holds {@code limit} unpaid seats. The lock
     * on the member makes one reservation wait for another, so that both count.
     *
     * @throws org.springframework.dao.DuplicateKeyException if the seat is already held: the unique key decides
     */
    OptionalLong insert(long memberId, long seatId, Instant now, Instant expiresAt, int limit) {
        GeneratedKeyHolder keys = new GeneratedKeyHolder();
        int rows = jdbc.sql("""
                        INSERT INTO reservations
                            (member_id, concert_seat_id, held_seat_id, status, expires_at, created_at)
                        SELECT m.id, s.id, s.id, 'PENDING', ?, ?
                        FROM members m CROSS JOIN concert_seats s
                        WHERE m.id = ? AND s.id = ?
                          AND (SELECT COUNT(*) FROM reservations r
                               WHERE r.member_id = m.id AND r.status = 'PENDING' AND r.expires_at > ?) < ?
                        FOR UPDATE""")
                .params(utc(expiresAt), utc(now), memberId, seatId, utc(now), limit)
                .update(keys, "id");
        return rows == 0
                ? OptionalLong.empty()
                : OptionalLong.of(Objects.requireNonNull(keys.getKey()).longValue());
    }

    /** The member's own reservation of the seat, if it can still be paid. */
    OptionalLong pending(long memberId, long seatId, Instant now) {
        return jdbc.sql("""
                        SELECT id FROM reservations
                        WHERE held_seat_id = ? AND member_id = ? AND status = 'PENDING' AND expires_at > ?""").params(seatId, memberId, utc(now)).query(Long.class).list().stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    boolean memberExists(long memberId) {
        return jdbc.sql("SELECT 1 FROM members WHERE id = ?")
                .param(memberId)
                .query((row, n) -> row.getInt(1))
                .optional()
                .isPresent();
    }

    /** Nobody else can pay or expire the reservation until the transaction ends. The price is read without a lock. */
    Optional<Held> lock(long memberId, long reservationId) {
        return jdbc.sql("""
                        SELECT id, concert_seat_id, status, expires_at,
                               (SELECT price FROM concert_seats s WHERE s.id = r.concert_seat_id)
                        FROM reservations r
                        WHERE id = ? AND member_id = ?
                        FOR UPDATE""")
                .params(reservationId, memberId)
                .query((row, n) -> new Held(
                        row.getLong(1),
                        row.getLong(2),
                        ReservationStatus.valueOf(row.getString(3)),
                        instant(row, 4),
                        row.getInt(5)))
                .optional();
    }

    void markPaid(long reservationId) {
        jdbc.sql("UPDATE reservations SET status = 'PAID' WHERE id = ?")
                .param(reservationId)
                .update();
    }

    long insertPayment(long memberId, Held reservation, Instant paidAt) {
        GeneratedKeyHolder keys = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO payments (reservation_id, member_id, amount, paid_at) VALUES (?, ?, ?, ?)")
                .params(reservation.id(), memberId, reservation.price(), utc(paidAt))
                .update(keys, "id");
        return Objects.requireNonNull(keys.getKey()).longValue();
    }

    Payment payment(long reservationId) {
        return jdbc.sql("SELECT id, reservation_id, amount, paid_at FROM payments WHERE reservation_id = ?")
                .param(reservationId)
                .query((row, n) -> new Payment(row.getLong(1), row.getLong(2), row.getInt(3), instant(row, 4)))
                .single();
    }

    /** A batch of unpaid reservations that have expired, read without a lock. */
    List<Long> due(Instant now, int limit) {
        return jdbc.sql("""
                        SELECT id FROM reservations
                        WHERE status = 'PENDING' AND expires_at <= ?
                        ORDER BY expires_at
                        LIMIT ?""")
                .params(utc(now), limit)
                .query((row, n) -> row.getLong(1))
                .list();
    }

    /** Frees the seats of reservations still unpaid. Updates by key, because a range would lock out new reservations. */
    int expire(List<Long> reservationIds) {
        return jdbc.sql("""
                        UPDATE reservations SET status = 'EXPIRED', held_seat_id = NULL
                        WHERE id IN (:ids) AND status = 'PENDING'""").param("ids", reservationIds).update();
    }

    /** Sent as text, which every database engine and driver reads the same way; see also TripRepository. */
    private static String utc(Instant instant) {
        return LocalDateTime.ofInstant(instant, ZoneOffset.UTC).toString().replace('T', ' ');
    }

    private static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
    }
}
