-- The outbox: Spring Modulith's event publication registry (its schema, version 2), in the case that its statements use.
-- An event is written here by the transaction that it tells of, and its row goes once the broker has it.
-- DATETIME, because some versions of the engine set a TIMESTAMP anew with every update.
CREATE TABLE EVENT_PUBLICATION (
    ID                     VARCHAR(36)   NOT NULL,
    LISTENER_ID            VARCHAR(512)  NOT NULL,
    EVENT_TYPE             VARCHAR(512)  NOT NULL,
    SERIALIZED_EVENT       VARCHAR(4000) NOT NULL,
    PUBLICATION_DATE       DATETIME(6)   NOT NULL,
    COMPLETION_DATE        DATETIME(6)   NULL,
    STATUS                 VARCHAR(20)   NULL,
    COMPLETION_ATTEMPTS    INT           NULL,
    LAST_RESUBMISSION_DATE DATETIME(6)   NULL,
    PRIMARY KEY (ID),
    KEY IX_EVENT_PUBLICATION_STATUS (STATUS, PUBLICATION_DATE)
) DEFAULT CHARACTER SET utf8mb4;
