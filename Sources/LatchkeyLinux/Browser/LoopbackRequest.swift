/// The head of a request to the listener of a login, as far as it has arrived.
///
/// Every program and every web page on this device can send requests to the listener.
struct LoopbackRequest {
    /// The longest head that is read, in bytes.
    static let headLimit = 16_384

    /// The state of a request, as far as it has arrived.
    enum Outcome: Hashable, Sendable {
        /// More bytes are needed.
        case incomplete
        /// The browser was led to a URL.
        case get(String)
        /// The request isn't one of a browser that was led back, so the response is a 404.
        case other
    }

    private var head: [UInt8] = []

    /// Adds bytes that have arrived.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - authority: The address and the port of the listener, as they appear in its URLs.
    /// - Returns: The state of the request.
    mutating func add(_ bytes: some Sequence<UInt8>, to authority: String) -> Outcome {
        head.append(contentsOf: bytes)
        guard let end = Self.end(of: head) else {
            return head.count > Self.headLimit ? .other : .incomplete
        }
        guard end <= Self.headLimit else { return .other }
        return Self.outcome(of: head[..<end], to: authority)
    }

    /// Returns the index after the empty line that ends a head.
    private static func end(of head: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard head.count >= mark.count else { return nil }
        return (0...(head.count - mark.count)).first { head[$0..<($0 + mark.count)].elementsEqual(mark) }
    }

    private static func outcome(of head: ArraySlice<UInt8>, to authority: String) -> Outcome {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let start = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        // A host that a page has rebound to this device (DNS rebinding) is another one.
        let hosts = lines.dropFirst().compactMap { line -> String? in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == "host" else { return nil }
            return parts[1].drop { $0 == " " }.description
        }
        guard start.count == 3, start[0] == "GET", start[2].hasPrefix("HTTP/1."), hosts == [authority],
            start[1].hasPrefix("/")
        else { return .other }
        return .get("http://\(authority)\(start[1])")
    }
}
