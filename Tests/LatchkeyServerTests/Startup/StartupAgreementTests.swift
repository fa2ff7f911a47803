import Foundation
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses
import Testing

@testable import LatchkeyServer

/// Compares `config check` with what `serve` does when it starts.
@Suite(.timeLimit(.minutes(30))) struct `Checked configuration` {
    /// The data folder of a server that has been started and stopped.
    private static let used = Task {
        let folder = TemporaryFolder()
        let configuration = try ServerConfiguration.load(environment: environment(data: folder.file("data")))
        let server = IdentityServer(configuration: configuration, parts: parts())
        try await server.start()
        await server.stop()
        return folder
    }

    private static func parts() -> ServerParts {
        let time = VirtualTime()
        let log = Log(.error, time: time, to: { _ in })
        return ServerParts(time: time, random: SystemRandom(), log: log, terminal: { _ in })
    }

    /// The environment variables of a configuration that can be used.
    private static func environment(
        data: String,
        changing settings: [String: String] = [:]
    ) -> [String: String] {
        let usable = [
            "data": data, "port": "0", "admin.port": "0", "passwords.threads": "1",
            "passwords.memory_kib": "8",
            "passwords.passes": "1", "log.level": "error",
        ]
        let variables = usable.merging(settings) { $1 }.map { path, value in
            (ServerConfiguration.settings.first { $0.path == path }?.variable ?? path, value)
        }
        return Dictionary(uniqueKeysWithValues: variables)
    }

    /// Starts a server as `serve` does, and stops it at once.
    ///
    /// Returns the error with which the start failed.
    private func serve(file: String?, environment: [String: String]) async -> String? {
        do {
            let configuration = try ServerConfiguration.load(file: file, environment: environment)
            let server = IdentityServer(configuration: configuration, parts: Self.parts())
            try await server.start()
            await server.stop()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func check(file: String?, environment: [String: String]) async -> String? {
        do {
            _ = try await ServerConfiguration.check(file: file, environment: environment)
            return nil
        } catch {
            return error.message
        }
    }

    /// Returns the type, permissions, size and time of change of everything in a folder.
    private func state(of folder: TemporaryFolder) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return Dictionary(
            uniqueKeysWithValues: names.map { name in
                var status = stat()
                lstat(folder.file(name), &status)
                let time = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
                return (name, "\(status.st_ino) \(status.st_mode) \(status.st_size) \(time)")
            }
        )
    }

    // Hundreds of servers at the same time would run out of file descriptors.
    @Test(.serialized, arguments: OperatorMistake.tried)
    func `The check of a configuration agrees with the start of a server and changes nothing`(
        mistake: OperatorMistake
    ) async throws {
        let folder = TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: try await Self.used.value.file("data"),
            toPath: folder.file("data")
        )
        try mistake.prepare(folder)
        func filled(_ values: [String: String]) -> [String: String] {
            values.mapValues { $0.replacing("FOLDER", with: folder.path) }
        }
        var environment = Self.environment(data: folder.file("data"), changing: filled(mistake.settings))
        environment.merge(filled(mistake.variables)) { $1 }
        var file: String?
        for (path, value) in mistake.file {
            // The variable of the usable configuration would hide the mistake.
            let setting = try #require(ServerConfiguration.settings.first { $0.path == path })
            environment[setting.variable] = nil
            let nested = path.split(separator: ".").reversed().reduce(value) { .object([String($1): $0]) }
            file = try folder.write(
                String(decoding: JSONCoding.encode(nested), as: UTF8.self),
                as: "configuration.json"
            )
        }
        let before = try state(of: folder)

        let refusal = await check(file: file, environment: environment)

        #expect(try state(of: folder) == before, "the check has changed files")
        let failure = await serve(file: file, environment: environment)
        #expect(
            (refusal == nil) == (failure == nil),
            "check: \(refusal ?? "accepted"), serve: \(failure ?? "accepted")"
        )
        if let blamed = mistake.blamed {
            #expect(refusal?.contains("\(blamed) (") == true, "check: \(refusal ?? "accepted")")
        }
        if let refusal {
            #expect(refusal.split(separator: "\n").allSatisfy { $0.contains(": ") }, "\(refusal)")
        }
    }

    @Test func `A check can run while the server is running`() async throws {
        let folder = TemporaryFolder()
        let environment = Self.environment(data: folder.file("data"))
        let server = IdentityServer(
            configuration: try ServerConfiguration.load(environment: environment),
            parts: Self.parts()
        )
        try await server.start()
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()

        #expect(await check(file: nil, environment: environment) == nil)

        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == names)
        let status = await server.handler.respond(to: HTTP.Request(.get, Route.ready), from: .inProcess)
            .status
        #expect(status == 200)
        await server.stop()
    }
}
