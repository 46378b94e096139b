package perfgate.app.trips;

import java.util.List;

/** @param plans in the day's order */
public record DayPlans(int day, List<PlanSummary> plans) {}
