import LatchkeyModel
import LatchkeyWire

/// Remembers whether the web page that sent a request can read the response, whatever the response is.
final class ResponseSharing: Sendable {
    private let origin: String
    private let isShared = Locked(false)

    init(_ origin: String) {
        self.origin = origin
    }

    /// The origin that can read the response, or `nil` if it can't.
    var sharedOrigin: String? { isShared.withLock { $0 } ? origin : nil }

    func share(with origins: [String]) {
        guard origins.contains(where: { $0.hasSameBytes(as: origin) }) else { return }
        isShared.withLock { $0 = true }
    }
}

extension RequestContext {
    /// Lets a web page read the response if the page has one of the given origins.
    ///
    /// Handlers call this as soon as they know the client, so that its pages can also read the errors that
    /// follow. The call has no effect on routes whose policy isn't ``CORSPolicy/clients``.
    package func shareResponse(withOrigins origins: [String]) {
        sharing?.share(with: origins)
    }
}
