package import LatchkeyServerKit

extension [Migration] {
    /// The steps of identities, sessions and the audit log; the first one also creates tables of other modules.
    package static var accounts: [Migration] { [.initial, .identities, .audit, .ownership, .auditActions] }
}
