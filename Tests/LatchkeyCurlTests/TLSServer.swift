import Foundation
import LatchkeyModel
import TestProcesses

/// A TLS server with a self-signed certificate that is run by the openssl command.
final class TLSServer: Sendable {
    struct Failure: Error {
        let reason: String
    }

    /// The self-signed certificate.
    let certificate: String
    let port: Int

    private let process: ChildProcess
    private let folder: URL

    /// Starts a server that responds to every request with a page that describes the connection.
    static func start() async throws -> TLSServer {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let making = try await ChildProcess.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                "-keyout", "key.pem", "-out", "cert.pem",
            ],
            in: folder.path
        )
        guard making.code == 0 else { throw Failure(reason: making.errors) }
        let process = try await ChildProcess.start(
            [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-key", "key.pem", "-cert",
                "cert.pem",
            ],
            in: folder.path
        )
        let said = await process.output(until: "ACCEPT")
        let place = said.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
        guard let port = place?.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw Failure(reason: said)
        }
        let certificate = try String(contentsOf: folder.appending(path: "cert.pem"), encoding: .utf8)
        return TLSServer(process, folder: folder, port: port, certificate: certificate)
    }

    private init(_ process: ChildProcess, folder: URL, port: Int, certificate: String) {
        (self.process, self.folder, self.port, self.certificate) = (process, folder, port, certificate)
    }

    deinit {
        process.signal(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }
}
