import Foundation
import LatchkeyCurl
import LatchkeyModel
import LatchkeyWire
import TestDatabases
import TestProcesses
import Testing

@testable import LatchkeyCommand
@testable import LatchkeyCore

@Suite(.serialized, .timeLimit(.minutes(10))) struct `latchkey login in a browser` {
    private static let redirectURI = "http://127.0.0.1/callback"

    private func start(
        _ probe: BrowserProbe,
        flags: [String] = [],
        environment: [String: String] = [:]
    ) async throws -> ChildProcess {
        try await ChildProcess.start(
            [
                // Both streams are one, as on a terminal.
                "/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&1", BuiltCommand.path, "login", "--browser",
                "--client", "probe", "--server", probe.serverURL,
                "--data", probe.folder + "/command",
            ] + flags,
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

    @Test func `The process, its trace and the files of the app and the server contain no secret in clear`()
        async throws
    {
        try await BrowserProbe.with(.sqlite, redirectURI: Self.redirectURI) { probe async throws in
            let command = try await start(probe, flags: ["--trace"])
            let said = await command.output(until: "?client_id=probe&request_uri=")
            let address = try #require(said.split(separator: "\n").last { $0.hasPrefix("http") })
            let store = ClientOptions.makeStore(
                server: probe.serverURL,
                app: "latchkey.command",
                folder: probe.folder + "/command"
            )
            let records = try #require(store.sideStore(for: .login))
            let pending = try SideRecordContainer.read(records).container
                .entry(.pendingAuthorizations, of: nil)
            let logins = PendingLogins(decoding: pending?.bytes).logins
            let login = try #require(logins.first)
            let visible = try Self.visible(of: probe)
            #expect(visible.contains("request_uri") == false && visible.contains("--browser"))

            let redirect = try await probe.visit(String(address))
            let target = try #require(URLComponents(string: redirect))
            _ = try await CurlTransport().send(
                HTTP.Request(.get, target.path, query: target.percentEncodedQuery),
                to: "http://127.0.0.1:\(try #require(target.port))",
                limits: RequestLimits()
            )
            let outcome = await command.outcome()
            #expect(outcome.code == 0 && outcome.output.contains("HTTP/1.1 200"), "\(outcome.text)")

            guard case .present(let bytes, _) = store.read() else { throw MissingRecord() }
            guard case .present(let stored) = StoredSession.reading(bytes) else { throw MissingRecord() }
            let code = try #require(target.queryItems?.first { $0.name == "code" }?.value)
            let secrets = [
                "the verifier": login.verifier.secret.exposed, "the code": code,
                "the session token": try #require(stored.sessionToken).exposed,
            ]
            let files = try Self.files(below: probe.folder)
            #expect(files.count > 4)
            for (name, secret) in secrets {
                #expect(secret.utf8.count >= 20)
                for text in [visible, outcome.text] { #expect(!text.contains(secret), "\(name)") }
                for (path, content) in files {
                    #expect(content.firstRange(of: Data(secret.utf8)) == nil, "\(name) is in \(path).")
                }
            }
            for (name, secret) in ["the state": login.state, "the nonce": login.nonce] {
                #expect(!outcome.text.contains(secret.exposed), "\(name)")
            }
        } check: { database async throws in
            try await BrowserProbe.expectOneSession(in: database)
        }
    }

    private struct MissingRecord: Error {}

    /// Returns the arguments and the environments of the processes that use a folder.
    private static func visible(of probe: BrowserProbe) throws -> String {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
            .compactMap { process -> String? in
                let files = ["cmdline", "environ"].map { name in
                    (try? Data(contentsOf: URL(filePath: "/proc/\(process)/\(name)"))) ?? Data()
                }
                let texts = files.map { String(decoding: $0, as: UTF8.self) }
                return texts[0].contains(probe.folder) ? texts.joined(separator: "\n") : nil
            }
            .joined(separator: "\n")
    }

    private static func files(below folder: String) throws -> [(path: String, content: Data)] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).compactMap { path in
            (try? Data(contentsOf: URL(filePath: folder + "/" + path))).map { (path, $0) }
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
