package perfgate.app.ticketing;

/**
 * Where a fan stands in the queue.
 *
 * @param order 1 for the next to be let in, 0 for one who is in
 */
public record QueuePlace(long order) {}
