package perfgate.app.outbox;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import tools.jackson.databind.json.JsonMapper;

/**
 * What spring-modulith-events-kafka configures, but for two things: without a broker the events wait instead of failing
 * one by one against a default address, and the worker that sends waits for the answer. It would wait anyway, but then the
 * producer's only thread would cross out the arrived events in the database, and send nothing meanwhile.
 */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
class OutboxConfiguration {

    private static final Logger log = LoggerFactory.getLogger(OutboxConfiguration.class);

    @Bean
    EventExternalizerModuleListener sendToKafka(
            EventExternalizationConfiguration configuration, EventExternalizationTransport transport) {
        return new EventExternalizerModuleListener(configuration, transport);
    }

    @Bean
    EventExternalizationTransport kafkaTransport(Broker broker, KafkaTemplate<String, String> kafka, JsonMapper json) {
        if (!broker.configured()) {
            log.warn(
                    "KAFKA_BOOTSTRAP_SERVERS is not set: events wait in the outbox until the service is started with it");
            return (payload, target) -> notSent("no broker is configured");
        }
        return (payload, target) -> {
            if (broker.away()) {
                return notSent("the broker is away");
            }
            try {
                kafka.send(target.getTarget(), target.getKey(), json.writeValueAsString(payload))
                        .join();
                return CompletableFuture.completedFuture(null);
            } catch (CompletionException | KafkaException e) {
                broker.deliveryFailed(e);
                return CompletableFuture.failedFuture(e);
            }
        };
    }

    private static CompletableFuture<?> notSent(String reason) {
        return CompletableFuture.failedFuture(new IllegalStateException(reason));
    }

    /** Jobs run again at their next turn anyway: an outage is a line a turn, not a stack trace. */
    @Bean
    ThreadPoolTaskSchedulerCustomizer tellFailuresBriefly() {
        return scheduler -> scheduler.setErrorHandler(
                e -> log.warn("A scheduled job failed and runs again at its next turn: {}", e.toString()));
    }
}
