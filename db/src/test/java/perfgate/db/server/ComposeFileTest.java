package perfgate.db.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Both stacks must run the database with the same options, or their figures differ for no reason. */
class ComposeFileTest {
    /** Options for paths and addresses, which differ in a container. */
    private static final String PLACES = "--(datadir|socket|pid-file|bind-address|init-file)=.*|--no-defaults";

    private static final Path FILE = Path.of("..", "docker-compose.ci.yml");

    @Test
    void databaseOptionsAreThoseOfTheProcessStack() throws Exception {
        String service = section(Files.readString(FILE), "mariadb");

        List<String> options = Pattern.compile("^ {6}- (--\\S+)$", Pattern.MULTILINE)
                .matcher(service)
                .results()
                .map(match -> match.group(1))
                .toList();

        assertThat(without(PLACES, options))
                .containsExactlyElementsOf(without(PLACES, MariaDbServer.options("mariadbd-serve.options")));
    }

    @Test
    void versionsAreThoseOfTheProcessStack() throws Exception {
        assertThat(section(Files.readString(FILE), "mariadb"))
                .contains(":-mariadb:" + Engines.MARIADB_VERSION + "@sha256:");
        assertThat(section(Files.readString(FILE), "kafka"))
                .contains(":-apache/kafka:" + Engines.KAFKA_VERSION + "@sha256:");
    }

    @Test
    void databaseStartsOnCompleteDataOnly() throws Exception {
        assertThat(section(Files.readString(FILE), "mariadb"))
                .contains("--init-file=/var/lib/mysql/" + MariaDbServer.INIT_FILE);
    }

    private static String section(String file, String service) {
        return Pattern.compile("^  " + service + ":$.*?(?=^  \\w+:$)", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(file)
                .results()
                .map(MatchResult::group)
                .findFirst()
                .orElseThrow();
    }

    private static List<String> without(String pattern, List<String> options) {
        return options.stream().filter(option -> !option.matches(pattern)).toList();
    }
}
