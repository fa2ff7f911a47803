import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import TestDatabases
import Testing

@testable import LatchkeySelfService

@Suite(.onEachDatabase) struct `Catalog of terms` {
    private let database: CountingDatabase
    private let time = VirtualTime()
    private let catalog: TermsCatalog
    /// The catalog of another node.
    private let other: TermsCatalog

    init() async throws {
        database = CountingDatabase(try await TestDatabase.current.open(time: time))
        catalog = TermsCatalog(database: database, time: time)
        other = TermsCatalog(database: database, time: time)
    }

    private func publish(_ key: String) async throws {
        let now = time.now
        try await database.transaction { [catalog] transaction in
            try TermsRepository.insert(
                TermsDocument(
                    key: key,
                    kind: .privacy,
                    clientID: "shop",
                    titles: ["en": "Privacy", "nb": "Personvern \"og\" mer"],
                    defaultLanguage: "nb",
                    createdAt: now
                ),
                in: transaction
            )
            let version = TermsVersion(
                number: 7,
                asks: .acknowledgement,
                effectiveAt: now + .seconds(60),
                publishedAt: now
            )
            try TermsRepository.insert(version, of: key, request: nil, in: transaction)
            try TermsRepository.insert(
                TermsRepository.Text(bytes: [65, 13, 10], hash: [1, 2], summary: "Nytt"),
                language: "nb",
                of: key,
                version: 7,
                at: now,
                in: transaction
            )
            catalog.forget(after: transaction)
        }
    }

    private func reads() async throws -> Int {
        try await database.counts { _ = try await catalog.documents() }.reads
    }

    @Test func `Documents are read with their versions and texts`() async throws {
        try await publish("privacy")
        let document = try #require(try await catalog.documents().first)
        #expect(document.key == "privacy" && document.kind == .privacy && document.clientID == "shop")
        #expect(document.titles == ["en": "Privacy", "nb": "Personvern \"og\" mer"])
        #expect(document.defaultLanguage == "nb" && document.createdAt == time.now)
        let version = try #require(document.versions.first)
        #expect(version.number == 7 && version.asks == .acknowledgement)
        #expect(version.effectiveAt == time.now + .seconds(60) && version.publishedAt == time.now)
        #expect(
            version.texts == [TermsText(language: "nb", hash: [1, 2], summary: "Nytt", addedAt: time.now)]
        )
        let text = try await TermsRepository.text(of: "privacy", version: 7, language: "nb", in: database)
        #expect(text?.bytes == [65, 13, 10])
        #expect(
            try await TermsRepository.text(of: "privacy", version: 7, language: "en", in: database) == nil
        )
    }

    @Test func `The documents are read once in four seconds, even if there are none`() async throws {
        #expect(try await reads() > 0)
        for _ in 0..<10 { #expect(try await reads() == 0) }
        time.advance(by: .milliseconds(3999))
        #expect(try await reads() == 0)
        time.advance(by: .milliseconds(1))
        #expect(try await reads() > 0)
    }

    @Test func `A publication is effective on its node at once, and on others within five seconds`()
        async throws
    {
        _ = try await (catalog.documents(), other.documents())
        let publications = Locked(0)
        catalog.observePublications { publications.withLock { $0 += 1 } }

        try await publish("terms")

        #expect(publications.withLock { $0 } == 1)
        #expect(try await catalog.documents().map(\.key) == ["terms"])
        #expect(try await other.documents().isEmpty)
        time.advance(by: TermsCatalog.lifespan)
        #expect(try await other.documents().map(\.key) == ["terms"])
        #expect(TermsCatalog.lifespan < .seconds(5))
    }

    @Test func `A read that a publication has overtaken isn't cached`() async throws {
        let slow = HeldDatabase(database)
        let catalog = TermsCatalog(database: slow, time: time)
        let reading = Task { try await catalog.documents() }
        // The read has its result, but hasn't returned it yet.
        await slow.waitForRead()
        try await publish("terms")
        try await database.transaction { catalog.forget(after: $0) }
        slow.release()
        #expect(try await reading.value.isEmpty)
        #expect(try await catalog.documents().map(\.key) == ["terms"])
    }

    /// Statements that an operator with access to the database could try.
    static let changes: [SQL] = [
        "UPDATE terms_versions SET effective_at = 1", "UPDATE terms_versions SET asks = 'nothing'",
        "DELETE FROM terms_versions", "UPDATE terms_texts SET summary = 'x'",
        "UPDATE terms_texts SET hash = text", "DELETE FROM terms_texts",
        "DELETE FROM terms_documents", "UPDATE terms_documents SET key = 'other'",
    ]

    @Test(arguments: changes.indices)
    func `Published versions and their texts can't be changed`(_ index: Int) async throws {
        try await publish("terms")
        let before = try await catalog.documents()
        await #expect(throws: DatabaseError.self) {
            try await database.transaction { _ = try $0.execute(Self.changes[index]) }
        }
        time.advance(by: TermsCatalog.lifespan)
        #expect(try await catalog.documents() == before)
    }
}
