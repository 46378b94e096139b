package perfgate.db.seed;

import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import perfgate.db.Resources;

class PasswordHashTest {
    @Test
    void seededHashFitsThePasswordThatTheLoadSignsInWith() {
        var hash = Pattern.compile("\\$2a\\$04\\$[./A-Za-z0-9]{53}")
                .matcher(new String(Resources.folder(Resources.SEED).get("01-members.sql"), StandardCharsets.UTF_8));

        assertThat(hash.find()).isTrue();
        assertThat(BCrypt.verifyer().verify("password".toCharArray(), hash.group()).verified)
                .isTrue();
    }
}
