package perfgate.db;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Text such as mariadb:3306, taken apart. */
record HostAndPort(String host, int port) {

    /** Reads one from the command line. */
    static final class Converter implements ITypeConverter<HostAndPort> {
        @Override
        public HostAndPort convert(String text) {
            int colon = text.lastIndexOf(':');
            try {
                if (colon > 0) {
                    return new HostAndPort(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
                }
            } catch (NumberFormatException e) {
                // Told below, as the same mistake.
            }
            throw new TypeConversionException("expected HOST:PORT, got " + text);
        }
    }
}
