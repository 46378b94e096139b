package perfgate.app.members.domain;

import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.stereotype.Service;
import perfgate.app.members.Login;
import perfgate.app.members.MemberId;
import perfgate.app.members.Members;
import perfgate.app.members.Session;
import perfgate.app.problems.Problem;

@Service
class DefaultMembers implements Members {

    /** The cost of the seeded hashes, so that checking an unknown e-mail takes as long as checking a known one. */
    private static final int BCRYPT_COST = 4;

    private final BCryptPasswordEncoder passwords = new BCryptPasswordEncoder(BCRYPT_COST);
    private final String dummyHash = passwords.encode("nobody");
    private final MemberKeys keys;
    private final MemberRepository members;
    private final Tokens tokens;
    private final MembersProperties properties;

    DefaultMembers(MemberKeys keys, MemberRepository members, Tokens tokens, MembersProperties properties) {
        this.keys = keys;
        this.members = members;
        this.tokens = tokens;
        this.properties = properties;
    }

    @Override
    public Session login(Login login) {
        Optional<Long> id = keys.idOf(login.email());
        Optional<String> hash = id.flatMap(members::passwordHashOf);
        boolean matches = passwords.matches(login.password(), hash.orElse(dummyHash));
        if (id.isEmpty() || hash.isEmpty() || !matches) {
            throw new Problem(HttpStatus.UNAUTHORIZED, "bad-credentials", "The e-mail or the password is wrong.");
        }
        String token = tokens.issue(id.get());
        return new Session(token, properties.tokenTtl().toSeconds(), id.get());
    }

    @Override
    public boolean logout(String token) {
        return tokens.revoke(token);
    }

    @Override
    public Optional<MemberId> memberOf(String token) {
        return tokens.memberOf(token);
    }
}
