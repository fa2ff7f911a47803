import Foundation
import LatchkeyModel

/// A TLS server with a certificate of its own, by the openssl command.
final class TLSServer: Sendable {
    struct Failure: Error {
        let reason: String
    }

    /// The certificate, which signed itself.
    let certificate: String
    let port: Int

    private let process: Process
    private let folder: URL

    /// Starts a server that answers every request with a page about the connection.
    static func start() async throws -> TLSServer {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "tls server").async {
                continuation.resume(with: Result { try TLSServer() })
            }
        }
    }

    private init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (key, file) = (folder.appending(path: "key.pem").path, folder.appending(path: "cert.pem").path)
        let maker = Self.openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", file,
        ])
        try maker.run()
        maker.waitUntilExit()

        let process = Self.openssl(["s_server", "-accept", "127.0.0.1:0", "-www", "-key", key, "-cert", file])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var text = ""
        while !text.contains("\n") || !text.contains("ACCEPT") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { throw Failure(reason: "openssl s_server ended") }
            text += String(decoding: part, as: UTF8.self)
        }
        guard let port = text.split(separator: ":").last.flatMap({ Int($0.prefix { $0.isNumber }) }) else {
            throw Failure(reason: text)
        }
        self.port = port
        self.process = process
        self.folder = folder
        certificate = try String(contentsOfFile: file, encoding: .utf8)
    }

    deinit {
        process.terminate()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func openssl(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return process
    }
}
