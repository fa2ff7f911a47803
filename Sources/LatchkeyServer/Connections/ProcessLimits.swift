import CProcessShim

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The operating system's limits for the server process.
package enum ProcessLimits {
    /// The number of file descriptors reserved for purposes other than client connections: the admin
    /// listener, rejected connections that are still being drained, the database, files and outgoing
    /// requests.
    private static let reserve = 512

    /// Raises the descriptor limit to the hard limit, and disables core dumps because the memory contains
    /// secrets.
    ///
    /// Call this method once, before the server starts. Errors are ignored.
    package static func prepareToServe() {
        raiseDescriptors()
        // A failure is not critical, because the server also runs without this protection.
        _ = latchkey_forbid_dumps()
    }

    /// Returns the number of client connections for which the process has enough file descriptors.
    ///
    /// - Parameters:
    ///   - wanted: The configured number of connections.
    ///   - descriptors: The descriptor limit of the process.
    /// - Returns: `wanted`, or fewer if the descriptors reserved for other purposes require it.
    static func connections(wanted: Int, descriptors: Int = descriptors) -> Int {
        min(wanted, descriptors - min(reserve, descriptors / 2))
    }

    /// The descriptor limit of the process.
    ///
    /// The limit is the soft limit, or 1024 if the system does not report one.
    static var descriptors: Int {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the soft limit for open descriptors to the hard limit, and ignores errors.
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
