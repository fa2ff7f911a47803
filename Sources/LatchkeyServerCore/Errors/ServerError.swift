package import LatchkeyModel
package import LatchkeyWire

/// A refusal on its way to the error envelope (`contract/kratos.md`, 1.6).
///
/// The router turns it into a response; what stands in it may be read by anybody.
package struct ServerError: Error, Sendable {
    /// The flow to go on with in place of one that is over.
    package struct Replacement: Sendable {
        package let flow: Identifier

        /// When the other one ended; nothing where that is not said.
        package let expiredAt: Timestamp?

        /// When this was asked.
        package let now: Timestamp

        package init(flow: Identifier, expiredAt: Timestamp? = nil, now: Timestamp) {
            self.flow = flow
            self.expiredAt = expiredAt
            self.now = now
        }
    }

    /// The HTTP status.
    package let status: Int

    /// The status as the body has it, where that is another.
    package let code: Int

    /// The stable name of the refusal; many of Kratos's have none.
    package let id: ErrorID?

    /// What is wrong with this request, in a sentence for developers.
    package let reason: String?

    /// In how many seconds to try again.
    package let retryAfter: Int?

    /// What goes beside `error` in the envelope of a flow that is over.
    package let replacement: Replacement?

    /// What to do next, in the envelope's details.
    package let continuation: [ContinueWith]

    /// Where a browser would go, beside `error` in the envelope.
    package let browserLocation: String?

    package init(
        _ status: Int,
        _ id: ErrorID? = nil,
        code: Int? = nil,
        reason: String? = nil,
        retryAfter: Int? = nil,
        replacement: Replacement? = nil,
        continuation: [ContinueWith] = [],
        browserLocation: String? = nil
    ) {
        self.status = status
        self.code = code ?? status
        self.id = id
        self.reason = reason
        self.retryAfter = retryAfter
        self.replacement = replacement
        self.continuation = continuation
        self.browserLocation = browserLocation
    }
}

extension ServerError {
    /// A request that cannot be understood.
    package static func malformed(_ reason: String) -> ServerError {
        ServerError(400, reason: reason)
    }

    /// Something that does not exist, or not for this caller.
    package static let notFound = ServerError(404)

    /// A flow whose time is over, or that has already ended in success.
    package static func flowExpired(_ replacement: Replacement?) -> ServerError {
        ServerError(
            410,
            .flowExpired,
            reason: replacement == nil
                ? "The flow has expired. Begin a new one."
                : "The flow has expired. Continue with the one that use_flow_id names, or begin a new one.",
            replacement: replacement
        )
    }

    /// A flow that was gone through, or guessed at too often.
    package static func flowReplaced(_ replacement: Replacement) -> ServerError {
        ServerError(
            410,
            .flowReplaced,
            reason: "The flow is over; go on with the one that use_flow_id names.",
            replacement: replacement
        )
    }

    /// A limit that was reached.
    package static func tooManyRequests(retryAfter: Int) -> ServerError {
        ServerError(
            429,
            .tooManyRequests,
            reason: "There were too many attempts; try again in \(retryAfter) s.",
            retryAfter: retryAfter
        )
    }

    /// More work than the server can take at the moment.
    package static func overloaded(retryAfter: Int = 1) -> ServerError {
        ServerError(503, reason: "The server has too much to do; try again shortly.", retryAfter: retryAfter)
    }

    /// Finds the refusal in whatever a handler threw; an error that nobody foresaw shows none of itself.
    init(anything error: any Error) {
        switch error {
        case let error as ServerError:
            self = error
        case let error as DatabaseError where error.code == .overloaded || error.code == .unavailable:
            self = .overloaded()
        case let error as PasswordHasherError:
            switch error {
            case .overloaded(let retryAfter): self = .overloaded(retryAfter: retryAfter)
            case .outOfMemory: self = .overloaded()
            }
        default:
            self = ServerError(500)
        }
    }
}
