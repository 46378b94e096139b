package perfgate.app.platform;

import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Only the replica's pool connects when it is created. */
class ReplicaFailureAnalyzer extends AbstractFailureAnalyzer<PoolInitializationException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, PoolInitializationException cause) {
        return new FailureAnalysis(
                "The service cannot use the database's replica: " + cause.getMessage(),
                "Check DB_REPLICA_URL, and that the replica has the account of DB_USER and DB_PASSWORD. Check that it is"
                        + " running there.",
                root);
    }
}
