package perfgate.db;

import java.util.LinkedHashMap;
import java.util.Map;

/** A page in Prometheus's text format 0.0.4. */
final class MetricsPage {
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    /** As Prometheus knows them; untyped is what the exporters imitated here use for most of MariaDB's figures. */
    enum Type {
        COUNTER("counter"),
        GAUGE("gauge"),
        UNTYPED("untyped");

        private final String keyword;

        Type(String keyword) {
            this.keyword = keyword;
        }
    }

    // A family's samples must stand together, in whatever order they are added.
    private final Map<String, StringBuilder> families = new LinkedHashMap<>();

    void add(Type type, String name, String value) {
        family(type, name).append(name).append(' ').append(value).append('\n');
    }

    void add(Type type, String name, String label, String labelValue, String value) {
        family(type, name)
                .append(name)
                .append('{')
                .append(label)
                .append("=\"")
                .append(escaped(labelValue))
                .append("\"} ")
                .append(value)
                .append('\n');
    }

    private StringBuilder family(Type type, String name) {
        return families.computeIfAbsent(
                name, family -> new StringBuilder("# TYPE " + family + " " + type.keyword + "\n"));
    }

    private static String escaped(String labelValue) {
        return labelValue.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    String text() {
        return String.join("", families.values());
    }
}
