/// One step of the database's schema; applied once, in order, each in a transaction, under a lock.
package struct Migration: Sendable {
    /// The number that is written down when the step is done.
    package let version: Int64

    /// What the step is about.
    package let name: String

    /// The statements for SQLite.
    package let sqlite: [StaticString]

    package init(version: Int64, name: String, sqlite: [StaticString]) {
        self.version = version
        self.name = name
        self.sqlite = sqlite
    }

    /// All steps, oldest first; a step that was released is never changed.
    package static let all: [Migration] = [.initial, .tokens, .identities, .audit]
}
