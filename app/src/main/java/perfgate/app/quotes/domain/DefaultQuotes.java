package perfgate.app.quotes.domain;

import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import perfgate.app.problems.Problem;
import perfgate.app.quotes.Quote;
import perfgate.app.quotes.Quotes;

@Service
class DefaultQuotes implements Quotes {

    private final QuoteRepository quotes;
    private final QuotesProperties properties;
    /** Read once, since quotes are only added with a release. 0 until there are any. */
    private volatile long highestId;

    DefaultQuotes(QuoteRepository quotes, QuotesProperties properties) {
        this.quotes = quotes;
        this.properties = properties;
    }

    @Override
    public Quote random() {
        return draw().orElseThrow(() -> new Problem(HttpStatus.NOT_FOUND, "quote-not-found", "There are no quotes."));
    }

    private Optional<Quote> draw() {
        return switch (properties.pick()) {
            case KEY -> byKey();
            case SHUFFLE -> quotes.shuffled();
        };
    }

    private Optional<Quote> byKey() {
        if (highestId == 0) {
            highestId = quotes.highestId();
        }
        if (highestId == 0) {
            return Optional.empty();
        }
        // The last quotes may be gone by now.
        return quotes.from(ThreadLocalRandom.current().nextLong(1, highestId + 1))
                .or(() -> quotes.from(1));
    }
}
