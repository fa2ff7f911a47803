import LatchkeyCourier
import LatchkeyOAuth
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire
import Testing

@Suite struct `Scopes of clients` {
    private static let setting = ScopeSettings.settings[0]

    private static let orders =
        #"{"orders": {"description": {"en": "See your orders", "nb": "Se bestillingene dine"}, "audience": "https://shop.example"}}"#

    private func settings(_ text: String) throws -> ScopeSettings {
        var settings = ScopeSettings()
        try Self.setting.set(&settings, .text(text))
        return settings
    }

    private func catalog(_ text: String = orders) throws -> ScopeCatalog {
        ScopeCatalog(try settings(text))
    }

    @Test(
        arguments: [
            ("openid", true), ("profile", true), ("email", true), ("phone", true), ("offline_access", true),
            ("orders", true), ("address", false), ("Orders", false), ("OPENID", false), ("offline", false),
            ("", false), ("orders ", false), ("purchases", false), ("agreements", false), ("events", false),
        ]
    )
    func `The built-in scopes and the operator's are offered`(name: String, isKnown: Bool) throws {
        #expect(try catalog().isKnown(name) == isKnown)
    }

    /// The Kelvin sign is equal to the letter K for Swift.
    @Test func `A name that only looks the same isn't offered`() throws {
        let text = #"{"K": {"description": {"en": "k"}, "audience": "a"}}"#
        let catalog = try catalog(text)
        #expect(catalog.isKnown("K") && catalog.audiences(of: ["K"]) == ["a"])
        #expect(!catalog.isKnown("\u{212A}") && catalog.audiences(of: ["\u{212A}"]).isEmpty)
        #expect(catalog.description(of: "\u{212A}", in: .english) == nil)
    }

    @Test func `Without a configuration, only the built-in scopes are offered`() {
        let names = ["openid", "profile", "email", "phone", "offline_access"]
        #expect(ScopeCatalog(ScopeSettings()).names == names)
    }

    @Test(
        arguments: [
            ("orders", .norwegian, "Se bestillingene dine"), ("orders", .english, "See your orders"),
            ("orders", .finnish, "See your orders"), ("email", .english, nil), ("unknown", .english, nil),
        ] as [(String, Language, String?)]
    )
    func `A scope is described in the user's language, or else in English`(
        name: String,
        language: Language,
        description: String?
    ) throws {
        #expect(try catalog().description(of: name, in: language) == description)
    }

    @Test(arguments: [
        ([], []), (["openid", "email", "unknown"], []),
        (["b", "openid", "a", "c"], ["https://x", "https://y"]),
        (["c"], ["https://y"]),
    ])
    func `The audiences follow from the scopes, each of them once`(names: [String], expected: [String]) throws
    {
        let scopes = ["a": "https://x", "b": "https://x", "c": "https://y"].map { name, audience in
            #""\#(name)": {"description": {"en": "d"}, "audience": "\#(audience)"}"#
        }
        let catalog = try catalog("{\(scopes.joined(separator: ","))}")
        #expect(catalog.audiences(of: names) == expected)
        #expect(catalog.names.suffix(3) == ["a", "b", "c"])
    }

    // MARK: Settings

    private static let valid = #"{"description": {"en": "d"}, "audience": "a"}"#

    @Test(arguments: [
        ("openid", "built in"), ("profile", "built in"), ("email", "built in"), ("phone", "built in"),
        ("offline_access", "built in"), ("purchases", "reserved"), ("agreements", "reserved"),
        ("events", "reserved"), ("", "RFC 6749"), ("a b", "RFC 6749"), ("a\\\\b", "RFC 6749"),
        ("a\\\"b", "RFC 6749"), ("a\\tb", "RFC 6749"), ("ä", "RFC 6749"), ("a\u{7F}", "RFC 6749"),
    ])
    func `Names that scopes can't have are refused`(name: String, reason: String) throws {
        let error = try #require(throws: SettingMismatch.self) {
            try settings("{\"\(name)\": \(Self.valid)}")
        }
        #expect(error.message.contains(reason))
    }

    @Test(arguments: ["a", "orders:read", "https://shop.example/orders.read", "!#[]~", "address", "Profile"])
    func `Other names are accepted`(name: String) throws {
        #expect(try settings("{\"\(name)\": \(Self.valid)}").scopes.map(\.name) == [name])
    }

    @Test(arguments: [
        ("[]", "is not an object"), ("orders", "is not an object"), (#"{"a": "b"}"#, "isn't an object"),
        (#"{"a": {"audience": "a"}}"#, "needs"), (#"{"a": {"description": {"en": "d"}}}"#, "needs"),
        (#"{"a": {"description": {"en": "d"}, "audience": ""}}"#, "needs"),
        (#"{"a": {"description": {"en": "d"}, "audience": ["a"]}}"#, "needs"),
        (#"{"a": {"description": {"en": ""}, "audience": "a"}}"#, "needs"),
        (#"{"a": {"description": {"en": 1}, "audience": "a"}}"#, "needs"),
        (#"{"a": {"description": "d", "audience": "a"}}"#, "needs"),
        (#"{"a": {"description": {"nb": "d"}, "audience": "a"}}"#, "needs"),
        (#"{"a": {"description": {"en": "d", "de": "d"}, "audience": "a"}}"#, #"in "de""#),
        (#"{"a": {"description": {"en": "d"}, "audience": "a", "claims": []}}"#, #"member "claims""#),
    ])
    func `A malformed scope is refused with a reason`(text: String, reason: String) throws {
        let error = try #require(throws: SettingMismatch.self) { try settings(text) }
        #expect(error.message.contains(reason), "\(error.message)")
    }

    @Test func `Scopes are shown as they were configured`() throws {
        let shown = Self.setting.show(try settings(Self.orders))
        #expect(try JSONCoding.decode(JSONValue.self, from: Array(Self.orders.utf8)) == shown)
    }

    @Test func `The scopes are read from the configuration of the server`() throws {
        let configuration = try ServerConfiguration.load(flags: ["oauth.scopes": Self.orders])
        #expect(configuration.scopes.scopes.map(\.name) == ["orders"])
    }
}
