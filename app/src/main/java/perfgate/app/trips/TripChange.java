package perfgate.app.trips;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.time.LocalDate;

/** @param version the version that the change was made from */
@ValidPeriod
public record TripChange(
        @NotBlank @Size(max = 100) String title,
        @NotNull LocalDate startDate,
        @NotNull LocalDate endDate,
        @NotNull Integer version)
        implements TripPeriod {}
