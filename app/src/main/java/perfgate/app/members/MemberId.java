package perfgate.app.members;

import perfgate.app.platform.Caller;

/**
 * The signed-in member, resolved from the bearer token. Declare it as the first controller argument, so that the service
 * authenticates the caller before it validates the rest of the request.
 */
public record MemberId(long value) implements Caller {}
