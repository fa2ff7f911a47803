import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// A session state that a device has seen.
///
/// The text form of a cursor is used as an event id.
///
/// A cursor identifies a state rather than a position in a log. The server compares the cursor with the
/// current state, so it doesn't need to store events.
struct SessionCursor: Hashable, Sendable {
    /// The maximum length of an event id in bytes.
    private static let limit = 128

    /// A fingerprint of the identity as returned by `whoami`.
    let identity: UInt64
    /// The revisions returned by each ``SessionEventSource``, in the order of the sources, and then the fingerprint
    /// of the duties.
    let revisions: [Int64]

    init(identity: UInt64, revisions: [Int64]) {
        (self.identity, self.revisions) = (identity, revisions)
    }

    /// Creates a cursor for the given state.
    init(_ identity: IdentityRecord, revisions: [Int64]) {
        let hash = SHA256.hash(Array(identity.schemaID.utf8) + [0] + identity.body)
        self.init(
            identity: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            revisions: revisions
        )
    }

    /// Returns the types of the events to send to a device that last saw an earlier state.
    ///
    /// - Parameters:
    ///   - known: The state that the device last saw.
    ///   - sources: The sources that returned the revisions, in the same order.
    /// - Returns: The event types, or an empty array if the states are equal.
    func changes(since known: SessionCursor, sources: [SessionEventSource]) -> [SessionEventType] {
        var types: [SessionEventType] = known.identity == identity ? [] : [.identityChanged]
        for (index, type) in (sources.map(\.type) + [.dutiesChanged]).enumerated() {
            // After an update, the server may have more sources than the version that issued the cursor.
            let before = known.revisions.indices.contains(index) ? known.revisions[index] : nil
            if before != revisions[index] { types.append(type) }
        }
        return types
    }
}

extension SessionCursor: LosslessStringConvertible {
    /// Parses an event id.
    ///
    /// Returns `nil` if the text isn't a valid id.
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

    /// The fingerprint in hexadecimal, followed by the revisions in decimal, all separated by dots.
    var description: String {
        let digits = String(identity, radix: 16)
        return revisions.reduce(String(repeating: "0", count: 16 - digits.count) + digits) { "\($0).\($1)" }
    }
}
