package perfgate.app.trips.domain;

import java.util.ArrayList;
import java.util.List;
import perfgate.app.trips.PlanSummary;

/** Orders stops from the first one on, so that each next stop is the nearest remaining one. */
final class NearestNeighbour {

    private NearestNeighbour() {}

    /** The stops in their new order, with positions from 0. If two stops are equally near, the earlier one comes first. */
    static List<PlanSummary> order(List<PlanSummary> stops) {
        List<PlanSummary> rest = new ArrayList<>(stops);
        List<PlanSummary> ordered = new ArrayList<>(stops.size());
        int next = 0;
        while (!rest.isEmpty()) {
            PlanSummary stop = rest.remove(next);
            ordered.add(new PlanSummary(stop.id(), ordered.size(), stop.place(), stop.latitude(), stop.longitude()));
            next = nearest(stop, rest);
        }
        return ordered;
    }

    private static int nearest(PlanSummary from, List<PlanSummary> stops) {
        int nearest = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < stops.size(); i++) {
            double distance = haversine(from, stops.get(i));
            if (distance < least) {
                least = distance;
                nearest = i;
            }
        }
        return nearest;
    }

    /**
     * The haversine of the angle between two points. It grows with their distance on the sphere, which is enough for a
     * comparison. The distance itself is {@code 2 r asin(sqrt(h))}.
     */
    static double haversine(PlanSummary a, PlanSummary b) {
        double latitudeA = Math.toRadians(a.latitude());
        double latitudeB = Math.toRadians(b.latitude());
        double halfLatitude = Math.sin((latitudeB - latitudeA) / 2);
        double halfLongitude = Math.sin(Math.toRadians(b.longitude() - a.longitude()) / 2);
        return halfLatitude * halfLatitude + Math.cos(latitudeA) * Math.cos(latitudeB) * halfLongitude * halfLongitude;
    }
}
