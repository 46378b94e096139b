package perfgate.app.trips;

import java.util.List;

/** @param plans in the order of the day */
public record DayPlans(int day, List<PlanSummary> plans) {}
