package perfgate.app.ticketing;

/**
 * A fan's place in the queue.
 *
 * @param order 0 if the fan is admitted, 1 if the fan is next
 */
public record QueuePlace(long order) {}
