import CSQLite
import LatchkeyServerKit

extension DatabaseError {
    /// Creates an error from a result code of SQLite; `context` must not quote values.
    init(sqlite code: Int32, _ context: String) {
        let kind: Code =
            switch (code, code & 0xFF) {
            // Extended result codes are arithmetic macros in C, which Swift does not import.
            case (SQLITE_CONSTRAINT | 6 << 8, _),  // PRIMARYKEY
                (SQLITE_CONSTRAINT | 8 << 8, _),  // UNIQUE
                (SQLITE_CONSTRAINT | 10 << 8, _):  // ROWID
                .conflict
            case (_, SQLITE_BUSY), (_, SQLITE_LOCKED), (_, SQLITE_IOERR), (_, SQLITE_FULL),
                (_, SQLITE_CANTOPEN), (_, SQLITE_READONLY), (_, SQLITE_PROTOCOL), (_, SQLITE_NOMEM),
                (_, SQLITE_INTERRUPT), (_, SQLITE_PERM), (_, SQLITE_AUTH):
                .unavailable
            default:
                .failed
            }
        self.init(kind, message: "\(String(cString: sqlite3_errstr(code))) (SQLite \(code)) \(context)")
    }
}
