package perfgate.app.ticketing;

/**
 * Somebody whom the queue has let in. As a controller argument it is resolved from the queue's token; declare it first, so
 * that nothing of the request is judged before its caller is known.
 */
public record Fan(long userId) {}
