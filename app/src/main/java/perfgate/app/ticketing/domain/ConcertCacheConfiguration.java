package perfgate.app.ticketing.domain;

import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.List;
import org.springframework.boot.cache.autoconfigure.RedisCacheManagerBuilderCustomizer;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheWriter.TtlFunction;
import org.springframework.data.redis.serializer.JacksonJsonRedisSerializer;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import perfgate.app.ticketing.Concert;
import perfgate.app.ticketing.ConcertSchedule;
import tools.jackson.databind.json.JsonMapper;

@Configuration(proxyBeanMethods = false)
@EnableCaching
class ConcertCacheConfiguration {

    @Bean
    RedisCacheManagerBuilderCustomizer concertCaches(TicketingProperties properties, Clock clock) {
        TtlFunction untilMidnight = (key, value) -> untilMidnight(ZonedDateTime.now(clock));
        return builder -> builder.enableStatistics()
                .withCacheConfiguration(
                        ConcertRepository.CONCERTS, listsOf(Concert.class).entryTtl(properties.concertsTtl()))
                .withCacheConfiguration(
                        ConcertRepository.SCHEDULES,
                        listsOf(ConcertSchedule.class).entryTtl(untilMidnight));
    }

    /**
     * Stores JSON without class names, so that data in Redis cannot choose which classes are instantiated. The mapper is not
     * that of the requests, because their maximum length is less than that of a page.
     */
    private static RedisCacheConfiguration listsOf(Class<?> element) {
        JsonMapper json = JsonMapper.shared();
        return RedisCacheConfiguration.defaultCacheConfig()
                .serializeValuesWith(SerializationPair.fromSerializer(new JacksonJsonRedisSerializer<>(
                        json, json.getTypeFactory().constructCollectionType(List.class, element))));
    }

    /** The time until the day ends in the clock's zone. Redis expires keys by the millisecond, so it is rounded up. */
    static Duration untilMidnight(ZonedDateTime now) {
        LocalDate tomorrow = now.toLocalDate().plusDays(1);
        return Duration.ofMillis(
                Duration.between(now, tomorrow.atStartOfDay(now.getZone())).toMillis() + 1);
    }
}
