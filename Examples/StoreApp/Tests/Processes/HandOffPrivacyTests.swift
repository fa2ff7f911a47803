import Foundation
import Latchkey
import LatchkeyTestKit
import LatchkeyWire
import StoreApp
import TestProcesses
import Testing

/// Tests what other processes of the user see of a login that the Arcade hands over to the store app.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `Traces of a login in the store app` {
    private static let digits = String(Desktop.phone.dropFirst())
    /// The part of an encoded private key before its number (RFC 5915).
    private static let keyPrefix: [UInt8] = [0x02, 0x01, 0x01, 0x04, 0x20]

    @Test func `Arguments, environments, files and screens contain no secret of the login`() async throws {
        try await Desktop.with(recordsRequests: true) { desktop in
            let traces = TemporaryFolder()
            let store = try await desktop.installStore(recordingTo: traces)
            let arcade = try await desktop.startArcade()
            await arcade.choose("1")
            try await desktop.holdArcade(recordingTo: traces)
            await arcade.choose("2", after: "Meteor")
            await desktop.logIn(on: store, as: Desktop.phone)
            await store.choose("1", after: "Decide later")

            let url = try await traces.redirect()
            let running = try Self.runningProcesses(with: desktop.home.path)
            try await expectUseless(url, on: desktop)
            try traces.release()
            await arcade.shows("Add")
            await arcade.shows(": ")
            arcade.terminal.type("2")
            await arcade.shows("Logged in (AT)")
            await arcade.choose("6")
            #expect(await arcade.process.outcome().code == 0)

            let exchanges = try #require(desktop.proxy).exchanges
            let secrets = exchanges.flatMap { LoginSecret.all(in: $0.request, and: $0.answer) }
            #expect(
                Set(secrets.map(\.name)).isSuperset(of: [
                    "code", "code_verifier", "state", "nonce", "access_token", "id_token", "session_token",
                    "DPoP", "X-Session-Token",
                ]),
                "\(Set(secrets.map(\.name)))"
            )
            let started = try traces.seen() + running
            // The arguments and the environment are recorded, and the code is an argument.
            #expect(started.contains("XDG_STATE_HOME=") && started.contains("--server"))
            let names = secrets.names(in: started)
            #expect(names == ["code", "state", "redirect_to"])
            #expect(running.contains("ArcadeCommand"))
            #expect(!started.contains(Self.digits))
            #expect(secrets.names(in: arcade.terminal.transcript).isEmpty)
            #expect(!arcade.terminal.transcript.contains(Self.digits))
            #expect(secrets.names(in: store.transcript).isEmpty)

            let files = try desktop.home.contents()
            #expect(files.count > 4)
            for (path, bytes) in files { expectNoSecret(in: bytes, of: path, secrets: secrets) }
            try expectFindings(secrets: secrets)

            // In development, the server writes the codes to its output.
            let lines = await desktop.server.stop().text.split(separator: "\n")
            let log = lines.filter { !$0.hasPrefix("SMS to ") }.joined(separator: "\n")
            #expect(log.contains("Latchkey listens on ") && secrets.names(in: log).isEmpty)
            #expect(!log.contains(Self.digits))
        }
    }

    private func expectNoSecret(in bytes: [UInt8], of path: String, secrets: [LoginSecret]) {
        #expect(secrets.names(in: String(decoding: bytes, as: UTF8.self)).isEmpty, "\(path)")
        #expect(bytes.firstRange(of: Array(Self.digits.utf8)) == nil, "\(path)")
        #expect(bytes.firstRange(of: Self.keyPrefix) == nil, "\(path)")
    }

    /// Checks that the search finds secrets that are in a file.
    private func expectFindings(secrets: [LoginSecret]) throws {
        let folder = TemporaryFolder()
        for secret in secrets {
            _ = try folder.write("{\"a\":\"\(secret.value)\"}", as: "planted")
            let bytes = try #require(try folder.contents()["planted"])
            #expect(secrets.names(in: String(decoding: bytes, as: UTF8.self)).contains(secret.name))
        }
    }

    /// Checks that another program of the user can't use the URL with which the store app opens the Arcade.
    private func expectUseless(_ url: String, on desktop: Desktop) async throws {
        let query = try #require(url.split(separator: "?", maxSplits: 1).last)
        let code = try #require(QueryItems(String(query))["code"])
        let form = [
            "grant_type": "authorization_code", "code": code, "client_id": "com.example.arcade",
            "redirect_uri": "com.example.arcade://onside/login",
            "code_verifier": String(repeating: "a", count: 43),
        ]
        var request = HTTP.Request(.post, "/oauth2/token")
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.body = Array(form.map { "\($0)=\(QueryItems.encode($1))" }.joined(separator: "&").utf8)
        let response = try await CurlTransport().send(request, to: desktop.server.url)
        #expect(response.status == 400)

        let other = TemporaryFolder()
        let outcome = try await ChildProcess.run(
            [Desktop.path(of: "ArcadeCommand"), "--server", desktop.url, url],
            environment: ["HOME": other.path, "PATH": "/usr/bin:/bin"]
        )
        #expect(outcome.code == 1 && outcome.errors == "arcade: the URL has logged no user in\n")
    }

    /// Returns the arguments and environments of the running processes that use a home, as the user's other processes
    /// can read them.
    private static func runningProcesses(with home: String) throws -> String {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.map {
            process in
            let parts = ["cmdline", "environ"].map { part in
                FileManager.default.contents(atPath: "/proc/\(process)/\(part)") ?? Data()
            }
            let text = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
            return text.contains(home) ? text : ""
        }.joined(separator: "\n")
    }
}

extension Desktop {
    private static func recording(to folder: TemporaryFolder) -> String {
        "{ printf '%s\\n' \"$@\"; env; } >> \(folder.file("seen"))"
    }

    /// Installs the store app, whose arguments and environment are recorded.
    fileprivate func installStore(recordingTo folder: TemporaryFolder) async throws -> PseudoTerminal {
        let terminal = try PseudoTerminal()
        let script = Self.recording(to: folder)
        try await install(Self.path(of: "StoreAppCommand"), as: GameStore.id, on: terminal, after: script)
        return terminal
    }

    /// Records the arguments and the environment with which the Arcade is started for a URL, and holds it back.
    fileprivate func holdArcade(recordingTo folder: TemporaryFolder) async throws {
        #expect(mkfifo(folder.file("hold"), 0o600) == 0)
        let script = Self.recording(to: folder) + "\nread line < \(folder.file("hold"))"
        try await install(Self.path(of: "ArcadeCommand"), as: "com.example.arcade", after: script)
    }
}

extension TemporaryFolder {
    fileprivate func seen() throws -> String {
        String(decoding: FileManager.default.contents(atPath: file("seen")) ?? Data(), as: UTF8.self)
    }

    /// Waits until the Arcade is started with a redirect.
    fileprivate func redirect() async throws -> String {
        while true {
            try Task.checkCancellation()
            let lines = try seen().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let url = lines.first(where: { $0.hasPrefix("com.example.arcade://onside/login?") }) {
                return String(url)
            }
            await Task.yield()
        }
    }

    /// Lets the Arcade start.
    fileprivate func release() throws {
        try FileHandle(forWritingTo: URL(filePath: file("hold"))).write(contentsOf: Data("\n".utf8))
    }
}
