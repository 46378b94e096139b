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
 * Knows whether a broker is configured and reachable. After a failed delivery the broker counts as unavailable until it
 * answers again. Meanwhile events go to the outbox at once, so that none of them waits for its own timeout.
 */
@Component
class Broker implements DisposableBean {

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(2);

    private static final Logger log = LoggerFactory.getLogger(Broker.class);

    private final KafkaAdmin configuration;
    private final boolean configured;
    private final AtomicBoolean unavailable = new AtomicBoolean();
    private @Nullable Admin admin;

    Broker(KafkaAdmin configuration, KafkaConnectionDetails connection) {
        this.configuration = configuration;
        this.configured = !connection.getBootstrapServers().isEmpty();
    }

    /** If false, the service still works, and events wait in the outbox until it restarts with a broker configured. */
    boolean configured() {
        return configured;
    }

    /** The number of brokers in the cluster. */
    int nodes() throws ExecutionException, InterruptedException, TimeoutException {
        return admin().describeCluster(new DescribeClusterOptions().timeoutMs((int) ANSWER_TIMEOUT.toMillis()))
                .nodes()
                .get(ANSWER_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .size();
    }

    boolean isUnavailable() {
        return unavailable.get();
    }

    void deliveryFailed(Throwable cause) {
        if (!unavailable.getAndSet(true)) {
            log.warn("The broker does not accept events; they wait in the outbox: {}", cause.toString());
        }
    }

    /** Asks the broker, and marks it as available again if it answers. */
    boolean checkAvailable() {
        try {
            boolean available = nodes() > 0;
            if (available && unavailable.getAndSet(false)) {
                log.info("The broker answers again; the outbox now sends the events that waited");
            }
            return available;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** All health checks share one client, because creating one takes longer than the check. */
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
