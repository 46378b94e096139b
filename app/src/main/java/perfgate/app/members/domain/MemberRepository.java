package perfgate.app.members.domain;

import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
class MemberRepository {

    private final JdbcClient jdbc;

    MemberRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    Optional<Long> idOf(String email) {
        return jdbc.sql("SELECT id FROM members WHERE email = ?")
                .param(email)
                .query((row, n) -> row.getLong(1))
                .optional();
    }

    Optional<String> passwordHashOf(long id) {
        return jdbc.sql("SELECT password_hash FROM members WHERE id = ?")
                .param(id)
                .query((row, n) -> row.getString(1))
                .optional();
    }
}
