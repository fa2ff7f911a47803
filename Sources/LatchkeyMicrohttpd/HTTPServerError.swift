/// The error thrown when a server cannot be started.
package enum HTTPServerError: Error, CustomStringConvertible {
    /// The address is invalid, or its host name cannot be resolved.
    case addressUnknown(String)
    /// The operating system rejected the address or port.
    case cannotListen(address: String, port: Int, reason: String)
    /// The library could not start its threads.
    case outOfResources
    /// The server is already running.
    case alreadyStarted

    /// A message for the operator.
    package var description: String {
        switch self {
        case .addressUnknown(let address): "cannot listen on \(address): unknown address"
        case .cannotListen(let address, let port, let reason):
            "cannot listen on \(address), port \(port): \(reason)"
        case .outOfResources: "cannot start the HTTP server: out of memory, threads or descriptors"
        case .alreadyStarted: "the HTTP server is already running"
        }
    }
}
