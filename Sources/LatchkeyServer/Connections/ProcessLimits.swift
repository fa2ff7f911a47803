import CProcessShim

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The limits that the operating system imposes on the server process.
package enum ProcessLimits {
    /// The number of file descriptors that are not used for client connections.
    ///
    /// These descriptors are reserved for the admin listener, rejected connections that are still being
    /// drained, the database, files and outgoing requests.
    private static let reserve = 512

    /// Prepares the process for serving requests.
    ///
    /// This raises the limit on open file descriptors to the hard limit. Core dumps are disabled as well,
    /// because the memory contains secrets. Errors are ignored. Call this method once, before the server
    /// starts.
    package static func prepareToServe() {
        raiseDescriptors()
        // Ignore errors, because the server works without this protection too.
        _ = latchkey_forbid_dumps()
    }

    /// Returns the number of client connections that the process has enough file descriptors for.
    ///
    /// - Parameters:
    ///   - wanted: The configured number of connections.
    ///   - descriptors: The maximum number of file descriptors that the process can open.
    /// - Returns: The configured number, or a lower number if file descriptors have to be reserved for other
    ///   uses.
    static func connections(wanted: Int, descriptors: Int = descriptors) -> Int {
        min(wanted, descriptors - min(reserve, descriptors / 2))
    }

    /// The maximum number of file descriptors that the process can open.
    ///
    /// This is the soft limit, or 1024 if the system doesn't report a limit.
    static var descriptors: Int {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the soft limit on open file descriptors to the hard limit.
    ///
    /// Errors are ignored.
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
