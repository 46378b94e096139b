package perfgate.app.ticketing;

import perfgate.app.platform.Caller;

/**
 * A user who may pay. The queue has admitted this user, or the user already paid and retries because the first response
 * may have been lost.
 */
public record Buyer(long userId, AccessToken token) implements Caller {}
