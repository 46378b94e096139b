package perfgate.app.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.modulith.events.Externalized;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.transaction.support.TransactionTemplate;
import perfgate.app.ServiceTest;
import perfgate.app.Services;

/** Puts events that the broker refuses among events that it accepts. Jobs run only when a test runs them. */
@TestPropertySource(properties = "perf-gate.outbox.redelivery-batch=2")
@DirtiesContext
class RefusedEventsTest extends ServiceTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    /** What {@link ServiceTest} sets as the interval of redelivery. */
    private static final Duration FIRST_PAUSE = Duration.ofHours(1);

    private static final String ACCEPTING = "accepting";
    private static final String REFUSING = "refusing";

    @Externalized(ACCEPTING)
    record Good(int number) {}

    /** Larger than its topic takes. */
    @Externalized(REFUSING)
    record TooLarge(String text) {}

    @TestBean(name = "noon")
    private Clock clock;

    @Autowired
    private ApplicationEventPublisher events;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private Redelivery redelivery;

    @Autowired
    private Backlog backlog;

    @Autowired
    private Broker broker;

    @Autowired
    private MeterRegistry meters;

    private static Instant now = noon();

    private static Clock clock() {
        return new Clock() {
            @Override
            public Instant instant() {
                return now;
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
    }

    @BeforeEach
    void begin() throws Exception {
        now = noon();
        jdbc.sql("DELETE FROM EVENT_PUBLICATION").update();
        await().atMost(TIMEOUT).until(broker::checkAvailable);
        try (Admin admin = admin()) {
            admin.deleteTopics(admin.listTopics().names().get().stream()
                            .filter(List.of(ACCEPTING, REFUSING)::contains)
                            .toList())
                    .all()
                    .get();
            admin.createTopics(List.of(
                            new NewTopic(ACCEPTING, 1, (short) 1),
                            new NewTopic(REFUSING, 1, (short) 1)
                                    .configs(Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "100"))))
                    .all()
                    .get();
        }
    }

    @Test
    void refusedEventsDoNotHoldUpOthers() throws Exception {
        publish(tooLarge());
        publish(tooLarge());
        await().atMost(TIMEOUT).until(() -> count("STATUS = 'FAILED'") == 2);

        publish(new Good(1));
        await().atMost(TIMEOUT).until(() -> sent(ACCEPTING) == 1);

        broker.deliveryFailed(new TimeoutException("as if the broker were away"));
        for (int number = 2; number <= 4; number++) {
            publish(new Good(number));
        }
        await().atMost(TIMEOUT).until(() -> count("STATUS = 'FAILED'") == 5);
        // Each run takes two events, and the refused ones are the oldest.
        for (int run = 0; run < 3; run++) {
            redeliver();
        }

        assertThat(sent(ACCEPTING)).isEqualTo(4);
        assertThat(attempts()).containsExactly(2, 2);
    }

    @Test
    void aRefusedEventIsResentLessAndLessOftenUntilTheBrokerTakesIt() throws Exception {
        publish(tooLarge());
        await().atMost(TIMEOUT).until(() -> count("STATUS = 'FAILED'") == 1);

        Duration pause = FIRST_PAUSE;
        redeliver();
        for (int attempts = 2; attempts < Outbox.STUCK_ATTEMPTS; attempts++) {
            assertThat(attempts()).containsExactly(attempts);
            now = now.plus(pause).minusSeconds(1);
            redeliver();
            assertThat(attempts()).as("a second before the end of the pause").containsExactly(attempts);
            assertThat(stuck()).isZero();
            now = now.plusSeconds(1);
            redeliver();
            pause = pause.multipliedBy(2);
        }
        assertThat(stuck()).isEqualTo(1);

        try (Admin admin = admin()) {
            var limit = new ConfigEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "1000000");
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, REFUSING),
                            List.of(new AlterConfigOp(limit, AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
        Duration longest = pause;
        await().atMost(TIMEOUT).until(() -> {
            now = now.plus(longest);
            redeliver();
            return sent(REFUSING) == 1;
        });
        await().atMost(TIMEOUT).until(() -> count("TRUE") == 0);
        assertThat(stuck()).isZero();
    }

    @Test
    void eventsAreResentAlthoughTheClockWasSetBack() {
        broker.deliveryFailed(new TimeoutException("as if the broker were away"));
        publish(new Good(1));
        await().atMost(TIMEOUT).until(() -> count("STATUS = 'FAILED'") == 1);

        now = now.minus(FIRST_PAUSE.multipliedBy(1000));
        redeliver();

        await().atMost(TIMEOUT).until(() -> count("TRUE") == 0);
    }

    private static Instant noon() {
        return TODAY.atTime(12, 0).toInstant(ZoneOffset.UTC);
    }

    private void publish(Object event) {
        transaction.executeWithoutResult(_ -> events.publishEvent(event));
    }

    private static TooLarge tooLarge() {
        return new TooLarge("x".repeat(200));
    }

    private void redeliver() {
        // It does nothing as long as the broker does not answer.
        await().atMost(TIMEOUT).ignoreExceptions().until(() -> broker.nodes() > 0);
        redelivery.run();
        await().atMost(TIMEOUT).until(() -> count("STATUS = 'RESUBMITTED'") == 0);
    }

    private long stuck() {
        backlog.count();
        return (long) meters.get("outbox.stuck").gauge().value();
    }

    private int count(String where) {
        return jdbc.sql("SELECT COUNT(*) FROM EVENT_PUBLICATION WHERE " + where)
                .query(Integer.class)
                .single();
    }

    private List<Integer> attempts() {
        return jdbc.sql("SELECT COMPLETION_ATTEMPTS FROM EVENT_PUBLICATION")
                .query(Integer.class)
                .list();
    }

    private static long sent(String topic) throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        try (Admin admin = admin()) {
            return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
        }
    }

    private static Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", Services.running().brokers()));
    }
}
