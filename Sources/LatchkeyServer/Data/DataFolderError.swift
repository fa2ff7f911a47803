#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The error for a data folder, or a file in it, that cannot be used.
public struct DataFolderError: Error, Sendable, CustomStringConvertible {
    /// A description of the problem, which contains the path but never quotes the contents of a file.
    public let description: String

    /// Creates an error, whose description must not quote the contents of a file.
    init(_ description: String) {
        self.description = description
    }

    /// Creates an error from a description of the failed operation, the path and the value of `errno`.
    init(_ what: String, path: String, errno reason: Int32) {
        description = "\(what) \(path): \(String(cString: strerror(reason)))"
    }
}
