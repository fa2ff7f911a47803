import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// The state of a session that a device has seen, which is the id of an event.
///
/// A cursor identifies a state rather than a position in a log, so the server stores no events: it compares the cursor
/// with the present state.
struct SessionCursor: Hashable, Sendable {
    /// The longest accepted text, in bytes.
    private static let limit = 128

    /// A fingerprint of the identity as whoami returns it.
    let identity: UInt64
    /// The revisions of the session's ``SessionEventSource`` values, in the order of the sources.
    let revisions: [Int64]

    init(identity: UInt64, revisions: [Int64]) {
        (self.identity, self.revisions) = (identity, revisions)
    }

    /// Creates the cursor of a state.
    init(_ identity: IdentityRecord, revisions: [Int64]) {
        let hash = SHA256.hash(Array(identity.schemaID.utf8) + [0] + identity.body)
        self.init(
            identity: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            revisions: revisions
        )
    }

    /// Returns the types of the events that lead from another state to this one.
    ///
    /// - Parameters:
    ///   - known: The state that the device knows.
    ///   - sources: The sources of the revisions.
    /// - Returns: The types, which are empty if the states are equal.
    func changes(since known: SessionCursor, sources: [SessionEventSource]) -> [SessionEventType] {
        var types: [SessionEventType] = known.identity == identity ? [] : [.identityChanged]
        for (index, source) in sources.enumerated() {
            // A server that has been updated may have more sources than the one that issued the cursor.
            let before = known.revisions.indices.contains(index) ? known.revisions[index] : nil
            if before != revisions[index] { types.append(source.type) }
        }
        return types
    }
}

extension SessionCursor: LosslessStringConvertible {
    /// Parses an event's id, and returns `nil` for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= Self.limit else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = parts.first, first.utf8.count == 16, let identity = UInt64(first, radix: 16) else {
            return nil
        }
        var revisions: [Int64] = []
        for part in parts.dropFirst() {
            guard let revision = Int64(part) else { return nil }
            revisions.append(revision)
        }
        self.init(identity: identity, revisions: revisions)
    }

    /// The fingerprint in hexadecimal digits, followed by a dot and the number of each revision.
    var description: String {
        let digits = String(identity, radix: 16)
        return revisions.reduce(String(repeating: "0", count: 16 - digits.count) + digits) { "\($0).\($1)" }
    }
}
