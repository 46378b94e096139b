-- version serves optimistic locking: an update names the version it read.
CREATE TABLE trips (
    id         BIGINT       NOT NULL AUTO_INCREMENT,
    member_id  BIGINT       NOT NULL,
    title      VARCHAR(100) NOT NULL,
    start_date DATE         NOT NULL,
    end_date   DATE         NOT NULL,
    version    INT          NOT NULL DEFAULT 0,
    PRIMARY KEY (id),
    KEY ix_trips_member (member_id, start_date, id),
    CONSTRAINT fk_trips_member FOREIGN KEY (member_id) REFERENCES members (id)
) DEFAULT CHARACTER SET utf8mb4;
