package perfgate.db;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * One connection to Redis in its own protocol (RESP2), with commands and replies apart, so that many commands can be
 * under way. The few commands used here and a bulk load do not need a client library.
 */
final class RespConnection implements AutoCloseable {
    private static final int BUFFER = 1 << 16;
    private static final byte[] LINE_END = {'\r', '\n'};

    private final SocketChannel channel;
    private final OutputStream out;
    private final InputStream in;

    RespConnection(SocketAddress address) throws IOException {
        channel = SocketChannel.open(address);
        out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER);
        in = new BufferedInputStream(Channels.newInputStream(channel), BUFFER);
    }

    String call(String... command) throws IOException {
        send(command);
        flush();
        return reply();
    }

    void send(String... command) throws IOException {
        out.write('*');
        line(Integer.toString(command.length));
        for (String word : command) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            out.write('$');
            line(Integer.toString(bytes.length));
            out.write(bytes);
            out.write(LINE_END);
        }
    }

    void flush() throws IOException {
        out.flush();
    }

    /** A simple string, number or bulk string as text. */
    String reply() throws IOException {
        String head = readLine();
        String rest = head.substring(1);
        return switch (head.charAt(0)) {
            case '+', ':' -> rest;
            case '-' -> throw new IOException("Redis answered: " + rest);
            case '$' -> bulk(Integer.parseInt(rest));
            default -> throw new IOException("not an answer known here: " + head);
        };
    }

    private String bulk(int length) throws IOException {
        if (length < 0) {
            return "";
        }
        byte[] bytes = in.readNBytes(length + LINE_END.length);
        if (bytes.length < length + LINE_END.length) {
            throw new EOFException("Redis closed the connection");
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private void line(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
        out.write(LINE_END);
    }

    private String readLine() throws IOException {
        var line = new StringBuilder();
        for (int b = in.read(); b != '\r'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("Redis closed the connection");
            }
            line.append((char) b);
        }
        if (in.read() != '\n' || line.isEmpty()) {
            throw new IOException("not an answer of Redis");
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
