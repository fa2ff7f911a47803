import Foundation
import LatchkeyCurl
import LatchkeyModel
import LatchkeyWire
import TestDatabases
import TestProcesses
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct `latchkey login in a browser` {
    private static let redirectURI = "http://127.0.0.1/callback"

    private func start(_ probe: BrowserProbe, environment: [String: String] = [:]) async throws
        -> ChildProcess
    {
        try await ChildProcess.start(
            [
                // Both streams are one, as on a terminal.
                "/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&1", BuiltCommand.path, "login", "--browser",
                "--client", "probe", "--server", probe.serverURL,
                "--data", probe.folder + "/command",
            ],
            environment: ["HOME": probe.folder, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        )
    }

    /// Logs the user in on the page that the command has shown, and follows the redirect to the command.
    private func logIn(_ probe: BrowserProbe, at address: String) async throws -> HTTP.Response {
        let url = try await probe.visit(address)
        let target = try #require(URLComponents(string: url))
        return try await CurlTransport().send(
            HTTP.Request(.get, target.path, query: target.percentEncodedQuery),
            to: "http://127.0.0.1:\(try #require(target.port))",
            limits: RequestLimits()
        )
    }

    @Test func `Without a display, the address is printed, and the browser leads back to the command`()
        async throws
    {
        try await BrowserProbe.with(.sqlite, redirectURI: Self.redirectURI) { probe async throws in
            let command = try await start(probe)
            let said = await command.output(until: "request_uri=")
            let address = try #require(said.split(separator: "\n").first { $0.hasPrefix("http") })

            let page = try await logIn(probe, at: String(address))

            #expect(page.status == 200 && !String(decoding: page.body, as: UTF8.self).contains("<script"))
            let outcome = await command.outcome()
            #expect(outcome.code == 0 && outcome.output.contains("Logged in."), "\(outcome.text)")
        } check: { database async throws in
            try await BrowserProbe.expectOneSession(in: database)
        }
    }

    @Test func `The browser of the environment opens the page, whose address has no secret`() async throws {
        try await BrowserProbe.with(.sqlite, redirectURI: Self.redirectURI) { probe async throws in
            let script = probe.folder + "/browser"
            let text =
                "#!/bin/sh\nprintf '%s' \"$*\" > \(probe.folder)/arguments.new\n"
                + "mv \(probe.folder)/arguments.new \(probe.folder)/arguments\n"
            try text.write(toFile: script, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
            let command = try await start(probe, environment: ["BROWSER": script])
            _ = await command.output(until: "Log in in the browser")
            var address = ""
            while address.isEmpty {
                try Task.checkCancellation()
                address = (try? String(contentsOfFile: probe.folder + "/arguments", encoding: .utf8)) ?? ""
                await Task.yield()
            }

            // Only the client and the handle of the pushed request are visible to other processes.
            let names = URLComponents(string: address)?.queryItems?.map(\.name).sorted()
            #expect(names == ["client_id", "request_uri"])
            _ = try await logIn(probe, at: address)
            #expect(await command.outcome().code == 0)
        } check: { _ in
        }
    }

    @Test func `A command that isn't registered says how to register it`() async throws {
        try await BrowserProbe.with(.sqlite, redirectURI: Self.redirectURI) { probe async throws in
            let outcome = try await BuiltCommand.run(
                [
                    "login", "--browser", "--server", probe.serverURL, "--data", probe.folder + "/command",
                ],
                home: probe.folder
            )
            #expect(outcome.code != 0 && outcome.errors.contains("latchkey client create"), "\(outcome.text)")
        } check: { _ in
        }
    }
}
