package perfgate.app;

import java.util.Locale;

/** The databases that the service runs on. */
enum Database {
    MARIADB,
    MYSQL;

    /** MariaDB, unless -Ddatabase=mysql selects MySQL. */
    static Database selected() {
        return valueOf(System.getProperty("database", MARIADB.name()).toUpperCase(Locale.ROOT));
    }
}
