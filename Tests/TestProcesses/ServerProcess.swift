import Foundation

/// The command `latchkey serve` as an operator runs it, but on free ports and with minimal hashing cost.
package struct ServerProcess: Sendable {
    /// The error thrown if a server does not start.
    ///
    /// The error contains the server's output.
    package struct Failure: Error {
        package let text: String
    }

    /// The URL of the public listener.
    package let url: String

    /// The URL of the admin listener.
    package let adminURL: String

    /// The admin token that the server has written to its data folder.
    package let adminToken: String

    private let process: ChildProcess

    /// Starts the server and waits until it is listening.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - port: The port to listen on, or 0 for any free port.
    ///   - flags: Additional flags for `latchkey serve`.
    ///   - wrapper: A program that runs the server, such as a tracer, along with its arguments.
    /// - Throws: ``Failure`` if the server does not start.
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

    /// Waits until the server has sent a message to an address, and returns the first code in the messages to it.
    ///
    /// The server must write its messages to standard output, as it does in development.
    ///
    /// - Parameter address: The phone number or e-mail address.
    /// - Returns: The code, or `nil` if the server has ended.
    package func code(sentTo address: String) async -> String? {
        let marker = "SMS to \(address): "
        var output = await process.output(until: marker)
        while !Task.isCancelled, let message = output.firstRange(of: marker) {
            let text = output[message.upperBound...]
            // The end of the line may not have been written yet.
            if let end = text.firstIndex(of: "\n") {
                return text[..<end].split { !$0.isNumber }.first { $0.count == 6 }.map { String($0) }
            }
            await Task.yield()
            output = await process.output(until: marker)
        }
        return nil
    }

    /// Sends a signal to the server and waits for it to end.
    @discardableResult
    package func stop(_ signal: Int32 = SIGTERM) async -> ChildProcess.Outcome {
        process.signal(signal)
        return await process.outcome()
    }
}
