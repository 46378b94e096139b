package perfgate.app.quotes.domain;

import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import perfgate.app.quotes.Quote;

@Repository
class QuoteRepository {

    private final JdbcClient jdbc;

    QuoteRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** 0 without quotes. */
    long highestId() {
        return jdbc.sql("SELECT COALESCE(MAX(id), 0) FROM quotes")
                .query(Long.class)
                .single();
    }

    /** The quote with this id, or the next one if that is gone. */
    Optional<Quote> from(long id) {
        return first("SELECT id, text FROM quotes WHERE id >= ? ORDER BY id LIMIT 1", id);
    }

    Optional<Quote> shuffled() {
        return first("SELECT id, text FROM quotes ORDER BY RAND() LIMIT 1");
    }

    private Optional<Quote> first(String sql, Object... params) {
        return jdbc.sql(sql)
                .params(params)
                .query((row, n) -> new Quote(row.getLong(1), row.getString(2)))
                .optional();
    }
}
