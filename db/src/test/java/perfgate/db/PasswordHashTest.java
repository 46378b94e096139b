package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PasswordHashTest {
    @Test
    void seededHashIsOfThePasswordThatTheLoadSignsInWith() {
        var hash = Pattern.compile("\\$2a\\$04\\$[./A-Za-z0-9]{53}").matcher(Resources.text("db/seed/01-members.sql"));

        assertThat(hash.find()).isTrue();
        assertThat(BCrypt.verifyer().verify("password".toCharArray(), hash.group()).verified)
                .isTrue();
    }
}
