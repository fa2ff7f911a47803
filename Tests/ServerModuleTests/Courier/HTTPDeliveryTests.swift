import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite struct `Delivery over HTTP` {
    /// A provider that records the request and returns a fixed response.
    private final class Provider: OutgoingHTTP {
        private let request = Locked<(HTTP.Request, origin: String, timeout: Duration)?>(nil)
        private let answer: HTTP.Response?

        init(_ answer: HTTP.Response?) {
            self.answer = answer
        }

        var sent: (HTTP.Request, origin: String, timeout: Duration)? { request.withLock { $0 } }

        func send(_ request: HTTP.Request, to origin: String, timeout: Duration)
            async throws(OutgoingHTTPError) -> HTTP.Response
        {
            self.request.withLock { $0 = (request, origin, timeout) }
            guard let answer else { throw OutgoingHTTPError("unreachable") }
            return answer
        }
    }

    private static let time = VirtualTime(now: Timestamp(seconds: 784_111_777 - 60))

    private func delivery(_ provider: Provider, template: String = "{}", for channel: Message.Channel = .sms)
        throws -> HTTPDelivery
    {
        HTTPDelivery(
            to: try #require(OutgoingAddress("https://sms.example.com/v1/messages?from=us")),
            headers: ["Authorization": "Bearer key"],
            template: try RequestTemplate(template, for: channel),
            timeout: .seconds(10),
            http: provider,
            time: Self.time
        )
    }

    private func message(_ body: Secret = "271501 is your verification code.") -> Message {
        Message(
            id: Identifier(high: 1, low: 2),
            channel: .sms,
            template: MessageKind.verificationCode.rawValue,
            recipient: "+439999999999",
            body: body,
            code: "271501"
        )
    }

    @Test func `The request is a POST with the operator's headers and the idempotency key`() async throws {
        let provider = Provider(HTTP.Response(202))
        try await delivery(provider).deliver(message(), idempotencyKey: "key-1")

        let (request, origin, timeout) = try #require(provider.sent)
        #expect(origin == "https://sms.example.com" && timeout == .seconds(10))
        #expect(request.method == .post && request.path == "/v1/messages" && request.query == "from=us")
        #expect(request.headers["authorization"] == "Bearer key")
        #expect(request.headers["idempotency-key"] == "key-1")
        #expect(request.headers["content-type"] == "application/json")
    }

    @Test(arguments: [
        (#"{"to": "{{phone}}", "text": "{{text}}"}"#, #"{"text":"T","to":"+439999999999"}"#),
        (
            #"{"a": ["{{ code }}!", 1, null, true, {"b": "{{id}}{{id}}"}]}"#,
            #"{"a":["271501!",1,null,true,{"b":"kk"}]}"#
        ),
        (#"{"{{text}}": "{ {text} } {{"}"#, #"{"{{text}}":"{ {text} } {{"}"#),
        (#""{{text}}""#, #""T""#),
    ])
    func `The placeholders in the template are replaced`(template: String, body: String) async throws {
        let provider = Provider(HTTP.Response(200))
        try await delivery(provider, template: template).deliver(message("T"), idempotencyKey: "k")

        #expect(
            String(decoding: try #require(provider.sent).0.body, as: UTF8.self) == body
        )
    }

    @Test(arguments: [
        #"", "to": "another person"#, #"\", "x": "\u0022"#, "line\nbreak\u{0}\u{7F}\u{2028}",
        "{{phone}} {{id}}", "}}\"}",
        "🗝 häßlich",
    ])
    func `Values are escaped in JSON strings`(text: String) async throws {
        let provider = Provider(HTTP.Response(200))
        let template = #"{"to": "{{phone}}", "text": "<{{text}}>"}"#
        try await delivery(provider, template: template).deliver(message(Secret(text)), idempotencyKey: "k")

        let body = try #require(provider.sent).0.body
        let json = try JSONCoding.decode(JSONValue.self, from: body)
        #expect(json == .object(["to": .string("+439999999999"), "text": .string("<\(text)>")]))
    }

    @Test(
        arguments: [
            (200, nil), (204, nil),
            (400, true), (404, true), (410, true), (422, true),
            (401, false), (402, false), (403, false), (407, false),
            (408, false), (409, false), (425, false), (429, false), (500, false), (503, false),
            (101, false), (301, false), (304, false), (nil, false),
        ] as [(Int?, Bool?)]
    )
    func `A status is only treated as a permanent error if a retry can't succeed`(
        status: Int?,
        isFinal: Bool?
    )
        async throws
    {
        let provider = Provider(status.map { HTTP.Response($0) })
        let delivery = try delivery(provider)
        var final: Bool?
        do throws(DeliveryError) {
            try await delivery.deliver(message(), idempotencyKey: "k")
        } catch {
            switch error {
            case .refused: final = true
            case .failed: final = false
            }
        }
        #expect(final == isFinal)
    }

    @Test(
        arguments: [
            ("120", 120), ("0", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 60),
            ("Sat, 05 Nov 1994 08:49:37 GMT", 0),
            ("soon", nil), ("-5", 0), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
        ] as [(String, Int?)]
    )
    func `The provider's Retry-After header determines when to try again`(value: String, seconds: Int?)
        async throws
    {
        let provider = Provider(HTTP.Response(503, headers: ["Retry-After": value]))
        let error = await #expect(throws: DeliveryError.self) {
            try await delivery(provider).deliver(message(), idempotencyKey: "k")
        }
        guard case .failed(_, let wait) = error else {
            Issue.record("Expected a temporary failure.")
            return
        }
        #expect(wait == seconds.map { .seconds($0) })
    }

    @Test(arguments: ["", "{", "{{text}}", #"{"to": "{{recipient}}"}"#, #"["{{}}"]"#])
    func `A template with unknown placeholders is rejected`(template: String) {
        for channel in Message.Channel.allCases {
            #expect(throws: RequestTemplate.Malformed.self) { try RequestTemplate(template, for: channel) }
        }
    }

    @Test(arguments: [
        (#"["{{phone}}"]"#, Message.Channel.email), (#"["{{html}}"]"#, .sms), (#"["{{subject}}"]"#, .sms),
    ])
    func `A template with placeholders for a different channel is rejected`(
        template: String,
        channel: Message.Channel
    ) {
        #expect(throws: RequestTemplate.Malformed.self) { try RequestTemplate(template, for: channel) }
    }

    @Test func `All parts of an e-mail are sent`() async throws {
        let provider = Provider(HTTP.Response(200))
        let template =
            #"{"to": "{{to}}", "s": "{{subject}}", "t": "{{text}}", "h": "{{html}}", "c": "{{code}}", "i": "{{id}}"}"#
        let mail = Message(
            id: Identifier(),
            channel: .email,
            template: MessageKind.loginCode.rawValue,
            recipient: "user@bücher.example",
            subject: "\"S\"",
            body: "a\nb",
            html: "<p class=\"x\">",
            code: "271501"
        )
        try await delivery(provider, template: template, for: .email).deliver(mail, idempotencyKey: "k")

        let json = try JSONCoding.decode(JSONValue.self, from: try #require(provider.sent).0.body)
        #expect(
            json
                == .object([
                    "to": .string("user@xn--bcher-kva.example"), "s": .string("\"S\""), "t": .string("a\nb"),
                    "h": .string("<p class=\"x\">"), "c": .string("271501"), "i": .string("k"),
                ])
        )
    }

    @Test(
        arguments: [
            ("https://sms.example.com", "https://sms.example.com", "/", nil),
            ("http://127.0.0.1:8080/send?a=b&c", "http://127.0.0.1:8080", "/send", "a=b&c"),
            ("https://[::1]:1?x", "https://[::1]:1", "/", "x"),
            ("https://[::1]", "https://[::1]", "/", nil),
            ("https://sms.example.com:65535", "https://sms.example.com:65535", "/", nil),
            ("HTTPS://sms.example.com/", "https://sms.example.com", "/", nil),
        ] as [(String, String, String, String?)]
    )
    func `Valid provider URLs are accepted`(url: String, origin: String, path: String, query: String?) throws
    {
        let address = try #require(OutgoingAddress(url))
        #expect(address.origin == origin && address.path == path && address.query == query)
    }

    @Test(arguments: [
        "", "sms.example.com", "ftp://sms.example.com", "https://", "https:///x",
        "https://u:p@sms.example.com",
        "https://sms.example.com/a b", "https://sms.example.com/#f", "https://:80/", "https://a\\@b/",
        "https://a/\n", "https://a:http/", "https://a:/", "https://a:0", "https://a:65536", "https://a:+1",
        "https://a:1:2", "https://[::1", "https://[::1]x", "https://[::1]:x",
    ])
    func `Invalid URLs are rejected`(url: String) {
        #expect(OutgoingAddress(url) == nil)
    }
}
