package perfgate.app.ticketing.web;

import org.springframework.http.HttpStatus;
import perfgate.app.problems.Problem;

/** Refuses requests that name another user than their token does. */
final class TokenOwner {

    private TokenOwner() {}

    static void require(long ownerId, long userId) {
        if (ownerId != userId) {
            throw new Problem(
                    HttpStatus.FORBIDDEN, "token-of-another", "The token does not belong to user " + userId + ".");
        }
    }
}
