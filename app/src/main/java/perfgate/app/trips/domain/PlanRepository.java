package perfgate.app.trips.domain;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Repository;
import perfgate.app.members.MemberId;
import perfgate.app.trips.Plan;
import perfgate.app.trips.PlanSummary;

@Repository
class PlanRepository {

    record PlannedStop(int day, PlanSummary plan) {}

    record Content(String place, double latitude, double longitude, String memo) {}

    /** Sorted in Java, because the outer join would cost the database a temporary table and a file sort per request. */
    private static final Comparator<PlannedStop> IN_ORDER = Comparator.comparingInt(PlannedStop::day)
            .thenComparingInt(stop -> stop.plan().position())
            .thenComparingLong(stop -> stop.plan().id());

    /** JDBC reads the missing id of a trip without plans as 0, and ids start at 1. */
    private static final long NONE = 0;

    private final JdbcClient jdbc;
    private final JdbcOperations template;

    PlanRepository(JdbcClient jdbc, JdbcOperations template) {
        this.jdbc = jdbc;
        this.template = template;
    }

    /** Empty if the member has no such trip. A trip without plans gives an empty list. */
    Optional<List<PlannedStop>> findAll(MemberId member, long tripId) {
        return jdbc.sql("""
                        SELECT p.id, p.position, p.place, p.latitude, p.longitude, p.day_number
                        FROM trips t LEFT JOIN plans p ON p.trip_id = t.id
                        WHERE t.id = ? AND t.member_id = ?""").params(tripId, member.value()).query(PlanRepository::stops);
    }

    /** The plans of one day in their order. Locks none of them: whoever changes their order locks the trip. */
    List<PlanSummary> findDay(long tripId, int day) {
        return jdbc.sql("""
                        SELECT id, position, place, latitude, longitude
                        FROM plans
                        WHERE trip_id = ? AND day_number = ?
                        ORDER BY position, id""").params(tripId, day).query((row, n) -> summary(row)).list();
    }

    Optional<Plan> find(MemberId member, long tripId, long planId) {
        return jdbc.sql("""
                        SELECT p.id, p.trip_id, p.day_number, p.position, p.place, p.latitude, p.longitude, p.memo, p.version
                        FROM plans p JOIN trips t ON t.id = p.trip_id
                        WHERE p.id = ? AND p.trip_id = ? AND t.member_id = ?""")
                .params(planId, tripId, member.value())
                .query((row, n) -> new Plan(
                        row.getLong(1),
                        row.getLong(2),
                        row.getInt(3),
                        row.getInt(4),
                        row.getString(5),
                        row.getDouble(6),
                        row.getDouble(7),
                        row.getString(8),
                        row.getInt(9)))
                .optional();
    }

    /**
     * Appends a plan to a day. Empty if the member has no such trip or the trip is full. One statement checks and inserts.
     * Its lock on the trip keeps concurrent requests from sharing a position or exceeding the limit.
     */
    OptionalLong append(MemberId member, long tripId, int day, Content content, int limit) {
        GeneratedKeyHolder keys = new GeneratedKeyHolder();
        int inserted = jdbc.sql("""
                        INSERT INTO plans (trip_id, day_number, position, place, latitude, longitude, memo)
                        SELECT t.id, ?,
                               (SELECT COALESCE(MAX(d.position) + 1, 0)
                                FROM plans d WHERE d.trip_id = t.id AND d.day_number = ?),
                               ?, ?, ?, ?
                        FROM trips t
                        WHERE t.id = ? AND t.member_id = ?
                          AND (SELECT COUNT(*) FROM plans c WHERE c.trip_id = t.id) < ?
                        FOR UPDATE""")
                .params(
                        day,
                        day,
                        content.place(),
                        content.latitude(),
                        content.longitude(),
                        content.memo(),
                        tripId,
                        member.value(),
                        limit)
                .update(keys, "id");
        return inserted == 0
                ? OptionalLong.empty()
                : OptionalLong.of(Objects.requireNonNull(keys.getKey()).longValue());
    }

    /** Empty if the plan is gone. */
    Optional<Integer> positionOf(long planId) {
        return jdbc.sql("SELECT position FROM plans WHERE id = ?")
                .param(planId)
                .query(Integer.class)
                .optional();
    }

    /** Locks the plan alone. At REPEATABLE READ it would lock the trip too, and after the plan. */
    boolean update(MemberId member, long tripId, long planId, Content content, int version) {
        return jdbc.sql("""
                        UPDATE plans
                        SET place = ?, latitude = ?, longitude = ?, memo = ?, version = version + 1
                        WHERE id = ? AND trip_id = ? AND version = ?
                          AND EXISTS (SELECT 1 FROM trips t WHERE t.id = plans.trip_id AND t.member_id = ?)""")
                        .params(
                                content.place(),
                                content.latitude(),
                                content.longitude(),
                                content.memo(),
                                planId,
                                tripId,
                                version,
                                member.value())
                        .update()
                == 1;
    }

    /** Locks the trip before the plan, as everything does that locks both. */
    boolean delete(MemberId member, long tripId, long planId) {
        return jdbc.sql("""
                        DELETE p
                        FROM trips t STRAIGHT_JOIN plans p ON p.trip_id = t.id
                        WHERE t.id = ? AND t.member_id = ? AND p.id = ?""").params(tripId, member.value(), planId).update() == 1;
    }

    /** The driver sends the whole batch before it reads the first answer, so all statements take one round trip. */
    void reposition(List<PlanSummary> moved) {
        template.batchUpdate(
                "UPDATE plans SET position = ? WHERE id = ?",
                moved.stream()
                        .map(plan -> new Object[] {plan.position(), plan.id()})
                        .toList());
    }

    private static Optional<List<PlannedStop>> stops(ResultSet row) throws SQLException {
        if (!row.next()) {
            return Optional.empty();
        }
        List<PlannedStop> stops = new ArrayList<>();
        do {
            PlanSummary plan = summary(row);
            if (plan.id() != NONE) {
                stops.add(new PlannedStop(row.getInt(6), plan));
            }
        } while (row.next());
        stops.sort(IN_ORDER);
        return Optional.of(stops);
    }

    private static PlanSummary summary(ResultSet row) throws SQLException {
        return new PlanSummary(row.getLong(1), row.getInt(2), row.getString(3), row.getDouble(4), row.getDouble(5));
    }
}
