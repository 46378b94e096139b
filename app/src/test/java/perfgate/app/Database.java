package perfgate.app;

import java.util.Locale;

/** The databases that the service runs on. */
enum Database {
    MARIADB,
    MYSQL;

    /** By -Ddatabase=mysql; MariaDB unless told otherwise. */
    static Database asked() {
        return valueOf(System.getProperty("database", MARIADB.name()).toUpperCase(Locale.ROOT));
    }
}
