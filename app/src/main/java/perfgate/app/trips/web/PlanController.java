package perfgate.app.trips.web;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import perfgate.app.members.MemberId;
import perfgate.app.trips.ChangedPlan;
import perfgate.app.trips.DayPlans;
import perfgate.app.trips.NewPlan;
import perfgate.app.trips.Plan;
import perfgate.app.trips.PlanChange;
import perfgate.app.trips.TripPlans;
import perfgate.app.trips.Trips;

@RestController
@RequestMapping("/trips/{tripId}")
class PlanController {

    private final Trips trips;

    PlanController(Trips trips) {
        this.trips = trips;
    }

    @GetMapping("/plans")
    TripPlans list(MemberId member, @PathVariable long tripId) {
        return trips.plans(member, tripId);
    }

    @GetMapping("/plans/{planId}")
    Plan find(MemberId member, @PathVariable long tripId, @PathVariable long planId) {
        return trips.findPlan(member, tripId, planId);
    }

    @PostMapping("/plans")
    ResponseEntity<Plan> add(MemberId member, @PathVariable long tripId, @Valid @RequestBody NewPlan plan) {
        Plan added = trips.addPlan(member, tripId, plan);
        return ResponseEntity.created(URI.create("/trips/" + tripId + "/plans/" + added.id()))
                .body(added);
    }

    @PutMapping("/plans/{planId}")
    ChangedPlan change(
            MemberId member,
            @PathVariable long tripId,
            @PathVariable long planId,
            @Valid @RequestBody PlanChange change) {
        return trips.changePlan(member, tripId, planId, change);
    }

    @DeleteMapping("/plans/{planId}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void remove(MemberId member, @PathVariable long tripId, @PathVariable long planId) {
        trips.removePlan(member, tripId, planId);
    }

    @PostMapping("/days/{day}/sort")
    DayPlans sort(MemberId member, @PathVariable long tripId, @PathVariable @Min(1) @Max(365) int day) {
        return trips.sortDay(member, tripId, day);
    }
}
