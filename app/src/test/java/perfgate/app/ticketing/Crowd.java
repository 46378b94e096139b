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
 * Fans who book over HTTP in a loop, from the queue to the payment. A fan who does not learn the outcome of a payment
 * retries, and one in ten pays too late. All want seats on the same few dates.
 */
final class Crowd implements AutoCloseable {

    /**
     * The answer to one call.
     *
     * @param kind the status and an error's problem or content type, or why no answer came
     */
    record Answer(String call, String kind, long startedNanos, Duration took) {}

    /** Dates of one concert with {@code seatsEach} seats each, and the first of many members with consecutive ids. */
    record Dates(long concert, List<Long> schedules, int seatsEach, long firstMember, String password) {}

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

    private static final int DATES_AT_ONCE = 3;
    private static final int SEATS_TO_CHOOSE_FROM = 20;
    private static final int LATE_EVERY = 10;
    /** Far longer than any answer may take; after it, the call counts as unanswered. */
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final URI service;
    private final Dates dates;
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

    Crowd(URI service, Dates dates, Duration reservationTtl, int size) {
        this.service = service;
        this.dates = dates;
        this.reservationTtl = reservationTtl;
        nextMember = new AtomicLong(dates.firstMember());
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

    /** Payment ids by reservation id, as the fans know them. */
    Map<Long, Long> payments() {
        return payments;
    }

    /** Reservations whose payment was refused because it came too late. */
    Collection<Long> expired() {
        return expired;
    }

    /** Answers that the service must never give. */
    Collection<String> contradictions() {
        return contradictions;
    }

    /** Ends the load once the outcome of every reservation is known. */
    void finish(Duration timeout) throws InterruptedException, ExecutionException, TimeoutException {
        over = true;
        long deadline = System.nanoTime() + timeout.toNanos();
        for (Future<?> fan : fans) {
            fan.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        http.shutdownNow();
    }

    /** Books all the time, as one member after another. A member with an open reservation does nothing else. */
    private final class Fan {

        private final DelayQueue<Unpaid> unpaid = new DelayQueue<>();
        private final Deque<Long> idle = new ArrayDeque<>();

        void bookUntilOver() throws InterruptedException {
            for (int pass = 1; !over; pass++) {
                long member = idle.isEmpty() ? nextMember.getAndIncrement() : idle.remove();
                if (!book(member, pass % LATE_EVERY == 0)) {
                    idle.add(member);
                    // Without a pause, refusals alone would keep the machine busy during an outage.
                    Thread.sleep(25);
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

        /** Returns whether the member now has a reservation, paid or not. */
        private boolean book(long member, boolean late) throws InterruptedException {
            Optional<String> token = enter(member);
            if (token.isEmpty()) {
                return false;
            }
            get(token.get(), "/concerts");
            get(token.get(), "/concerts/" + dates.concert() + "/schedules");
            Optional<Long> seat = freeSeat(get(token.get(), "/concerts/schedules/" + nextSchedule() + "/seats"));
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

        /** Pays, or schedules a retry. */
        private void settle(Unpaid open, Optional<String> token) throws InterruptedException {
            if (token.isEmpty() || !pay(open, token.get())) {
                unpaid.add(new Unpaid(open.member(), open.reservation(), open.late(), System.nanoTime()));
            } else {
                idle.add(open.member());
            }
        }
    }

    /** The token of an admitted member; empty if a call failed. */
    private Optional<String> enter(long member) throws InterruptedException {
        String login = "/members/login";
        Reply session = send(
                login,
                json(
                        request(login),
                        "{\"email\": \"crowd%d@example.com\", \"password\": \"%s\"}"
                                .formatted(member, dates.password())));
        if (!session.isSuccess()) {
            return Optional.empty();
        }
        String path = "/queues/enqueue";
        HttpRequest.Builder signedIn = request(path)
                .header("Authorization", "Bearer " + session.json().get("token").asString());
        Reply entered = send(path, json(signedIn, "{\"userId\": %d}".formatted(member)));
        Reply order = entered;
        while (order.isSuccess()) {
            order = get(entered.token(), "/queues/order");
            if (order.isSuccess() && order.json().get("order").asLong() == 0) {
                return Optional.of(entered.token());
            }
        }
        return Optional.empty();
    }

    /** Moves on to later dates as the earlier ones sell out. */
    private long nextSchedule() {
        int sold = payments.size() / dates.seatsEach();
        int drawn = sold + ThreadLocalRandom.current().nextInt(DATES_AT_ONCE);
        return dates.schedules().get(drawn % dates.schedules().size());
    }

    private static Optional<Long> freeSeat(Reply seats) {
        if (!seats.isSuccess()) {
            return Optional.empty();
        }
        List<Long> free = seats.json()
                .valueStream()
                .filter(seat -> seat.get("status").asString().equals("AVAILABLE"))
                .limit(SEATS_TO_CHOOSE_FROM)
                .map(seat -> seat.get("id").asLong())
                .toList();
        return free.isEmpty()
                ? Optional.empty()
                : Optional.of(free.get(ThreadLocalRandom.current().nextInt(free.size())));
    }

    /** Returns whether the outcome of the reservation is now known. */
    private boolean pay(Unpaid open, String token) throws InterruptedException {
        Reply reply = post(
                token,
                "/concerts/reservations/" + open.reservation() + "/pay",
                "{\"userId\": %d}".formatted(open.member()));
        if (reply.isSuccess()) {
            if (open.late()) {
                contradictions.add("reservation " + open.reservation() + " was paid after it expired");
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
        return HttpRequest.newBuilder(service.resolve(path)).timeout(TIMEOUT);
    }

    private static HttpRequest.Builder json(HttpRequest.Builder request, String body) {
        return request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(body));
    }

    private Reply send(String path, HttpRequest.Builder request) throws InterruptedException {
        long started = System.nanoTime();
        Reply reply;
        try {
            reply = reply(http.send(request.build(), BodyHandlers.ofString()));
        } catch (IOException e) {
            reply = new Reply("no answer: " + e, "", "");
        }
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        answers.add(new Answer(path.replaceAll("\\d+", "N"), reply.kind(), started, took));
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
