CREATE TABLE concerts (
    id     BIGINT       NOT NULL AUTO_INCREMENT,
    title  VARCHAR(100) NOT NULL,
    artist VARCHAR(100) NOT NULL,
    PRIMARY KEY (id)
) DEFAULT CHARACTER SET utf8mb4;

CREATE TABLE concert_schedules (
    id           BIGINT   NOT NULL AUTO_INCREMENT,
    concert_id   BIGINT   NOT NULL,
    concert_date DATETIME NOT NULL,
    PRIMARY KEY (id),
    KEY ix_concert_schedules_concert (concert_id, concert_date),
    CONSTRAINT fk_concert_schedules_concert FOREIGN KEY (concert_id) REFERENCES concerts (id)
) DEFAULT CHARACTER SET utf8mb4;

CREATE TABLE concert_seats (
    id                  BIGINT   NOT NULL AUTO_INCREMENT,
    concert_schedule_id BIGINT   NOT NULL,
    seat_number         SMALLINT NOT NULL,
    price               INT      NOT NULL,
    PRIMARY KEY (id),
    KEY ix_concert_seats_schedule (concert_schedule_id),
    CONSTRAINT fk_concert_seats_schedule FOREIGN KEY (concert_schedule_id) REFERENCES concert_schedules (id)
) DEFAULT CHARACTER SET utf8mb4;
