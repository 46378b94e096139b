package perfgate.app.members.web;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import perfgate.app.problems.Problem;

final class BearerToken {

    private static final String SCHEME = "Bearer ";

    private BearerToken() {}

    /** The token in an Authorization header. Its scheme name is case-insensitive (RFC 9110, section 11.1). */
    static String of(@Nullable String header) {
        if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw new Problem(
                    HttpStatus.UNAUTHORIZED, "token-missing", "The Authorization header has no bearer token.");
        }
        return header.substring(SCHEME.length()).strip();
    }

    static Problem unknown() {
        return new Problem(HttpStatus.UNAUTHORIZED, "token-unknown", "The token is unknown or has expired.");
    }
}
