package perfgate.app.trips;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.time.LocalDate;

/** @param version the version that the caller read before the change */
@ValidPeriod
public record TripChange(
        @NotBlank @Size(max = 100) String title,
        @NotNull LocalDate startDate,
        @NotNull LocalDate endDate,
        @NotNull Integer version)
        implements TripPeriod {}
