package perfgate.app.ticketing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Fans who book over HTTP, one pass after another, from the queue to the payment. Whoever was not told what became of a
 * payment asks again, and one in ten pays too late. All want seats of the same few evenings.
 */
final class Crowd implements AutoCloseable {

    /**
     * One call.
     *
     * @param kind the status, and of a refusal its problem's type, or what came instead of one
     */
    record Answer(String call, String kind, long beganNanos, Duration took) {}

    /** Evenings of one concert, with as many seats each, for members with consecutive numbers. */
    record Evenings(long concert, List<Long> schedules, int seatsEach, long firstMember) {}

    private record Reply(String kind, String token, String body) {

        boolean isSuccess() {
            return kind.equals("200") || kind.equals("201");
        }

        JsonNode json() {
            return JsonMapper.shared().readTree(body);
        }
    }

    private record Unpaid(long member, long reservation, boolean late, long dueNanos) implements Delayed {

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    private static final int EVENINGS_AT_ONCE = 3;
    private static final int SEATS_IN_SIGHT = 20;
    private static final int ONE_IN_LATE = 10;
    /** Far longer than any answer may take: what exceeds it counts as none. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final URI service;
    private final Evenings evenings;
    private final Duration reservationTtl;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads;
    private final List<Future<?>> fans = new ArrayList<>();
    private final AtomicLong nextMember;
    private final Collection<Answer> answers = new ConcurrentLinkedQueue<>();
    private final Map<Long, Long> payments = new ConcurrentHashMap<>();
    private final Collection<Long> expired = ConcurrentHashMap.newKeySet();
    private final Collection<String> contradictions = new ConcurrentLinkedQueue<>();
    private volatile boolean over;

    Crowd(URI service, Evenings evenings, Duration reservationTtl, int size) {
        this.service = service;
        this.evenings = evenings;
        this.reservationTtl = reservationTtl;
        nextMember = new AtomicLong(evenings.firstMember());
        threads = Executors.newFixedThreadPool(size);
        for (int fan = 0; fan < size; fan++) {
            fans.add(threads.submit(() -> {
                new Fan().bookUntilOver();
                return null;
            }));
        }
    }

    Collection<Answer> answers() {
        return answers;
    }

    /** Numbers of the payments as the fans know them, by reservation. */
    Map<Long, Long> payments() {
        return payments;
    }

    /** Reservations whose payment was refused because it came too late. */
    Collection<Long> expired() {
        return expired;
    }

    /** What the service told one fan and must not have. */
    Collection<String> contradictions() {
        return contradictions;
    }

    /** Ends the load once everybody knows what became of each reservation. */
    void finish(Duration bound) throws InterruptedException, ExecutionException, TimeoutException {
        over = true;
        long deadline = System.nanoTime() + bound.toNanos();
        for (Future<?> fan : fans) {
            fan.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        http.shutdownNow();
    }

    /** One who books all the time, as one member after another: a member whose reservation is open does nothing else. */
    private final class Fan {

        private final DelayQueue<Unpaid> unpaid = new DelayQueue<>();
        private final Deque<Long> idle = new ArrayDeque<>();

        void bookUntilOver() throws InterruptedException {
            for (int pass = 1; !over; pass++) {
                long member = idle.isEmpty() ? nextMember.getAndIncrement() : idle.remove();
                if (!book(member, pass % ONE_IN_LATE == 0)) {
                    idle.add(member);
                }
                for (Unpaid due = unpaid.poll(); due != null && !over; due = unpaid.poll()) {
                    settle(due, enter(due.member()));
                }
            }
            while (!unpaid.isEmpty()) {
                Unpaid due = unpaid.take();
                settle(due, enter(due.member()));
            }
        }

        /** Whether that left a reservation, paid or not. */
        private boolean book(long member, boolean late) throws InterruptedException {
            Optional<String> token = enter(member);
            if (token.isEmpty()) {
                return false;
            }
            get(token.get(), "/concerts");
            get(token.get(), "/concerts/" + evenings.concert() + "/schedules");
            Optional<Long> seat = freeSeat(get(token.get(), "/concerts/schedules/" + evening() + "/seats"));
            if (seat.isEmpty()) {
                return false;
            }
            String body = "{\"userId\": %d, \"concertSeatId\": %d}".formatted(member, seat.get());
            Reply reserved = post(token.get(), "/concerts/reservation", body);
            if (!reserved.isSuccess()) {
                return false;
            }
            long reservation = reserved.json().get("reservationId").asLong();
            if (late) {
                unpaid.add(new Unpaid(member, reservation, true, System.nanoTime() + reservationTtl.toNanos()));
            } else {
                settle(new Unpaid(member, reservation, false, System.nanoTime()), token);
            }
            return true;
        }

        /** Pays, or asks again later. */
        private void settle(Unpaid open, Optional<String> token) throws InterruptedException {
            if (token.isEmpty() || !pay(open, token.get())) {
                unpaid.add(new Unpaid(open.member(), open.reservation(), open.late(), System.nanoTime()));
            } else {
                idle.add(open.member());
            }
        }
    }

    /** The token of a member who was let in; nothing if that did not succeed. */
    private Optional<String> enter(long member) throws InterruptedException {
        String path = "/queues/enqueue";
        Reply entered = send(path, json(request(path), "{\"userId\": %d}".formatted(member)));
        Reply order = entered;
        while (order.isSuccess()) {
            order = get(entered.token(), "/queues/order");
            if (order.isSuccess() && order.json().get("order").asLong() == 0) {
                return Optional.of(entered.token());
            }
        }
        return Optional.empty();
    }

    /** The next evenings come up as those before them are sold. */
    private long evening() {
        int sold = payments.size() / evenings.seatsEach();
        int drawn = sold + ThreadLocalRandom.current().nextInt(EVENINGS_AT_ONCE);
        return evenings.schedules().get(drawn % evenings.schedules().size());
    }

    private static Optional<Long> freeSeat(Reply seats) {
        if (!seats.isSuccess()) {
            return Optional.empty();
        }
        List<Long> free = seats.json()
                .valueStream()
                .filter(seat -> seat.get("status").asString().equals("AVAILABLE"))
                .limit(SEATS_IN_SIGHT)
                .map(seat -> seat.get("id").asLong())
                .toList();
        return free.isEmpty()
                ? Optional.empty()
                : Optional.of(free.get(ThreadLocalRandom.current().nextInt(free.size())));
    }

    /** Whether it is known now what became of the reservation. */
    private boolean pay(Unpaid open, String token) throws InterruptedException {
        Reply reply = post(
                token,
                "/concerts/reservations/" + open.reservation() + "/pay",
                "{\"userId\": %d}".formatted(open.member()));
        if (reply.isSuccess()) {
            if (open.late()) {
                contradictions.add("reservation " + open.reservation() + " was paid after its time");
            }
            if (payments.put(open.reservation(), reply.json().get("paymentId").asLong()) != null) {
                contradictions.add("reservation " + open.reservation() + " was given to two fans");
            }
            return true;
        }
        return reply.kind().equals("409 /problems/reservation-expired") && expired.add(open.reservation());
    }

    private Reply get(String token, String path) throws InterruptedException {
        return send(path, request(path).header("X-Access-Token", token).GET());
    }

    private Reply post(String token, String path, String body) throws InterruptedException {
        return send(path, json(request(path).header("X-Access-Token", token), body));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(service.resolve(path)).timeout(PATIENCE);
    }

    private static HttpRequest.Builder json(HttpRequest.Builder request, String body) {
        return request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
    }

    private Reply send(String path, HttpRequest.Builder request) throws InterruptedException {
        long began = System.nanoTime();
        Reply reply;
        try {
            reply = reply(http.send(request.build(), BodyHandlers.ofString()));
        } catch (IOException e) {
            reply = new Reply("no answer: " + e, "", "");
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        answers.add(new Answer(path.replaceAll("\\d+", "N"), reply.kind(), began, took));
        return reply;
    }

    private static Reply reply(HttpResponse<String> response) {
        String contentType = response.headers().firstValue("Content-Type").orElse("nothing");
        String kind = Integer.toString(response.statusCode());
        if (contentType.equals("application/problem+json")) {
            kind += " "
                    + JsonMapper.shared().readTree(response.body()).path("type").asString("no type");
        } else if (response.statusCode() >= 300) {
            kind += " with " + contentType;
        }
        return new Reply(kind, response.headers().firstValue("X-Access-Token").orElse(""), response.body());
    }
}
