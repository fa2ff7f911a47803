#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Thrown when a data folder, or a file in it, cannot be used.
public struct DataFolderError: Error, Sendable, CustomStringConvertible {
    /// A description of the problem.
    ///
    /// The description contains the path, but never the contents of a file.
    public let description: String

    /// Creates an error.
    ///
    /// The description must not contain the contents of a file.
    init(_ description: String) {
        self.description = description
    }

    /// Creates an error from the operation that failed, the path and the value of `errno`.
    init(_ what: String, path: String, errno reason: Int32) {
        description = "\(what) \(path): \(String(cString: strerror(reason)))"
    }
}
