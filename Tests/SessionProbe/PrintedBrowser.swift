import Glibc
import Latchkey
import LatchkeyCore
import LatchkeyModel

/// A browser in the test: the address to open is printed, and the redirect arrives in a file.
struct PrintedBrowser: BrowserHandOff, BrowserVisit {
    static let redirectURI = "com.example.probe:/callback"

    let file: String

    var redirectURI: String { Self.redirectURI }

    func prepare() async throws(LatchkeyError) -> any BrowserVisit { self }

    func end() {}

    func open(
        _ address: String,
        until isAnswer: @escaping @Sendable (String) -> Bool
    ) async throws(LatchkeyError) -> String? {
        say("open \(address)")
        while true {
            if let url = Self.contents(of: file) { return url }
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { throw .cancelled }
        }
    }

    /// Returns the contents of a small file, or `nil` if it doesn't exist.
    static func contents(of file: String) -> String? {
        let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
