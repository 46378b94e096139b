package perfgate.app.platform;

import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Flyway is the first to need the database, so an unreachable one and a foreign schema both end here. */
class DatabaseFailureAnalyzer extends AbstractFailureAnalyzer<FlywayException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, FlywayException cause) {
        return new FailureAnalysis(
                "The database cannot be used: " + cause.getMessage(),
                "Check DB_URL, DB_USER and DB_PASSWORD, that the database is running there, and that its schema"
                        + " comes from this service's migrations.",
                root);
    }
}
