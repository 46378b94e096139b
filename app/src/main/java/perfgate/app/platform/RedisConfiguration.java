package perfgate.app.platform;

import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.metrics.MicrometerCommandLatencyRecorder;
import io.lettuce.core.metrics.MicrometerOptions;
import io.lettuce.core.resource.Delay;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

@Configuration(proxyBeanMethods = false)
class RedisConfiguration {

    private static final Duration RECONNECT_DELAY = Duration.ofMillis(500);

    /** Commands fail at once while Redis is disconnected. By default each one would queue until its own timeout. */
    @Bean
    LettuceClientOptionsBuilderCustomizer rejectCommandsWhenDisconnected() {
        return options -> options.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS);
    }

    /** By default the pause between attempts doubles up to 30 s, so a recovered Redis could go unnoticed that long. */
    @Bean
    ClientResourcesBuilderCustomizer reconnectAtFixedDelay() {
        return resources -> resources.reconnectDelay(Delay.constant(RECONNECT_DELAY));
    }

    /** Counts and times each command by its name, without buckets. Redisson, which holds the seat locks, is not covered. */
    @Bean
    @ConditionalOnBooleanProperty("perf-gate.redis.meters")
    ClientResourcesBuilderCustomizer recordCommandLatency(MeterRegistry meters) {
        return resources -> resources.commandLatencyRecorder(
                new MicrometerCommandLatencyRecorder(meters, MicrometerOptions.create()));
    }

    /** The client connects on first use. This ping makes a wrong address fail at start-up, as it does for the database. */
    @Bean
    SmartInitializingSingleton pingRedisAtStartUp(RedisConnectionFactory redis) {
        return () -> {
            try (RedisConnection connection = redis.getConnection()) {
                connection.ping();
            }
        };
    }
}
