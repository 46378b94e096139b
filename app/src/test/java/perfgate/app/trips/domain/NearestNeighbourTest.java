package perfgate.app.trips.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import perfgate.app.trips.PlanSummary;

class NearestNeighbourTest {

    private static final double EARTH_RADIUS_KM = 6371;

    @Test
    void noStopsAndOneStopStayUnchanged() {
        assertThat(NearestNeighbour.order(List.of())).isEmpty();
        assertThat(NearestNeighbour.order(List.of(stop(7, 3, 1, 1)))).containsExactly(stop(7, 0, 1, 1));
    }

    @Test
    void visitsTheNearestStopNext() {
        List<PlanSummary> ordered = NearestNeighbour.order(
                List.of(stop(1, 0, 37.1, 127), stop(2, 1, 37.9, 127), stop(3, 2, 37.2, 127), stop(4, 3, 37.5, 127)));

        assertThat(ordered).extracting(PlanSummary::id).containsExactly(1L, 3L, 4L, 2L);
    }

    @Test
    void theShortestPathMayCrossTheDateLine() {
        List<PlanSummary> ordered =
                NearestNeighbour.order(List.of(stop(1, 0, 0, 179), stop(2, 1, 0, 170), stop(3, 2, 0, -179)));

        assertThat(ordered).extracting(PlanSummary::id).containsExactly(1L, 3L, 2L);
    }

    @Test
    void aDegreeOfLongitudeShrinksTowardsThePole() {
        List<PlanSummary> ordered =
                NearestNeighbour.order(List.of(stop(1, 0, 80, 0), stop(2, 1, 81, 0), stop(3, 2, 80, 3)));

        assertThat(ordered).extracting(PlanSummary::id).containsExactly(1L, 3L, 2L);
    }

    @Test
    void theEarlierOfEquallyNearStopsComesFirst() {
        List<PlanSummary> ordered =
                NearestNeighbour.order(List.of(stop(1, 0, 0, 0), stop(2, 1, 5, 5), stop(3, 2, 5, 5), stop(4, 3, 5, 5)));

        assertThat(ordered).extracting(PlanSummary::id).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void theHaversineGivesAKnownDistance() {
        PlanSummary nashville = stop(1, 0, 36.12, -86.67);
        PlanSummary losAngeles = stop(2, 1, 33.94, -118.40);

        assertThat(kilometres(nashville, losAngeles)).isCloseTo(2886.44, within(0.01));
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void ordersAnyStopsByNearestNeighbour(long seed) {
        List<PlanSummary> stops = randomStops(new Random(seed));

        List<PlanSummary> ordered = NearestNeighbour.order(stops);

        assertThat(ordered)
                .extracting(PlanSummary::id)
                .containsExactlyInAnyOrderElementsOf(
                        stops.stream().map(PlanSummary::id).toList());
        assertThat(ordered)
                .extracting(PlanSummary::position)
                .containsExactlyElementsOf(
                        IntStream.range(0, stops.size()).boxed().toList());
        assertThat(ordered.getFirst().id()).isEqualTo(stops.getFirst().id());
        for (int i = 1; i < ordered.size(); i++) {
            double chosen = NearestNeighbour.haversine(ordered.get(i - 1), ordered.get(i));
            for (PlanSummary later : ordered.subList(i, ordered.size())) {
                assertThat(chosen).isLessThanOrEqualTo(NearestNeighbour.haversine(ordered.get(i - 1), later));
            }
        }
        assertThat(NearestNeighbour.order(ordered)).as("second sort").isEqualTo(ordered);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void distanceIsSymmetricAndZeroToItself(long seed) {
        List<PlanSummary> stops = randomStops(new Random(seed));
        PlanSummary a = stops.getFirst();
        PlanSummary b = stops.getLast();

        assertThat(NearestNeighbour.haversine(a, b)).isEqualTo(NearestNeighbour.haversine(b, a));
        assertThat(NearestNeighbour.haversine(a, a)).isZero();
        assertThat(NearestNeighbour.haversine(a, b)).isBetween(0.0, 1.0 + 1e-12);
    }

    /** 1 to 100 stops, some at the same place, either anywhere on the globe or all in one city. */
    private static List<PlanSummary> randomStops(Random random) {
        boolean city = random.nextBoolean();
        List<PlanSummary> stops = new ArrayList<>();
        int size = random.nextInt(1, 101);
        for (int i = 0; i < size; i++) {
            if (i > 0 && random.nextInt(10) == 0) {
                PlanSummary same = stops.get(random.nextInt(i));
                stops.add(stop(i + 1, i * 2, same.latitude(), same.longitude()));
            } else if (city) {
                stops.add(stop(i + 1, i * 2, random.nextDouble(37.4, 37.7), random.nextDouble(126.8, 127.2)));
            } else {
                stops.add(stop(i + 1, i * 2, random.nextDouble(-90, 90), random.nextDouble(-180, 180)));
            }
        }
        return stops;
    }

    private static double kilometres(PlanSummary a, PlanSummary b) {
        return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(NearestNeighbour.haversine(a, b)));
    }

    private static PlanSummary stop(long id, int position, double latitude, double longitude) {
        return new PlanSummary(id, position, "Place " + id, latitude, longitude);
    }
}
