extension LatchkeyError {
    /// The caller's task was cancelled.
    package static let cancelled = LatchkeyError(.cancelled, "The call was cancelled.")

    /// A sign-out came before the end of a login.
    package static let overtaken = LatchkeyError(
        .signedOut,
        "Somebody logged out while the login was under way."
    )

    /// A newer login or sign-up came before the end of a login.
    static let superseded = LatchkeyError(
        .superseded,
        "A newer login or sign-up was started while this one was under way."
    )

    /// A call that needs a session, without one.
    package static let notSignedIn = LatchkeyError(.signedOut, "Nobody is logged in on this device.")

    /// Another login came before the end of a call.
    static let replaced = LatchkeyError(
        .signedOut,
        "Another login has taken the place of the one that the call began with."
    )

    /// A refresh that brought nothing, for a reason that is no longer known.
    static let notRefreshed = LatchkeyError(
        .unreachable,
        "The session's tokens could not be renewed.",
        retry: .later
    )

    /// An input that cannot be right.
    package static func invalid(_ field: String, _ message: String, _ code: Code = .invalidInput)
        -> LatchkeyError
    {
        LatchkeyError(code, message, fields: [Field(name: field, message: message)])
    }

    /// What ends the unavailability of a record of a newer version.
    static let newerAdvice =
        "A newer version of the app has stored the session: update the app, or sign out to replace the record."

    /// A store that did not do what it was asked.
    init(store error: SessionStoreError) {
        switch error.code {
        case .locked:
            self.init(.storageUnavailable, error.message, retry: .later, cause: error)
        case .newer:
            self.init(.storageUnavailable, error.message + " " + Self.newerAdvice, cause: error)
        case .conflict, .unreadable, .failed:
            self.init(.storageFailed, error.message, retry: .later, cause: error)
        }
    }

    /// A key that could not be made or used.
    init(key error: DeviceKeyError) {
        self.init(.deviceKeyFailed, error.message, cause: error)
    }

    /// A request without an answer.
    package init(transport error: TransportError) {
        switch error.code {
        case .unreachable: self.init(.unreachable, error.message, retry: .later, cause: error)
        case .timedOut: self.init(.timedOut, error.message, retry: .later, cause: error)
        case .untrusted: self.init(.untrusted, error.message, cause: error)
        case .invalidAnswer: self.init(.invalidAnswer, error.message, cause: error)
        case .invalidRequest: self.init(.invalidInput, error.message, cause: error)
        case .cancelled: self = .cancelled
        }
    }
}
