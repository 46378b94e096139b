-- held_seat_id is the seat while a reservation stands and NULL once it expired or was cancelled:
-- its unique key is the database's last word against selling a seat twice.
CREATE TABLE reservations (
    id              BIGINT      NOT NULL AUTO_INCREMENT,
    member_id       BIGINT      NOT NULL,
    concert_seat_id BIGINT      NOT NULL,
    held_seat_id    BIGINT      NULL,
    status          VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    expires_at      DATETIME(3) NOT NULL,
    created_at      DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uk_reservations_held_seat (held_seat_id),
    KEY ix_reservations_expiry (status, expires_at),
    KEY ix_reservations_member (member_id),
    KEY ix_reservations_seat (concert_seat_id),
    CONSTRAINT fk_reservations_member FOREIGN KEY (member_id) REFERENCES members (id),
    CONSTRAINT fk_reservations_seat FOREIGN KEY (concert_seat_id) REFERENCES concert_seats (id)
) DEFAULT CHARACTER SET utf8mb4;

-- A reservation is paid at most once.
CREATE TABLE payments (
    id             BIGINT      NOT NULL AUTO_INCREMENT,
    reservation_id BIGINT      NOT NULL,
    member_id      BIGINT      NOT NULL,
    amount         INT         NOT NULL,
    paid_at        DATETIME(3) NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uk_payments_reservation (reservation_id),
    KEY ix_payments_member (member_id),
    CONSTRAINT fk_payments_reservation FOREIGN KEY (reservation_id) REFERENCES reservations (id),
    CONSTRAINT fk_payments_member FOREIGN KEY (member_id) REFERENCES members (id)
) DEFAULT CHARACTER SET utf8mb4;
