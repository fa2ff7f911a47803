#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Blocking TCP sockets on 127.0.0.1.
///
/// The caller owns the descriptors and must close them.
package enum LoopbackSocket {
    /// Creates a socket that listens on a free port.
    ///
    /// - Throws: ``ProxyError`` if the system can't provide a socket or a port.
    static func listen() throws(ProxyError) -> Int32 {
        let descriptor = try bound()
        #if canImport(Darwin)
        let isListening = Darwin.listen(descriptor, 64) == 0
        #else
        let isListening = Glibc.listen(descriptor, 64) == 0
        #endif
        guard isListening else { throw ProxyError(message: "cannot listen on a port") }
        return descriptor
    }

    /// Creates a socket that reserves a free port but doesn't listen, so that connections to the port are
    /// refused.
    static func bound() throws(ProxyError) -> Int32 {
        let descriptor = try make()
        var address = loopback(port: 0)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound else {
            close(descriptor)
            throw ProxyError(message: "cannot listen on a port")
        }
        return descriptor
    }

    /// Returns the port that a socket is bound to.
    ///
    /// If the descriptor isn't bound to a port, the result is 0.
    static func port(of descriptor: Int32) -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Connects to a port on 127.0.0.1, blocking the thread.
    ///
    /// - Parameter port: The server's port.
    /// - Returns: A descriptor that the caller must close.
    /// - Throws: ``ProxyError`` if no server is listening on the port.
    package static func connect(to port: Int) throws(ProxyError) -> Int32 {
        let descriptor = try make()
        var address = loopback(port: UInt16(port))
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #if canImport(Darwin)
                Darwin.connect(descriptor, $0, length) == 0
                #else
                Glibc.connect(descriptor, $0, length) == 0
                #endif
            }
        }
        guard isConnected else {
            close(descriptor)
            throw ProxyError(message: "no server is listening on port \(port)")
        }
        return descriptor
    }

    /// Sends all bytes, blocking the thread.
    ///
    /// On Linux, writing to a broken connection doesn't raise `SIGPIPE`.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to send.
    ///   - descriptor: A connected socket.
    /// - Returns: `true` if all bytes were passed to the system, or `false` if the connection is broken.
    package static func sendAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Creates a blocking IPv4 TCP socket.
    private static func make() throws(ProxyError) -> Int32 {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw ProxyError(message: "cannot create a socket") }
        return descriptor
    }

    /// Returns the address 127.0.0.1 with the given port, both in network byte order.
    ///
    /// If `port` is 0, the system chooses a free port.
    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
