package perfgate.app.quotes.domain;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** @param pick how a quote is drawn */
@ConfigurationProperties("perf-gate.quotes")
record QuotesProperties(@DefaultValue("key") Pick pick) {

    enum Pick {
        /** One row by its key. */
        KEY,
        /** The first row of the whole table in random order: the slow way, to measure against. */
        SHUFFLE
    }
}
