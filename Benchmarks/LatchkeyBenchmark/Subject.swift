import Foundation
import LatchkeyMicrohttpd
import LatchkeyServerKit

/// A server process that serves requests until standard input is closed.
///
/// For each line that it reads, the process prints the result of the command or its resource usage so far.
enum Subject {
    static func serve(
        _ handler: any HTTPHandler,
        hashing: @Sendable () -> Int64 = { 0 },
        asked: @Sendable (String) async throws -> String? = { _ in nil }
    ) async throws {
        var configuration = HTTPServer.Configuration()
        configuration.maxConnections = 16_384
        let server = HTTPServer(configuration: configuration, handler: handler)
        try server.start()
        say(String(server.boundPort ?? 0))
        while let line = readLine() {
            say(try await asked(line) ?? Usage.current(hashing: hashing()))
        }
        await server.stop()
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
