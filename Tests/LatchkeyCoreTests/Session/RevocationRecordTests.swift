import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite struct `Stored revocations` {
    private static let now = Timestamp(seconds: 1_772_352_000)
    private static let newer: JSONValue = [
        "kind": "cookie", "token": "c", "addedAt": .string(now.description),
    ]

    private static func record(_ elements: [JSONValue], at time: Timestamp = now) throws -> RevocationRecord {
        RevocationRecord(decoding: try JSONCoding.encode(JSONValue.array(elements)), at: time)
    }

    private static func entry(_ token: String, addedAt: Timestamp = now) -> RevocationEntry {
        RevocationEntry(kind: .session, token: Secret(token), addedAt: addedAt)
    }

    @Test func `Reading a record returns what was written`() {
        var record = RevocationRecord(decoding: nil, at: Self.now)
        record.add([Self.entry("a"), Self.entry("b"), Self.entry("a")])
        record.add([Self.entry("b")])

        #expect(Set(record.entries.map(\.token)) == ["a", "b"])
        #expect(RevocationRecord(decoding: record.encoded, at: Self.now) == record)
        record.remove("a")
        record.remove("b")
        #expect(record.isEmpty && record.encoded == nil)
    }

    @Test(arguments: [newer, ["kind": "session"], ["token": "t"], 7, .null])
    func `An entry that this version can't read is kept, and the record isn't empty`(
        _ unreadable: JSONValue
    ) throws {
        var record = try Self.record([unreadable])
        record.add([Self.entry("a")])
        record.remove("a")

        #expect(record.entries.isEmpty && !record.isEmpty)
        #expect(try JSONCoding.decode([JSONValue].self, from: try #require(record.encoded)) == [unreadable])
    }

    @Test func `Entries expire after 30 days, including those of a newer version`() throws {
        let elements: [JSONValue] = [
            Self.newer, ["kind": "session", "token": "a", "addedAt": .string(Self.now.description)],
        ]

        #expect(try !Self.record(elements, at: Self.now + .seconds(30 * 86_400 - 1)).isEmpty)
        #expect(try Self.record(elements, at: Self.now + .seconds(30 * 86_400)).isEmpty)
    }

    @Test(arguments: [JSONValue.null, "yesterday", 5, "1970-01-02T00:00:00Z", "2099-01-01T00:00:00Z"])
    func `A token whose date can't be read is still revoked`(_ date: JSONValue) throws {
        let record = try Self.record([["kind": "refreshToken", "token": "a", "addedAt": date]])

        #expect(record.entries == [RevocationEntry(kind: .refreshToken, token: "a", addedAt: Self.now)])
        #expect(record.hasNewDates)
        #expect(!RevocationRecord(decoding: record.encoded, at: Self.now).hasNewDates)
    }

    @Test func `The oldest entries are removed if there are too many`() throws {
        var record = try Self.record([Self.newer])
        record.add((0..<RevocationOutbox.entryLimit).map { Self.entry("\($0)") })

        #expect(record.entries.count == RevocationOutbox.entryLimit)
        #expect(
            try !JSONCoding.decode([JSONValue].self, from: try #require(record.encoded)).contains(Self.newer)
        )
    }
}
