package perfgate.app.platform;

import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Flyway uses the database first, so this class sees both an unreachable database and an unknown schema. */
class DatabaseFailureAnalyzer extends AbstractFailureAnalyzer<FlywayException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, FlywayException cause) {
        return new FailureAnalysis(
                "The service cannot use the database: " + cause.getMessage(),
                "Check DB_URL, DB_USER and DB_PASSWORD. Check that the database is running there, and that this"
                        + " service's migrations created its schema.",
                root);
    }
}
