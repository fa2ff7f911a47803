import Dispatch
public import LatchkeyCore
import LatchkeyModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Logs in with a browser on this device, which returns to a listener of this process (RFC 8252, section 7.3).
///
/// The client must be registered with the redirect URI `http://127.0.0.1/callback`, to which the listener adds a
/// free port.
public struct LoopbackBrowser: BrowserHandOff {
    private let path: String
    private let page: String
    private let opening: @Sendable (String) async throws(LatchkeyError) -> Void

    /// Creates a way to log in.
    ///
    /// - Parameters:
    ///   - path: The path of the registered redirect URI.
    ///   - text: The text of the page that the browser shows at the end.
    ///   - opening: Opens the address of the provider's page, such as in a browser, or by showing it to the user. It
    ///     returns when the page is opened, and doesn't wait for the user.
    public init(
        path: String = "/callback",
        text: String = "You can close this page and return to the app.",
        opening: @escaping @Sendable (String) async throws(LatchkeyError) -> Void
    ) {
        self.path = path
        page = Self.page(with: text)
        self.opening = opening
    }

    /// Begins to listen.
    public func prepare() async throws(LatchkeyError) -> any BrowserVisit {
        guard let listener = LoopbackListener() else {
            throw LatchkeyError(
                .refused,
                message: "The system has no free port to which the browser could return."
            )
        }
        return Visit(listener: listener, path: path, page: page, opening: opening)
    }

    private struct Visit: BrowserVisit {
        let listener: LoopbackListener
        let path: String
        let page: String
        let opening: @Sendable (String) async throws(LatchkeyError) -> Void

        var redirectURI: String { "http://127.0.0.1:\(listener.port)\(path)" }

        func open(
            _ address: String,
            until isAnswer: @escaping @Sendable (String) -> Bool
        ) async throws(LatchkeyError) -> String? {
            try await opening(address)
            guard let url = await listener.url(answering: page, until: isAnswer) else { throw .cancelled }
            return url
        }

        func end() { listener.stop() }
    }

    private static func page(with text: String) -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return """
            <!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" \
            content="width=device-width"><title>\(escaped)</title>\
            <style>body{font:1.1em sans-serif;margin:4em auto;max-width:30em;padding:0 1em}</style>\
            </head><body><p>\(escaped)</p></body></html>
            """
    }
}
