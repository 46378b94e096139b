-- A member signs in with the e-mail; every other look-up goes by id.
CREATE TABLE members (
    id            BIGINT       NOT NULL AUTO_INCREMENT,
    email         VARCHAR(100) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL,
    password_hash CHAR(60)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    name          VARCHAR(50)  NOT NULL,
    created_at    DATETIME(3)  NOT NULL,
    PRIMARY KEY (id),
    UNIQUE KEY uk_members_email (email)
) DEFAULT CHARACTER SET utf8mb4;
