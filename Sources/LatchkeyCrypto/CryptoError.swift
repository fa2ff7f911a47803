import COpenSSL

/// A cryptographic operation that was refused; holds no key material and no input.
package struct CryptoError: Error, Sendable, CustomStringConvertible {
    /// What kind of refusal.
    package enum Code: String, Sendable {
        /// The input has another form than the one asked for, or is cut off or too large.
        case malformed
        /// The input is well formed, but its kind of key or signature is not accepted.
        case unsupported
        /// A signature or an authentication tag does not belong to the data, or two keys differ.
        case mismatch
        /// The library or the operating system could not do it.
        case failed
    }

    /// What kind of refusal.
    package let code: Code

    /// What went wrong, for a developer.
    package let message: String

    /// Creates an error, and clears what OpenSSL has queued for this thread.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        ERR_clear_error()
    }

    /// Creates an error with the reason that OpenSSL gives, and clears its queue.
    static func openSSL(_ code: Code, _ message: String) -> CryptoError {
        guard let reason = ERR_reason_error_string(ERR_peek_last_error()) else { return Self(code, message) }
        return Self(code, "\(message) (\(String(cString: reason)))")
    }

    /// The code and the message.
    package var description: String { "\(code.rawValue): \(message)" }
}
