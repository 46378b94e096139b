package perfgate.db;

import static perfgate.db.MetricsPage.Type.COUNTER;
import static perfgate.db.MetricsPage.Type.GAUGE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a server's process takes of the machine, as the kernel counts it. */
record ProcessMetrics(String name, long pid) {
    private static final String RESIDENT = "VmRSS:";
    private static final double NANOS = 1e9;
    private static final double MILLIS = 1e3;
    private static final int KIBIBYTE = 1024;

    void addTo(MetricsPage page) throws IOException {
        ProcessHandle handle = ProcessHandle.of(pid).orElseThrow(() -> new IOException(name + " has ended"));
        ProcessHandle.Info info = handle.info();
        info.totalCpuDuration()
                .ifPresent(cpu -> page.add(
                        COUNTER, "process_cpu_seconds_total", "process", name, Double.toString(cpu.toNanos() / NANOS)));
        info.startInstant()
                .ifPresent(start -> page.add(
                        GAUGE,
                        "process_start_time_seconds",
                        "process",
                        name,
                        Double.toString(start.toEpochMilli() / MILLIS)));
        page.add(GAUGE, "process_resident_memory_bytes", "process", name, Long.toString(residentBytes()));
    }

    private long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
            if (line.startsWith(RESIDENT)) {
                return Long.parseLong(line.replaceAll("\\D", "")) * KIBIBYTE;
            }
        }
        throw new IOException(name + " has no memory");
    }
}
