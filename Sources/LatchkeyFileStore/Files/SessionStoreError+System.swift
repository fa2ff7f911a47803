import LatchkeyCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension SessionStoreError {
    /// Creates an error from `errno`.
    ///
    /// Call this function right after the operation, before another call changes `errno`.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - operation: A verb for the operation that failed, such as `open`.
    ///   - name: The name of the file or folder.
    /// - Returns: An error with the system's error message.
    static func system(
        _ code: Code = .failed,
        operation: String,
        file name: String
    ) -> SessionStoreError {
        let reason = errno
        return Self(code, message: "Cannot \(operation) \(name): \(String(cString: strerror(reason))).")
    }
}
