import Foundation
import LatchkeyCore
import LatchkeyCurl
import LatchkeyModel
import LatchkeyWire
import TestProcesses
import TestSpellings
import Testing

@Suite struct `Client and server commands` {
    private let folder = TestFolder()

    private func run(_ arguments: [String], input: String = "") async throws -> ChildProcess.Outcome {
        try await BuiltCommand.run(arguments, home: folder.path, input: input)
    }

    private func server(_ flags: [String] = []) async throws -> ServerProcess {
        try await ServerProcess(data: folder.path + "/server", flags: flags)
    }

    /// Returns the latest code that the development courier has sent to a phone number.
    private func code(sentTo phone: String, by server: ServerProcess) async throws -> String {
        var request = HTTP.Request(.get, "/courier/messages", query: "recipient=\(QueryItems.encode(phone))")
        request.headers["Authorization"] = "Bearer " + server.adminToken
        let response = try await CurlTransport().send(request, to: server.adminURL)
        let messages = try JSONCoding.decode([JSONValue].self, from: response.body)
        return try #require(messages.last?["code"]?.text)
    }

    @Test func `A user can sign up, show and diagnose the session, log out and log in again`() async throws {
        let server = try await server()
        let client = ["--server", server.url]
        let phone = "+439999999999"

        let begun = try await run(["signup", "--phone", phone, "--json"] + client)
        let flow = try #require(
            JSONCoding.decode(JSONValue.self, from: Array(begun.output.utf8))["flow"]?.text
        )
        let code = try await code(sentTo: phone, by: server)
        let finish = [
            "signup", "--phone", phone, "--flow", flow, "--first", "User", "--last", "Test",
            "--password-stdin",
        ]

        let wrong = try await run(
            finish + ["--code", code == "000000" ? "000001" : "000000"] + client,
            input: "730281\n"
        )
        #expect(wrong.code == 3)

        // The code as a user of an Arabic keyboard pastes it.
        let typed = TypedSpellings.digits("\(code.prefix(3))\u{A0}\(code.suffix(3))\n", from: 0x660)
        let short = try await run(finish + ["--code", typed] + client, input: "73\n")
        #expect(short.code == 3)
        #expect(short.errors.contains("--verified"))

        let finished = try await run(finish + ["--verified"] + client, input: "730281\n")
        #expect(finished.code == 0, "\(finished.errors)")
        #expect(finished.output.contains(phone))
        #expect(try finished.expiry() > SystemTime().now + .seconds(29 * 86_400))

        let known = try await run(["whoami", "--json"] + client)
        #expect(known.code == 0)
        #expect(known.output.contains(#""schema":"customer""#))

        let well = try await run(["doctor"] + client)
        #expect(well.code == 0, "\(well.text)")
        #expect(well.output.contains("storage      file: "))
        #expect(well.output.contains("session      A user has been logged in since "))
        #expect(well.output.contains("contract 1") && well.output.contains("certificate  until "))

        let left = try await run(["logout"] + client)
        #expect(left.code == 0)
        #expect(left.output == "Logged out.\n")
        #expect(try await run(["whoami"] + client).code == 3)
        #expect(try await run(["logout"] + client).output == "You were not logged in.\n")

        let refused = try await run(
            ["login", "--phone", phone, "--password-stdin"] + client,
            input: "730282\n"
        )
        #expect(refused.code == 3)
        let back = try await run(
            ["login", "--phone", phone, "--password-stdin", "--trace"] + client,
            input: "730281\n"
        )
        #expect(back.code == 0)
        #expect(try back.expiry() > SystemTime().now + .seconds(29 * 86_400))
        #expect(back.errors.contains("PUT /identity/pki/client/certificates HTTP/1.1"))

        let ended = await server.stop()
        #expect(ended.code == 0)
        // While the server is stopped, checking the session fails with a network error, and the session isn't
        // deleted.
        #expect(try await run(["whoami", "--offline"] + client).code == 0)
        #expect(try await run(["whoami"] + client).code == 4)
        #expect(try await run(["whoami", "--offline"] + client).code == 0)

        for result in [wrong, short, finished, known, refused, back, ended] {
            #expect(!result.output.contains("730281"))
            #expect(!result.errors.contains("730281"))
            #expect(!result.errors.contains(code))
            #expect(!(result.output + result.errors).contains("lk_st_"))
        }
    }

    @Test func `Business accounts can be created, found and disabled on a running server`() async throws {
        let server = try await server()
        let data = ["--data", folder.path + "/server"]
        let client = ["--server", server.url]
        let email = "user@example.com"

        let made = try await run(
            ["identity", "create", "--schema", "business", "--email", email, "--password-stdin", "--json"]
                + data,
            input: "a good one 9\n"
        )
        #expect(made.code == 0, "\(made.errors)")
        let again = try await run(
            ["identity", "create", "--schema", "business", "--email", "USER@example.com", "--password-stdin"]
                + data,
            input: "a good one 9\n"
        )
        #expect(again.code == 3)

        let login = ["login", "--email", email, "--password-stdin"] + client
        #expect(try await run(login, input: "a good one 9\n").code == 0)
        #expect(try await run(["identity", "find", email] + data).output.contains("state       active"))

        #expect(try await run(["identity", "disable", email] + data).output.contains("state       inactive"))
        #expect(try await run(["whoami"] + client).code == 3)
        #expect(try await run(login, input: "a good one 9\n").code == 3)
        #expect(try await run(["identity", "find", "nobody@example.com"] + data).code == 1)
        _ = await server.stop()
    }

    @Test(arguments: [false, true])
    func `A session is found even if the server URL ends in slashes`(inFolder: Bool) async throws {
        let server = try await server()
        let email = "user@example.com"
        _ = try await run(
            ["identity", "create", "--schema", "business", "--email", email, "--password-stdin"]
                + ["--data", folder.path + "/server"],
            input: "a good one 9\n"
        )
        let data = inFolder ? ["--data", folder.path + "/device"] : []
        let login = ["login", "--email", email, "--password-stdin", "--server", server.url + "/"] + data
        #expect(try await run(login, input: "a good one 9\n").code == 0)

        for address in [server.url, server.url + "/", server.url + "//"] {
            let known = try await run(["whoami", "--offline", "--server", address] + data)
            #expect(known.code == 0, "\(address): \(known.text)")
        }
        _ = await server.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `The server runs until it receives a signal and can be started again`(signal: Int32) async throws {
        let first = try await server()
        #expect(await first.stop(signal).code == 0)

        let second = try await server()
        #expect(await second.stop().code == 0)
        // After an orderly shutdown, there is no write-ahead log next to the database.
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/server/latchkey.db-wal"))
    }

    @Test func `The most verbose log level does not log the contents of requests`()
        async throws
    {
        let server = try await server(["--log-level", "trace"])
        let login = ["login", "--phone", "+439999999998", "--password-stdin", "--server", server.url]
        _ = try await run(login, input: "hidden-4711\n")

        let log = await server.stop().errors

        #expect(log.contains(#""method":"POST","path":"/a/self-service/login","status":400"#))
        #expect(!log.contains("hidden-4711"))
        #expect(!log.contains("+439999999998"))
    }

    @Test func `The demo completes without printing secrets`() async throws {
        let result = try await run(["demo"])

        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output.split(separator: "\n").last?.hasPrefix("It works: ") == true)
        #expect(!result.output.contains("lk_st_"))
        #expect(!result.output.contains(#""000000""#))
        #expect(!result.output.contains("PRIVATE KEY"))
    }

    static let failures: [(words: [String], code: Int32, message: String)] = [
        ([], 2, "Commands:"),
        (["--help"], 0, "Commands:"),
        (["--version"], 0, "latchkey 0."),
        (["serve", "--help"], 0, "--port NUMBER"),
        (["serv"], 2, "did you mean latchkey serve?"),
        (["config"], 2, "latchkey config check, latchkey config show, latchkey config reference"),
        (["serve", "--prot", "1"], 2, "did you mean --port?"),
        (["config", "check", "--port", "70000"], 2, "port (--port)"),
        (["config", "check", "--config", "/nonexistent"], 2, "/nonexistent: the file cannot be read"),
        (["config", "check", "--courier-mail-kind", "smtp"], 2, "smtp requires courier.mail.url"),
        (
            ["config", "check", "--courier-templates", "/nonexistent"], 2,
            "cannot read the folder /nonexistent"
        ),
        (["login"], 2, "is required when there is no terminal"),
        (["login", "--phone", "12", "--password-stdin"], 2, "The phone number must start with +"),
        (["login", "--phone", "+439999999999", "--email", "a@b.c"], 2, "cannot be used together"),
        (["signup", "--code", "123456"], 2, "missing required flag --flow"),
        (["whoami", "--server", "http://id.example.com"], 2, "must start with https://"),
        (["whoami"], 3, "not logged in"),
        (
            ["login", "--phone", "+439999999999", "--password-stdin", "--server", "http://127.0.0.1:1"], 4,
            "latchkey serve"
        ),
        (
            ["serve", "--host", "203.0.113.1", "--courier-allow-development", "true"], 4,
            "cannot listen on 203.0.113.1"
        ),
        (["serve", "--host", "203.0.113.1"], 2, "set courier.allow_development"),
        (["serve", "--data", "/dev/null/x"], 5, "/dev/null"),
    ]

    @Test(arguments: failures)
    func `Each failure has its own exit code and message`(
        words: [String],
        code: Int32,
        message: String
    )
        async throws
    {
        let result = try await run(words, input: "password\n")

        #expect(result.code == code)
        #expect((result.output + result.errors).contains(message))
    }
}

extension ChildProcess.Outcome {
    /// Returns the session's expiry date from the output of a command.
    fileprivate func expiry() throws -> Timestamp {
        let lines = output.split(separator: "\n").map { $0.split(separator: " ") }
        let line = try #require(lines.first { $0.first == "until" })
        return try #require(Timestamp(rfc3339: String(line[1])))
    }
}
