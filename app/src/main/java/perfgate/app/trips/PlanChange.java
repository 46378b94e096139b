package perfgate.app.trips;

import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/** @param version the version that the caller read before the change */
public record PlanChange(
        @NotBlank @Size(max = 100) String place,
        @NotNull @DecimalMin("-90") @DecimalMax("90") Double latitude,
        @NotNull @DecimalMin("-180") @DecimalMax("180") Double longitude,
        @Nullable @Size(max = 500) String memo,
        @NotNull Integer version) {}
