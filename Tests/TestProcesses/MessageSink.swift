import Foundation

/// A mail server or a message provider in a separate process, whose behavior a test selects.
package final class MessageSink: Sendable {
    /// The treatment of incoming messages; the scripts in `Tests/Interop` describe each mode.
    package enum Mode: String, Sendable {
        case ok, temporary, permanent, content, sender, hang, drop, lost
    }

    /// An error that is thrown if a sink does not start, with the output of the sink.
    package struct Failure: Error {
        package let text: String
    }

    /// The port on 127.0.0.1 on which the sink listens.
    package let port: Int

    private let folder: URL
    private let process: ChildProcess
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Starts a mail server.
    ///
    /// - Parameters:
    ///   - flags: `--starttls` or `--tls`, `--user NAME:PASSWORD`.
    ///   - mode: The initial mode.
    /// - Returns: The mail server, once it listens.
    /// - Throws: ``Failure``.
    package static func mail(_ flags: String..., mode: Mode = .ok) async throws -> MessageSink {
        try await MessageSink("smtp_sink.py", flags, mode)
    }

    /// Starts a provider that accepts messages over HTTP.
    package static func http(mode: Mode = .ok) async throws -> MessageSink {
        try await MessageSink("http_sink.py", [], mode)
    }

    private init(_ script: String, _ flags: [String], _ mode: Mode) async throws {
        folder = URL.temporaryDirectory.appending(path: "latchkey-sink-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(mode.rawValue.utf8).write(to: folder.appending(path: "mode"), options: .atomic)
        let python = Self.root.appending(path: ".venv/bin/python").path()
        let path = Self.root.appending(path: "Tests/Interop").appending(path: script).path()
        process = try await ChildProcess.start([python, path, folder.path()] + flags)
        let said = await process.output(until: "\n")
        guard let line = said.split(separator: "\n").first, let port = Int(line.dropFirst(5)) else {
            process.signal(SIGKILL)
            throw Failure(text: await process.outcome().text)
        }
        self.port = port
    }

    deinit {
        process.signal(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    /// The certificate of the sink, which clients must trust.
    package var certificate: String {
        get throws { try String(contentsOf: folder.appending(path: "ca.pem"), encoding: .utf8) }
    }

    /// Changes the mode for subsequent messages.
    package func turn(_ mode: Mode) throws {
        try Data(mode.rawValue.utf8).write(to: folder.appending(path: "mode"), options: .atomic)
    }

    /// Returns the received messages once their number has reached `count`.
    ///
    /// - Parameters:
    ///   - count: The number of reports to wait for.
    ///   - type: The type of the reports.
    /// - Returns: All reports so far.
    /// - Throws: `DecodingError`.
    package func reports<Report: Decodable>(
        atLeast count: Int,
        as type: Report.Type = Report.self
    ) async throws -> [Report] {
        try Self.reports(in: await output(until: count == 0 ? "\n" : "\nend \(count)\n"))
    }

    /// Returns the messages that were received with a key, once there is at least one.
    package func reports<Report: Decodable>(
        of key: String,
        as type: Report.Type = Report.self
    ) async throws -> [Report] where Report: KeyedReport {
        try Self.reports(in: await output(until: "\nend \(key)\n")).filter { $0.key == key }
    }

    /// Waits for a text in the output.
    ///
    /// If the test reaches its time limit, the sink is ended, which also ends the wait.
    private func output(until text: String) async -> String {
        await withTaskCancellationHandler {
            await process.output(until: text)
        } onCancel: {
            process.signal(SIGKILL)
        }
    }

    /// Returns the complete reports in the output.
    private static func reports<Report: Decodable>(in said: String) throws -> [Report] {
        let lines = said.split(separator: "\n")
        return try zip(lines, lines.dropFirst()).filter { $0.hasPrefix("{") && $1.hasPrefix("end ") }
            .map { try JSONDecoder().decode(Report.self, from: Data($0.0.utf8)) }
    }
}

/// A report that identifies its message.
package protocol KeyedReport {
    /// The key that all attempts to send the message have in common.
    var key: String { get }
}

/// A mail that a ``MessageSink`` has received, as parsed by Python's mail package.
package struct MailReport: Decodable, KeyedReport, Sendable {
    package let key: String
    package let helo: String
    package let tls: Bool
    package let authenticated: Bool
    package let from: String
    package let to: [String]
    package let names: [String]
    package let fields: [String: String]
    package let senders: [[String]]
    package let recipients: [String]
    package let types: [String]
    package let plain: String?
    package let html: String?
    package let defects: [String]
    package let longest: Int
    package let bare: Int
    package let trailing: Int
    package let ascii: Bool
}

/// A message that a ``MessageSink`` has received over HTTP.
package struct HTTPReport: Decodable, KeyedReport, Sendable {
    package let path: String
    package let key: String
    package let headers: [String: String]
    package let body: [String: String]
}
