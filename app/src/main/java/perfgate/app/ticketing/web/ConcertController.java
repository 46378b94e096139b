package perfgate.app.ticketing.web;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import perfgate.app.ticketing.Buyer;
import perfgate.app.ticketing.Concert;
import perfgate.app.ticketing.ConcertSchedule;
import perfgate.app.ticketing.ConcertSeat;
import perfgate.app.ticketing.Fan;
import perfgate.app.ticketing.NewPayment;
import perfgate.app.ticketing.NewReservation;
import perfgate.app.ticketing.Payment;
import perfgate.app.ticketing.Reservation;
import perfgate.app.ticketing.Ticketing;

@RestController
@RequestMapping("/concerts")
class ConcertController {

    private final Ticketing ticketing;

    ConcertController(Ticketing ticketing) {
        this.ticketing = ticketing;
    }

    @GetMapping
    List<Concert> concerts(
            Fan fan,
            @RequestParam(defaultValue = "0") @Min(0) int page,
            @RequestParam(defaultValue = "100") @Min(1) @Max(100) int size) {
        return ticketing.concerts(page, size);
    }

    @GetMapping("/{concertId}/schedules")
    List<ConcertSchedule> schedules(
            Fan fan,
            @PathVariable long concertId,
            @RequestParam(required = false) @DateTimeFormat(iso = DateTimeFormat.ISO.DATE) @Nullable LocalDate from,
            @RequestParam(defaultValue = "0") @Min(0) int page,
            @RequestParam(defaultValue = "100") @Min(1) @Max(100) int size) {
        return ticketing.schedules(concertId, from, page, size);
    }

    @GetMapping("/schedules/{scheduleId}/seats")
    List<ConcertSeat> seats(Fan fan, @PathVariable long scheduleId) {
        return ticketing.seats(scheduleId);
    }

    @PostMapping("/reservation")
    Reservation reserve(Fan fan, @Valid @RequestBody NewReservation reservation) {
        TokenOwner.require(fan.userId(), reservation.userId());
        return ticketing.reserve(fan, reservation.concertSeatId());
    }

    @PostMapping("/reservations/{reservationId}/pay")
    Payment pay(Buyer buyer, @PathVariable long reservationId, @Valid @RequestBody NewPayment payment) {
        TokenOwner.require(buyer.userId(), payment.userId());
        return ticketing.pay(buyer, reservationId);
    }
}
