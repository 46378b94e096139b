package perfgate.app.ticketing;

import java.util.List;

public interface Ticketing {

    /** Takes a place at the end of the queue; the user's former place, if there is one, is given up. */
    AccessToken enqueue(long userId);

    /** Where the token's owner stands. Asking keeps the place. */
    QueuePlace order(AccessToken token);

    /** Who the token has been let in for. */
    Fan admitted(AccessToken token);

    /** Who the token has been let in for, also after the payment that ended the visit. */
    Buyer buyer(AccessToken token);

    List<Concert> concerts(int page, int size);

    List<ConcertSchedule> schedules(long concertId, int page, int size);

    List<ConcertSeat> seats(long scheduleId);

    /** Holds a free seat until it is paid or the time for that is over. */
    Reservation reserve(Fan fan, long concertSeatId);

    /** Pays a reservation once, however often it is asked to, and ends the buyer's visit. */
    Payment pay(Buyer buyer, long reservationId);
}
