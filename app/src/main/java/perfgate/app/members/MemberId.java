package perfgate.app.members;

/**
 * The signed-in member. As a controller argument it is resolved from the bearer token; declare it first, so that nothing
 * of the request is judged before its caller is known.
 */
public record MemberId(long value) {}
