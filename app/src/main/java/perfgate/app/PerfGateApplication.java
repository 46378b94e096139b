package perfgate.app;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

@SpringBootApplication
@ConfigurationPropertiesScan
public class PerfGateApplication {

    public static void main(String[] args) {
        SpringApplication.run(PerfGateApplication.class, args);
    }
}
