package perfgate.app.platform;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.data.redis.RedisConnectionFailureException;

class RedisFailureAnalyzer extends AbstractFailureAnalyzer<RedisConnectionFailureException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, RedisConnectionFailureException cause) {
        Throwable detail = cause.getMostSpecificCause();
        return new FailureAnalysis(
                "Redis does not answer: " + cause.getMessage() + " (" + detail.getMessage() + ")",
                "Check REDIS_HOST, REDIS_PORT and REDIS_PASSWORD. Check that Redis is running there.",
                root);
    }
}
