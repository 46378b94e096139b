package perfgate.app.trips;

import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/** First and last day of a trip, either of which is missing until a request was validated. */
public interface TripPeriod {

    @Nullable
    LocalDate startDate();

    @Nullable
    LocalDate endDate();
}
