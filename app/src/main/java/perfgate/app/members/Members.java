package perfgate.app.members;

import java.util.Optional;

public interface Members {

    /** Opens a session, or refuses with one answer for an unknown e-mail and a wrong password. */
    Session login(Login login);

    /** The member behind a token that has not expired. */
    Optional<MemberId> memberOf(String token);
}
