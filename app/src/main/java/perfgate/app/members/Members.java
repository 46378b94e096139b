package perfgate.app.members;

import java.util.Optional;

public interface Members {

    /** Opens a session. An unknown e-mail and a wrong password get the same error. */
    Session login(Login login);

    /** Ends the session of a token. False if there was none. */
    boolean logout(String token);

    /** The member behind a token that has not expired. */
    Optional<MemberId> memberOf(String token);
}
