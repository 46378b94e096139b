package perfgate.app.platform;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.StringUtils;

/** Redisson only serves the seat locks (Lettuce does the rest), so its pools are small. */
@Configuration(proxyBeanMethods = false)
class RedissonConfiguration {

    private static final int CONNECTIONS = 16;
    private static final int THREADS = 2;

    @Bean(destroyMethod = "shutdown")
    RedissonClient redisson(DataRedisConnectionDetails redis, DataRedisProperties properties) {
        var standalone = Objects.requireNonNull(redis.getStandalone());
        Config config = new Config();
        config.setCodec(StringCodec.INSTANCE);
        config.setPassword(StringUtils.hasText(redis.getPassword()) ? redis.getPassword() : null);
        config.setThreads(THREADS);
        config.setNettyThreads(THREADS);
        // Lettuce already checks at start-up that Redis answers.
        config.setLazyInitialization(true);
        config.useSingleServer()
                .setAddress("redis://" + standalone.getHost() + ":" + standalone.getPort())
                .setConnectionPoolSize(CONNECTIONS)
                .setConnectionMinimumIdleSize(THREADS)
                .setSubscriptionConnectionPoolSize(THREADS)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .setConnectTimeout(millis(properties.getConnectTimeout()))
                .setTimeout(millis(properties.getTimeout()))
                .setRetryAttempts(0);
        return Redisson.create(config);
    }

    private static int millis(@Nullable Duration timeout) {
        return Math.toIntExact(Objects.requireNonNull(timeout).toMillis());
    }
}
