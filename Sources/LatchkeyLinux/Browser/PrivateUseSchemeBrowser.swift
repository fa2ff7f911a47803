public import LatchkeyCore

/// Logs in with a browser that opens the app at a redirect URI with the app's own scheme (RFC 8252, section 7.1).
///
/// The system starts a program with the redirect, because the app has registered itself with
/// ``DesktopSchemeHandlers/register(_:name:program:arguments:needsTerminal:)``. That process must pass its argument to the client's
/// `handle(_:)`, which completes the login also if another process of the app has begun it.
public struct PrivateUseSchemeBrowser: BrowserHandOff {
    private let redirectURI: String
    private let opening: @Sendable (BrowserPage) async throws(LatchkeyError) -> Void

    /// Creates a way to log in.
    ///
    /// - Parameters:
    ///   - redirectURI: The registered redirect URI, such as `com.example.shop:/callback`. Its scheme must be a domain
    ///     name in reverse order.
    ///   - opening: Opens the provider's page, such as with ``DesktopBrowser``.
    public init(
        redirectURI: String,
        opening: @escaping @Sendable (BrowserPage) async throws(LatchkeyError) -> Void
    ) {
        self.redirectURI = redirectURI
        self.opening = opening
    }

    /// Checks the redirect URI.
    ///
    /// - Throws: ``LatchkeyCore/LatchkeyError`` with the code `invalidInput` if it doesn't have a private-use scheme.
    public func prepare() async throws(LatchkeyError) -> any BrowserVisit {
        let parts = redirectURI.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        _ = try PrivateUseScheme(String(parts[0]))
        guard parts.count == 2, parts[1].hasPrefix("/"), RedirectAddress(redirectURI) != nil else {
            throw LatchkeyError(
                .invalidInput,
                message: "The redirect URI must be of the form com.example.shop:/callback."
            )
        }
        return Visit(redirectURI: redirectURI, opening: opening)
    }

    private struct Visit: BrowserVisit {
        let redirectURI: String
        let opening: @Sendable (BrowserPage) async throws(LatchkeyError) -> Void

        func open(
            _ address: String,
            until isAnswer: @escaping @Sendable (String) -> Bool
        ) async throws(LatchkeyError) -> String? {
            try await opening(BrowserPage(address))
            return nil
        }

        func end() {}
    }
}
