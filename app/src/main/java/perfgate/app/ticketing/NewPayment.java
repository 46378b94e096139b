package perfgate.app.ticketing;

import jakarta.validation.constraints.NotNull;

public record NewPayment(@NotNull Long userId) {}
