package perfgate.app.trips;

import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/** First and last day of a trip. Either may be null until validation has passed. */
public interface TripPeriod {

    @Nullable
    LocalDate startDate();

    @Nullable
    LocalDate endDate();
}
