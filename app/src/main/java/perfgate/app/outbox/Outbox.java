package perfgate.app.outbox;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Primary;
import org.springframework.modulith.events.EventPublication;
import org.springframework.modulith.events.core.EventPublicationRepository;
import org.springframework.modulith.events.core.PublicationTargetIdentifier;
import org.springframework.modulith.events.core.TargetEventPublication;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * The registry's table, spared two statements an event. That a delivery begins is not written down, because nobody asks for
 * it; and events that arrived are crossed out many at a time. What is not crossed out yet when the process dies is sent
 * again, as is what was under way: at least once is all that is promised.
 */
@Component
@Primary
class Outbox implements EventPublicationRepository, DisposableBean {

    private static final int AT_A_TIME = 100;

    private final EventPublicationRepository table;
    private final Queue<UUID> arrived = new ConcurrentLinkedQueue<>();

    Outbox(@Qualifier("jdbcEventPublicationRepository") EventPublicationRepository table) {
        this.table = table;
    }

    @Override
    public TargetEventPublication create(TargetEventPublication publication) {
        return table.create(publication);
    }

    @Override
    public void markProcessing(UUID identifier) {}

    @Override
    public void markCompleted(UUID identifier, Instant completionDate) {
        arrived.add(identifier);
    }

    @Override
    public void markCompleted(Object event, PublicationTargetIdentifier identifier, Instant completionDate) {
        table.markCompleted(event, identifier, completionDate);
    }

    /** Those that could not be crossed out wait for the next turn. */
    @Scheduled(fixedDelayString = "${perf-gate.outbox.cross-out-interval}")
    void crossOut() {
        List<UUID> some = next();
        while (!some.isEmpty()) {
            try {
                table.deletePublications(some);
            } catch (RuntimeException e) {
                arrived.addAll(some);
                throw e;
            }
            some = next();
        }
    }

    private List<UUID> next() {
        List<UUID> some = new ArrayList<>();
        for (UUID one = arrived.poll(); one != null; one = arrived.poll()) {
            some.add(one);
            if (some.size() == AT_A_TIME) {
                break;
            }
        }
        return some;
    }

    @Override
    public void destroy() {
        crossOut();
    }

    @Override
    public void markFailed(UUID identifier) {
        table.markFailed(identifier);
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

    @Override
    public List<TargetEventPublication> findFailedPublications(FailedCriteria criteria) {
        return table.findFailedPublications(criteria);
    }

    @Override
    public List<TargetEventPublication> findByStatus(EventPublication.Status status) {
        return table.findByStatus(status);
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
