package perfgate.app.members.domain;

import java.util.Locale;
import java.util.Optional;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** The member's id by e-mail, cache-aside in Redis: a sign-in reads the database by primary key only. */
@Component
class MemberKeys {

    private final StringRedisTemplate redis;
    private final MemberRepository members;
    private final MembersProperties properties;

    MemberKeys(StringRedisTemplate redis, MemberRepository members, MembersProperties properties) {
        this.redis = redis;
        this.members = members;
        this.properties = properties;
    }

    Optional<Long> idOf(String email) {
        // The database compares e-mails regardless of case; the key has to do the same.
        String key = "member:key:" + email.toLowerCase(Locale.ROOT);
        String cached = redis.opsForValue().get(key);
        if (cached != null) {
            return Optional.of(Long.valueOf(cached));
        }
        Optional<Long> id = members.idOf(email);
        id.ifPresent(found -> redis.opsForValue().set(key, Long.toString(found), properties.keyTtl()));
        return id;
    }
}
