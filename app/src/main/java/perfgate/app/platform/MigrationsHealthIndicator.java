package perfgate.app.platform;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;

/** Reports up once every packaged migration is applied. */
@Component
class MigrationsHealthIndicator extends AbstractHealthIndicator {

    private final Flyway flyway;
    private volatile boolean applied;

    MigrationsHealthIndicator(Flyway flyway) {
        super("Could not read the state of the migrations");
        this.flyway = flyway;
    }

    /** Stops checking once all are applied, since a check costs several statements and migrations are never undone. */
    @Override
    protected void doHealthCheck(Health.Builder builder) {
        if (!applied) {
            MigrationInfoService migrations = flyway.info();
            MigrationInfo[] pending = migrations.pending();
            if (pending.length > 0) {
                builder.down().withDetail("pending", pending.length);
                return;
            }
            applied = true;
        }
        builder.up();
    }
}
