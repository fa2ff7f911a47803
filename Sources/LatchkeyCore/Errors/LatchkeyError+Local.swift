package import LatchkeyWire

/// Errors that occur on this device, and conversions from the errors that adapters throw.
extension LatchkeyError {
    /// The caller's task was cancelled.
    package static let cancelled = LatchkeyError(
        .cancelled,
        message: "The operation was cancelled.",
        cause: CancellationError()
    )

    /// The user signed out before a login was completed.
    package static let signedOutDuringLogin = LatchkeyError(
        .signedOut,
        message: "The user logged out while the login was in progress."
    )

    /// Another login or sign-up was started before this one was completed.
    static let superseded = LatchkeyError(
        .superseded,
        message: "A newer login or sign-up was started while this one was in progress."
    )

    /// The call requires a session, but no user is logged in.
    package static let notSignedIn = LatchkeyError(
        .signedOut,
        message: "No user is logged in on this device."
    )

    /// Another login replaced the session during the call.
    static let replaced = LatchkeyError(
        .signedOut,
        message: "Another login replaced the session that the call was made with."
    )

    /// The tokens could not be refreshed, and the original error is no longer available.
    static let notRefreshed = LatchkeyError(
        .unreachable,
        message: "The session's tokens could not be refreshed.",
        retry: .later
    )

    /// A server rejected a proof of possession and didn't say what time it is.
    static let proofRejected = LatchkeyError(
        .proofRejected,
        message: """
            The server rejected the proof that this device possesses its key. Check whether the device's clock is right.
            """,
        isStillSignedIn: true,
        retry: .later
    )

    /// Returns an error for an invalid input.
    ///
    /// - Parameters:
    ///   - field: The name of the input, such as `traits.phone`.
    ///   - message: The message to use for the error and for the input field.
    ///   - code: The kind of failure.
    /// - Returns: An error that contains the message for the field.
    package static func invalid(_ field: String, message: String, code: Code = .invalidInput)
        -> LatchkeyError
    {
        LatchkeyError(code, message: message, fields: [Field(name: field, message: message)])
    }

    /// Advice for the user if the record was written by a newer version of the app.
    static let newerAdvice =
        "The session was stored by a newer version of the app. Update the app, or sign out to replace the record."

    /// Creates an error from a store error.
    ///
    /// The code is `storageUnavailable` if the store is locked, or if its record was written by a newer
    /// version.
    init(store error: SessionStoreError) {
        switch error.code {
        case .locked:
            self.init(.storageUnavailable, message: error.message, retry: .later, cause: error)
        case .newer:
            self.init(.storageUnavailable, message: error.message + " " + Self.newerAdvice, cause: error)
        case .conflict, .unreadable, .failed:
            self.init(.storageFailed, message: error.message, retry: .later, cause: error)
        }
    }

    /// Creates an error for an address that isn't valid.
    ///
    /// - Parameters:
    ///   - error: The reason.
    ///   - subject: The name of the address at the beginning of a sentence, such as `The server URL`.
    package init(_ error: WebAddressError, about subject: String) {
        self.init(.invalidInput, message: error.message(about: subject), cause: error)
    }

    /// Creates an error from a transport error.
    package init(transport error: TransportError) {
        switch error.code {
        case .unreachable: self.init(.unreachable, message: error.message, retry: .later, cause: error)
        case .timedOut: self.init(.timedOut, message: error.message, retry: .later, cause: error)
        case .untrusted: self.init(.untrusted, message: error.message, retry: .later, cause: error)
        case .invalidResponse:
            self.init(.invalidResponse, message: error.message, retry: .later, cause: error)
        case .invalidRequest: self.init(.invalidInput, message: error.message, cause: error)
        case .cancelled: self = .cancelled
        }
    }
}
