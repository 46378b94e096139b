package perfgate.db;

/** Whether the packed servers run on this machine. */
record Platform(String system, String architecture) {

    static Platform current() {
        return new Platform(System.getProperty("os.name"), System.getProperty("os.arch"));
    }

    void requireSupported() {
        boolean x64 = architecture.equals("amd64") || architecture.equals("x86_64");
        if (!system.equals("Linux") || !x64) {
            throw new Fault(
                    Fault.Code.UNSUPPORTED_PLATFORM,
                    system + " " + architecture,
                    "the packed MariaDB and Redis run on Linux x86-64 only",
                    "run the gate with the compose stack here, or on Linux x86-64");
        }
    }
}
