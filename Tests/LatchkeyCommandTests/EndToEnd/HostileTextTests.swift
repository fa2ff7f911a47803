import Foundation
import LatchkeyAccounts
import LatchkeyCurl
import LatchkeyMicrohttpd
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

/// Runs the commands against servers and accounts whose texts try to control the terminal.
@Suite(.timeLimit(.minutes(10))) struct `Text that tries to control the terminal` {
    private static let attack = "\u{1B}[2J\u{7}\u{8}\r\u{9B}31m\u{202E}\u{2066}\nlatchkey: forged"
    private static let password = "correct-Horse-7-battery"
    private let folder = TestFolder()

    private func run(_ arguments: [String], input: String = "") async throws -> ChildProcess.Outcome {
        try await BuiltCommand.run(arguments, home: folder.path, input: input)
    }

    /// Expects that a text consists of lines without control characters.
    private func expectHarmless(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let harmful = text.unicodeScalars.filter { scalar in
            guard scalar != "\n" else { return false }
            return [.control, .format, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory
            )
        }
        #expect(harmful.map { String($0.value, radix: 16) } == [], sourceLocation: sourceLocation)
        #expect(!text.contains("\nlatchkey: forged"), sourceLocation: sourceLocation)
    }

    /// A server whose responses contain the attack in every text that a client might show.
    private func hostileServer() async throws -> (server: TestServer, listener: HTTPServer, url: String) {
        var configuration = TestServer.configuration()
        configuration.schemas.standard = "person"
        configuration.registration.sendsVerification = false
        let server = try await TestServer(configuration: configuration)
        let listener = HTTPServer(
            configuration: .init(port: 0),
            handler: HostileHandler(handler: server.handler, attack: Self.attack)
        )
        try listener.start()
        return (server, listener, "http://127.0.0.1:\(try #require(listener.boundPort))")
    }

    /// Registers an account and returns the session token.
    private func register(at url: String, agent: String = "test", name: String = "Ann") async throws {
        let transport = try CurlTransport()
        let begun = try await transport.send(
            HTTP.Request(.get, "/a/self-service/registration/api"),
            to: url
        )
        let flow = try JSONCoding.decode(JSONValue.self, from: begun.body)["id"]?.text
        var request = HTTP.Request(
            .post,
            "/a/self-service/registration",
            query: "flow=" + (try #require(flow)),
            headers: ["Content-Type": "application/json", "User-Agent": agent]
        )
        request.body = try JSONCoding.encode(
            JSONValue.object([
                "method": "password", "password": .string(Self.password),
                "traits": .object([
                    "email": "user@example.org", "phone": "+46701000001",
                    "name": .string(name),
                ]),
            ])
        )
        let response = try await transport.send(request, to: url)
        #expect(response.status == 200, "\(String(decoding: response.body, as: UTF8.self))")
    }

    @Test func `A hostile server can't control the terminal of a client`() async throws {
        let (server, listener, url) = try await hostileServer()
        try await register(at: url)
        let client = ["--server", url]
        let login = ["login", "--email", "user@example.org", "--password-stdin"] + client

        let right = try await run(login, input: Self.password + "\n")
        #expect(right.code == 0, "\(right.text)")
        let wrong = try await run(login, input: "wrong-password\n")
        #expect(wrong.code == 3, "\(wrong.text)")
        var outcomes = [right, wrong]
        for words in [
            ["whoami"], ["whoami", "--trace"], ["whoami", "--offline"], ["sessions"], ["doctor"],
            ["sessions", "--revoke", "no-such-session"], ["signup", "--phone", "+439999999999"],
        ] {
            outcomes.append(try await run(words + client))
        }
        for outcome in outcomes { expectHarmless(outcome.text) }
        #expect(outcomes.filter { $0.text.contains("[2J") && $0.text.contains("31m") }.count >= 5)

        for words in [["whoami", "--json"], ["sessions", "--json"], ["doctor", "--json"]] {
            let outcome = try await run(words + client)
            expectHarmless(outcome.text)
            for line in outcome.output.split(separator: "\n") {
                _ = try JSONCoding.decode(JSONValue.self, from: Array(line.utf8))
            }
        }
        let json = try await run(["whoami", "--json"] + client)
        let identity = try JSONCoding.decode(JSONValue.self, from: Array(json.output.utf8))["session"]?[
            "identity"
        ]
        #expect(identity?["name"]?["first"]?.text == "Ann" + Self.attack)
        await listener.stop()
        await server.stop()
    }

    @Test func `A hostile server can't control the terminal during a dialog, and the dialog names its host`()
        async throws
    {
        let (server, listener, url) = try await hostileServer()
        try await register(at: url)
        let terminal = try PseudoTerminal()
        let process = try await ChildProcess.start(
            [BuiltCommand.path, "login", "--server", url],
            environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"],
            terminal: terminal
        )
        _ = await terminal.shows("cancel)")
        _ = await terminal.shows(": ")
        terminal.press("\u{3}")
        let outcome = await process.outcome()

        let shown = (terminal.transcript + outcome.output)
            // The only sequence that the command itself writes.
            .replacingOccurrences(of: "\r\u{1B}[K", with: "").replacingOccurrences(of: "\r\n", with: "\n")
            .replacingOccurrences(of: "^C", with: "")
        expectHarmless(shown)
        #expect(shown.contains("Log in (\(url.dropFirst("http://".count)))\n"))
        #expect(shown.contains("[2J"))
        await listener.stop()
        await server.stop()
    }

    @Test func `A stranger's name and browser can't control the operator's terminal`() async throws {
        let flags = ["--identities-default-schema", "person"]
        let server = try await ServerProcess(data: folder.path + "/server", flags: flags)
        // HTTP has no line breaks in header fields, and the server removes control characters from them.
        let agent = "Agent\u{202E}\u{2066}"
        try await register(at: server.url, agent: agent, name: "Ann\u{9B}31m\u{202E}\u{2066}\u{1B}[2J")
        let data = ["--data", folder.path + "/server"]
        for target in [data, data + ["--admin-url", server.adminURL]] {
            for words in [
                ["identity", "list"], ["identity", "get", "user@example.org"], ["sessions", "list"],
                ["identity", "history", "user@example.org"], ["identity", "get", "nobody\u{9B}@example.org"],
            ] {
                let text = try await run(words + target)
                expectHarmless(text.text)
                if words == ["identity", "list"] { #expect(text.output.contains(#"Ann31m\u001b[2J"#)) }
                let json = try await run(words + ["--json"] + target)
                expectHarmless(json.text)
                for line in json.output.split(separator: "\n") {
                    let value = try JSONCoding.decode(JSONValue.self, from: Array(line.utf8))
                    if let name = value["traits"]?["name"]?.text {
                        #expect(name == "Ann\u{9B}31m\u{202E}\u{2066}\u{1B}[2J")
                    }
                }
            }
        }
        let sessions = try await run(["sessions", "list", "--json"] + data)
        #expect(sessions.output.contains(#"\u202e"#) && sessions.output.contains(#"\u2066"#))
        let stopped = await server.stop()
        expectHarmless(stopped.text)
    }
}

/// Adds an attack to the texts in a server's responses.
private struct HostileHandler: HTTPHandler {
    private static let names: Set<String> = [
        "text", "message", "reason", "first", "last", "user_agent", "schema_id", "title", "label", "version",
        "location", "summary",
    ]

    let handler: any HTTPHandler
    let attack: String

    func respond(to request: HTTP.Request, from peer: PeerAddress) async -> HTTP.Response {
        var response = await handler.respond(to: request, from: peer)
        guard let body = try? JSONParser.parse(response.body) else { return response }
        var writer = JSONWriter(reserving: response.body.count)
        writer.value(ordered: attacking(body, name: nil))
        response.body = writer.bytes
        return response
    }

    private func attacking(_ value: OrderedJSON, name: String?) -> OrderedJSON {
        switch value {
        case .string(let text): name.map(Self.names.contains) == true ? .string(text + attack) : value
        case .array(let values): .array(values.map { attacking($0, name: nil) })
        case .object(let members):
            .object(
                members.map { member in
                    var value = attacking(member.value, name: member.name)
                    // The command shows names that consist of two parts.
                    if name == "traits", member.name == "name", case .string(let text) = member.value {
                        value = .object([
                            OrderedJSON.Member(name: "first", value: .string(text + attack)),
                            OrderedJSON.Member(name: "last", value: .string(attack)),
                        ])
                    }
                    return OrderedJSON.Member(name: member.name, value: value)
                }
            )
        default: value
        }
    }
}
