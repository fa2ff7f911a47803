import Foundation

/// A mail server or message provider in a separate process.
///
/// Tests can choose how the sink responds.
package final class MessageSink: Sendable {
    /// How incoming messages are handled.
    ///
    /// The scripts in `Tests/Interop` describe each mode.
    package enum Mode: String, Sendable {
        case ok, temporary, permanent, content, sender, credentials, hang, drop, lost, cut
    }

    /// The error thrown if a sink does not start.
    ///
    /// The error contains the sink's output.
    package struct Failure: Error {
        package let text: String
    }

    /// The port on 127.0.0.1 that the sink listens on.
    package let port: Int

    private let folder: URL
    private let process: ChildProcess
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Starts a mail server.
    ///
    /// - Parameters:
    ///   - flags: Command-line flags for the script, such as `--starttls`, `--tls`, `--ascii` and
    ///     `--user NAME:PASSWORD`.
    ///   - mode: The initial mode.
    /// - Returns: The mail server, which is already listening.
    /// - Throws: ``Failure`` if the mail server does not start.
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

    /// The sink's certificate.
    ///
    /// Clients must trust this certificate.
    package var certificate: String {
        get throws { try String(contentsOf: folder.appending(path: "ca.pem"), encoding: .utf8) }
    }

    /// Changes the mode for all subsequent messages.
    package func turn(_ mode: Mode) throws {
        try Data(mode.rawValue.utf8).write(to: folder.appending(path: "mode"), options: .atomic)
    }

    /// Waits until the given number of messages have been received, and returns them.
    ///
    /// - Parameters:
    ///   - count: The number of reports to wait for.
    ///   - type: The type of the reports.
    /// - Returns: All reports so far.
    /// - Throws: `DecodingError` if a report cannot be decoded.
    package func reports<Report: Decodable>(
        atLeast count: Int,
        as type: Report.Type = Report.self
    ) async throws -> [Report] {
        try Self.reports(in: await output(until: count == 0 ? "\n" : "\nend \(count)\n"))
    }

    /// Returns the messages that were received with a key.
    ///
    /// The function waits until there is at least one message.
    package func reports<Report: Decodable>(
        of key: String,
        as type: Report.Type = Report.self
    ) async throws -> [Report] where Report: KeyedReport {
        try Self.reports(in: await output(until: "\nend \(key)\n")).filter { $0.key == key }
    }

    /// Waits until the process's output contains the given text, and returns the output.
    ///
    /// If the test reaches its time limit, the sink is stopped, which ends the wait.
    private func output(until text: String) async -> String {
        await withTaskCancellationHandler {
            await process.output(until: text)
        } onCancel: {
            process.signal(SIGKILL)
        }
    }

    /// Returns the complete reports found in the output.
    private static func reports<Report: Decodable>(in said: String) throws -> [Report] {
        let lines = said.split(separator: "\n")
        return try zip(lines, lines.dropFirst()).filter { $0.hasPrefix("{") && $1.hasPrefix("end ") }
            .map { try JSONDecoder().decode(Report.self, from: Data($0.0.utf8)) }
    }
}

/// A report about a message that has been received.
package protocol KeyedReport {
    /// The key, which is the same for all attempts to send the message.
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
