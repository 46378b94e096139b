package perfgate.app.ticketing;

import java.time.LocalDateTime;

/** An evening of a concert. */
public record ConcertSchedule(long id, LocalDateTime concertDate) {}
