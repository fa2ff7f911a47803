import Foundation
import LatchkeyCore
import TestProcesses
import Testing

@testable import LatchkeySecretService

/// Returns a sample secret in the given version of the format.
///
/// The samples for a released version never change.
private func golden(version: Int) throws -> String {
    let folder = try #require(Bundle.module.resourceURL)
    return try String(contentsOf: folder.appendingPathComponent("Formats/\(version).txt"), encoding: .utf8)
}

@Suite(.timeLimit(.minutes(5))) struct `Keyring record format` {
    @Test func `Version 1 can be read and written`() throws {
        let first = try golden(version: 1)
        let record = try KeyringRecord(text: Array(first.utf8))

        #expect(record.generation == 66_866_807_627_322_380)
        #expect(record.bytes == Array("a record of format 1".utf8))
        #expect(record.text == Array(first.utf8))
        #expect(try KeyringRecord(text: Array("latchkey:1:1:".utf8)).bytes == [])
    }

    @Test(arguments: [
        ("latchkey:2:7:AAAA", SessionStoreError.Code.newer), ("latchkey:2", .newer),
        ("latchkey:99:x:y:z", .newer),
        ("", .unreadable), ("latchkey", .unreadable), ("latchkey:", .unreadable),
        ("latchkey:0:7:AAAA", .unreadable),
        ("latchkey:-1:7:AAAA", .unreadable), ("latchkey:1:7", .unreadable),
        ("latchkey:1:0:AAAA", .unreadable),
        ("latchkey:1:7:A", .unreadable), ("latchkey:1:7:AAAA:", .unreadable), ("other:1:7:AAAA", .unreadable),
        ("latchkey:1:18446744073709551616:AAAA", .unreadable),
    ])
    func `A newer or damaged record is rejected`(text: String, code: SessionStoreError.Code) {
        do throws(SessionStoreError) {
            _ = try KeyringRecord(text: Array(text.utf8))
            Issue.record("The record was accepted.")
        } catch {
            #expect(error.code == code)
        }
    }

    @Test func `The store and libsecret's secret-tool can read each other's items`() async throws {
        try await Desktop.with { (desktop) async throws in
            let attributes = ["xdg:schema", "latchkey.session", "server", "https://id.example", "app", "app"]
            func tool(_ words: [String], input: String = "") async throws -> ChildProcess.Outcome {
                try await ChildProcess.run(
                    ["secret-tool"] + words + attributes,
                    environment: desktop.environment,
                    input: input
                )
            }

            #expect(try await tool(["store", "--label=Login"], input: golden(version: 1)).code == 0)
            #expect(try await desktop.store().reading() == .present("a record of format 1"))

            #expect(try await desktop.store().removing() == nil)
            #expect(try await tool(["lookup"]).code == 1)
            _ = try await desktop.store().writing("from here").get()
            #expect(try await tool(["lookup"]).output.hasSuffix(":ZnJvbSBoZXJl"))
        }
    }

    @Test(arguments: [("latchkey:2:7:AAAA", SessionStoreError.Code.newer), ("rubbish", .unreadable)])
    func `An unreadable item is left unchanged until it is removed`(
        text: String,
        code: SessionStoreError.Code
    ) async throws {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.store()
            let generation = try await store.writing("a record").get()
            try await off {
                let item = try desktop.service().search(store.attributes).unlocked[0]
                try desktop.service().setSecret(Array(text.utf8), of: item)
            }

            #expect(try await store.reading() == .unavailable(code))
            for base in [0, generation, 7] {
                #expect(try await store.writing("no", basedOn: base) == .failure(Refusal(code: code)))
            }
            #expect(try await store.reading() == .unavailable(code))
            #expect(try await store.removing() == nil)
            #expect(try await store.reading() == .absent)
        }
    }

    @Test func `A damaged copy of the record does not hide a newer format or a valid copy`() async throws {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.store()
            _ = try await store.writing("a record").get()
            let item = try await off { try desktop.service().search(store.attributes).unlocked[0] }
            try await off {
                // This collection exists for as long as the keyring is running.
                try desktop.service().create(
                    in: "/org/freedesktop/secrets/collection/session",
                    label: "copy",
                    attributes: store.attributes,
                    secret: Array("rubbish".utf8)
                )
            }
            #expect(try await store.reading() == .present("a record"))

            try await off { try desktop.service().setSecret(Array("latchkey:2:7:AAAA".utf8), of: item) }
            #expect(try await store.reading() == .unavailable(.newer))

            try await off { try desktop.service().setSecret(Array("rubbish".utf8), of: item) }
            #expect(try await store.reading() == .unavailable(.unreadable))
            #expect(try await store.removing() == nil)
            #expect(try await store.reading() == .absent)
        }
    }

    @Test func `If the newest copy of the record is damaged, an older copy isn't read instead`() async throws
    {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.store()
            let generation = try await store.writing("a login that has ended").get()
            let copies = [
                ("latchkey:1:\(generation + 1):A", SessionStoreError.Code?.some(.unreadable)),
                ("latchkey:1:\(generation)", .unreadable),
                ("latchkey:1:\(generation):A", nil), ("latchkey:1:\(generation - 1):A", nil), ("text", nil),
            ]
            for (text, code) in copies {
                let copy = Array(text.utf8)
                try await off {
                    try desktop.service().create(
                        in: "/org/freedesktop/secrets/collection/session",
                        label: "copy",
                        attributes: store.attributes,
                        secret: copy
                    )
                }
                #expect(
                    try await store.reading()
                        == (code.map { .unavailable($0) } ?? .present("a login that has ended"))
                )
                try await off {
                    let service = try desktop.service()
                    for (item, secret) in try service.secrets(
                        of: try service.search(store.attributes).unlocked
                    )
                    where secret == copy {
                        try service.delete(item)
                    }
                }
            }
        }
    }

    @Test func `Only a damaged record is removed as damaged`() async throws {
        try await Desktop.with { (desktop) async throws in
            let store = desktop.fallbackStore()
            _ = try await store.writing("a record").get()
            try await off { try store.removeUnreadable() }
            #expect(try await store.reading() == .present("a record"))
            let attributes = desktop.store().attributes
            let item = try await off { try desktop.service().search(attributes).unlocked[0] }

            try await off { try desktop.service().setSecret(Array("latchkey:2:7:AAAA".utf8), of: item) }
            await #expect(throws: SessionStoreError.self) { try await off { try store.removeUnreadable() } }
            #expect(try await store.reading() == .unavailable(.newer))

            try await off { try desktop.service().setSecret(Array("rubbish".utf8), of: item) }
            try await off { try store.removeUnreadable() }
            #expect(try await store.reading() == .absent)
            #expect(desktop.marks == [])
        }
    }
}
