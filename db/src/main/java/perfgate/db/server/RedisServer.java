package perfgate.db.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** redis-server on one directory. It loads the dump.rdb there and writes one only on the SAVE command. */
public final class RedisServer extends Server {
    public static final String NAME = "redis-server";

    /** A digest of all keys takes 1.5 s on an idle machine. */
    private static final int ANSWER_BOUND_MILLIS = 60_000;

    private final int port = Ports.anyFree();

    /** New for each server, so that other users of the machine cannot use it. */
    private final String password = UUID.randomUUID().toString();

    public RedisServer(Path parent, Path logs) {
        super(NAME, "redis", parent.resolve("redis"), logs);
    }

    /** On the command line, other users of the machine could read the password. Nobody needs the commands that it removes. */
    private Path configuration() throws IOException {
        Path file = configurationFile();
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, """
                requirepass %s
                rename-command CONFIG ""
                rename-command MODULE ""
                """.formatted(password));
    }

    @Override
    List<String> command() throws IOException {
        String program = Engines.installed("engines").resolve(NAME).toString();
        List<String> persistence = List.of("--dir", directory().toString(), "--save", "", "--appendonly", "no");
        List<String> address = List.of("--bind", Ports.HOST, "--port", Integer.toString(port));
        return Stream.of(List.of(program, configuration().toString()), persistence, address)
                .flatMap(List::stream)
                .toList();
    }

    private Path configurationFile() {
        return directory().resolve("redis.conf");
    }

    /** The directory may be kept, and the password is of no use any more. */
    @Override
    void stop() {
        super.stop();
        try {
            Files.deleteIfExists(configurationFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The process id shows that it is not another Redis on the port; `loading` ends with the dump. */
    @Override
    boolean answers(long pid) {
        try (Jedis client = connect()) {
            Map<String, String> info = info(client);
            return Long.toString(pid).equals(info.get("process_id")) && "0".equals(info.get("loading"));
        } catch (JedisException e) {
            return false;
        }
    }

    @Override
    String version() {
        try (Jedis client = connect()) {
            return info(client).get("redis_version");
        }
    }

    /** The fields of INFO by name. */
    static Map<String, String> info(Jedis client) {
        return client.info("all")
                .lines()
                .filter(line -> line.indexOf(':') > 0)
                .map(line -> line.split(":", 2))
                .collect(Collectors.toMap(field -> field[0], field -> field[1]));
    }

    public Jedis connect() {
        var config = DefaultJedisClientConfig.builder()
                .password(password)
                .timeoutMillis(ANSWER_BOUND_MILLIS)
                .build();
        return new Jedis(new HostAndPort(Ports.HOST, port), config);
    }

    public int port() {
        return port;
    }

    public String password() {
        return password;
    }
}
