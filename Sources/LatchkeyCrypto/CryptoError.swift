import COpenSSL

/// An error in a cryptographic operation.
///
/// The error never contains key material or input.
package struct CryptoError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// The input is truncated, too large or not in the expected format.
        case malformed
        /// The input is well-formed, but its key type or signature algorithm is not supported.
        case unsupported
        /// A signature or authentication tag does not match the data, or two keys differ.
        case mismatch
        /// OpenSSL or the operating system failed.
        case failed
    }

    /// The kind of failure.
    package let code: Code

    /// A description for developers.
    ///
    /// If OpenSSL gave a reason, the description contains it.
    package let message: String

    /// Creates an error and clears OpenSSL's error queue for the current thread.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        ERR_clear_error()
    }

    /// Creates an error with the reason from OpenSSL's error queue and clears the queue.
    static func openSSL(_ code: Code, message: String) -> CryptoError {
        guard let reason = ERR_reason_error_string(ERR_peek_last_error()) else { return Self(code, message) }
        return Self(code, "\(message) (\(String(cString: reason)))")
    }

    /// A description that contains the code and the message.
    package var description: String { "\(code.rawValue): \(message)" }
}
