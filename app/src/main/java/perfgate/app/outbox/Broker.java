package perfgate.app.outbox;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.stereotype.Component;

/**
 * Whether there is a broker to send to, and whether it answers. Once a delivery fails it counts as away until it answers:
 * in between, events go to the outbox at once instead of each waiting for its own timeout.
 */
@Component
class Broker implements DisposableBean {

    private static final Duration BOUND = Duration.ofSeconds(2);

    private static final Logger log = LoggerFactory.getLogger(Broker.class);

    private final KafkaAdmin configuration;
    private final boolean configured;
    private final AtomicBoolean away = new AtomicBoolean();
    private @Nullable Admin admin;

    Broker(KafkaAdmin configuration, KafkaConnectionDetails connection) {
        this.configuration = configuration;
        this.configured = !connection.getBootstrapServers().isEmpty();
    }

    /** Without one the service works, and its events wait in the outbox until it is started with one. */
    boolean configured() {
        return configured;
    }

    /** The number of brokers that answer. */
    int nodes() throws ExecutionException, InterruptedException, TimeoutException {
        return admin().describeCluster(new DescribeClusterOptions().timeoutMs((int) BOUND.toMillis()))
                .nodes()
                .get(BOUND.toMillis(), TimeUnit.MILLISECONDS)
                .size();
    }

    boolean away() {
        return away.get();
    }

    void deliveryFailed(Throwable cause) {
        if (!away.getAndSet(true)) {
            log.warn("The broker does not take events, which wait in the outbox: {}", cause.toString());
        }
    }

    /** Asks it, and trusts it again if it answers. */
    boolean answers() {
        try {
            boolean there = nodes() > 0;
            if (there && away.getAndSet(false)) {
                log.info("The broker answers again, and gets the events that waited in the outbox");
            }
            return there;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** One client for all questions: making one takes longer than asking. */
    private synchronized Admin admin() {
        if (admin == null) {
            Map<String, Object> properties = new HashMap<>(configuration.getConfigurationProperties());
            properties.put(AdminClientConfig.CLIENT_ID_CONFIG, "health");
            admin = Admin.create(properties);
        }
        return admin;
    }

    @Override
    public synchronized void destroy() {
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }
}
