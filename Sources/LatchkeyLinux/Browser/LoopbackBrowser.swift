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
/// free port. Open the page with ``DesktopBrowser``, and show it with ``TerminalBrowser`` if there is no desktop:
///
/// ```swift
/// let browser = LoopbackBrowser { page throws(LatchkeyError) in
///     do throws(LatchkeyError) {
///         try await DesktopBrowser().open(page)
///     } catch {
///         guard error.code == .noPresenter else { throw error }
///         TerminalBrowser(terminal).open(page)
///     }
/// }
/// ```
public struct LoopbackBrowser: BrowserHandOff {
    private let host: LoopbackHost
    private let path: String
    private let page: String
    private let patience: Duration
    private let opening: @Sendable (BrowserPage) async throws(LatchkeyError) -> Void

    /// Creates a way to log in.
    ///
    /// - Parameters:
    ///   - host: The host of the registered redirect URI. The listener is reached only at this address.
    ///   - path: The path of the registered redirect URI.
    ///   - text: The text of the page that the browser shows at the end.
    ///   - patience: How long to wait for the user. After that, the login fails with the code `flowExpired`.
    ///   - opening: Opens the provider's page, such as in a browser, or by showing its address to the user. It
    ///     returns when the page is opened, and doesn't wait for the user.
    public init(
        host: LoopbackHost = .ipv4,
        path: String = "/callback",
        text: String = "You can close this page and return to the app.",
        patience: Duration = .seconds(600),
        opening: @escaping @Sendable (BrowserPage) async throws(LatchkeyError) -> Void
    ) {
        self.host = host
        self.path = path
        page = Self.page(with: text)
        self.patience = patience
        self.opening = opening
    }

    /// Begins to listen.
    public func prepare() async throws(LatchkeyError) -> any BrowserVisit {
        guard let listener = LoopbackListener(host: host, patience: patience) else {
            throw LatchkeyError(
                .refused,
                message: "The system has no free port at \(host.rawValue) to which the browser could return."
            )
        }
        return Visit(listener: listener, path: path, page: page, opening: opening)
    }

    private struct Visit: BrowserVisit {
        let listener: LoopbackListener
        let path: String
        let page: String
        let opening: @Sendable (BrowserPage) async throws(LatchkeyError) -> Void

        var redirectURI: String { "http://\(listener.authority)\(path)" }

        func open(
            _ address: String,
            until isAnswer: @escaping @Sendable (String) -> Bool
        ) async throws(LatchkeyError) -> String? {
            try await opening(BrowserPage(address, returningTo: listener))
            switch await listener.url(answering: page, until: isAnswer) {
            case .url(let url): return url
            case .stopped: throw .cancelled
            case .expired:
                throw LatchkeyError(
                    .flowExpired,
                    message: "The browser didn't return in time. Log in again."
                )
            }
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
