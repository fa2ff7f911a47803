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
/// Register the client with the redirect URIs `http://127.0.0.1/callback` and `http://[::1]/callback`, to which the
/// listener adds a free port. It uses the second one on machines without IPv4. Providers compare the host as a string,
/// so a client that is registered with one of them can't log in with the other.
///
/// Open the page with ``DesktopBrowser``, and show it with ``TerminalBrowser`` if there is no desktop:
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
    private let host: LoopbackHost?
    private let path: String
    private let page: String
    private let patience: Duration
    private let opening: @Sendable (BrowserPage) async throws(LatchkeyError) -> Void
    /// Opens the socket of a listener.
    var opener: LoopbackListener.Opener = { host throws(LoopbackHost.ListenFailure) in try host.listen() }

    /// Creates a way to log in.
    ///
    /// - Parameters:
    ///   - host: The host of the redirect URI, or `nil` for 127.0.0.1, or [::1] if the machine doesn't have that
    ///     address. The listener is reached only at the address in the redirect URI.
    ///   - path: The path of the registered redirect URIs.
    ///   - text: The text of the page that the browser shows at the end.
    ///   - patience: How long to wait for the user. After that, the login fails with the code `flowExpired`.
    ///   - opening: Opens the provider's page, such as in a browser, or by showing its address to the user. It
    ///     returns when the page is opened, and doesn't wait for the user.
    public init(
        host: LoopbackHost? = nil,
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
        guard let listener = LoopbackListener(host: host, patience: patience, opener: opener) else {
            let place = host.map { "at \($0.rawValue)" } ?? "on the loopback interface"
            throw LatchkeyError(
                .refused,
                message: "The system has no free port \(place) to which the browser could return."
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
