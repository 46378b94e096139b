package perfgate.db.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import perfgate.db.Fault;

/** Ports on 127.0.0.1 for the servers. */
public final class Ports {
    public static final String HOST = "127.0.0.1";

    // Linux gives the ports above this range to outgoing connections, and Kubernetes some of them to its services. So a
    // port of this range stays free while its server restarts, however many connections the load opens in the meantime.
    private static final int FIRST = 11_000;
    private static final int END = 30_000;
    private static final int TRIES = 200;

    // All ports are chosen before the first server listens, so each still looks free when the next one is chosen.
    private static final Set<Integer> CHOSEN = new HashSet<>();

    private Ports() {}

    public static synchronized int anyFree() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try (var _ = new ServerSocket(port, 1, InetAddress.getByName(HOST))) {
                if (CHOSEN.add(port)) {
                    return port;
                }
            } catch (IOException e) {
                // Another program listens there, so the next try takes another port.
            }
        }
        String cause = "no free port found between " + FIRST + " and " + (END - 1);
        throw new Fault(Fault.Code.PORT_TAKEN, HOST, cause, "stop programs that listen there");
    }
}
