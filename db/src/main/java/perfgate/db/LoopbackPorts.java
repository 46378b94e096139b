package perfgate.db;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Ports on 127.0.0.1 for the servers. */
final class LoopbackPorts {
    static final String HOST = "127.0.0.1";

    // Below the range that Linux takes outgoing connections' ports from: a port chosen here stays free while its
    // server is down during a restore, however many connections the load opens in the meantime.
    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;
    private static final int TRIES = 200;

    // All are drawn before the first server listens, and until then every one of them is free.
    private static final Set<Integer> HANDED_OUT = ConcurrentHashMap.newKeySet();

    private LoopbackPorts() {}

    /** The port asked for with an option if it is free, or any free one for 0. */
    static int choose(int asked, String option) {
        if (asked == 0) {
            return anyFree();
        }
        if (!free(asked)) {
            throw new Fault(
                    Fault.Code.PORT_TAKEN,
                    HOST + ":" + asked,
                    "another program listens on the port given with " + option,
                    "stop that program, or leave out " + option + " to get a free port");
        }
        HANDED_OUT.add(asked);
        return asked;
    }

    static int anyFree() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            if (free(port) && HANDED_OUT.add(port)) {
                return port;
            }
        }
        throw new Fault(
                Fault.Code.PORT_TAKEN,
                HOST,
                "no free port found between " + FIRST + " and " + LAST,
                "end programs that listen there");
    }

    private static boolean free(int port) {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(HOST), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
