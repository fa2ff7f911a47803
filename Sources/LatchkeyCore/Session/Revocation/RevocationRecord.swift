import LatchkeyModel
import LatchkeyWire

/// The stored entries of a ``RevocationOutbox``.
///
/// The format is a JSON array. Dates are in RFC 3339 format.
struct RevocationRecord: Equatable, Sendable {
    /// An element of the array.
    private enum Element: Equatable {
        case entry(RevocationEntry)
        /// An entry that this version of the app can't read.
        case unreadable(JSONValue)

        var entry: RevocationEntry? {
            if case .entry(let entry) = self { entry } else { nil }
        }
    }

    private var elements: [Element] = []

    /// Whether entries were given a date, which has to be stored so that they expire.
    private(set) var hasNewDates = false

    /// The entries that can be sent, oldest first.
    var entries: [RevocationEntry] { elements.compactMap(\.entry) }

    /// Whether there are no entries, not even any that only a newer version of the app can send.
    var isEmpty: Bool { elements.isEmpty }

    /// Adds entries for tokens that aren't stored yet.
    ///
    /// If there are too many entries, the oldest ones are removed.
    mutating func add(_ new: [RevocationEntry]) {
        let known = Set(entries.map(\.token))
        elements += new.filter { !known.contains($0.token) }.map(Element.entry)
        elements = Array(elements.suffix(RevocationOutbox.entryLimit))
    }

    /// Removes the entry for a token.
    mutating func remove(_ token: Secret) {
        elements.removeAll { $0.entry?.token == token }
    }
}

extension RevocationRecord {
    /// Decodes the entries that haven't expired.
    ///
    /// If the data isn't an array, the record is empty. An entry whose date can't be read, or is from a clock that
    /// wasn't set, counts as new.
    init(decoding bytes: [UInt8]?, at now: Timestamp) {
        guard let bytes, let array = try? JSONCoding.decode([JSONValue].self, from: bytes) else { return }
        for json in array {
            let date = json["addedAt"]?.text.flatMap { Timestamp(rfc3339: $0) }
            // A date in the future is from a clock that was ahead.
            let isValid = date.map { $0.isFromClock && $0 <= now } ?? false
            let addedAt = isValid ? date ?? now : now
            guard addedAt + SideRecordKind.revocationOutbox.lifespan > now else { continue }
            guard let kind = json["kind"]?.text.flatMap({ RevocationEntry.Kind(rawValue: $0) }),
                let token = json["token"]?.text
            else {
                elements.append(.unreadable(json))
                continue
            }
            elements.append(
                .entry(
                    RevocationEntry(
                        kind: kind,
                        token: Secret(token),
                        issuer: json["issuer"]?.text,
                        client: json["client"]?.text,
                        addedAt: addedAt
                    )
                )
            )
            if !isValid, now.isFromClock { hasNewDates = true }
        }
    }

    /// The encoded entries, or `nil` if there are none.
    var encoded: [UInt8]? {
        guard !isEmpty else { return nil }
        let array = elements.map { element -> JSONValue in
            switch element {
            case .entry(let entry):
                var members: [String: JSONValue] = [
                    "kind": .string(entry.kind.rawValue), "token": .string(entry.token.exposed),
                    "addedAt": .string(entry.addedAt.description),
                ]
                members["issuer"] = entry.issuer.map { .string($0) }
                members["client"] = entry.client.map { .string($0) }
                return .object(members)
            case .unreadable(let json): return json
            }
        }
        return try? JSONCoding.encode(JSONValue.array(array))
    }
}
