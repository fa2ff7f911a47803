import Foundation

/// `latchkey serve` as an operator runs it, on free ports, with hashing that costs next to nothing.
package struct ServerProcess: Sendable {
    /// A server that does not come up, with what it said.
    package struct Failure: Error {
        package let text: String
    }

    /// Where clients find it.
    package let url: String

    /// Where its operator finds it.
    package let adminURL: String

    /// The token that it has written to its data folder.
    package let adminToken: String

    private let process: ChildProcess

    /// Starts the server and waits until it listens.
    ///
    /// - Parameters:
    ///   - folder: Where its data lie.
    ///   - port: Where it listens; 0 for any free port.
    ///   - flags: More flags of `latchkey serve`.
    ///   - wrapper: A program and its arguments that runs it, such as a tracer.
    /// - Throws: ``Failure`` when it does not come up.
    package init(
        data folder: String,
        port: Int = 0,
        flags: [String] = [],
        under wrapper: [String] = []
    ) async throws {
        let command = [
            BuiltCommand.path, "serve", "--data", folder, "--port", "\(port)", "--admin-port", "0",
        ]
        let cheap = ["--passwords-memory-kib", "8", "--passwords-passes", "1"]
        process = try await ChildProcess.start(wrapper + command + cheap + flags)
        let said = await process.output(until: "\nData ")
        let addresses = said.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("http://") }
        guard addresses.count == 2 else {
            process.signal(SIGKILL)
            throw Failure(text: await process.outcome().text)
        }
        (url, adminURL) = (String(addresses[0]), String(addresses[1]))
        let token = try String(contentsOfFile: folder + "/admin.token", encoding: .utf8)
        adminToken = token.trimmingCharacters(in: .newlines)
    }

    /// Sends a signal to the server and waits for its end.
    @discardableResult
    package func stop(_ signal: Int32 = SIGTERM) async -> ChildProcess.Outcome {
        process.signal(signal)
        return await process.outcome()
    }
}
