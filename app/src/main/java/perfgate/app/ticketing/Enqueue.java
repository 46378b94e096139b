package perfgate.app.ticketing;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;

public record Enqueue(@NotNull @Positive Long userId) {}
