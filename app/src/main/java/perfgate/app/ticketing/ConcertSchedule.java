package perfgate.app.ticketing;

import java.time.LocalDateTime;

/** One date of a concert. */
public record ConcertSchedule(long id, LocalDateTime concertDate) {}
