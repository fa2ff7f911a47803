import LatchkeyAccounts
import LatchkeyCommerce
import LatchkeyCourier
import LatchkeyOAuth
import LatchkeyServerKit
import Testing

@testable import LatchkeyServer

@Suite struct `Shared resources` {
    /// The settings that limit how often something happens, or how much of it, without a declaration.
    private static func undeclared(
        in declared: [String: ResourceDeclaration]
    ) -> [String] {
        ServerConfiguration.settings.filter { setting in
            let isRate = ["rates such as", "limit such as"].contains { setting.wanted.contains($0) }
            let isNumber = setting.wanted.contains("whole number")
            let isAboutLimits = ["limits.", "connections."].contains { setting.path.hasPrefix($0) }
            return isRate || isNumber && isAboutLimits
        }.map(\.path).filter { declared[$0] == nil }
    }

    private func configuration(_ flags: [String: String]) throws -> ServerConfiguration {
        try ServerConfiguration.load(flags: flags)
    }

    @Test func `Every limit declares the resource that it draws on`() {
        #expect(Self.undeclared(in: ServerConfiguration.resources) == [])
        for key in ServerConfiguration.resources.keys {
            #expect(ServerConfiguration.settings.contains { $0.path == key }, "\(key) is no setting")
        }
    }

    @Test(arguments: ["limits.codes_per_address", "limits.block_share", "limits.forms_per_address"])
    func `A limit without a declaration is found`(key: String) {
        var declared = ServerConfiguration.resources
        declared[key] = nil
        #expect(Self.undeclared(in: declared) == [key])
    }

    @Test func `The default limits fit together`() throws {
        var configuration = ServerConfiguration(data: "/data")
        #expect(configuration.overcommitments().isEmpty)
        configuration.courier.kind = .http
        #expect(configuration.overcommitments().isEmpty)
        configuration.courier.callingCodes = ["46"]
        #expect(configuration.overcommitments().isEmpty)
    }

    @Test func `A limit that shares a resource with another one unchecked is refused`() throws {
        // Event streams are connections, too. If they may use as many as there are, none are left for others.
        var declared = ServerConfiguration.resources
        declared["sessions.per_account"] = .part(.connections) { $0.connections.limit - 100 }
        var configuration = ServerConfiguration(data: "/data")
        let found = configuration.overcommitments(declared: declared)
        #expect(found.map(\.key) == ["sessions.per_account"])
        #expect(found.first?.message.contains("together with events.streams") == true)
        configuration.events.streams = 100
        #expect(configuration.overcommitments(declared: declared).isEmpty)
    }

    @Test(arguments: [
        ("limits.text_messages", "20/1h"), ("limits.text_messages", "8/1h"), ("limits.text_messages", "1/1h"),
        ("limits.texts_per_calling_code", "600/1h"), ("connections.limit", "16"),
        ("connections.limit", "31"), ("limits.block_share", "50"),
    ])
    func `A default value is lowered instead of refusing another setting`(key: String, value: String)
        throws
    {
        let configuration = try configuration([
            "courier.kind": "http", "courier.url": "https://sms.example", key: value,
        ])
        #expect(configuration.overcommitments().isEmpty)
    }

    @Test func `Defaults are lowered to half of a resource that the operator has made smaller`() throws {
        let flags = ["courier.kind": "http", "courier.url": "https://sms.example"]
        let usual = try configuration(flags)
        #expect(usual.effectiveLimits.codesPerPhone == usual.limits.codesPerPhone)
        #expect(usual.effectiveEvents.perAccount == 16)
        let small = try configuration(
            flags.merging(["limits.text_messages": "8/1h", "connections.limit": "20"]) { $1 }
        )
        let hour = Duration.seconds(3600)
        #expect(small.effectiveLimits.codesPerPhone.most(within: hour) == 4)
        #expect(small.effectiveLimits.codesOnKnownNetworks.most(within: hour) == 3)
        #expect(small.effectiveEvents.perAccount == 10)
    }

    @Test(arguments: [(500, true), (501, false)])
    func `Event streams may use up to half of the connections`(streams: Int, isAllowed: Bool) {
        var configuration = ServerConfiguration(data: "/data")
        configuration.url = "https://id.example.com/"
        configuration.courier.allowsDevelopment = true
        configuration.connections.limit = 1001
        configuration.events.streams = streams
        #expect(configuration.contradictions.map(\.key) == (isAllowed ? [] : ["events.streams"]))
    }

    @Test(arguments: [
        "https://id.example.com", "https://api.example.com", String(repeating: "a", count: 129), "",
        "com.example.größe", "two words",
    ])
    func `config check refuses an app that can never request a purchase history`(app: String) throws {
        var configuration = ServerConfiguration(data: "/data")
        configuration.url = "https://id.example.com/"
        configuration.courier.allowsDevelopment = true
        configuration.tokens.audience = "https://api.example.com"
        configuration.commerce.apps = ["com.example.shop", "https://shop.example.com"]
        #expect(configuration.contradictions.isEmpty)
        configuration.commerce.apps.append(app)
        #expect(configuration.contradictions.map(\.key) == ["commerce.apps"])
    }

    @Test(arguments: [
        ("limits.block_share", "60", "limits.block_share"),
        ("limits.codes_per_phone", "9/1m", "limits.codes_per_phone"),
        ("limits.renewals_per_session", "60000/1m", "limits.renewals_per_session"),
        ("connections.per_address", "4000", "connections.per_address"),
    ])
    func `config check refuses limits that let one client use most of a resource`(
        key: String,
        value: String,
        refused: String
    ) throws {
        let flags = ["courier.kind": "http", "courier.url": "https://sms.example", key: value]
        let error = #expect(throws: ConfigurationError.self) { try configuration(flags) }
        #expect(error?.problems.map(\.key).contains(refused) == true, "\(String(describing: error))")
    }
}
