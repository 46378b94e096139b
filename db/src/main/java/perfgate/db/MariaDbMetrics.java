package perfgate.db;

import static perfgate.db.MetricsPage.Type.COUNTER;
import static perfgate.db.MetricsPage.Type.GAUGE;
import static perfgate.db.MetricsPage.Type.UNTYPED;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** MariaDB's global status under the names that mysqld_exporter gives it. */
record MariaDbMetrics(Map<String, String> status, OwnCost own) {
    /**
     * What reading the status itself has cost so far on this server: it is taken out, for it would show up as rows
     * examined wherever the load is light.
     *
     * @param statements number of SHOW GLOBAL STATUS, the present one included
     * @param rowsWritten into temporary tables by those before the present one
     * @param rowsRead from them
     */
    record OwnCost(long statements, long rowsWritten, long rowsRead) {
        static final OwnCost NONE = new OwnCost(0, 0, 0);

        OwnCost nextStatement() {
            return new OwnCost(statements + 1, rowsWritten, rowsRead);
        }

        /** MariaDB reads its temporary table until the end is found, hence one more. */
        OwnCost answered(int rows) {
            return new OwnCost(statements, rowsWritten + rows, rowsRead + rows + 1);
        }

        private long of(String variable) {
            return switch (variable) {
                case "questions", "queries", "com_show_status" -> statements;
                case "handler_tmp_write" -> rowsWritten;
                case "handler_read_rnd_next" -> rowsRead;
                default -> 0;
            };
        }
    }

    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?");
    private static final String PREFIX = "mysql_global_status_";

    void addTo(MetricsPage page) {
        page.add(GAUGE, "mysql_up", "1");
        status.forEach((variable, text) -> {
            String name = variable.toLowerCase(Locale.ROOT);
            String value = number(text);
            if (!value.isEmpty()) {
                long cost = own.of(name);
                add(page, name, cost == 0 ? value : Long.toString(Long.parseLong(value) - cost));
            }
        });
        addRowOperations(page);
    }

    private static void add(MetricsPage page, String name, String value) {
        if (name.startsWith("com_")) {
            page.add(COUNTER, PREFIX + "commands_total", "command", name.substring("com_".length()), value);
        } else if (name.startsWith("handler_")) {
            page.add(COUNTER, PREFIX + "handlers_total", "handler", name.substring("handler_".length()), value);
        } else if (name.startsWith("connection_errors_")) {
            String error = name.substring("connection_errors_".length());
            page.add(COUNTER, PREFIX + "connection_errors_total", "error", error, value);
        } else {
            page.add(UNTYPED, PREFIX + name, value);
        }
    }

    /**
     * MariaDB 11 no longer has Innodb_rows_*. Its handler counters say the same here: all tables are InnoDB's, and
     * temporary tables are counted apart (Handler_tmp_*, Rows_tmp_read).
     */
    private void addRowOperations(MetricsPage page) {
        addRowOperation(page, "read", "Rows_read");
        addRowOperation(page, "inserted", "Handler_write");
        addRowOperation(page, "updated", "Handler_update");
        addRowOperation(page, "deleted", "Handler_delete");
    }

    private void addRowOperation(MetricsPage page, String operation, String variable) {
        String value = status.get(variable);
        if (value != null) {
            page.add(COUNTER, PREFIX + "innodb_row_ops_total", "operation", operation, value);
        }
    }

    /** As mysqld_exporter does: ON and OFF are numbers too, and other text is left out. */
    private static String number(String text) {
        return switch (text) {
            case "ON" -> "1";
            case "OFF" -> "0";
            default -> NUMBER.matcher(text).matches() ? text : "";
        };
    }
}
