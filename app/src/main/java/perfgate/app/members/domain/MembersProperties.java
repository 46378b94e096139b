package perfgate.app.members.domain;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param tokenTtl lifetime of a token, counted from sign-in
 * @param keyTtl lifetime of a member key that this service writes; seeded keys never expire
 */
@ConfigurationProperties("perf-gate.members")
record MembersProperties(
        @DefaultValue("30m") Duration tokenTtl,
        @DefaultValue("1h") Duration keyTtl) {}
