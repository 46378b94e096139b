package perfgate.app.ticketing.domain;

import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;
import perfgate.app.platform.ReplicaRead;
import perfgate.app.platform.RetryLockFailures;
import perfgate.app.problems.Problem;
import perfgate.app.ticketing.AccessToken;
import perfgate.app.ticketing.Buyer;
import perfgate.app.ticketing.Concert;
import perfgate.app.ticketing.ConcertSchedule;
import perfgate.app.ticketing.ConcertSeat;
import perfgate.app.ticketing.Fan;
import perfgate.app.ticketing.Payment;
import perfgate.app.ticketing.QueuePlace;
import perfgate.app.ticketing.Reservation;
import perfgate.app.ticketing.SeatPaid;
import perfgate.app.ticketing.Ticketing;
import perfgate.app.ticketing.domain.ReservationRepository.Held;
import perfgate.app.ticketing.domain.WaitingQueue.State;
import perfgate.app.ticketing.domain.WaitingQueue.Visitor;

@Service
class DefaultTicketing implements Ticketing {

    private static final Logger log = LoggerFactory.getLogger(DefaultTicketing.class);

    private final WaitingQueue queue;
    private final ConcertRepository concerts;
    private final ReservationRepository reservations;
    private final SeatLocks locks;
    private final TransactionOperations transaction;
    private final ApplicationEventPublisher events;
    private final TicketingProperties properties;
    private final Clock clock;

    DefaultTicketing(
            WaitingQueue queue,
            ConcertRepository concerts,
            ReservationRepository reservations,
            SeatLocks locks,
            TransactionOperations transaction,
            ApplicationEventPublisher events,
            TicketingProperties properties,
            Clock clock) {
        this.queue = queue;
        this.concerts = concerts;
        this.reservations = reservations;
        this.locks = locks;
        this.transaction = transaction;
        this.events = events;
        this.properties = properties;
        this.clock = clock;
    }

    @Override
    public AccessToken enqueue(long userId) {
        return queue.enqueue(userId)
                .orElseThrow(() -> new Problem(
                        HttpStatus.SERVICE_UNAVAILABLE, "queue-full", "Too many users wait. Try again later."));
    }

    @Override
    public QueuePlace order(AccessToken token) {
        return new QueuePlace(queue.order(token).orElseThrow(DefaultTicketing::tokenUnknown));
    }

    @Override
    public Fan admitted(AccessToken token) {
        Visitor visitor = visitor(token);
        if (visitor.state() != State.ADMITTED) {
            throw notAdmitted();
        }
        return new Fan(visitor.userId());
    }

    @Override
    public Buyer buyer(AccessToken token) {
        Visitor visitor = visitor(token);
        if (visitor.state() == State.WAITING) {
            throw notAdmitted();
        }
        return new Buyer(visitor.userId(), token);
    }

    @Override
    @ReplicaRead
    public List<Concert> concerts(int page, int size) {
        return concerts.concerts((long) page * size, size);
    }

    @Override
    @ReplicaRead
    public List<ConcertSchedule> schedules(long concertId, @Nullable LocalDate from, int page, int size) {
        long offset = (long) page * size;
        List<ConcertSchedule> found = from == null
                ? concerts.schedules(concertId, offset, size)
                : concerts.schedulesFrom(concertId, from, offset, size);
        if (found.isEmpty() && !concerts.concertExists(concertId)) {
            throw notFound("concert", concertId);
        }
        return found;
    }

    @Override
    @ReplicaRead
    public List<ConcertSeat> seats(long scheduleId) {
        List<ConcertSeat> found = concerts.seats(scheduleId);
        if (found.isEmpty() && !concerts.scheduleExists(scheduleId)) {
            throw notFound("schedule", scheduleId);
        }
        return found;
    }

    @Override
    @RetryLockFailures
    public Reservation reserve(Fan fan, long concertSeatId) {
        return locks.tryWith(concertSeatId, () -> insert(fan, concertSeatId))
                .orElseThrow(() -> new Problem(
                        HttpStatus.CONFLICT,
                        "seat-busy",
                        "Another user is reserving seat " + concertSeatId + " right now."));
    }

    private Reservation insert(Fan fan, long seatId) {
        Instant now = now();
        try {
            Instant expiresAt = now.plus(properties.reservationTtl());
            OptionalLong id = reservations.insert(fan.userId(), seatId, now, expiresAt, properties.unpaidSeats());
            return new Reservation(
                    id.isPresent() ? id.getAsLong() : ownReservation(fan, seatId, now, () -> refused(fan, seatId)));
        } catch (DuplicateKeyException e) {
            return new Reservation(ownReservation(
                    fan,
                    seatId,
                    now,
                    () -> new Problem(HttpStatus.CONFLICT, "seat-taken", "Seat " + seatId + " is already taken.")));
        }
    }

    /** After a lost answer a fan asks again for a seat that is already theirs. */
    private long ownReservation(Fan fan, long seatId, Instant now, Supplier<Problem> refusal) {
        return reservations.pending(fan.userId(), seatId, now).orElseThrow(refusal);
    }

    private Problem refused(Fan fan, long seatId) {
        if (!concerts.seatExists(seatId)) {
            return notFound("seat", seatId);
        }
        return reservations.memberExists(fan.userId())
                ? new Problem(
                        HttpStatus.CONFLICT,
                        "unpaid-limit",
                        "A user holds at most " + properties.unpaidSeats() + " unpaid seats.")
                : notFound("member", fan.userId());
    }

    @Override
    @RetryLockFailures
    public Payment pay(Buyer buyer, long reservationId) {
        Optional<Payment> newPayment = transaction.execute(status -> payOnce(buyer, reservationId));
        // Read after the transaction, because its snapshot of the table may be older than the payment.
        Payment payment = newPayment.orElseGet(() -> reservations.payment(reservationId));
        leave(buyer);
        return payment;
    }

    /** Empty if the reservation was already paid. */
    private Optional<Payment> payOnce(Buyer buyer, long reservationId) {
        Held held = reservations
                .lock(buyer.userId(), reservationId)
                .orElseThrow(() -> notFound("reservation", reservationId));
        if (held.status() == ReservationStatus.PAID) {
            return Optional.empty();
        }
        Instant now = now();
        if (held.status() == ReservationStatus.EXPIRED || !held.expiresAt().isAfter(now)) {
            throw new Problem(
                    HttpStatus.CONFLICT,
                    "reservation-expired",
                    "Reservation " + reservationId + " has expired and cannot be paid any more.");
        }
        reservations.markPaid(reservationId);
        long id = reservations.insertPayment(buyer.userId(), held, now);
        events.publishEvent(new SeatPaid(id, reservationId, buyer.userId(), held.seatId(), held.price(), now));
        return Optional.of(new Payment(id, reservationId, held.price(), now));
    }

    /** A queue failure must not undo the payment. A visit that does not end here expires later. */
    private void leave(Buyer buyer) {
        try {
            queue.leave(buyer.token());
        } catch (DataAccessException e) {
            log.warn("Could not release a buyer's place in the queue; it will expire: {}", e.getMessage());
        }
    }

    private Visitor visitor(AccessToken token) {
        return queue.visitor(token).orElseThrow(DefaultTicketing::tokenUnknown);
    }

    /** Truncated to the database's precision, so that repeated calls return the same value as the first. */
    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }

    private static Problem tokenUnknown() {
        return new Problem(HttpStatus.UNAUTHORIZED, "token-unknown", "The token is unknown or has expired.");
    }

    private static Problem notAdmitted() {
        return new Problem(
                HttpStatus.FORBIDDEN,
                "not-admitted",
                "The queue has not admitted this token yet, or its visit is over.");
    }

    private static Problem notFound(String what, long id) {
        return new Problem(HttpStatus.NOT_FOUND, what + "-not-found", "No " + what + " has the id " + id + ".");
    }
}
