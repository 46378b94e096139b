package perfgate.app.outbox;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import tools.jackson.databind.json.JsonMapper;

/**
 * Differs from what spring-modulith-events-kafka configures in two ways. Without a broker, events wait instead of failing
 * one by one against a default address. The sending worker waits for the broker's answer, so that the producer's only
 * thread never stops sending to mark events as delivered.
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
                    "KAFKA_BOOTSTRAP_SERVERS is not set: events wait in the outbox until you restart the service with it");
            return (payload, target) -> notSent("no broker is configured");
        }
        return (payload, target) -> {
            if (broker.isUnavailable()) {
                return notSent("the broker is unavailable");
            }
            try {
                kafka.send(new ProducerRecord<>(target.getTarget(), target.getKey(), json.writeValueAsString(payload)))
                        .join();
                return CompletableFuture.completedFuture(null);
            } catch (CompletionException | KafkaException e) {
                if (isRetriable(e)) {
                    broker.deliveryFailed(e);
                } else {
                    log.warn(
                            "The broker refused an event for {}, which stays in the outbox: {}",
                            target,
                            NestedExceptionUtils.getMostSpecificCause(e).toString());
                }
                return CompletableFuture.failedFuture(e);
            }
        };
    }

    /** Any other failure concerns this event only, such as one that is too large, and must not hold up the rest. */
    private static boolean isRetriable(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(RetriableException.class::isInstance);
    }

    private static CompletableFuture<?> notSent(String reason) {
        return CompletableFuture.failedFuture(new IllegalStateException(reason));
    }

    /** A failed job logs one line instead of a stack trace, because it retries at its next interval anyway. */
    @Bean
    ThreadPoolTaskSchedulerCustomizer logFailuresBriefly() {
        return scheduler -> scheduler.setErrorHandler(
                e -> log.warn("A scheduled job failed and runs again after its interval: {}", e.toString()));
    }
}
