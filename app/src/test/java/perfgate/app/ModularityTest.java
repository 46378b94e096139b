package perfgate.app;

import org.junit.jupiter.api.Test;
import org.springframework.modulith.core.ApplicationModules;

class ModularityTest {

    @Test
    void modulesUseEachOtherOnlyThroughTheirRootPackages() {
        ApplicationModules.of(PerfGateApplication.class).verify();
    }
}
