package perfgate.db;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The one JSON mapper. */
final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Json() {}

    static String line(Object value) {
        return MAPPER.writeValueAsString(value);
    }

    static String pretty(Object value) {
        return MAPPER.writer().with(SerializationFeature.INDENT_OUTPUT).writeValueAsString(value) + "\n";
    }

    static <T> T read(Path file, Class<T> type) throws IOException {
        try {
            return MAPPER.readValue(Files.readString(file), type);
        } catch (JacksonException e) {
            throw new IOException(file + " is not the JSON expected: " + e.getOriginalMessage(), e);
        }
    }

    /** Does not close it: more may follow. */
    static <T> T read(InputStream in, Class<T> type) throws IOException {
        try {
            return MAPPER.readValue(in.readAllBytes(), type);
        } catch (JacksonException e) {
            throw new IOException("not the JSON expected: " + e.getOriginalMessage(), e);
        }
    }

    static <T> T read(InputStream in, TypeReference<T> type) {
        return MAPPER.readValue(in, type);
    }
}
