package perfgate.app.ticketing;

import jakarta.validation.constraints.NotNull;

public record NewReservation(@NotNull Long userId, @NotNull Long concertSeatId) {}
