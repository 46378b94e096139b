package perfgate.app;

import org.springframework.boot.SpringApplication;

/** Starts the service on this machine with a database and a Redis of its own, both empty and gone with it. */
public class TestPerfGateApplication {

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(PerfGateApplication.class);
        application.setDefaultProperties(Services.running().environment());
        application.run(args);
    }
}
