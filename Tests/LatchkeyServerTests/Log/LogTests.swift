import LatchkeyModel
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite struct `Server log` {
    private static let secret = "Zq7-hidden-9vK"

    private static let identifier = Identifier(high: 1, low: 2)

    static let fields: [(value: any Loggable, shown: String)] = [
        (7, "7"),
        (Int64(-1), "-1"),
        (true, "true"),
        ("fixed" as StaticString, #""fixed""#),
        (Duration.milliseconds(3), "3000"),
        (Timestamp(seconds: 0), #""1970-01-01T00:00:00.000000Z""#),
        (identifier, #""00000000-0000-0001-0000-000000000002""#),
        (Secret(secret), #""‹secret›""#),
        (PhoneNumber("+439999999999") as PhoneNumber?, #""+…99""#),
        (EmailAddress("\(secret)@example.com") as EmailAddress?, #""…@example.com""#),
        (OneTimeCode("271501") as OneTimeCode?, #""‹code›""#),
        (PeerAddress(host: "192.0.2.1", port: 9), #""192.0.2.1""#),
        (HTTP.Method.post, #""POST""#),
        (HTTP.Method(rawValue: secret), #""‹other›""#),
        (LogLevel.debug, #""debug""#),
        (DatabaseError(.conflict, message: "sql"), #""database conflict: sql""#),
        (LoggedPath(HTTP.Request(.get, "/a/b", query: secret)), #""/a/b""#),
        (LoggedPlace("/var/lib"), #""/var/lib""#),
        (LoggedError(DatabaseError(.failed, message: "x")), #""database failed: x""#),
        (LoggedError(DescribedError(text: secret)), #""DescribedError""#),
    ].compactMap { value, shown in (value as (any Loggable)?).map { ($0, shown) } }

    private struct DescribedError: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    @Test(arguments: fields.indices)
    func `A field is logged according to its type, without revealing secrets`(index: Int) {
        let (value, shown) = Self.fields[index]
        let lines = Lines()

        Log(.trace, time: VirtualTime(), to: lines.sink).write(.info, "event", Log.Field("field", value))

        #expect(lines.text.hasSuffix(#""level":"info","event":"event","field":\#(shown)}"# + "\n"))
        #expect(!lines.text.contains(Self.secret))
    }

    @Test(arguments: LogLevel.allCases, LogLevel.allCases)
    func `Each log level includes the expected lines`(level: LogLevel, event: LogLevel) {
        let lines = Lines()

        Log(level, time: VirtualTime(), to: lines.sink).write(event, "event")

        let order: [LogLevel] = [.error, .warning, .info, .debug, .trace]
        let included = order.firstIndex(of: event).flatMap { at in
            order.firstIndex(of: level).map { at <= $0 }
        }
        #expect(lines.text.isEmpty == (included == false))
    }

    @Test func `Each line is a JSON object`() throws {
        let lines = Lines()
        let log = Log(.info, time: VirtualTime(), to: lines.sink)

        log.write(.info, "first", Log.Field("place", LoggedPlace("a\n\"b\"")))
        log.write(.error, "second")

        let parsed = try lines.text.split(separator: "\n").map {
            try JSONCoding.decode(JSONValue.self, from: Array($0.utf8))
        }
        #expect(parsed.map { $0["event"]?.text } == ["first", "second"])
        #expect(parsed.first?["place"]?.text == "a\n\"b\"")
    }

    @Test func `Queries, headers and bodies of requests are not logged`() async {
        let lines = Lines()
        let time = VirtualTime()
        let handler = RequestLog(Echo(), log: Log(.trace, time: time, to: lines.sink), time: time)
        let request = HTTP.Request(
            .post,
            "/a/self-service/login",
            query: "flow=\(Self.secret)",
            headers: ["Authorization": Self.secret, "X-Request-ID": Self.secret],
            body: Array(Self.secret.utf8)
        )

        let response = await handler.respond(to: request, from: .inProcess)

        #expect(response.body == request.body)
        #expect(lines.text.contains(#""method":"POST","path":"/a/self-service/login","status":200"#))
        #expect(!lines.text.contains(Self.secret))
    }

    @Test func `A line that is logged during a request contains the request's id`() {
        let lines = Lines()
        let log = Log(.info, time: VirtualTime(), to: lines.sink)

        RequestID.$current.withValue("abc-1") { log.write(.info, "during") }
        log.write(.info, "after")

        #expect(lines.text.contains(#""event":"during","request_id":"abc-1"}"#))
        #expect(lines.text.hasSuffix(#""event":"after"}"# + "\n"))
    }

    private struct Echo: HTTPHandler {
        func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
            HTTP.Response(200, body: request.body)
        }
    }

    private final class Lines: Sendable {
        private let bytes = Locked<[UInt8]>([])
        var sink: Log.Sink { { line in self.bytes.withLock { $0 += line } } }
        var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
    }
}
