#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A data folder, or something in it, that cannot be used.
public struct DataFolderError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, with the path; holds nothing of what a file contains.
    public let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Says what could not be done to which file, and why.
    init(_ what: String, _ path: String, _ reason: Int32) {
        description = "\(what) \(path): \(String(cString: strerror(reason)))"
    }
}
