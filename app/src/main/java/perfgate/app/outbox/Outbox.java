package perfgate.app.outbox;

import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.modulith.events.EventPublication;
import org.springframework.modulith.events.core.EventPublicationRepository;
import org.springframework.modulith.events.core.PublicationTargetIdentifier;
import org.springframework.modulith.events.core.TargetEventPublication;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Saves two statements per event on the registry's table. It does not record that a delivery started, because nobody reads
 * that. It deletes delivered events in batches. If the process dies, the next one resends events in flight and delivered
 * events that are not deleted yet, so delivery is at least once.
 *
 * <p>From the second failure on, an event pauses, each time twice as long. The registry takes a limited number of failed
 * events in the order of their publication date, so that date moves to the end of the pause. An event that the broker
 * refuses is then neither sent over and over nor in the way of others.
 */
@Component
@Primary
class Outbox implements EventPublicationRepository, DisposableBean {

    /** From this attempt on, pauses no longer grow, and the event counts as stuck. */
    static final int STUCK_ATTEMPTS = 10;

    private static final int BATCH_SIZE = 100;

    private final EventPublicationRepository table;
    private final JdbcClient jdbc;
    private final Duration firstPause;
    private final Duration longestPause;
    private final Duration staleAfter;
    private final Clock clock;
    private final Queue<UUID> delivered = new ConcurrentLinkedQueue<>();

    Outbox(
            @Qualifier("jdbcEventPublicationRepository") EventPublicationRepository table,
            JdbcClient jdbc,
            OutboxProperties properties,
            @Value("${spring.modulith.events.staleness.resubmitted}") Duration staleAfter,
            Clock clock) {
        this.table = table;
        this.jdbc = jdbc;
        this.firstPause = properties.redeliveryInterval();
        this.longestPause = firstPause.multipliedBy(1L << (STUCK_ATTEMPTS - 2));
        this.staleAfter = staleAfter;
        this.clock = clock;
    }

    @Override
    public TargetEventPublication create(TargetEventPublication publication) {
        return table.create(publication);
    }

    @Override
    public void markProcessing(UUID identifier) {}

    @Override
    public void markCompleted(UUID identifier, Instant completionDate) {
        delivered.add(identifier);
    }

    @Override
    public void markCompleted(Object event, PublicationTargetIdentifier identifier, Instant completionDate) {
        table.markCompleted(event, identifier, completionDate);
    }

    /** If a batch cannot be deleted, its events stay queued for the next run. */
    @Scheduled(fixedDelayString = "${perf-gate.outbox.cleanup-interval}")
    void deleteDelivered() {
        List<UUID> batch = nextBatch();
        while (!batch.isEmpty()) {
            try {
                table.deletePublications(batch);
            } catch (RuntimeException e) {
                delivered.addAll(batch);
                throw e;
            }
            batch = nextBatch();
        }
    }

    private List<UUID> nextBatch() {
        List<UUID> batch = new ArrayList<>();
        for (UUID id = delivered.poll(); id != null; id = delivered.poll()) {
            batch.add(id);
            if (batch.size() == BATCH_SIZE) {
                break;
            }
        }
        return batch;
    }

    @Override
    public void destroy() {
        deleteDelivered();
    }

    /** After its first failure an event does not pause, because mostly the broker was away and now answers. */
    @Override
    public void markFailed(UUID identifier) {
        jdbc.sql("""
                        UPDATE EVENT_PUBLICATION
                        SET STATUS = 'FAILED',
                            PUBLICATION_DATE = CASE
                                WHEN COMPLETION_ATTEMPTS < 2 THEN PUBLICATION_DATE
                                ELSE TIMESTAMPADD(
                                    MICROSECOND, ? * POW(2, LEAST(COMPLETION_ATTEMPTS, ?) - 2), CAST(? AS DATETIME(6)))
                                END
                        WHERE ID = ? AND STATUS <> 'FAILED'""")
                .params(
                        TimeUnit.MILLISECONDS.toMicros(firstPause.toMillis()),
                        STUCK_ATTEMPTS,
                        Timestamp.from(clock.instant()),
                        identifier.toString())
                .update();
    }

    @Override
    public boolean markResubmitted(UUID identifier, Instant resubmissionDate) {
        return table.markResubmitted(identifier, resubmissionDate);
    }

    @Override
    public List<TargetEventPublication> findIncompletePublications() {
        return table.findIncompletePublications();
    }

    @Override
    public List<TargetEventPublication> findIncompletePublicationsPublishedBefore(Instant instant) {
        return table.findIncompletePublicationsPublishedBefore(instant);
    }

    @Override
    public Optional<TargetEventPublication> findIncompletePublicationsByEventAndTargetIdentifier(
            Object event, PublicationTargetIdentifier targetIdentifier) {
        return table.findIncompletePublicationsByEventAndTargetIdentifier(event, targetIdentifier);
    }

    @Override
    public List<TargetEventPublication> findCompletedPublications() {
        return table.findCompletedPublications();
    }

    /** No pause ends later than after the longest one, unless the clock was set back. Such an event is due. */
    @Override
    public List<TargetEventPublication> findFailedPublications(FailedCriteria criteria) {
        Instant now = clock.instant();
        return table.findFailedPublications(criteria).stream()
                .filter(event -> !event.getPublicationDate().isAfter(now)
                        || event.getPublicationDate().isAfter(now.plus(longestPause)))
                .toList();
    }

    /** The registry takes an event for stale by its first date, so one that was resubmitted lately is kept from it. */
    @Override
    public List<TargetEventPublication> findByStatus(EventPublication.Status status) {
        Instant stale = clock.instant().minus(staleAfter);
        return table.findByStatus(status).stream()
                .filter(event -> event.getLastResubmissionDate() == null
                        || event.getLastResubmissionDate().isBefore(stale))
                .toList();
    }

    @Override
    public int countByStatus(EventPublication.Status status) {
        return table.countByStatus(status);
    }

    @Override
    public void deletePublications(List<UUID> identifiers) {
        table.deletePublications(identifiers);
    }

    @Override
    public void deleteCompletedPublications() {
        table.deleteCompletedPublications();
    }

    @Override
    public void deleteCompletedPublicationsBefore(Instant instant) {
        table.deleteCompletedPublicationsBefore(instant);
    }
}
