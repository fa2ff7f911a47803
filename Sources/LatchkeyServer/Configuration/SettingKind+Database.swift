import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeyServerKit
import LatchkeyWire

extension SettingKind<Secret?> {
    /// A PostgreSQL URL.
    ///
    /// The URL may contain a password, which is never shown.
    static let databaseURL = SettingKind(
        wanted: "a URL such as postgres://user@host:5432/name",
        holdsSecret: { (try? PostgreSQLLocation(Secret($0)))?.hasPassword == true }
    ) { input throws(SettingMismatch) in
        let text: String? =
            switch input {
            case .text(let text): text
            case .json(let value): value.text
            }
        // An invalid URL may still contain a password, so it must not appear in the error.
        guard let url = text.map({ Secret($0) }), (try? PostgreSQLLocation(url)) != nil else {
            throw SettingMismatch("is not a URL such as postgres://user@host:5432/name")
        }
        return url
    } show: { url in
        url.flatMap { try? PostgreSQLLocation($0) }.map { .string($0.description) } ?? .null
    }
}
