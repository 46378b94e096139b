package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.FileSystemException;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class FaultTest {
    @Test
    void hasCodePlaceCauseAndNextStep() {
        var fault = new Fault(Fault.Code.SERVER_DIED, "mariadbd", "it ended", "read its log lines")
                .withLog(List.of("[ERROR]"));

        assertThat(fault.text())
                .isEqualTo("error[SERVER_DIED] mariadbd: it ended\n  next: read its log lines\n  log: [ERROR]");
        assertThat(JsonMapper.shared().writeValueAsString(fault.notReady()))
                .isEqualTo("{\"ready\":false,\"error\":{\"code\":\"SERVER_DIED\",\"message\":\"mariadbd: it ended\","
                        + "\"nextStep\":\"read its log lines\",\"logTail\":[\"[ERROR]\"]}}");
    }

    @Test
    void fullDiskHasItsOwnCode() {
        var fault = Fault.of(new FileSystemException("/data/ibdata1", null, "No space left on device"));

        assertThat(fault.code()).isEqualTo(Fault.Code.DISK_FULL);
        assertThat(fault.text()).startsWith("error[DISK_FULL] /data/ibdata1: ");
    }

    @Test
    void unexpectedExceptionKeepsItsOrigin() {
        var fault = Fault.of(new IllegalStateException("odd"));

        assertThat(fault.text())
                .startsWith("error[INTERNAL] perfgate.db.FaultTest.")
                .contains("odd");
    }
}
