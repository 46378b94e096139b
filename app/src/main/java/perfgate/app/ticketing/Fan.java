package perfgate.app.ticketing;

import perfgate.app.platform.Caller;

/**
 * A user admitted by the queue, resolved from the queue token. Declare it as the first controller argument, so that
 * the service authenticates the caller before it validates the rest of the request.
 */
public record Fan(long userId) implements Caller {}
