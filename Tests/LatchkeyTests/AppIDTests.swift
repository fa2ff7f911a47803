import LatchkeyCore
import LatchkeyTestKit
import Testing

@testable import Latchkey

@Suite struct `App ids` {
    @Test(arguments: [
        "com.example.shop", "com.example.shop.pay", "example/shop", "com.example shop:1", "Bjørns Blåbær",
    ])
    func `An app id can be any plain text`(_ id: String) throws {
        _ = try LatchkeyClient(server: TestServer.url, app: id) {
            $0.store = MemoryStore()
        }
    }

    @Test(arguments: ["", "#", "com.example.shop#pay", "a\u{0}b", "a\nb", "a\u{7F}", "a\u{85}"])
    func `An app id must not be empty or contain a separator or a control character`(_ id: String) throws {
        let error = #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(server: TestServer.url, app: id) {
                $0.store = MemoryStore()
            }
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("com.example.shop") == true)
    }

    @Test func `The name of an app part's record is never a valid app id`() throws {
        let record = try AppID("com.example.shop").record(ofPart: "pay")

        #expect(record != "com.example.shop")
        #expect(throws: LatchkeyError.self) { try AppID(record) }
    }

    @Test func `Each account slot has a distinct record name that is not a valid app id`() throws {
        let app = try AppID("com.example.shop")
        let slots: [AccountSlot] = [
            .default, .named("work"), .named("home"), .named("slot"), .named("default"),
        ]

        let records = try slots.map { try app.record(of: $0) } + [app.record(ofPart: "slot")]

        #expect(Set(records).count == records.count)
        #expect(records.first == app.text)
        for record in records.dropFirst() { #expect(throws: LatchkeyError.self) { try AppID(record) } }
    }

    @Test(arguments: ["", "#", "work#home", "a\u{0}b", "a\nb", "a\u{85}"])
    func `The name of an account slot must not be empty or contain a separator or a control character`(
        _ name: String
    ) throws {
        let error = #expect(throws: LatchkeyError.self) {
            try LatchkeyClient(server: TestServer.url, app: "slots") {
                $0.slot = .named(name)
                $0.storage = .memory
            }
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("work") == true)
    }
}
