package perfgate.db.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import perfgate.db.Fault;

class EnginesTest {
    @Test
    void refusesOtherPlatforms() {
        for (String[] platform : new String[][] {{"Mac OS X", "aarch64"}, {"Linux", "aarch64"}}) {
            assertThatThrownBy(() -> Engines.requireSupported(platform[0], platform[1]))
                    .isInstanceOf(Fault.class)
                    .hasMessageContaining("Linux x86-64 only");
        }
        assertThatCode(() -> Engines.requireSupported("Linux", "amd64")).doesNotThrowAnyException();
    }

    @Test
    void namesADirectoryThatTheBuildDidNotMake() {
        assertThatThrownBy(() -> Engines.installed("absent"))
                .isInstanceOfSatisfying(
                        Fault.class, fault -> assertThatCode(fault::text).doesNotThrowAnyException())
                .hasMessage("the directory is missing");
    }
}
