package perfgate.app.ticketing;

/**
 * Somebody who may pay: whom the queue has let in, or who paid already and asks again, since the first answer may have
 * been lost.
 */
public record Buyer(long userId, AccessToken token) {}
