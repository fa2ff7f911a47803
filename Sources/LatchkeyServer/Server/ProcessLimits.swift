import CProcessShim

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The operating system's limits for the process that a server runs in.
package enum ProcessLimits {
    /// How many descriptors a server needs beside its clients' connections: for the admin listener, refused connections
    /// that are still read, the database, files and calls to providers.
    private static let reserve = 512

    /// Prepares a process that only serves: it may open as many descriptors as the system allows, and its memory, which
    /// holds secrets, is not dumped.
    package static func prepareToServe() {
        raiseDescriptors()
        // A system that refuses this serves all the same.
        _ = latchkey_forbid_dumps()
    }

    /// How many connections of clients there is room for.
    ///
    /// - Parameters:
    ///   - wanted: How many the operator wants.
    ///   - descriptors: How many descriptors the process may have.
    /// - Returns: At most so many that the admin listener and the database are not left without descriptors.
    static func connections(wanted: Int, descriptors: Int = descriptors) -> Int {
        min(wanted, descriptors - min(reserve, descriptors / 2))
    }

    /// How many descriptors the process may have.
    static var descriptors: Int {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    private static func raiseDescriptors() {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(openFiles, &limit)
    }

    #if canImport(Darwin)
    private static let openFiles = RLIMIT_NOFILE
    #else
    private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
}
