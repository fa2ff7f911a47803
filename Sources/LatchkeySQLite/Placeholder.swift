// Module LatchkeySQLite.
