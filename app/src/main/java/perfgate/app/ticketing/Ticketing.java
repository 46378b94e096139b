package perfgate.app.ticketing;

import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

public interface Ticketing {

    /** Joins the end of the queue. The user loses any earlier place. */
    AccessToken enqueue(long userId);

    /** The token owner's place. Each call keeps the place from expiring. */
    QueuePlace order(AccessToken token);

    /** The admitted owner of the token. */
    Fan admitted(AccessToken token);

    /** The owner of a token that is admitted, or was until its payment ended the visit. */
    Buyer buyer(AccessToken token);

    List<Concert> concerts(int page, int size);

    /** The concert's schedules by date: those on the day or later, or all of them without a day. */
    List<ConcertSchedule> schedules(long concertId, @Nullable LocalDate from, int page, int size);

    List<ConcertSeat> seats(long scheduleId);

    /** Holds a free seat until it is paid or the reservation expires. */
    Reservation reserve(Fan fan, long concertSeatId);

    /** Pays a reservation and ends the buyer's visit. Repeated calls pay only once. */
    Payment pay(Buyer buyer, long reservationId);
}
