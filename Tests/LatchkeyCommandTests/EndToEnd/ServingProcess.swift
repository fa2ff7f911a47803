import Foundation
import LatchkeyCore
import LatchkeyCurl
import LatchkeyWire
import Testing

/// `latchkey serve` on free ports, with its data in a folder of its own.
struct ServingProcess: Sendable {
    let process: LatchkeyProcess
    let url: String
    let adminURL: String

    /// Starts the server and waits until it listens.
    init(data: String, home: String, flags: [String] = []) async throws {
        // Hashing costs next to nothing, so that tests do not wait for it.
        let cheap = ["--passwords-memory-kib", "8", "--passwords-passes", "1"]
        process = try LatchkeyProcess(
            ["serve", "--data", data, "--port", "0", "--admin-port", "0"] + cheap + flags,
            home: home
        )
        let output = await process.output(until: "\nData ")
        let addresses = output.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("http://") }
        try #require(addresses.count == 2)
        url = String(addresses[0])
        adminURL = String(addresses[1])
    }

    /// The code that the development courier sent last to a phone.
    func code(sentTo phone: String) async throws -> String {
        let request = HTTPRequest(.get, "/courier/messages", query: "recipient=\(QueryItems.encode(phone))")
        let response = try await CurlTransport().send(request, to: adminURL)
        guard case .array(let messages) = try JSONCoding.decode(JSONValue.self, from: response.body) else {
            throw CancellationError()
        }
        return try #require(messages.last?["code"]?.text)
    }

    /// Ends the server in order.
    func stop() async -> LatchkeyProcess.Result {
        process.signal(SIGTERM)
        return await process.ended()
    }
}
