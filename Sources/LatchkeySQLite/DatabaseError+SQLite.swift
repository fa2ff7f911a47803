import CSQLite
import LatchkeyServerKit

extension DatabaseError {
    /// Creates an error from a SQLite result code.
    ///
    /// Violations of a primary key or unique index become `conflict`. A busy or locked file, an I/O error, a
    /// full disk or a missing permission becomes `unavailable`. All other codes, including violations of
    /// other constraints, become `failed`.
    ///
    /// - Parameters:
    ///   - code: The extended result code.
    ///   - context: Text to append to the message, such as the SQL. It must not contain parameter values.
    init(sqlite code: Int32, _ context: String) {
        let kind: Code =
            switch (code, code & 0xFF) {
            // The extended result codes are C macros with arithmetic, which Swift doesn't import.
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
