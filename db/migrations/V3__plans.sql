-- One stop of a day. day_number counts from 1; position orders the stops of a day, from 0.
CREATE TABLE plans (
    id         BIGINT        NOT NULL AUTO_INCREMENT,
    trip_id    BIGINT        NOT NULL,
    day_number SMALLINT      NOT NULL,
    position   SMALLINT      NOT NULL,
    place      VARCHAR(100)  NOT NULL,
    latitude   DECIMAL(8, 6) NOT NULL,
    longitude  DECIMAL(9, 6) NOT NULL,
    memo       VARCHAR(500)  NOT NULL DEFAULT '',
    version    INT           NOT NULL DEFAULT 0,
    PRIMARY KEY (id),
    KEY ix_plans_trip (trip_id, day_number, position),
    CONSTRAINT fk_plans_trip FOREIGN KEY (trip_id) REFERENCES trips (id) ON DELETE CASCADE
) DEFAULT CHARACTER SET utf8mb4;
