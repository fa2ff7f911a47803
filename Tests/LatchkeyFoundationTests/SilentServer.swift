import Glibc

/// A server that accepts connections and never responds.
final class SilentServer: Sendable {
    let origin: String

    private let listener: Int32

    init() {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, length)
                // The system completes the connections, but no thread accepts them.
                _ = listen(listener, 16)
                _ = getsockname(listener, address, &length)
            }
        }
        self.listener = listener
        origin = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    }

    deinit {
        close(listener)
    }
}
