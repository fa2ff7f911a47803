import Foundation
import LatchkeyMicrohttpd
import LatchkeyServerCore

/// Serves a handler until standard input ends; answers each line with the usage so far.
enum Subject {
    static func serve(_ handler: any HTTPHandler, hashing: @Sendable () -> Int64 = { 0 }) async throws {
        let server = HTTPServer(configuration: .init(), handler: handler)
        try server.start()
        say(String(server.boundPort ?? 0))
        while readLine() != nil { say(Usage.current(hashing: hashing())) }
        await server.stop()
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
