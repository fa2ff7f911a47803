import Latchkey

/// The sentences that are shown for errors.
enum ErrorText {
    /// Returns the sentence for an error, which contains no text of the URL with which the store was opened.
    static func sentence(for error: LatchkeyError) -> String {
        switch error.code {
        case .invalidInput: "This isn't a request of an app."
        case .flowUnknown:
            "This request is unknown or no longer needed. Start again in the app that has asked."
        case .flowExpired:
            "This request is no longer needed. It was answered or withdrawn, or it has expired."
        case .identityMismatch: "This request is for another account."
        case .dismissed, .signedOut, .dutyRequired: "You are not logged in."
        case .unreachable, .timedOut: "The server can't be reached."
        case .tooManyRequests: "There were too many attempts. Please wait a moment."
        case .serverFailed: "The server has a problem. Please try again later."
        default: "This did not work."
        }
    }
}
