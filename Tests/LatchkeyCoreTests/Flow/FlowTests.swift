import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyCore

@Suite struct `Flow decoding` {
    private func flow(_ text: String, of kind: Flow.Kind = .login) throws -> Flow {
        try Flow(decoding: FlowJSON.value(text), of: kind)
    }

    @Test func `A flow is decoded with its state, expiry, methods, nodes and messages`() throws {
        let flow = try flow(
            FlowJSON.flow(
                messages: FlowJSON.message(1_010_003, "Confirm it is you.", type: "info"),
                more: #","refresh":true,"identity_schema":"reader""#
            )
        )

        #expect(flow.id == "0b85bd99-e820-4fde-ad3b-931fa9891e92")
        #expect(flow.state == .chooseMethod)
        #expect(flow.expiresAt == Timestamp(rfc3339: "2026-11-21T08:21:24.629842Z")?.date)
        #expect(flow.activeMethod == "code")
        #expect(flow.identitySchema == "reader")
        #expect(flow.isReauthentication)
        #expect(flow.methods == ["code", "password"])
        #expect(flow.messages.map(\.id) == [1_010_003])
        let identifier = try #require(flow.node(named: "identifier"))
        #expect(identifier.group == .common)
        #expect(identifier.label?.text == "ID")
        #expect(identifier.input?.isRequired == true)
        #expect(identifier.input?.isDisabled == false)
        let password = try #require(flow.node(named: "password"))
        #expect(password.input?.kind == .password)
        #expect(password.input?.autocomplete == "current-password")
        #expect(password.messages.first?.context["property"] == "password")
        #expect(flow.hasErrors)
    }

    @Test func `The attributes of a code input are decoded`() throws {
        let flow = try flow(FlowJSON.flow(state: "sent_email", nodes: FlowJSON.codeNodes))

        let code = try #require(flow.node(named: "code")?.input)
        #expect(flow.state == .codeSent)
        #expect(code.pattern == "[0-9]+")
        #expect(code.maximumLength == 6)
        #expect(code.autocomplete == "one-time-code")
        #expect(flow.node(named: "resend")?.input?.isButton == true)
        #expect(!flow.hasErrors)
    }

    @Test func `A password that the server echoes is discarded`() throws {
        let flow = try flow(FlowJSON.flow())

        #expect(flow.node(named: "password")?.input != nil)
        #expect(flow.node(named: "password")?.input?.value == nil)
    }

    @Test(arguments: [
        (
            #"{"type":"script","group":"webauthn","attributes":{"src":"https://x/y.js","node_type":"script"}}"#,
            "script"
        ),
        (#"{"type":"div","group":"captcha","attributes":{"id":"c","node_type":"div"}}"#, "div"),
        (#"{"type":"hologram","group":"future"}"#, "hologram"),
        (#"{"type":"input","group":"default","attributes":{"type":"text"}}"#, "input"),
        (#"{"type":"input","group":"default","attributes":{"name":7,"type":"text"}}"#, "input"),
        (#"{"type":"input","group":"default","attributes":[]}"#, "input"),
        (#"{"type":"a","group":"default","attributes":{"id":"a"}}"#, "a"),
        (#"{"type":"img","group":"totp","attributes":{"id":"q"}}"#, "img"),
        (#"{"type":"text","group":"totp","attributes":{"id":"t","text":"bare"}}"#, "text"),
        (#"7"#, ""),
        (#"null"#, ""),
    ])
    func `Unknown and malformed nodes are decoded as unknown nodes`(_ node: String, _ type: String) throws {
        let flow = try flow(FlowJSON.flow(nodes: node + "," + FlowJSON.loginNodes))

        let unknown = try #require(flow.nodes.first)
        #expect(unknown.type == type)
        guard case .unknown = unknown.attributes else {
            Issue.record("The node was decoded as a known type: \(unknown)")
            return
        }
        #expect(flow.methods == ["code", "password"])
    }

    @Test func `The attributes of links, texts and images are decoded`() throws {
        let flow = try flow(
            FlowJSON.flow(
                nodes: """
                    {"type":"a","group":"default","attributes":{"href":"https://x/","id":"a",
                    "title":{"id":1,"text":"Go","type":"info"},"node_type":"a"},"messages":[],"meta":{}},
                    {"type":"text","group":"lookup_secret","attributes":{"id":"t",
                    "text":{"id":2,"text":"Keep it.","type":"info"},"node_type":"text"}},
                    {"type":"img","group":"totp","attributes":{"id":"q","src":"data:image/png;base64,AA==",
                    "width":256,"height":256,"node_type":"img"}}
                    """
            )
        )

        #expect(
            flow.nodes.map(\.attributes) == [
                .link(
                    id: "a",
                    address: "https://x/",
                    title: FlowMessage(id: 1, text: "Go", severity: .info)
                ),
                .text(id: "t", FlowMessage(id: 2, text: "Keep it.", severity: .info)),
                .image(id: "q", address: "data:image/png;base64,AA==", width: 256, height: 256),
            ]
        )
    }

    @Test(arguments: [
        #"{"ui":{"nodes":[]}}"#, #"{"id":"","ui":{"nodes":[]}}"#, #"{"id":7,"ui":{"nodes":[]}}"#,
        #"{"id":"x"}"#, #"{"id":"x","ui":[]}"#, #"{"id":"x","ui":{}}"#, #"{"id":"x","ui":{"nodes":{}}}"#,
        "[]", "7",
    ])
    func `A response without an id or a form can't be decoded`(_ text: String) throws {
        #expect(throws: LatchkeyError.self) { try flow(text) }
    }

    @Test(arguments: [
        #"{"id":"x","ui":{"nodes":[],"messages":"none"},"state":7,"expires_at":"soon","refresh":"yes"}"#
    ])
    func `Members of the wrong type are ignored`(_ text: String) throws {
        let flow = try flow(text)

        #expect(flow.nodes.isEmpty)
        #expect(flow.messages.isEmpty)
        #expect(flow.expiresAt == nil)
        #expect(!flow.isReauthentication)
    }

    @Test func `A form with more than 1,000 nodes is rejected`() throws {
        let node = #"{"type":"text"}"#
        let largest = try flow(
            FlowJSON.flow(nodes: Array(repeating: node, count: 1000).joined(separator: ","))
        )

        #expect(largest.nodes.count == 1000)
        #expect {
            try flow(FlowJSON.flow(nodes: Array(repeating: node, count: 1001).joined(separator: ",")))
        } throws: { error in
            (error as? LatchkeyError)?.code == .invalidResponse
        }
    }

    @Test func `An input whose name is longer than 256 bytes is decoded as an unknown node`() throws {
        let name = String(repeating: "a.", count: 129)
        let flow = try flow(
            FlowJSON.flow(nodes: #"{"type":"input","group":"default","attributes":{"name":"\#(name)"}}"#)
        )

        #expect(flow.nodes.first?.input == nil)
    }

    @Test func `A settings flow contains the account's traits and addresses`() throws {
        let json = """
            ,"identity":{"id":"i1","schema_id":"reader","traits":{"email":"a@example.org","age":44,
            "name":{"first":"User","last":"Test"}},"metadata_public":{"tier":"gold"},
            "created_at":"2026-01-02T03:04:05Z","verifiable_addresses":[{"value":"a@example.org",
            "verified":true},{"unheard":"of"}],"recovery_addresses":[{"value":"a@example.org"},
            {"value":"+439999999999"}]}
            """
        let identity = try #require(
            try flow(FlowJSON.flow(state: "show_form", more: json), of: .settings).identity
        )

        #expect(identity.id == "i1")
        #expect(identity.schema == "reader")
        #expect(identity.traits.email?.address == "a@example.org")
        #expect(identity.traits["age"]?.integer == 44)
        #expect(identity.traits.name == PersonName(first: "User", last: "Test"))
        #expect(identity.publicMetadata?["tier"] == "gold")
        #expect(
            identity.addresses == [
                Identity.Address(value: "a@example.org", isVerified: true, isForRecovery: true),
                Identity.Address(value: "+439999999999", isVerified: false, isForRecovery: true),
            ]
        )
    }
}
