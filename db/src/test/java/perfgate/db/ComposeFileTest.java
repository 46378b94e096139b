package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The compose stack's database runs with the options of the process stack's, or their figures differ for no reason. */
class ComposeFileTest {
    /** Where things are, which is the container's own business. */
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

        assertThat(without(PLACES, options)).containsExactlyElementsOf(without(PLACES, MariaDbServer.servingOptions()));
    }

    @Test
    void versionsAreThoseOfTheProcessStack() throws Exception {
        assertThat(section(Files.readString(FILE), "mariadb"))
                .contains("image: mariadb:" + EngineVersions.packaged().mariadb());
        assertThat(section(Files.readString(FILE), "kafka"))
                .contains("image: apache/kafka:" + EngineVersions.packagedKafka());
    }

    @Test
    void databaseStartsOnCompleteDataOnly() throws Exception {
        assertThat(section(Files.readString(FILE), "mariadb"))
                .contains("--init-file=/var/lib/mysql/" + RestoreTarget.INIT_FILE);
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
