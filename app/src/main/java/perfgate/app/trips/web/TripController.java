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
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import perfgate.app.members.MemberId;
import perfgate.app.trips.NewTrip;
import perfgate.app.trips.Trip;
import perfgate.app.trips.TripChange;
import perfgate.app.trips.TripPage;
import perfgate.app.trips.Trips;

@RestController
@RequestMapping("/trips")
class TripController {

    private final Trips trips;

    TripController(Trips trips) {
        this.trips = trips;
    }

    @GetMapping
    TripPage list(
            MemberId member,
            @RequestParam(defaultValue = "0") @Min(0) int page,
            @RequestParam(defaultValue = "20") @Min(1) @Max(100) int size) {
        return trips.list(member, page, size);
    }

    @GetMapping("/{tripId}")
    Trip find(MemberId member, @PathVariable long tripId) {
        return trips.find(member, tripId);
    }

    @PostMapping
    ResponseEntity<Trip> add(MemberId member, @Valid @RequestBody NewTrip trip) {
        Trip added = trips.add(member, trip);
        return ResponseEntity.created(URI.create("/trips/" + added.id())).body(added);
    }

    @PutMapping("/{tripId}")
    Trip change(MemberId member, @PathVariable long tripId, @Valid @RequestBody TripChange change) {
        return trips.change(member, tripId, change);
    }

    @DeleteMapping("/{tripId}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void remove(MemberId member, @PathVariable long tripId) {
        trips.remove(member, tripId);
    }
}
