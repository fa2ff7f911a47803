import COpenSSL

/// An error in a cryptographic operation, which contains neither key material nor input.
package struct CryptoError: Error, Sendable, CustomStringConvertible {
    /// The cause of a failure.
    package enum Code: String, Sendable {
        /// The input is truncated, too large or not in the expected format.
        case malformed
        /// The input is well-formed, but the type of its key or signature is not supported.
        case unsupported
        /// A signature or an authentication tag does not match the data, or two keys differ.
        case mismatch
        /// OpenSSL or the operating system failed.
        case failed
    }

    /// The cause of the failure.
    package let code: Code

    /// A description for developers.
    ///
    /// The description contains OpenSSL's reason, if there is one.
    package let message: String

    /// Creates an error and clears the current thread's OpenSSL error queue.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        ERR_clear_error()
    }

    /// Creates an error with the reason from OpenSSL's error queue, and clears the queue.
    static func openSSL(_ code: Code, message: String) -> CryptoError {
        guard let reason = ERR_reason_error_string(ERR_peek_last_error()) else { return Self(code, message) }
        return Self(code, "\(message) (\(String(cString: reason)))")
    }

    /// The code and the message of the error.
    package var description: String { "\(code.rawValue): \(message)" }
}
