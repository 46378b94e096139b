-- How many seats a member holds without having paid is counted with every reservation.
ALTER TABLE reservations
    ADD KEY ix_reservations_member_status (member_id, status),
    DROP KEY ix_reservations_member;
